package results

import (
	"cmp"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// The states of a cell.
const (
	StateComplete   = "complete"
	StateIncomplete = "incomplete"
)

// thresholded lists the metrics that depend on a threshold, in the order cells are written.
var thresholded = []struct {
	name  string
	value func(metrics.Counts) metrics.Value
}{
	{"accuracy", metrics.Counts.Accuracy},
	{"f1", metrics.Counts.F1},
	{"precision", metrics.Counts.Precision},
	{"recall", metrics.Counts.Recall},
	{"fpr", metrics.Counts.FPR},
	{"tn", func(c metrics.Counts) metrics.Value { return count(c.TN) }},
	{"fp", func(c metrics.Counts) metrics.Value { return count(c.FP) }},
	{"fn", func(c metrics.Counts) metrics.Value { return count(c.FN) }},
	{"tp", func(c metrics.Counts) metrics.Value { return count(c.TP) }},
}

func count(n int) metrics.Value { return metrics.Value{V: float64(n), OK: true} }

// Build computes every cell. Its order is fixed: detectors as given, splits as given, slices by name, then seeds.
func Build(in Input) *Results {
	r := &Results{
		Schema: Schema, Edition: in.Edition, EditionName: in.EditionName, ManifestSHA256: in.ManifestSHA256,
		WindowMode: in.WindowMode, Limit: in.Limit, Cells: []Cell{}, Warnings: []string{}, index: map[key]int{},
		Chosen: in.Chosen, Absent: in.Absent, PublicSubset: in.PublicSubset, Undisputed: in.Undisputed,
	}
	if in.Limit > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("a trial, not a result: only the first %d rows of each split are scored, val too",
			in.Limit))
	}
	for _, p := range in.Policies {
		r.Policies = append(r.Policies, p.String())
	}
	for _, s := range in.Splits {
		benign, injection := s.Data.Counts()
		r.Splits = append(r.Splits, SplitSummary{Name: s.Spec.Name, Axis: s.Spec.Axis, SHA256: s.Data.SHA256,
			Rows: len(s.Data.Rows), Benign: benign, Injection: injection, Absent: s.Absent, Withheld: withheld(s.Data),
			Disputed: len(Disputed(s.Data)),
			Frozen:   in.frozen(s), External: s.External,
			Authorship: authorship(s.Data)})
	}
	parts := make([][]part, len(in.Splits))
	for i, s := range in.Splits {
		var warn []string
		parts[i], warn = partition(s, in.Undisputed)
		r.Warnings = append(r.Warnings, warn...)
	}
	r.Warnings = append(r.Warnings, in.Absent...)
	for _, d := range in.Detectors {
		taus := r.addDetector(in, d)
		for i, s := range in.Splits {
			for _, p := range parts[i] {
				r.addCells(in, d, s, p, taus)
			}
		}
	}
	return r
}

// addDetector adds the summary and returns the threshold choices by policy and position of the seed.
func (r *Results) addDetector(in Input, d Detector) [][]choice {
	sum := DetectorSummary{ID: d.ID, Name: d.Name, Baseline: d.Baseline, Seeds: []int{}, Unavailable: d.Unavailable,
		Required: d.Required, Foreign: d.Foreign, Doubts: d.Doubts, Tau: map[string]map[string]float64{}, NoTau: map[string]string{}}
	for _, s := range d.Seeds {
		sum.Seeds = append(sum.Seeds, s.Seed)
		if len(s.Made.By) > 0 {
			if sum.Made == nil {
				sum.Made = map[string]Made{}
			}
			sum.Made[strconv.Itoa(s.Seed)] = s.Made
		}
	}
	choices := make([][]choice, len(in.Policies))
	for i, p := range in.Policies {
		sum.Tau[p.String()] = map[string]float64{}
		for _, s := range d.Seeds {
			c := choose(in, d, s, p)
			choices[i] = append(choices[i], c)
			if c.OK {
				sum.Tau[p.String()][strconv.Itoa(s.Seed)] = c.Tau
			} else {
				sum.NoTau[p.String()] = c.Reason
			}
			if c.lacking > 0 {
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s seed %d: threshold %s rests on %d of %d val rows", d.ID, s.Seed, p,
					len(in.Val.Rows)-c.lacking, len(in.Val.Rows)))
			}
		}
	}
	r.Detectors = append(r.Detectors, sum)
	return choices
}

// addCells adds, for one slice of one split, the cells of every seed and their means.
func (r *Results) addCells(in Input, d Detector, s Split, p part, taus [][]choice) {
	base := Cell{Detector: d.ID, Axis: s.Spec.Axis, Split: s.Spec.Name, Slice: p.name, Frozen: in.frozen(s)}
	if exposed := d.Exposed[s.Spec.Name]; exposed != nil {
		for _, row := range p.rows {
			if exposed[row] {
				base.NExposed++
			}
		}
	}
	views := make([]view, len(d.Seeds))
	for i, seed := range d.Seeds {
		views[i] = observe(seed, s, p)
	}
	emit := func(metric, policy string, value func(i int) metrics.Value, lacking func(i int) bool) {
		cells := make([]Cell, 0, len(d.Seeds))
		for i, seed := range d.Seeds {
			c := base
			c.Metric, c.Seed, c.NSeeds = metric, SeedRef{Seed: seed.Seed}, 1
			if policy != "" {
				c.Policy = &policy
			}
			views[i].fill(&c)
			v := value(i)
			if views[i].reason != "" {
				v = metrics.Value{Reason: views[i].reason}
			}
			setValue(&c, v)
			if lacking(i) || s.Absent != "" {
				c.State = StateIncomplete
			}
			cells = append(cells, c)
		}
		c := base
		c.Metric = metric
		if policy != "" {
			c.Policy = &policy
		}
		r.add(mean(c, cells, d))
		for _, c := range cells {
			r.add(c)
		}
	}
	for pi, policy := range in.Policies {
		counts := make([]metrics.Counts, len(views))
		for i, v := range views {
			if taus[pi][i].OK {
				counts[i] = metrics.Count(v.scores, v.labels, taus[pi][i].Tau)
			}
		}
		for _, m := range thresholded {
			emit(m.name, policy.String(), func(i int) metrics.Value {
				if !taus[pi][i].OK {
					return metrics.Value{Reason: taus[pi][i].Reason}
				}
				return m.value(counts[i])
			}, func(i int) bool { return taus[pi][i].lacking > 0 })
		}
	}
	emit("roc_auc", "", func(i int) metrics.Value { return metrics.ROCAUC(views[i].scores, views[i].labels) },
		func(int) bool { return false })
}

// frozen reports whether the manifest of the edition freezes the rows of a split.
func (in *Input) frozen(s Split) bool { return in.ManifestSHA256 != "" && !s.External }

// view is what one seed saw of one slice.
type view struct {
	scores                               []float64
	labels                               []dataset.Label
	failed, missing, unscored, truncated int
	reason                               string // why there are no scores at all
}

func observe(seed Seed, s Split, p part) view {
	var v view
	if s.Absent != "" {
		v.reason = s.Absent
		return v
	}
	outcomes, ok := seed.Outcomes[s.Spec.Name]
	if !ok {
		v.reason = cmp.Or(seed.Missing[s.Spec.Name], s.Spec.Name+" is not scored")
		if !s.External || s.Asked {
			v.unscored = len(p.rows)
		}
		return v
	}
	for i, row := range p.rows {
		switch o := outcomes[row]; o.State {
		case Scored:
			v.scores = append(v.scores, o.Score)
			v.labels = append(v.labels, p.labels[i])
			if o.Truncated {
				v.truncated++
			}
		case Failed:
			v.failed++
		case MissingText:
			v.missing++
		}
	}
	return v
}

func (v *view) fill(c *Cell) {
	c.N, c.NError, c.NMissing, c.NUnscored, c.NTruncated = len(v.scores), v.failed, v.missing, v.unscored, v.truncated
	for _, l := range v.labels {
		if l == dataset.Injection {
			c.NInjection++
		} else {
			c.NBenign++
		}
	}
	c.State = StateComplete
	if c.Total() > c.N {
		c.State = StateIncomplete
	}
}

func setValue(c *Cell, v metrics.Value) {
	if v.OK {
		c.Value = &v.V
	} else {
		c.Reason = v.Reason
	}
}

// mean folds the cells of all seeds into one: the mean value and the sample standard deviation (ddof 1). It is
// undefined as soon as one seed is, and incomplete as soon as one seed is.
func mean(c Cell, seeds []Cell, d Detector) Cell {
	c.Seed, c.NSeeds, c.State = SeedRef{Mean: true}, len(seeds), StateComplete
	if len(seeds) == 0 {
		c.Reason = d.Unavailable
		if d.Required {
			c.State = StateIncomplete
		}
		return c
	}
	first := seeds[0]
	c.N, c.NBenign, c.NInjection = first.N, first.NBenign, first.NInjection
	values := make([]float64, 0, len(seeds))
	for _, s := range seeds {
		if s.N < c.N {
			c.N, c.NBenign, c.NInjection = s.N, s.NBenign, s.NInjection
		}
		c.NError, c.NMissing = max(c.NError, s.NError), max(c.NMissing, s.NMissing)
		c.NUnscored = max(c.NUnscored, s.NUnscored)
		c.NTruncated = max(c.NTruncated, s.NTruncated)
		if s.State == StateIncomplete {
			c.State = StateIncomplete
		}
		if s.Value == nil {
			if c.Reason == "" {
				c.Reason = s.Reason
			}
			continue
		}
		values = append(values, *s.Value)
	}
	if len(values) < len(seeds) {
		return c
	}
	m := stat.Mean(values, nil)
	c.Value = &m
	if len(values) > 1 {
		sd := stat.StdDev(values, nil)
		c.SD = &sd
	}
	return c
}
