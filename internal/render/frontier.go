package render

import (
	"fmt"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/operating"
	"pidsbench/internal/results"
)

// Frontier returns whether any threshold gives a high IID F1 together with few hard-benign false alarms: a table of the
// means over the seeds and one with the answer of each seed.
func Frontier(in *results.Input, r *results.Results) []Table {
	iid, hard := operating.First(in, dataset.IID), operating.First(in, dataset.HardBenign)
	name := fmt.Sprintf("Does any threshold give IID F1 ≥ %g and hard-benign FPR ≤ "+
		"%g?", operating.FloorF1, operating.CapFPR)
	if iid == nil || hard == nil {
		return nothing(r, "frontier", name, "pair of an IID and a hard-benign split")
	}
	test := operating.SetOf(in, *iid, "test", "", "")
	sets := operating.HardBenign(in)
	if len(sets) > 1 {
		sets = append(sets, operating.SetOf(in, *hard, "both", "", ""))
	}
	lowest, best := fmt.Sprintf("Lowest FPR at F1 ≥ %g", operating.FloorF1), fmt.Sprintf("Best F1 at FPR ≤ "+
		"%g", operating.CapFPR)
	means := newSheet(r, "frontier", name, "", "Peak F1")
	each := newSheet(r, "frontier-seeds", name+" Each seed", "", "Seed", "Peak F1")
	each.Left = 2
	for _, set := range sets {
		means.Columns = append(means.Columns, setHead(set)+": yes", lowest, best)
		each.Columns = append(each.Columns, setHead(set)+":", lowest, best)
	}
	seedRows := map[string][]Row{}
	means.rows(in, r, func(_ int, d results.Detector) []Row {
		answers := make([][]operating.Answer, len(sets)) // of each seed
		var views [][2]operating.View                    // of test and of the set, for each set and seed
		for k, set := range sets {
			for _, seed := range d.Seeds {
				v, h := operating.Look(d, seed, test), operating.Look(d, seed, set)
				answers[k] = append(answers[k], operating.Frontier(&v, &h))
				views = append(views, [2]operating.View{v, h})
			}
		}
		for i, seed := range d.Seeds {
			row := Row{label("%s", Printable(d.Name)), label("%d", seed.Seed), plain(answers[0][i].PeakF1, "%.4f")}
			for k := range sets {
				a := answers[k][i]
				row = append(row, answerEntry(a), plain(a.LowestFPR, "%.4f"), plain(a.BestF1, "%.4f"))
			}
			seedRows[d.ID] = append(seedRows[d.ID], row)
		}
		number := func(k int, metric string, of func(operating.Answer) metrics.Value) *results.Cell {
			var numbers []operating.Number
			for i, a := range answers[k] {
				v := views[k*len(d.Seeds)+i]
				numbers = append(numbers, v[0].Of(of(a)).With(v[1]))
			}
			return operating.Mean(d, metric, numbers)
		}
		var peaks []operating.Number
		for i, a := range answers[0] {
			peaks = append(peaks, views[i][0].Of(a.PeakF1))
		}
		row := Row{label("%s", Printable(d.Name)), means.cell(d, "Peak F1", operating.Mean(d, "f1", peaks))}
		for k, set := range sets {
			yes, undefined := 0, false
			for _, a := range answers[k] {
				if a.Yes {
					yes++
				}
				undefined = undefined || !a.PeakF1.OK
			}
			e := label("%d of %d", yes, len(d.Seeds))
			if undefined {
				e = absent()
			}
			low := number(k, "fpr", func(a operating.Answer) metrics.Value { return a.LowestFPR })
			top := number(k, "f1", func(a operating.Answer) metrics.Value { return a.BestF1 })
			row = append(row, e, means.cell(d, lowest, low), means.cell(d, setHead(set)+": "+best, top))
		}
		return []Row{row}
	})
	each.rows(in, r, func(_ int, d results.Detector) []Row { return seedRows[d.ID] })
	about := "Every threshold that decides differently is tried, on test and hard-benign rows themselves: this " +
		"describes what " +
		"these scores could give, no threshold is chosen by it. Both: all hard-benign rows together."
	return end(in, r, []Table{means.done(r, about, "Lowest FPR is n/a where a seed's F1 never reaches the floor: the "+
		"peak says how "+
		"far it gets. Yes: in how many seeds."), each.done(r, about)})
}

// setHead shortens the name of a set of hard-benign rows.
func setHead(set operating.Set) string {
	switch set.Name {
	case "Hard-benign real":
		return "Real"
	case "Hard-benign curated":
		return "Curated"
	case "both":
		return "Both"
	}
	return Printable(set.Name)
}

func answerEntry(a operating.Answer) Entry {
	switch {
	case !a.PeakF1.OK:
		return absent()
	case a.Yes:
		return label("yes")
	}
	return label("no")
}
