package survey

import (
	"fmt"
	"slices"
	"strconv"

	"pidsbench/internal/breakdown"
	"pidsbench/internal/metrics"
	"pidsbench/internal/probe"
	"pidsbench/internal/render"
)

// Tables lays the survey out for people: a table a split, then a table a probe.
func (s *Survey) Tables() []render.Table {
	var out []render.Table
	for _, t := range s.Splits {
		out = append(out, s.splitTable(t))
	}
	if len(out) > 0 {
		last := &out[len(out)-1]
		last.Notes = append(last.Notes,
			"Share is that of the split's rows. Families are never parted between splits; rows without a frame or a carrier "+
				"count none.",
			"Effective n = (Σm)²/Σm² over the rows m of each family (Kish 1965): the independent rows it amounts to if those "+
				"of a family all behave alike.")
	}
	for _, p := range s.Probes {
		out = append(out, s.probeTable(p))
	}
	return out
}

// origin names the edition and its manifest; a user's own files have none.
func (s *Survey) origin() string {
	if s.ManifestSHA256 == "" {
		return "own files"
	}
	return "edition " + render.Printable(s.Edition) + ", manifest " + s.ManifestSHA256[:min(12, len(s.ManifestSHA256))]
}

func (s *Survey) splitTable(t breakdown.Table) render.Table {
	title := fmt.Sprintf("%s: %d rows, %d benign, %d injection", render.Printable(t.Split), t.Rows, t.Benign, t.Injection)
	if t.Missing > 0 {
		title += fmt.Sprintf(", texts withheld: %d", t.Missing)
	}
	out := render.Table{ID: "groups", Title: title + " (" + s.origin() + ")", Left: 3, Source: s.source(),
		Columns: []string{"By", "Value", "Class", "Rows", "Share", "Families", "Frames", "Carriers", "Effective n",
			"Largest family"}}
	by := ""
	for _, g := range t.Groups {
		if g.By != by {
			by = g.By
			out.Groups = append(out.Groups, nil)
		}
		last := len(out.Groups) - 1
		out.Groups[last] = append(out.Groups[last], render.Row{
			word(g.By), word(value(g)), word(g.Label), word(strconv.Itoa(g.Rows)), word(percent(g.Share)),
			whole(g.Families), whole(g.Frames), whole(g.Carriers), effective(g.EffectiveN), share(g.LargestFamily),
		})
		if why := reasons(g.Families, g.Frames, g.Carriers); why != "" {
			note(&out.Notes, "n/a: "+why)
		}
	}
	for _, name := range t.Lacking {
		note(&out.Notes, fmt.Sprintf("%s has no column %s", t.Split, name))
	}
	return out
}

func (s *Survey) source() render.Source {
	return render.Source{Edition: s.Edition, Manifest: s.ManifestSHA256}
}

// value is that of a group, an empty one made visible and a long one cut.
func value(g breakdown.Group) string {
	if g.Value == "" {
		return "(empty)"
	}
	r := []rune(g.Value)
	if len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return g.Value
}

func (s *Survey) probeTable(p probe.Result) render.Table {
	out := render.Table{ID: "probe", Title: fmt.Sprintf("Probe %s: %s (%s)", p.Name, p.Title, s.origin()), Left: 1,
		Source: s.source(), Columns: []string{"Case", "Train rows"}, Groups: [][]render.Row{nil}}
	if p.Reason != "" {
		note(&out.Notes, "n/a: "+p.Reason)
	}
	var columns []string
	for _, r := range p.Rows {
		for _, n := range r.Numbers {
			if h := head(n); !slices.Contains(columns, h) {
				columns = append(columns, h)
			}
		}
	}
	out.Columns = append(out.Columns, columns...)
	intervals := false
	var undefined []string
	for _, r := range p.Rows {
		row := make(render.Row, 2+len(columns))
		row[0] = word(r.Case)
		if r.Train > 0 {
			row[1] = word(strconv.Itoa(r.Train))
		}
		for _, n := range r.Numbers {
			row[2+slices.Index(columns, head(n))] = entry(n)
			intervals = intervals || n.Interval != nil
			if !n.OK {
				note(&undefined, "n/a: "+n.Reason)
			}
		}
		out.Groups[0] = append(out.Groups[0], row)
	}
	out.Notes = slices.Concat(out.Notes, undefined, p.Notes)
	if intervals {
		note(&out.Notes, "Intervals: Wilson 95 % by row; rows of one family are not independent, so they are too narrow.")
	}
	note(&out.Notes, fmt.Sprintf("Fitted on train, threshold 0.5, seed %d. Nothing chooses data by this.", s.Seed))
	return out
}

// head names a number by its rows and metric.
func head(n probe.Number) string {
	h := heads[n.Metric]
	if n.On != "" {
		h = n.On + " " + h
	}
	return h
}

// entry shows a number with its interval and the rows that it counts.
func entry(n probe.Number) render.Entry {
	if !n.OK {
		return word("n/a")
	}
	if n.On == "" {
		return word(strconv.Itoa(int(n.V)))
	}
	e := strconv.FormatFloat(n.V, 'f', 3, 64)
	if n.Interval != nil {
		e += fmt.Sprintf(" [%.3f, %.3f]", n.Interval.Lo, n.Interval.Hi)
	}
	if n.IsProportion() {
		e += fmt.Sprintf(" %d/%d", n.K, n.N)
	}
	return word(e)
}

func word(s string) render.Entry { return render.Entry{Text: render.Printable(s)} }

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }

func whole(v metrics.Value) render.Entry {
	if !v.OK {
		return word("n/a")
	}
	return word(strconv.Itoa(int(v.V)))
}

func effective(v metrics.Value) render.Entry {
	switch {
	case !v.OK:
		return word("n/a")
	case v.V < 100:
		return word(strconv.FormatFloat(v.V, 'f', 1, 64))
	}
	return word(strconv.FormatFloat(v.V, 'f', 0, 64))
}

func share(v metrics.Value) render.Entry {
	if !v.OK {
		return word("n/a")
	}
	return word(percent(v.V))
}

// note adds a line unless it is there already.
func note(notes *[]string, line string) {
	if !slices.Contains(*notes, line) {
		*notes = append(*notes, line)
	}
}
