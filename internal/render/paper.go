package render

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/paper"
	"pidsbench/internal/results"
)

// Paper returns the tables of the paper for narrow places: a row for each number, with what was published, what is here
// and, on the paper's own edition, the difference. The first table says which detectors stand for those of the paper,
// the last one what became of its claims.
func Paper(p *paper.Report, r *results.Results) []Table { return paperTables(p, r, paperLong, false) }

// PaperWide returns them in the shape that they have in the paper, a column for each quantity: first what is here, then
// what was published, and, on the paper's own edition, the differences.
func PaperWide(p *paper.Report, r *results.Results) []Table {
	return paperTables(p, r, paperWide, true)
}

func paperTables(p *paper.Report, r *results.Results, layout func(*paper.Report, paper.Table) Table, places bool) []Table {
	tables := []Table{paperDesigns(p)}
	for _, spec := range p.Tables {
		t := layout(p, spec)
		t.ID = "paper-" + spec.ID
		t.Title = paperTitle(p, spec.Title)
		t.Notes = append(paperNotes(p, spec), t.Notes...)
		tables = append(tables, t)
	}
	claims := paperClaims(p, places)
	claims.Notes = append(claims.Notes, madeLine(r)...)
	tables = append(tables, claims)
	for i := range tables {
		tables[i].Source = Source{Edition: p.Edition, Manifest: p.Manifest, Windows: p.WindowMode}
	}
	return tables
}

// PaperJSON writes the report for programs.
func PaperJSON(w io.Writer, p *paper.Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(p)
}

func paperTitle(p *paper.Report, name string) string {
	t := fmt.Sprintf("%s (windows %s, edition %s", name, p.WindowMode, p.Edition)
	if p.Manifest != "" {
		t += ", manifest " + short(p.Manifest)
	}
	return t + ")"
}

// paperDesigns says which detector stands for which of the paper.
func paperDesigns(p *paper.Report) Table {
	t := Table{ID: "paper-designs", Title: paperTitle(p, "The paper's detectors and those here"), Left: 4,
		Columns: []string{"Paper", "Here", "Id", "Seeds"}}
	var here, none []Row
	reasons := map[string][]string{}
	var order []string
	for _, u := range p.Designs {
		name := label("%s", Printable(u.Name))
		if u.Detector == "" {
			none = append(none, Row{name, absent(), label(""), label("")})
			if reasons[u.Reason] == nil {
				order = append(order, u.Reason)
			}
			reasons[u.Reason] = append(reasons[u.Reason], u.Name)
			continue
		}
		seeds := "no seed"
		if len(u.Seeds) > 1 || u.Seeds[0] != 0 {
			numbers := make([]string, len(u.Seeds))
			for i, s := range u.Seeds {
				numbers[i] = strconv.Itoa(s)
			}
			seeds = strings.Join(numbers, ", ")
		}
		here = append(here, Row{name, label("%s", Printable(u.Shown)), label("%s", u.Detector), label("%s", seeds)})
	}
	for _, g := range [][]Row{here, none} {
		if len(g) > 0 {
			t.Groups = append(t.Groups, g)
		}
	}
	for _, reason := range order {
		note(&t.Notes, "n/a: %s: %s", strings.Join(reasons[reason], "; "), reason)
	}
	if !p.Comparable {
		note(&t.Notes, "Edition %s is not the paper's: other data and other models. Published and own values stand side by "+
			"side, without a difference.", Printable(p.Edition))
	}
	if p.WindowMode != "truncate" {
		note(&t.Notes, "The original sees the first window of a text alone (--windows truncate).")
	}
	return t
}

// paperNotes says where a table stands, what is doubtful in it, and why numbers are not there.
func paperNotes(p *paper.Report, t paper.Table) (notes []string) {
	note(&notes, "Published: %s.", t.Place)
	for _, d := range t.Doubts {
		note(&notes, "%s %s", d.Mark, d.Note)
	}
	for _, n := range t.Notes {
		note(&notes, "%s", n)
	}
	var order []string
	whose := map[string][]string{}
	for _, row := range t.Rows {
		use := useOf(p, row.Design)
		for _, c := range row.Cells {
			if use.Detector == "" || c.Here.Value != nil {
				continue
			}
			why := t.Heads[c.Column] + ": " + c.Here.Reason
			if whose[why] == nil {
				order = append(order, why)
			}
			if !slices.Contains(whose[why], use.Name) {
				whose[why] = append(whose[why], use.Name)
			}
		}
	}
	for _, why := range order {
		note(&notes, "n/a: %s (%s)", Printable(why), Printable(strings.Join(whose[why], "; ")))
	}
	return notes
}

func useOf(p *paper.Report, design string) paper.Use {
	for _, u := range p.Designs {
		if u.Design == design {
			return u
		}
	}
	return paper.Use{}
}

// paperLong has a row for each number.
func paperLong(p *paper.Report, spec paper.Table) Table {
	t := Table{Left: 3, Columns: []string{"Detector", "Quantity", "Threshold", "Published", "Here"}}
	if p.Comparable {
		t.Columns = append(t.Columns, "Difference")
	}
	for i, row := range spec.Rows {
		if i == 0 || len(row.Cells) > 3 {
			t.Groups = append(t.Groups, nil)
		}
		last := &t.Groups[len(t.Groups)-1]
		for _, c := range row.Cells {
			policy := c.Policy
			if c.Here.Metric == "roc_auc" {
				policy = ""
			}
			r := Row{label("%s", Printable(useOf(p, row.Design).Name)), label("%s", Printable(spec.Heads[c.Column])),
				label("%s", policy), paperPublished(c), paperHere(spec, c)}
			if p.Comparable {
				r = append(r, paperDifference(c))
			}
			*last = append(*last, r)
		}
	}
	return t
}

// paperWide has a column for each quantity.
func paperWide(p *paper.Report, spec paper.Table) Table {
	t := Table{Left: 2, Columns: append([]string{"Detector", "Value"}, spec.Heads...)}
	var own, second, baselines, published, differences []Row
	for _, row := range spec.Rows {
		use := useOf(p, row.Design)
		for _, also := range []bool{false, true} {
			begin := func(what string) Row {
				r := Row{label("%s", Printable(use.Name)), label("%s", what)}
				for range spec.Heads {
					r = append(r, label(""))
				}
				return r
			}
			here, there, diff := begin("here"), begin("published"), begin("difference")
			cells, values := 0, 0
			for _, c := range row.Cells {
				if c.Also != also {
					continue
				}
				here[1], diff[1] = label("here, %s", c.Policy), label("difference, %s", c.Policy)
				here[2+c.Column], there[2+c.Column], diff[2+c.Column] = paperHere(spec, c), paperPublished(c), paperDifference(c)
				cells, values = cells+1, values+len(c.Published)
			}
			if cells == 0 {
				continue
			}
			switch {
			case use.Detector != "" && use.Baseline:
				baselines = append(baselines, here)
			case use.Detector != "" && also:
				second = append(second, here)
			case use.Detector != "":
				own = append(own, here)
			}
			if !also && values > 0 {
				published = append(published, there)
			}
			if p.Comparable && use.Detector != "" && values > 0 {
				differences = append(differences, diff)
			}
		}
	}
	t.Ranked = len(own) > 0
	for _, g := range [][]Row{own, second, baselines, published, differences} {
		if len(g) > 0 {
			t.Groups = append(t.Groups, g)
		}
	}
	return t
}

func paperPublished(c paper.Cell) Entry {
	if len(c.Published) == 0 {
		return label("–")
	}
	texts := make([]string, len(c.Published))
	for i, v := range c.Published {
		texts[i] = v.Text
	}
	e := label("%s", strings.Join(texts, " | "))
	first := c.Published[0]
	e.Raw = []string{number(&first.V)}
	if first.Lo != nil && first.Hi != nil {
		e.Raw = append(e.Raw, number(first.Lo), number(first.Hi))
	}
	return e
}

// paperHere shows a number of this edition: with its interval where the table is about intervals, whole where it counts
// rows, as any other cell elsewhere.
func paperHere(t paper.Table, c paper.Cell) Entry {
	h := c.Here
	switch {
	case h.Value == nil:
		return absent()
	case t.Intervals && h.Lo != nil && h.Hi != nil:
		return Entry{Text: fmt.Sprintf("%.4f [%.4f, %.4f]", *h.Value, *h.Lo, *h.Hi), Raw: Entry{Cell: h}.raw()}
	case t.Intervals:
		return Entry{Text: fmt.Sprintf("%.4f [n/a]", *h.Value), Raw: Entry{Cell: h}.raw()}
	case h.Metric == "n" || h.Metric == "n_injection":
		return Entry{Text: strconv.Itoa(int(*h.Value)), Raw: Entry{Cell: h}.raw()}
	}
	return Entry{Cell: h}
}

func paperDifference(c paper.Cell) Entry {
	if len(c.Difference) == 0 {
		return label("–")
	}
	texts := make([]string, len(c.Difference))
	for i, d := range c.Difference {
		texts[i] = fmt.Sprintf("%+.4f", d)
		switch c.Here.Metric {
		case "tn", "fp", "fn", "tp", "n", "n_injection":
			texts[i] = fmt.Sprintf("%+g", d)
		}
	}
	return Entry{Text: strings.Join(texts, " | "), Raw: []string{number(&c.Difference[0])}}
}
