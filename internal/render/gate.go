package render

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"pidsbench/internal/gate"
	"pidsbench/internal/results"
)

// Gate returns the table of a report: a row a limit, and below it why limits do not pass and which rows flipped.
func Gate(r *gate.Report) Table {
	t := Table{ID: "gate", Title: gateTitle(r), Left: 5,
		Columns: []string{"Limit", "Verdict", "Detector", "Number", "Threshold", "Value", "95 % interval", "Bound", "Rows"},
		Source:  Source{Edition: r.Edition, Manifest: r.ManifestSHA256, Windows: r.WindowMode}}
	var rows []Row
	for i := range r.Limits {
		it := &r.Limits[i]
		rows = append(rows, Row{label("%s", it.ID), label("%s", gateVerdict(it)), label("%s", Printable(it.Detector)),
			label("%s", gateNumber(it)), label("%s", gatePolicy(it)), gateValue(it), gateInterval(it),
			label("%s", gateBound(it)), gateRows(it)})
		if it.Why != "" {
			t.Notes = append(t.Notes, it.ID+": "+it.Why)
		}
		t.Notes = append(t.Notes, flipLines(it)...)
		for _, d := range it.Doubts {
			t.Notes = append(t.Notes, it.ID+": "+d)
		}
	}
	t.Groups = [][]Row{rows}
	t.Notes = append(t.Notes, gateLegend(r)...)
	t.Notes = append(t.Notes, closing(&results.Results{Detectors: r.Detectors, Run: r.Run})...)
	return t
}

// gateTitle says how the gate ends and what it rests on.
func gateTitle(r *gate.Report) string {
	title := fmt.Sprintf("%s (%s, windows %s, edition %s", gateOutcome(r), Printable(r.Config), r.WindowMode,
		Printable(r.Edition))
	if r.ManifestSHA256 != "" {
		title += ", manifest " + short(r.ManifestSHA256)
	}
	return title + ")"
}

// gateOutcome is the gate in a clause.
func gateOutcome(r *gate.Report) string {
	failing := 0
	for _, it := range r.Limits {
		if it.Fails {
			failing++
		}
	}
	switch n := len(r.Limits); {
	case failing > 0:
		return fmt.Sprintf("The gate fails: %d of %d limits", failing, n)
	case r.Counts[gate.Undecided] > 0:
		return fmt.Sprintf("The gate passes: %d of %d limits hold, the others are undecided", r.Counts[gate.Pass], n)
	case n == 1:
		return "The gate passes: 1 limit holds"
	default:
		return fmt.Sprintf("The gate passes: all %d limits hold", n)
	}
}

func gateNumber(it *gate.Item) string {
	number := it.Metric + " " + Printable(gatePlace(it))
	if it.Slice != "all" {
		number += " " + Printable(it.Slice)
	}
	return number
}

// gatePlace names the split, or the axis where the edition has no split for it.
func gatePlace(it *gate.Item) string {
	if it.Split == "" {
		return it.Axis
	}
	return it.Split
}

func gatePolicy(it *gate.Item) string {
	if it.Policy == nil {
		return "none"
	}
	return *it.Policy
}

func gateValue(it *gate.Item) Entry {
	switch {
	case it.Value == nil:
		return absent()
	case it.Baseline != nil:
		return label("%s (was %s)", formatValue(it.Metric, *it.Value), formatValue(it.Metric, *it.Baseline))
	}
	return label("%s", formatValue(it.Metric, *it.Value))
}

func gateInterval(it *gate.Item) Entry {
	switch {
	case it.Lo == nil:
		return label("none")
	case it.Bound == "regression":
		return label("worse by %+.4f [%+.4f, %+.4f]", *it.WorseBy, *it.Lo, *it.Hi)
	}
	return label("[%.4f, %.4f]", *it.Lo, *it.Hi)
}

func gateBound(it *gate.Item) string {
	sign := map[string]string{"max": "≤ ", "min": "≥ ", "regression": "worse by ≤ "}[it.Bound]
	return sign + gate.Bare(it.At) + " " + it.On
}

func gateRows(it *gate.Item) Entry {
	if it.N < it.Total {
		return label("%d/%d", it.N, it.Total)
	}
	return label("%d", it.N)
}

func gateVerdict(it *gate.Item) string {
	if it.Verdict == gate.Undecided && !it.Fails {
		return "undecided (let pass)"
	}
	return it.Verdict.String()
}

// mostFlips is the number of rows that are listed for people of each direction; the JSON form lists all.
const mostFlips = 20

// flipLines lists the rows that flipped, in both directions.
func flipLines(it *gate.Item) (lines []string) {
	if it.Flips == nil {
		return nil
	}
	for _, d := range []struct {
		change, words string
		n             int
	}{
		{gate.Worse, "right in the baseline and wrong now", it.Flips.Worse},
		{gate.Better, "wrong in the baseline and right now", it.Flips.Better},
	} {
		line := fmt.Sprintf("%s: %s: ", it.ID, d.words)
		if d.n == 0 {
			lines = append(lines, line+"no row")
			continue
		}
		line += Printable(it.Flips.Split) + " rows"
		shown, seed := 0, 0
		for _, f := range it.Flips.Rows {
			if f.Change != d.change || shown == mostFlips {
				continue
			}
			switch {
			case len(it.Seeds) > 1 && (shown == 0 || f.Seed != seed):
				line += fmt.Sprintf(" (seed %d)", f.Seed)
			case shown > 0:
				line += ","
			}
			line += fmt.Sprintf(" %d", f.Row)
			shown, seed = shown+1, f.Seed
		}
		if d.n > shown {
			line += fmt.Sprintf(" and %d more", d.n-shown)
		}
		lines = append(lines, line)
	}
	for _, d := range it.Differs {
		lines = append(lines, it.ID+": "+d)
	}
	return lines
}

// gateLegend explains the words of the table that stand in it.
func gateLegend(r *gate.Report) (lines []string) {
	has := func(holds func(*gate.Item) bool) bool {
		return slices.ContainsFunc(r.Limits, func(it gate.Item) bool { return holds(&it) })
	}
	if has(func(it *gate.Item) bool { return it.On == gate.OnEdge }) {
		lines = append(lines, "edge: a limit passes when all of the 95 % interval keeps the bound, is broken when none of it "+
			"does, and is undecided otherwise; value: the number alone counts.")
	}
	if has(func(it *gate.Item) bool { return strings.Contains(it.Interval, "exact") }) {
		lines = append(lines, "Where few rows lie on one side of a share the interval is the exact one, or as wide as that, "+
			"with families as rows.")
	}
	if r.Baseline != "" {
		lines = append(lines, "Baseline: "+r.Baseline+". Rows are counted from 0.")
	}
	return lines
}

// GateMarkdown writes a report as a summary of a pull request.
func GateMarkdown(w io.Writer, r *gate.Report) error {
	t := Gate(r)
	outcome := map[bool]string{true: "passed", false: "failed"}[r.Passed]
	if _, err := fmt.Fprintf(w, "### pidsbench gate: %s\n\n", outcome); err != nil {
		return err
	}
	return Markdown(w, []Table{t})
}

// GateJSON writes a report with all its numbers and rows.
func GateJSON(w io.Writer, r *gate.Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
