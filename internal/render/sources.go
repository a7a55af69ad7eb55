package render

import (
	"context"
	"fmt"
	"math"

	"pidsbench/internal/dataset"
	"pidsbench/internal/probe"
	"pidsbench/internal/results"
	"pidsbench/internal/slicing"
	"pidsbench/internal/stats"
)

// Sources returns, for the first policy, how well the source of the third-party hard-benign rows can be told from their
// words, and whether detectors raise false alarms rather on the rows whose source shows.
func Sources(in *results.Input, r *results.Results) []Table {
	s := splitData(in, "hard_benign_test")
	if s == nil || len(r.Policies) == 0 {
		return nil
	}
	b := cutTables{in: in, r: r, policy: r.Policies[0], detectors: aboveTheLine(r)}
	source := Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit}
	told := Table{ID: "sources", Title: title(r, "Telling the source of third-party hard-benign rows", b.policy),
		Policy: b.policy, Left: 1, Source: source,
		Columns: []string{"By", "n", "Families", "Sources", "Accuracy", "Balanced accuracy"}}
	rows := thirdParty(s, slicing.Out(in, s))
	id, reason, err := probe.Identify(context.Background(), s, rows, 0)
	if err != nil {
		reason = err.Error()
	}
	if reason != "" {
		told.Groups = [][]Row{{{label("words"), label("%d", len(rows)), absent(), absent(), absent(), absent()}}}
		told.Notes = []string{"n/a: " + Printable(reason)}
		return []Table{told}
	}
	line := func(by string, accuracy, balanced float64) Row {
		return Row{label("%s", by), label("%d", len(id.Rows)), label("%d", id.Families), label("%d", len(id.Sources)),
			plainNumber(accuracy), plainNumber(balanced)}
	}
	told.Groups = [][]Row{{line("words", id.Accuracy, id.Balanced),
		line("length alone", id.LengthAccuracy, id.LengthBalanced),
		line("most frequent source", id.Majority, 1/float64(len(id.Sources)))}}
	told.Notes = []string{"Five-fold cross-validation, families whole: one TF-IDF model a source against the others, " +
		"sources weighed alike, the highest score wins; length alone with the same deal. Sources of fewer than five " +
		"families are left out."}
	if id.LeftOut > 0 {
		note(&told.Notes, "%d of %d rows are left out", id.LeftOut, id.LeftOut+len(id.Rows))
	}
	if id.Accuracy <= id.Majority {
		note(&told.Notes, "Words tell the sources apart no better than the name of the most frequent one does: the "+
			"probability below then says how like that source a row is, not that its source shows.")
	}
	told.Notes = append(told.Notes, publicSubset(r)...)
	return append([]Table{told}, b.identified(s, id, source)...)
}

// identified sets false alarms beside how sure the source of a row is.
func (b *cutTables) identified(s *dataset.Split, id *probe.Identification, source Source) []Table {
	t := Table{ID: "sources-flags", Title: title(b.r, "False alarms by how well the source can be told", b.policy),
		Policy: b.policy, Left: 1, Source: source,
		Columns: []string{"Detector", "Correlation", "FPR least", "Second quarter", "Third quarter", "FPR most"}}
	draws := slicing.Draw(s)
	of, gaps := b.verdicts(s.Name)
	t.Notes = gaps
	var rows []Row
	for _, i := range b.detectors {
		v, ok := of[i]
		if !ok {
			continue
		}
		name := Printable(b.r.Detectors[i].Name)
		row := Row{label("%s", name)}
		e, value := slicing.Correlation(s, draws, id.Rows, id.Own, &v)
		if value.OK {
			row = append(row, estimateEntry(e, "%+.3f"))
		} else {
			row = append(row, absent())
			note(&t.Notes, "n/a: %s: %s", name, value.Reason)
		}
		for _, rate := range slicing.Quarters(id.Rows, id.Own, &v) {
			row = append(row, plainNumber(rate))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	t.Groups = [][]Row{rows}
	t.Notes = append(t.Notes, "Correlation of the share of seeds that flag a row with the probability that the model of "+
		"words gives its true source, a model that did not see the row's family; for one seed the point-biserial one. "+
		"Quarters of the rows by that probability.",
		fmt.Sprintf("In brackets: 95 %% intervals, %s resamples of families.", thousands(stats.Resamples)))
	return []Table{t}
}

// thirdParty returns the benign rows that others wrote.
func thirdParty(s *dataset.Split, out map[int]bool) (rows []int) {
	types, _ := s.Column("source_type")
	for i, r := range s.Rows {
		if r.Label == dataset.Benign && !out[i] && types != nil && types[i] == "real" {
			rows = append(rows, i)
		}
	}
	return rows
}

func plainNumber(v float64) Entry {
	return estimateEntry(slicing.Estimate{Value: v, Lo: math.NaN()}, "%.3f")
}
