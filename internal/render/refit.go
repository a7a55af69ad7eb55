package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/comparison"
	"pidsbench/internal/refit"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// refitTables lays out what refits say, at the first policy of the results, which is fixed, and at the second, which
// val tunes.
type refitTables struct {
	in    *results.Input // its one split is test, broken down by source
	r     *results.Results
	of    *refit.Report
	test  *results.SplitSummary
	fixed string
	shown []refit.Source // the largest first
	pairs []refit.Pair   // the baseline's first
}

// Refit returns the tables of refits: a source left out of train, F1 within sources beside pooled F1, and the spread of
// other splits beside that of seeds. in and r hold the detectors of the pairs, the report's own first, and whatever stands
// beside them, on test with the breakdown source.
func Refit(in *results.Input, r *results.Results, of *refit.Report, pairs ...refit.Pair) []Table {
	t := refitTables{in: in, r: r, of: of, test: &r.Splits[0], fixed: r.Policies[0],
		pairs: append([]refit.Pair{refit.Baseline}, pairs...)}
	for _, s := range of.Sources.Of {
		if s.Train+s.Test >= refit.MinRows {
			t.shown = append(t.shown, s)
		}
	}
	slices.SortStableFunc(t.shown, func(a, b refit.Source) int {
		return cmp.Or(cmp.Compare(b.Test, a.Test), strings.Compare(a.Name, b.Name))
	})
	var tables []Table
	for _, p := range t.pairs {
		tables = append(tables, t.leftOut(p))
	}
	tables = append(tables, t.within(), t.spread())
	last := &tables[len(tables)-1]
	last.Notes = append(last.Notes, closing(r)...)
	return tables
}

func (t *refitTables) begin(id, name, policy string, left int, columns ...string) Table {
	out := Table{ID: id, Policy: policy, Left: left, Columns: columns,
		Source: Source{t.r.Edition, t.r.ManifestSHA256, t.r.WindowMode, t.r.Limit}}
	if out.Title = title(t.r, name, policy); policy == "" {
		out.Title = name + strings.TrimPrefix(title(t.r, "", ""), " at threshold ")
	}
	return out
}

// refitMetrics are shown of a source, each where the source has the classes that it needs.
var refitMetrics = []struct{ name, metric string }{{"F1", "f1"}, {"Recall", "recall"}, {"FPR", "fpr"}}

// leftOut sets the model that saw a source beside the one that did not.
func (t *refitTables) leftOut(p refit.Pair) Table {
	id := "left-out-source"
	if p != refit.Baseline {
		id += "-" + strings.TrimSuffix(p.Whole, "/train")
	}
	out := t.begin(id, Printable(p.Name)+" without the source of a row, and with it", t.fixed, 2, "Source", "Number", "n", "Families", "Out of train", "Without", "With", "Difference")
	side := func(id string) comparison.Side {
		at := slices.IndexFunc(t.in.Detectors, func(d results.Detector) bool { return d.ID == id })
		return comparison.NewSide(t.in.Detectors[at], t.r, true)
	}
	pair := comparison.Match(side(p.Without), side(p.Whole))
	data := comparison.NewData(t.in.Splits, t.r.Undisputed)
	gaps := map[string][]string{}
	row := func(name, slice, train string, s refit.Source, m struct{ name, metric string }) (Row, bool) {
		c := data.Compare(pair, comparison.Spec{Name: name, Split: t.test.Name, Slice: slice, Metric: m.metric, Policy: t.fixed})
		lacks := ""
		if of := t.r.Mean(p.Whole, t.test.Name, slice, m.metric, t.fixed); of != nil {
			lacks = lacking(of)
		}
		if lacks = cmp.Or(lacks, s.Reason, c.Reason); lacks != "" {
			if key := m.name + "\x00" + lacks; !slices.Contains(gaps[key], name) {
				gaps[key] = append(gaps[key], name)
			}
			return nil, false
		}
		without, with := t.entry(p.Without, slice, m.metric, t.fixed), t.entry(p.Whole, slice, m.metric, t.fixed)
		if c.N < c.Total { // of the rows that both have a score of
			without, with = shortDecimals(*c.ValueA), shortDecimals(*c.ValueB)
			note(&out.Notes, "n/N: of the other rows of %s there is no model without their source", name)
		}
		return Row{label("%s", name), label("%s", m.name), sliceRows(c.N, c.Total), sliceFamilies(c.Groups), label("%s", train),
			without, with, comparedShort(&c)}, true
	}
	add := func(group []Row, name, slice, train string, s refit.Source) []Row {
		for _, m := range refitMetrics {
			if r, ok := row(name, slice, train, s, m); ok {
				group = append(group, r)
			}
		}
		return group
	}
	if len(t.of.Sources.Of) == 0 {
		out.Notes = []string{"n/a: " + Printable(t.test.Name) + " has no column source"}
		return out
	}
	if whole := add(nil, "All of "+Printable(t.test.Name), "all", "–", refit.Source{}); len(whole) > 0 {
		out.Groups = append(out.Groups, whole)
	}
	var sources []Row
	for _, s := range t.shown {
		sources = add(sources, sourceName(s.Name), "source="+s.Name, thousands(s.LeftOut), s)
	}
	if len(sources) > 0 {
		out.Groups = append(out.Groups, sources)
	}
	for _, m := range refitMetrics {
		for _, reason := range sortedKeys(gaps) {
			if of, ok := strings.CutPrefix(reason, m.name+"\x00"); ok {
				note(&out.Notes, "n/a: %s of %s: %s", m.name, strings.Join(gaps[reason], ", "), Printable(of))
			}
		}
	}
	out.Notes = append(out.Notes,
		"Without: of each row, what the model says that was fitted on train without the families of the row's source. With: "+
			"the model fitted on all of train. Out of train: rows of these families; train is smaller without them, so that not "+
			"all of a loss is owed to the source.",
		fmt.Sprintf("In brackets: 95 %% intervals, %s resamples of families, the same for all. Difference: without less with, "+
			"paired.", thousands(stats.Resamples)),
		fmt.Sprintf("† fewer than %d rows or %d families: a hint, no more.", fewRows, results.FewGroups))
	if few := t.few(); few != "" {
		out.Notes = append(out.Notes, few)
	}
	out.Notes = append(out.Notes, publicSubset(t.r)...)
	return out
}

// few names the sources that have no rows of their own in the tables.
func (t *refitTables) few() string {
	var names []string
	for _, s := range t.of.Sources.Of {
		if s.Train+s.Test < refit.MinRows {
			names = append(names, sourceName(s.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Fewer than %d rows in train and test, counted in the first lines alone: %s.", refit.MinRows,
		strings.Join(names, ", "))
}

// lacking says which class a cell has no rows of, if any: a number of one class alone is none that could be set beside
// one of both.
func lacking(c *results.Cell) string {
	switch {
	case c.NBenign == 0 && c.Metric != "recall":
		return "no benign rows"
	case c.NInjection == 0 && c.Metric != "fpr":
		return "no injection rows"
	}
	return ""
}

// within sets F1 within each source with both classes beside that of the whole of test.
func (t *refitTables) within() Table {
	out := t.begin("within-source", "F1 within a source, and of all together", t.fixed, 1, "Source", "Benign", "Injection")
	for _, id := range t.ids() {
		out.Columns = append(out.Columns, Printable(nameOf(t.r, id)))
	}
	line := func(name, slice string) Row {
		of := t.r.Mean(refit.Whole, t.test.Name, slice, "f1", t.fixed)
		row := Row{label("%s", name), sliceRows(of.NBenign, of.NBenign), sliceRows(of.NInjection, of.NInjection)}
		for _, id := range t.ids() {
			row = append(row, t.entry(id, slice, "f1", t.fixed))
		}
		return row
	}
	if reason := t.of.Sources.Reason; reason != "" {
		out.Notes = []string{"n/a: " + Printable(reason)}
		return out
	}
	out.Groups = [][]Row{{line("All of "+Printable(t.test.Name), "all")}}
	var sources []Row
	var slicesOf []string // that enter the mean
	for _, s := range t.shown {
		slice := "source=" + s.Name
		c := t.r.Mean(refit.Whole, t.test.Name, slice, "f1", t.fixed)
		if c == nil || lacking(c) != "" {
			continue
		}
		sources = append(sources, line(sourceName(s.Name), slice))
		if min(c.NBenign, c.NInjection) >= fewRows {
			slicesOf = append(slicesOf, slice)
		}
	}
	if len(sources) == 0 {
		out.Notes = []string{fmt.Sprintf("n/a: no source of %d rows or more has both classes", refit.MinRows)}
		return out
	}
	out.Groups = append(out.Groups, sources)
	if len(slicesOf) > 0 {
		mean := Row{label("Mean of %d sources", len(slicesOf)), {}, {}}
		for _, id := range t.ids() {
			mean = append(mean, t.mean(id, slicesOf))
		}
		out.Groups = append(out.Groups, []Row{mean})
		note(&out.Notes, "Mean: of the sources with %d rows or more of each class, each counted alike.", fewRows)
	}
	note(&out.Notes, "F1 is shown of sources with rows of both classes; where all rows of a source are of one class, telling "+
		"the source is telling the class. F1 depends on the share of injections, which is not that of all together.")
	note(&out.Notes, "±: standard deviation over the seeds of a detector. † fewer than %d rows of the class.", fewRows)
	return out
}

// beside returns the detectors that stand beside the pairs.
func (t *refitTables) beside() []results.DetectorSummary { return t.r.Detectors[2*len(t.pairs):] }

// ids returns the detectors of the columns: those that were run.
func (t *refitTables) ids() []string {
	ids := []string{refit.Without, refit.Whole}
	for _, d := range t.beside() {
		if d.Unavailable == "" {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// mean is the mean F1 over slices of a detector, with the standard deviation over its seeds.
func (t *refitTables) mean(id string, of []string) Entry {
	var perSeed []float64
	for _, slice := range of {
		values := t.seeds(id, slice, "f1", t.fixed)
		if len(values) == 0 {
			return absent()
		}
		if perSeed == nil {
			perSeed = make([]float64, len(values))
		}
		if len(values) != len(perSeed) {
			return absent()
		}
		for i, v := range values {
			perSeed[i] += v / float64(len(of))
		}
	}
	value := stat.Mean(perSeed, nil)
	e := shortDecimals(value)
	if len(perSeed) > 1 {
		e.Text += fmt.Sprintf("±%.3f", stat.StdDev(perSeed, nil))
	}
	return e
}

// seeds returns the values of the seeds of a detector that have one.
func (t *refitTables) seeds(id, slice, metric, policy string) (values []float64) {
	for i := range t.r.Cells {
		c := &t.r.Cells[i]
		if c.Detector == id && !c.Seed.Mean && c.Split == t.test.Name && c.Slice == slice && c.Metric == metric &&
			c.Policy != nil && *c.Policy == policy && c.Value != nil {
			values = append(values, *c.Value)
		}
	}
	return values
}

// entry shows the mean over the seeds with its interval.
func (t *refitTables) entry(id, slice, metric, policy string) Entry {
	c := t.r.Mean(id, t.test.Name, slice, metric, policy)
	if c == nil || c.Value == nil {
		return absent()
	}
	e := Entry{Text: fmt.Sprintf("%.3f", *c.Value), Raw: Entry{Cell: c}.raw()}
	if c.SD != nil {
		e.Text += fmt.Sprintf("±%.3f", *c.SD)
	}
	if c.Lo != nil && c.Hi != nil {
		e.Text += fmt.Sprintf(" [%.3f, %.3f]", *c.Lo, *c.Hi)
	}
	if c.State == results.StateIncomplete {
		e.Text += fmt.Sprintf(" (%d/%d)", c.N, c.Total())
	}
	return e
}

func shortDecimals(v float64) Entry {
	return Entry{Text: fmt.Sprintf("%.3f", v), Raw: []string{number(&v)}}
}

// comparedShort shows a difference as comparedDiff does, to three decimals.
func comparedShort(c *comparison.Result) Entry {
	e := comparedDiff(c)
	e.Text = fmt.Sprintf("%+.3f", *c.Diff)
	if c.Interval != nil {
		e.Text += fmt.Sprintf(" [%+.3f, %+.3f]", c.Interval.Lo, c.Interval.Hi)
	}
	return e
}

func sourceName(s string) string {
	if s == "" {
		return "(none)"
	}
	return shorten(s, valueLength)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
