package paper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// estimate is a number of a claim with its resamples: the mean over the seeds in each.
type estimate struct {
	value      float64
	draws      []float64 // [Resamples]; nil for a number without sampling error
	n, missing int
	seeds      int
	tau        []string
	reason     string // why there is no number
}

// sampler makes estimates. All numbers of a split rest on the same resamples, so that they are paired; splits are drawn
// independently of each other.
type sampler struct {
	*source
	splits map[string]*drawn
	cache  map[string]*estimate
}

// drawn is a split with its resamples by family.
type drawn struct {
	split *results.Split
	draws *stats.Draws
}

// estimate returns a number of a claim whose design is set.
func (m *sampler) estimate(q Quantity, policy string) *estimate {
	at := policy
	if q.At != nil {
		at = q.At.String()
	}
	key := strings.Join([]string{q.Design, q.Split, q.Slice, q.Metric, at}, "\x00")
	if m.cache[key] == nil {
		m.cache[key] = m.compute(q, policy)
	}
	return m.cache[key]
}

func (m *sampler) compute(q Quantity, policy string) *estimate {
	use := m.uses[q.Design]
	if use.Detector == "" {
		return &estimate{reason: use.Reason}
	}
	if q.Metric == seedSD {
		return m.spread(use, q, policy)
	}
	var seeds []results.Seed
	for _, d := range m.in.Detectors {
		if d.ID == use.Detector {
			seeds = d.Seeds
		}
	}
	in, rows, reason := m.rows(q.Split, q.Slice)
	if reason != "" {
		return &estimate{reason: reason}
	}
	rows, missing, reason := complete(use.Shown, seeds, q.Split, rows)
	e := &estimate{n: len(rows), missing: missing, seeds: len(seeds), reason: reason}
	if reason != "" {
		return e
	}
	taus := make([]float64, len(seeds))
	for i, seed := range seeds {
		if q.At != nil {
			benign, limited, reason := m.rows(q.At.Split, q.At.Slice)
			if reason != "" {
				return &estimate{reason: reason}
			}
			limited, _, reason = complete(use.Shown, seeds, q.At.Split, limited)
			if reason != "" {
				return &estimate{reason: reason}
			}
			taus[i] = best(in.split, seed, rows, benign.split, limited, *q.At.FPR)
			e.tau = append(e.tau, strconv.FormatFloat(taus[i], 'g', -1, 64))
			continue
		}
		tau, ok := m.tau(use.Detector, policy, seed.Seed)
		if !ok {
			e.reason = fmt.Sprintf("%s has no threshold %s", use.Shown, policy)
			return e
		}
		taus[i] = tau
	}
	count(in, seeds, rows, taus, q.Metric, e)
	return e
}

// rows returns a split with its resamples, and the rows of a slice that are not left out.
func (m *sampler) rows(split, slice string) (*drawn, []int, string) {
	s := m.split(split)
	switch {
	case s == nil:
		return nil, nil, "edition " + m.r.Edition + " has no " + split
	case s.Absent != "":
		return nil, nil, s.Absent
	}
	if m.splits[split] == nil {
		m.splits[split] = &drawn{s, results.Families.Draw(*s)}
	}
	var disputed map[int]bool
	if m.in.Undisputed {
		disputed = results.Disputed(s.Data)
	}
	for _, name := range []string{slice, m.c.AlsoCalled[slice]} {
		var values []string
		column, value, sliced := strings.Cut(name, "=")
		if sliced {
			values, _ = s.Data.Column(s.Spec.Slices[column])
		}
		if sliced && values == nil || name == "" && slice != "" {
			continue
		}
		var rows []int
		for i := range s.Data.Rows {
			if !disputed[i] && (!sliced || values[i] == value) {
				rows = append(rows, i)
			}
		}
		if len(rows) > 0 {
			return m.splits[split], rows, ""
		}
	}
	return nil, nil, split + " has no rows with " + slice
}

// complete returns the rows that every seed scored, and how many others there are.
func complete(name string, seeds []results.Seed, split string, rows []int) (scored []int, missing int, reason string) {
	for _, seed := range seeds {
		if seed.Outcomes[split] == nil {
			return nil, len(rows), fmt.Sprintf("%s: seed %d has no scores of %s", name, seed.Seed, split)
		}
	}
	scored = slices.DeleteFunc(slices.Clone(rows), func(row int) bool {
		return slices.ContainsFunc(seeds, func(s results.Seed) bool { return s.Outcomes[split][row].State != results.Scored })
	})
	if len(scored) == 0 || len(seeds) == 0 {
		return nil, len(rows), name + " has no scores of " + split
	}
	return scored, len(rows) - len(scored), ""
}

// count fills an estimate: FPR and recall by the sum of the seeds' errors, F1 as the mean of the seeds' F1.
func count(in *drawn, seeds []results.Seed, rows []int, taus []float64, metric string, e *estimate) {
	all := len(in.split.Data.Rows)
	benign, injections := make([]int, all), make([]int, all)
	alarms, misses := make([][]int, len(seeds)), make([][]int, len(seeds))
	for s, seed := range seeds {
		alarms[s], misses[s] = make([]int, all), make([]int, all)
		outcomes := seed.Outcomes[in.split.Spec.Name]
		for _, row := range rows {
			flagged := outcomes[row].Score >= taus[s]
			switch injection := in.split.Data.Rows[row].Label == dataset.Injection; {
			case injection:
				injections[row] = 1
				if !flagged {
					misses[s][row] = 1
				}
			default:
				benign[row] = 1
				if flagged {
					alarms[s][row] = 1
				}
			}
		}
	}
	switch metric {
	case "fpr":
		in.rate(alarms, benign, "benign", e)
	case "recall":
		in.rate(misses, injections, "injection", e)
		e.value = 1 - e.value
		for b := range e.draws {
			e.draws[b] = 1 - e.draws[b]
		}
	default:
		in.f1(alarms, misses, injections, e)
	}
}

// rate estimates the mean over the seeds of the errors on rows of a class, those with a 1.
func (in *drawn) rate(errors [][]int, class []int, name string, e *estimate) {
	n, seeds := sum(class), float64(len(errors))
	if n == 0 {
		e.reason = in.split.Spec.Name + " has no " + name + " rows there"
		return
	}
	all := add(errors)
	e.value = float64(sum(all)) / (float64(n) * seeds)
	sums := in.draws.Totals(all, class)
	for b := range sums[1] {
		sums[1][b] *= seeds
	}
	e.draws = stats.Shares(sums[0], sums[1])
}

// f1 estimates the mean over the seeds of 2TP/(2TP+FP+FN).
func (in *drawn) f1(alarms, misses [][]int, injections []int, e *estimate) {
	p := float64(sum(injections))
	if p == 0 {
		e.reason = in.split.Spec.Name + " has no injection rows there"
		return
	}
	series := [][]int{injections}
	values := make([]float64, len(alarms))
	for s := range alarms {
		series = append(series, alarms[s], misses[s])
		values[s] = f1(p, float64(sum(alarms[s])), float64(sum(misses[s])))
	}
	e.value = stat.Mean(values, nil)
	sums := in.draws.Totals(series...)
	e.draws = make([]float64, stats.Resamples)
	for b := range e.draws {
		for s := range alarms {
			values[s] = f1(sums[0][b], sums[1+2*s][b], sums[2+2*s][b])
		}
		e.draws[b] = stat.Mean(values, nil)
	}
}

// f1 is undefined (NaN) without an injection, as everywhere.
func f1(injections, alarms, misses float64) float64 {
	if injections == 0 {
		return math.NaN()
	}
	twice := 2 * (injections - misses)
	return twice / (twice + alarms + misses)
}

func add(series [][]int) []int {
	out := make([]int, len(series[0]))
	for _, s := range series {
		for i, v := range s {
			out[i] += v
		}
	}
	return out
}

func sum(series []int) int {
	n := 0
	for _, v := range series {
		n += v
	}
	return n
}
