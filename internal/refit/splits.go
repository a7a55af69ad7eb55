package refit

import (
	"context"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/threshold"
)

// Deals is the number of other splits.
const Deals = 20

// Split is one of the other splits, and what the baseline fitted on its train does on its test.
type Split struct {
	Number           int // from 1
	Train, Val, Test int // rows
	Families         int // of test
	Moved            int // rows of test that are not in the frozen test

	Fixed, FixedPlain metrics.Counts   // at Threshold: of all rows of test, and of those without a disguise
	Tau               threshold.Choice // by val_f1 on its own val
	Tuned, TunedPlain metrics.Counts   // at Tau, when there is one
	Reason            string           // why there is no model, or empty
}

// Report is all that is fitted.
type Report struct {
	Sources Sources
	Splits  []Split
	Fits    int
	New     []string // disguises of the frozen test that its train does not show, rising
}

// Run fits everything. Sources have a result only where test has the column source. The error is that of the context, or
// of a fit.
func Run(ctx context.Context, d Data) (*Report, error) {
	r := &Report{Splits: make([]Split, Deals), New: newDisguises(d.Train, d.Test)}
	tuned, err := threshold.Parse("val_f1")
	if err != nil {
		return nil, err
	}
	jobs := d.sourceJobs(&r.Sources)
	if _, ok := d.Test.Column("source"); !ok {
		jobs, r.Sources.Of = jobs[:1], nil
	}
	jobs = append(jobs, d.splitJobs(r.Splits, tuned)...)
	r.Fits = len(jobs)
	return r, d.run(ctx, jobs)
}

// splitJobs returns the fits for the other splits, which they fill.
func (d *Data) splitJobs(out []Split, tuned threshold.Policy) []job {
	var all []row
	due := make([]size, 3)
	testFrom := 0
	train, _ := rowsOf(d.Train)
	val, _ := rowsOf(d.Val)
	test, _ := rowsOf(d.Test)
	for p, rows := range [][]row{train, val, test} {
		testFrom = len(all)
		for _, r := range rows {
			due[p][r.label]++
		}
		all = append(all, rows...)
	}
	jobs := make([]job, len(out))
	for i := range out {
		s := &out[i]
		s.Number = i + 1
		var parts [3][]row
		jobs[i] = job{func() []row {
			for k, p := range deal(all, due, s.Number) {
				parts[p] = append(parts[p], all[k])
				if p == 2 && k < testFrom {
					s.Moved++
				}
			}
			s.Train, s.Val, s.Test = len(parts[0]), len(parts[1]), len(parts[2])
			s.Families = len(familiesOf(parts[2]))
			return parts[0]
		}, func(m model) {
			if s.Reason = m.reason; s.Reason != "" {
				return
			}
			s.Tau = tuned.Choose(m.scores(parts[1]), labelsOf(parts[1]), nil)
			scores := m.scores(parts[2])
			s.Fixed, s.FixedPlain = count(parts[2], scores, Threshold)
			if s.Tau.OK {
				s.Tuned, s.TunedPlain = count(parts[2], scores, s.Tau.Tau)
			}
			parts = [3][]row{} // nobody needs them any more
		}}
	}
	return jobs
}

// count counts all rows, and those without a disguise.
func count(rows []row, scores []float64, tau float64) (all, plain metrics.Counts) {
	for i, r := range rows {
		all.Add(r.label, scores[i] >= tau)
		if r.plain {
			plain.Add(r.label, scores[i] >= tau)
		}
	}
	return all, plain
}

// newDisguises returns those of test that train does not show.
func newDisguises(train, test *dataset.Split) (names []string) {
	_, known := Disguise(train)
	_, values := Disguise(test)
	for _, v := range values {
		if !slices.Contains(known, v) && !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	slices.Sort(names)
	return names
}
