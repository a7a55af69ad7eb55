package render

import (
	"fmt"

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
		failed, truncated := 0, 0
		for _, d := range r.Detectors {
			if c := r.Mean(d.ID, s.Name, "all", "roc_auc", ""); c != nil {
				failed += c.NError + c.NMissing
				truncated += c.NTruncated
			}
		}
		notes = append(notes, fmt.Sprintf("%s [%s]: n = %d (%d benign, %d injection), %d errors, %d truncated",
			Printable(s.Name), s.Axis, s.Rows, s.Benign, s.Injection, failed, truncated))
	}
	if r.Limit > 0 {
		notes = append(notes, fmt.Sprintf("--limit %d: only the first rows of each split are scored; "+
			"these numbers are a trial, not a result.", r.Limit))
	}
	for _, d := range r.Detectors {
		if d.Unavailable != "" {
			notes = append(notes, fmt.Sprintf("%s was not run: %s", Printable(d.Name), d.Unavailable))
		}
		for _, doubt := range d.Doubts {
			notes = append(notes, fmt.Sprintf("%s: %s", Printable(d.Name), doubt))
		}
	}
	return append(notes, r.Warnings...)
}

func short(hash string) string {
	if len(hash) > 12 {
		return hash[:12]
	}
	return hash
}
