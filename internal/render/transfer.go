package render

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/operating"
	"pidsbench/internal/results"
)

// Promises are the FPRs that the table of transfer promises on val.
var Promises = []float64{0.05, 0.01}

// Transfer returns for each promised FPR a table of what becomes of it on every axis, and one of the thresholds that
// val_f1 gives each seed.
func Transfer(in *results.Input, r *results.Results) []Table {
	benign, injection := operating.Sets(in)
	if len(benign)+len(injection) == 0 {
		return nothing(r, "transfer", "Transfer of thresholds", "split to check a threshold on")
	}
	var tables []Table
	for _, limit := range Promises {
		tables = append(tables, promiseTable(in, r, limit, benign, injection))
	}
	return end(in, r, append(tables, tauTable(in, r)))
}

func promiseTable(in *results.Input, r *results.Results, limit float64, benign, injection []operating.Set) Table {
	policy := fmt.Sprintf("val_fpr:%g", limit)
	s := newSheet(r, "transfer", "An FPR of "+percent(limit)+" promised on val, and what comes of it", policy)
	for _, set := range benign {
		s.Columns = append(s.Columns, "FPR "+Printable(set.Name))
	}
	s.Columns = append(s.Columns, "Promise kept")
	for _, set := range injection {
		s.Columns = append(s.Columns, "Recall "+Printable(set.Name))
	}
	s.Columns = append(s.Columns, "Threshold")
	s.rows(in, r, func(_ int, d results.Detector) []Row {
		t := operating.Promise(in, d, limit, benign, injection)
		row := Row{label("%s", Printable(d.Name))}
		for i, c := range t.FPR {
			row = append(row, s.cell(d, "FPR "+benign[i].Name, c))
		}
		row = append(row, label("%d of %d", t.Kept, t.Of))
		for i, c := range t.Recall {
			row = append(row, s.cell(d, "Recall "+injection[i].Name, c))
		}
		return []Row{append(row, tauRange(t.Taus))}
	})
	if in.Val != nil {
		if benign, _ := in.Val.Counts(); benign > 0 && 1/float64(benign) > limit {
			note(&s.Notes, "val has %d benign rows: a smaller FPR than %s there is no false alarm at "+
				"all", benign, percent(1/float64(benign)))
		}
	}
	return s.done(r, "Promise kept: on how many of these sets the mean FPR is at most the one promised.")
}

func tauRange(taus []float64) Entry {
	if len(taus) == 0 {
		return absent()
	}
	lo, hi := slices.Min(taus), slices.Max(taus)
	e := label("%s", shortTau(lo))
	if lo != hi {
		e.Text += "–" + shortTau(hi)
	}
	raw := make([]string, len(taus))
	for i := range taus {
		raw[i] = number(&taus[i])
	}
	e.Raw = []string{strings.Join(raw, " ")}
	return e
}

// shortTau is formatTau, but for the next floats above 0.
func shortTau(t float64) string {
	if t > 0 && t < 1e-12 {
		return ">0"
	}
	return formatTau(t)
}

func tauTable(in *results.Input, r *results.Results) Table {
	s := newSheet(r, "thresholds", "Thresholds of each seed", "val_f1")
	var seeds []int
	for _, d := range in.Detectors {
		for _, seed := range d.Seeds {
			if !slices.Contains(seeds, seed.Seed) {
				seeds = append(seeds, seed.Seed)
			}
		}
	}
	slices.Sort(seeds)
	for _, seed := range seeds {
		s.Columns = append(s.Columns, fmt.Sprintf("Seed %d", seed))
	}
	s.Columns = append(s.Columns, "Lowest", "Highest", "Mean")
	s.rows(in, r, func(_ int, d results.Detector) []Row {
		row := Row{label("%s", Printable(d.Name))}
		tuned := operating.Tuned(in, d)
		for _, seed := range seeds {
			e := label("–")
			for i, own := range d.Seeds {
				if own.Seed == seed && tuned[i].OK {
					e = tauRange([]float64{tuned[i].V})
				} else if own.Seed == seed {
					e = absent()
				}
			}
			row = append(row, e)
		}
		mean := operating.Mean(d, "threshold", tuned)
		mean.State = results.StateComplete // n of val stands below the table
		lowest, highest := absent(), absent()
		if mean.Value != nil {
			taus := make([]float64, len(tuned))
			for i, t := range tuned {
				taus[i] = t.V
			}
			lowest, highest = tauRange([]float64{slices.Min(taus)}), tauRange([]float64{slices.Max(taus)})
		}
		return []Row{append(row, lowest, highest, s.cell(d, "Mean", mean))}
	})
	return s.done(r, "–: the detector has no such seed. A threshold that differs much between seeds belongs to one "+
		"model, not to "+
		"the design.")
}
