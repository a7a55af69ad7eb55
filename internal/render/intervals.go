package render

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// intervals is the ID of the tables of intervals.
const intervals = "intervals"

// intervalColumns are the numbers whose intervals stand in a table of their own.
var intervalColumns = append(slices.Clone(mainColumns),
	column{head: "Hard-benign FPR, real", axis: dataset.HardBenign, slice: "provenance=real", metric: "fpr"},
	column{head: "Hard-benign FPR, curated", axis: dataset.HardBenign, slice: "provenance=curated", metric: "fpr"},
	column{head: "Ordinary FPR", axis: dataset.OrdinaryBenign, slice: "all", metric: "fpr"})

// estimated is a number of the table of intervals.
type estimated struct {
	head string
	cell *results.Cell
}

// WantsInterval returns whether a cell stands in the tables of intervals: with many detectors only where all of them were
// asked for.
func WantsInterval(r *results.Results, all bool) func(*results.Cell) bool {
	wanted := map[*results.Cell]bool{}
	if len(r.Policies) > 0 && (all || len(ranged(r)) <= fewDetectors) {
		for _, x := range estimates(r, r.Policies[0]) {
			wanted[x.cell] = true
		}
	}
	return func(c *results.Cell) bool { return wanted[c] }
}

// ranged returns the detectors whose numbers have intervals in tables: those that ran, without baselines.
func ranged(r *results.Results) (of []results.DetectorSummary) {
	for _, d := range r.Detectors {
		if !d.Baseline && d.Unavailable == "" {
			of = append(of, d)
		}
	}
	return of
}

// estimates returns the numbers of a policy that may have an interval, detector by detector.
func estimates(r *results.Results, policy string) (out []estimated) {
	for _, d := range ranged(r) {
		for _, c := range intervalColumnsOf(r) {
			split := c.of(r)
			if split == nil || split.Absent != "" {
				continue
			}
			if cell := r.Mean(d.ID, split.Name, c.slice, c.metric, policyOf(c.metric, policy)); cell != nil {
				out = append(out, estimated{c.head, cell})
			}
		}
	}
	return out
}

// withIntervals returns those with a value that were resampled.
func withIntervals(r *results.Results, policy string) []estimated {
	return slices.DeleteFunc(estimates(r, policy), func(x estimated) bool {
		return x.cell.Lo == nil && len(x.cell.Doubts) == 0
	})
}

// intervalColumnsOf returns those of the edition, or of each of the user's own files.
func intervalColumnsOf(r *results.Results) (columns []column) {
	if r.SplitOf(dataset.Custom) == nil {
		return shown(r, intervalColumns)
	}
	for _, s := range r.Splits {
		for _, c := range ownColumns {
			c.split = s.Name
			if len(r.Splits) > 1 {
				c.head = Printable(s.Name) + ": " + c.head
			}
			columns = append(columns, c)
		}
	}
	return columns
}

// fewDetectors is the number of detectors up to which intervals stand among the tables that are shown by default.
const fewDetectors = 3

// shortIntervals returns the intervals by family and with the spread of the seeds; nothing for many detectors, or where they
// stand elsewhere.
func shortIntervals(r *results.Results, policy string, elsewhere bool) []Table {
	of := withIntervals(r, policy)
	if elsewhere || len(of) == 0 || len(ranged(r)) > fewDetectors {
		return nil
	}
	several := slices.ContainsFunc(of, func(x estimated) bool { return x.cell.SeedLo != nil })
	t := newIntervalTable(r, policy, "Value", "By family", "Families")
	if several {
		t.Columns = append(t.Columns, "Families and seeds")
	}
	fillIntervals(&t, r, of, func(_ int, c *results.Cell) Row {
		if several {
			return Row{bounds(c.SeedLo, c.SeedHi)}
		}
		return nil
	})
	return []Table{t}
}

// Intervals returns, for the first policy, the 95 % intervals of the main and the provenance table: by family, by other
// groups, and with the spread of the seeds.
func Intervals(in *results.Input, r *results.Results) []Table {
	if len(r.Policies) == 0 {
		return nil
	}
	policy := r.Policies[0]
	of := withIntervals(r, policy)
	if len(of) == 0 {
		return nil
	}
	t := newIntervalTable(r, policy, "Value", "By family", "Families", "By other groups", "Groups", "Grouped by", "Families and seeds")
	widest, which := widestIntervals(in, r, of)
	fillIntervals(&t, r, of, func(i int, c *results.Cell) Row {
		row := Row{absent(), absent(), label("%s", which[i]), bounds(c.SeedLo, c.SeedHi)}
		if wide := widest[i]; wide != nil {
			row[0] = bounds(&wide.Lo, &wide.Hi)
			row[1] = groupCount(&results.Cell{Groups: wide.Groups, GroupsEffective: wide.Effective})
		}
		return row
	})
	t.Notes = append(t.Notes, "Other groups: families joined by a cosine of 0.6, or rows with the same five first words, whichever "+
		"gives the wider interval. Where it is far wider than by family, rows of one group behave alike.")
	return []Table{t}
}

func newIntervalTable(r *results.Results, policy string, columns ...string) Table {
	return Table{ID: intervals, Title: title(r, "95 % intervals", policy), Policy: policy, Left: 2,
		Columns: append([]string{"Detector", "Number"}, columns...),
		Source:  Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit}}
}

// fillIntervals adds a row a number, with what more returns at its end, and the notes.
func fillIntervals(t *Table, r *results.Results, of []estimated, more func(i int, c *results.Cell) Row) {
	few := false
	for i, x := range of {
		if i == 0 || of[i-1].cell.Detector != x.cell.Detector {
			t.Groups = append(t.Groups, nil)
		}
		last := &t.Groups[len(t.Groups)-1]
		*last = append(*last, append(Row{label("%s", Printable(nameOf(r, x.cell.Detector))), label("%s", x.head),
			Entry{Cell: x.cell}, bounds(x.cell.Lo, x.cell.Hi), groupCount(x.cell)}, more(i, x.cell)...))
		few = few || x.cell.Lo != nil && x.cell.GroupsEffective < results.FewGroups
		if x.cell.Lo == nil {
			note(&t.Notes, "n/a: %s of %s: %s", x.head, Printable(x.cell.Detector), strings.Join(x.cell.Doubts, "; "))
		}
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Percentiles of %s resamples of families, seeds averaged in each, the same for all "+
		"detectors; at 0 and 1 Wilson's interval. Families in brackets: how many of equal size would weigh as much.",
		thousands(stats.Resamples)))
	if len(r.Policies) > 1 {
		t.Notes = append(t.Notes, "At the first threshold policy; the JSON and CSV forms have the intervals of all.")
	}
	if slices.Contains(t.Columns, "Families and seeds") {
		t.Notes = append(t.Notes, "Families and seeds: the interval by family and the t-interval of the seeds' mean, added in quadrature.")
	}
	if few {
		t.Notes = append(t.Notes, fmt.Sprintf("Where the number in brackets is below %d, the interval is too narrow.", results.FewGroups))
	}
}

// widestIntervals returns for each number the widest interval by another grouping, and the name of the grouping.
func widestIntervals(in *results.Input, r *results.Results, of []estimated) ([]*results.Interval, []string) {
	cells := make([]*results.Cell, len(of))
	for i := range of {
		cells[i] = of[i].cell
	}
	widest, which := make([]*results.Interval, len(of)), make([]string, len(of))
	for _, g := range results.Coarse {
		for i, wide := range results.Intervals(in, r, g, cells) {
			if wide != nil && wide.Reason == "" && (widest[i] == nil || wide.Hi-wide.Lo > widest[i].Hi-widest[i].Lo) {
				widest[i], which[i] = wide, g.Name
			}
		}
	}
	return widest, which
}

// bounds shows an interval; n/a without one.
func bounds(lo, hi *float64) Entry {
	if lo == nil || hi == nil {
		return absent()
	}
	return Entry{Text: fmt.Sprintf("[%.3f, %.3f]", *lo, *hi), Raw: []string{"", number(lo), number(hi)}}
}

// groupCount shows the groups and how many of equal size would weigh as much; n/a without an interval.
func groupCount(c *results.Cell) Entry {
	if c.Groups == 0 {
		return absent()
	}
	return Entry{Text: fmt.Sprintf("%d (%.0f)", c.Groups, c.GroupsEffective), Raw: []string{fmt.Sprint(c.Groups)}}
}

// nameOf returns the display name of a detector.
func nameOf(r *results.Results, id string) string {
	for _, d := range r.Detectors {
		if d.ID == id {
			return d.Name
		}
	}
	return id
}
