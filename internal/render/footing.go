package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pidsbench/internal/results"
)

// footing returns the lines under the last table: what the numbers rest on and what a reader must know.
func footing(r *results.Results) []string {
	var notes []string
	name := r.EditionName
	if name == "" {
		name = "Edition " + r.Edition
	}
	notes = append(notes, name+"; a text is flagged when its score is at or above the threshold; val policies choose on "+
		"val alone.")
	for _, s := range r.Splits {
		notes = append(notes, splitLine(r, s))
	}
	return append(append(notes, closing(r)...), r.Warnings...)
}

// closing returns the lines under a last table: about detectors, and what made the numbers.
func closing(r *results.Results) []string {
	return append(detectorLines(r), madeLine(r)...)
}

// madeLine says which program made the tables, and which ones the scores. JSON and the page hold the whole record: the
// processor, the hashes of models, the command line.
func madeLine(r *results.Results) []string {
	if r.Run["pidsbench"] == "" {
		return nil
	}
	line := "Tables by pidsbench " + r.Run["pidsbench"]
	if c := r.Run["commit"]; c != "" {
		line += " (commit " + short(c) + ")"
	}
	var tools []string
	for _, d := range r.Detectors {
		for _, made := range d.Made {
			for _, by := range made.By {
				tools = append(tools, strings.TrimSuffix(by.Tool+", "+by.Runtime, ", "))
			}
		}
	}
	slices.Sort(tools)
	tools = slices.Compact(tools)
	if len(tools) > 0 {
		line += "; scores by " + strings.Join(tools, "; ")
	}
	return []string{line + "."}
}

// detectorLines says why detectors were not run and what to doubt in the others.
func detectorLines(r *results.Results) (notes []string) {
	for _, d := range r.Detectors {
		if d.Unavailable != "" {
			notes = append(notes, fmt.Sprintf("%s was not run: %s", Printable(d.Name), d.Unavailable))
		}
		for _, doubt := range d.Doubts {
			notes = append(notes, fmt.Sprintf("%s: %s", Printable(d.Name), doubt))
		}
	}
	return notes
}

// splitLine says what a split holds, who wrote it, and which rows detectors could not score or saw a part of.
func splitLine(r *results.Results, s results.SplitSummary) string {
	if s.Absent != "" {
		return fmt.Sprintf("%s [%s]: n/a: %s", Printable(s.Name), s.Axis, s.Absent)
	}
	line := fmt.Sprintf("%s [%s]: n = %d (%d benign, %d injection)", Printable(s.Name), s.Axis, s.Rows, s.Benign, s.Injection)
	if s.External {
		line += "; external set, not frozen (rows.csv " + short(s.SHA256) + ")"
	}
	if len(s.Authorship) > 0 {
		var by []string
		for _, who := range slices.Sorted(maps.Keys(s.Authorship)) {
			by = append(by, fmt.Sprintf("%s %d", Printable(who), s.Authorship[who]))
		}
		line += "; written by " + strings.Join(by, ", ")
	}
	for _, count := range []struct {
		what string
		of   func(*results.Cell) int
	}{
		{"errors", func(c *results.Cell) int { return c.NError }},
		{"texts missing", func(c *results.Cell) int { return c.NMissing }},
		{"not scored", func(c *results.Cell) int { return c.NUnscored }},
		{"truncated", func(c *results.Cell) int { return c.NTruncated }},
	} {
		var by []string
		for _, d := range r.Detectors {
			if c := r.Mean(d.ID, s.Name, "all", "roc_auc", ""); c != nil && count.of(c) > 0 {
				by = append(by, fmt.Sprintf("%s %d", d.ID, count.of(c)))
			}
		}
		if len(by) > 0 {
			line += "; " + count.what + ": " + strings.Join(by, ", ")
		} else if count.what == "errors" || count.what == "truncated" {
			line += "; 0 " + count.what
		}
	}
	return line
}

func short(hash string) string {
	if len(hash) > 12 {
		return hash[:12]
	}
	return hash
}
