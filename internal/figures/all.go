package figures

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
)

// tunedPolicy is the threshold policy that figures show.
const tunedPolicy = "val_f1"

// All returns the figures that the results allow, and notes on what is left out and why. Detectors are those above the
// line, the first six as given.
func All(in *results.Input, r *results.Results) (all []*Figure, notes []string) {
	test, hard := splitOf(in, dataset.IID), splitOf(in, dataset.HardBenign)
	if test == nil && hard == nil {
		return nil, []string{"no figures: they are of the IID and the hard-benign axis, which are not among the splits"}
	}
	detectors, notes := chosen(in, r, test, hard)
	if len(detectors) == 0 {
		return nil, append(notes, "no figures: no detector above the line has scores")
	}
	add := func(what string, f *Figure, without []string) {
		switch {
		case f == nil:
			notes = append(notes, "no figure "+what)
		default:
			all = append(all, f)
			if len(without) > 0 {
				notes = append(notes, fmt.Sprintf("figure %s is without %s: rows or scores are lacking", f.Name,
					strings.Join(without, ", ")))
			}
		}
	}
	f, without := Frontier(detectors)
	add("frontier: it needs scores of the IID test split and of hard-benign texts from real sources", f, without)
	add("provenance: there are no false-positive rates of hard-benign texts", provenance(r, detectors), nil)
	sweeps := pools(in, r)
	add("pools: no detector was trained with other pool sizes (ids that end in -pool100 and the like)",
		PoolSweep(sweeps), nil)
	f, without = ROCCurves(detectors)
	add("roc: it needs IID test rows of both classes", f, without)
	f, without = PRCurves(detectors)
	add("pr: it needs IID test rows of both classes", f, without)
	f, without = Histograms(detectors)
	add("scores: it needs scores of hard-benign texts from real sources", f, without)
	f, without = Reliabilities(detectors)
	add("reliability: it needs scores of the IID test split", f, without)
	for _, d := range detectors {
		if f := Tradeoff(d); f != nil {
			all = append(all, f)
		}
	}
	for _, d := range detectors {
		if f := slicesOf(r, d); f != nil {
			all = append(all, f)
		}
	}
	return all, notes
}

// splitOf returns the first split of the edition that measures the axis and has rows, or nil.
func splitOf(in *results.Input, axis dataset.Axis) *results.Split {
	for i, s := range in.Splits {
		if s.Spec.Axis == axis && !s.External && s.Absent == "" {
			return &in.Splits[i]
		}
	}
	return nil
}

// chosen returns the detectors that figures show, with their scores.
func chosen(in *results.Input, r *results.Results, test, hard *results.Split) (detectors []Detector, notes []string) {
	var left []string
	for i, d := range in.Detectors {
		name := shorten(render.Printable(d.Name), 60)
		switch {
		case d.Baseline || d.Unavailable != "" || len(d.Seeds) == 0:
			continue
		case len(detectors) == most:
			left = append(left, name)
			continue
		}
		shown := Detector{ID: d.ID, Name: name}
		for _, seed := range d.Seeds {
			shown.Runs = append(shown.Runs, runOf(in, seed, test, hard, tauOf(r, i, seed.Seed)))
		}
		detectors = append(detectors, shown)
	}
	if len(left) > 0 {
		notes = append(notes, fmt.Sprintf("figures show the first %d detectors, without %s (name others with --detector)",
			most,
			strings.Join(left, ", ")))
	}
	for _, d := range detectors {
		for _, run := range d.Runs {
			for _, s := range []Sample{run.Test, run.Hard} {
				if n := len(s.Scores); n > 0 && n < s.Rows {
					notes = append(notes, fmt.Sprintf("%s seed %d: curves rest on %d of %d rows", d.Name, run.Seed, n, s.Rows))
				}
			}
		}
	}
	return detectors, notes
}

func runOf(in *results.Input, seed results.Seed, test, hard *results.Split, tau float64) Run {
	run := Run{Seed: seed.Seed, Tau: tau}
	if test != nil {
		run.Test = Take(seed, *test, in.Undisputed, nil)
	}
	if hard != nil {
		provenance, ok := hard.Data.Column(hard.Spec.Slices["provenance"])
		run.Hard = Take(seed, *hard, in.Undisputed, func(row int) bool { return ok && provenance[row] == "real" })
	}
	return run
}

// tauOf returns the threshold of a seed, NaN where there is none.
func tauOf(r *results.Results, detector, seed int) float64 {
	if tau, ok := r.Detectors[detector].Tau[tunedPolicy][strconv.Itoa(seed)]; ok {
		return tau
	}
	return math.NaN()
}

// provenance takes the bars from the cells of the first policy, as the main tables and their sentences do.
func provenance(r *results.Results, detectors []Detector) *Figure {
	policy := shownPolicy(r)
	hard, ordinary := r.SplitOf(dataset.HardBenign), r.SplitOf(dataset.OrdinaryBenign)
	if hard == nil || policy == "" {
		return nil
	}
	var groups []Group
	for _, d := range detectors {
		g := Group{Name: d.Name, Values: []*Estimate{
			estimate(r.Mean(d.ID, hard.Name, "provenance=real", "fpr", policy)),
			estimate(r.Mean(d.ID, hard.Name, "provenance=curated", "fpr", policy)), nil}}
		if ordinary != nil {
			g.Values[2] = estimate(r.Mean(d.ID, ordinary.Name, "all", "fpr", policy))
		}
		groups = append(groups, g)
	}
	return Provenance(groups, policy)
}

func shownPolicy(r *results.Results) string {
	if len(r.Policies) == 0 {
		return ""
	}
	return r.Policies[0]
}

// estimate is nil where the cell is undefined.
func estimate(c *results.Cell) *Estimate {
	if c == nil || c.Value == nil {
		return nil
	}
	e := &Estimate{Value: *c.Value, Lo: math.NaN(), Hi: math.NaN()}
	if c.Lo != nil && c.Hi != nil {
		e.Lo, e.Hi = *c.Lo, *c.Hi
	}
	return e
}

// slicesOf draws the false alarms of a detector on each slice of the benign splits and of the test split.
func slicesOf(r *results.Results, d Detector) *Figure {
	policy := shownPolicy(r)
	external := map[string]bool{}
	for _, s := range r.Splits {
		external[s.Name] = s.External
	}
	var of []Slice
	whole := map[string]int{} // benign rows of each split
	type part struct {
		split, value string
		rows         int
	}
	seen := map[part]bool{} // two columns may cut out the same rows
	for _, c := range r.Cells {
		if c.Detector != d.ID || !c.Seed.Mean || c.Metric != "fpr" || c.Policy == nil || *c.Policy != policy ||
			c.Value == nil ||
			external[c.Split] || strings.HasPrefix(c.Slice, "disputed=") {
			continue
		}
		_, value, _ := strings.Cut(c.Slice, "=")
		is := part{c.Split, value, c.NBenign}
		if c.Slice == "all" {
			whole[c.Split] = c.NBenign
			continue
		}
		if seen[is] || c.NBenign == whole[c.Split] {
			continue
		}
		seen[is] = true
		e := estimate(&c)
		of = append(of, Slice{render.Printable(c.Split + ", " + c.Slice), e.Value, e.Lo, e.Hi, c.NBenign})
	}
	f := Forest("slices-"+d.ID, "False alarms by slice of "+d.Name+" at threshold "+policy, "FPR, mean over seeds", of)
	if f != nil {
		f.Detail = true
	}
	return f
}

var poolID = regexp.MustCompile(`^(.+)-pool-?([0-9]+)$`)

// pools finds sweeps: detectors X-pool100, X-pool200, …, with X as the pool of 0 and X-hn as the whole pool, whose size
// is fullPool.
func pools(in *results.Input, r *results.Results) (sweeps []Pools) {
	hard := splitOf(in, dataset.HardBenign)
	sizes := map[string][]Pool{}
	var order []string
	if hard == nil {
		return nil
	}
	add := func(base string, size, i int) {
		var p Pool
		p.Size = size
		for _, seed := range in.Detectors[i].Seeds {
			run := runOf(in, seed, nil, hard, tauOf(r, i, seed.Seed))
			if benign, _ := run.Hard.byClass(); len(benign) > 0 && !math.IsNaN(run.Tau) {
				p.FPR = append(p.FPR, counts(benign, nil, run.Tau).FPR().V)
			}
		}
		if len(p.FPR) > 0 {
			sizes[base] = append(sizes[base], p)
		}
	}
	for i, d := range in.Detectors {
		if m := poolID.FindStringSubmatch(d.ID); m != nil {
			base := strings.TrimSuffix(m[1], "-hn")
			if size, err := strconv.Atoi(m[2]); err == nil {
				if !slices.Contains(order, base) {
					order = append(order, base)
				}
				add(base, size, i)
			}
		}
	}
	for _, base := range order {
		name := base
		for i, d := range in.Detectors {
			switch d.ID {
			case base:
				name = shorten(render.Printable(d.Name), 60)
				add(base, 0, i)
			case base + "-hn":
				add(base, fullPool, i)
			}
		}
		slices.SortStableFunc(sizes[base], func(a, b Pool) int { return a.Size - b.Size })
		if len(sizes[base]) > 1 && len(sweeps) < most {
			sweeps = append(sweeps, Pools{name, sizes[base]})
		}
	}
	return sweeps
}

// fullPool is the number of hard negatives in the whole pool.
const fullPool = 419
