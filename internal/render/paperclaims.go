package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/paper"
	"pidsbench/internal/stats"
)

// paperClaims has a row for each claim and, below it, one for each of its parts where there are several; with places a
// second column says where the paper makes it.
func paperClaims(p *paper.Report, places bool) Table {
	t := Table{ID: "paper-claims", Title: paperTitle(p, "The paper's claims, checked here"), Left: 2,
		Columns: []string{"Claim", "Here", "Numbers", "Paper"}}
	if places {
		t.Columns, t.Left = slices.Insert(t.Columns, 1, "Place"), 3
	}
	for _, v := range p.Claims {
		rows := []Row{{label("%s", v.Text), label("%s", v.Here), label(""), label("")}}
		if len(v.Parts) == 1 {
			rows[0][2], rows[0][3] = claimNumbers(v.Parts[0]), claimPublished(v.Parts[0])
		} else {
			for _, part := range v.Parts {
				name := Printable(useOf(p, part.Design).Name)
				if part.Says != "" {
					name += ", " + part.Says
				}
				rows = append(rows, Row{label("- %s", name), label("%s", part.Here), claimNumbers(part), claimPublished(part)})
			}
		}
		for i := range rows {
			switch {
			case places && i == 0:
				rows[i] = slices.Insert(rows[i], 1, label("%s", v.Place))
			case places:
				rows[i] = slices.Insert(rows[i], 1, label(""))
			}
		}
		t.Groups = append(t.Groups, rows)
		if v.Note != "" {
			note(&t.Notes, "%s: %s", v.Text, v.Note)
		}
	}
	t.Notes = append([]string{
		fmt.Sprintf("Holds and fails: the 95 %% interval of the number, seeds averaged, lies on the claimed side or on the other; "+
			"%s resamples of families, paired on one split, independent of each other on several.", thousands(stats.Resamples)),
		"A claim holds when all its parts do and fails when one does. What it is held to (behind the bracket) is our reading of " +
			"the paper's words. Paper: the same sum of its values.",
	}, t.Notes...)
	return t
}

// claimNumbers writes the sum with its interval, and what is claimed of it; the reason where there is none.
func claimNumbers(part paper.Part) Entry {
	if part.Value == nil || part.Lo == nil {
		return label("n/a: %s", Printable(part.Reason))
	}
	var b strings.Builder
	lacking := ""
	for i, term := range part.Terms {
		times := term.Times
		switch {
		case i > 0 && times < 0:
			b.WriteString(" - ")
			times = -times
		case i > 0:
			b.WriteString(" + ")
		}
		if times != 1 {
			b.WriteString(strconv.FormatFloat(times, 'g', -1, 64) + "×")
		}
		fmt.Fprintf(&b, "%.3f", *term.Value)
		if term.Missing > 0 {
			lacking = fmt.Sprintf(" (%d/%d)", term.N, term.N+term.Missing)
		}
	}
	if len(part.Terms) > 1 || part.Terms[0].Times != 1 {
		fmt.Fprintf(&b, " = %+.3f", *part.Value)
	}
	fmt.Fprintf(&b, " [%.3f, %.3f]%s %s", *part.Lo, *part.Hi, lacking, part.Relation)
	if strings.ContainsRune(part.Relation, '±') {
		b.Reset()
		fmt.Fprintf(&b, "%.3f [%.3f, %.3f]%s near %s", *part.Value, *part.Lo, *part.Hi, lacking, part.Relation)
	}
	return Entry{Text: b.String(), Raw: []string{number(part.Value), number(part.Lo), number(part.Hi)}}
}

func claimPublished(part paper.Part) Entry {
	if part.Published == nil {
		return label("–")
	}
	return Entry{Text: fmt.Sprintf("%+.3f", *part.Published), Raw: []string{number(part.Published)}}
}
