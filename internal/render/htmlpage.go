package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/results"
)

// NewPage returns the page of the results with these tables: what a reader must know stands first, the run record last.
// Verdict, figures and errors are for the caller to add.
func NewPage(r *results.Results, tables []Table) Page {
	p := Page{Title: "pidsbench: " + cmp.Or(r.EditionName, "edition "+r.Edition), Tables: tables}
	if r.Incomplete() {
		p.Warnings = append(p.Warnings, "Incomplete: rows, scores or splits are missing; numbers that lack rows say n/N.")
	}
	p.Warnings = append(append(p.Warnings, r.Warnings...), detectorLines(r)...)
	add := func(name, format string, args ...any) {
		p.Run = append(p.Run, Fact{name, fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Run)) {
		if name != "seconds" { // the same results give the same page
			add(name, "%s", r.Run[name])
		}
	}
	add("edition", "%s", r.Edition)
	add("manifest SHA-256", "%s", cmp.Or(r.ManifestSHA256, "none: these are the user's own files"))
	add("windows", "%s", r.WindowMode)
	add("threshold policies", "%s", strings.Join(r.Policies, ", "))
	for _, s := range r.Splits {
		switch {
		case s.Absent != "":
			add("split "+s.Name, "n/a: %s", s.Absent)
		default:
			add("split "+s.Name, "%d rows (%d benign, %d injection), SHA-256 %s", s.Rows, s.Benign, s.Injection, s.SHA256)
		}
	}
	for _, d := range r.Detectors {
		if d.Unavailable == "" {
			add("detector "+d.ID, "%s", runLine(d, r.Policies))
			for _, seed := range d.Seeds {
				if made, ok := d.Made[strconv.Itoa(seed)]; ok {
					add(fmt.Sprintf("scores of %s seed %d", d.ID, seed), "%s", madeFact(made))
				}
			}
		}
	}
	return p
}

// runLine names the seeds of a detector and their thresholds under each policy.
func runLine(d results.DetectorSummary, policies []string) string {
	seeds := make([]string, len(d.Seeds))
	for i, s := range d.Seeds {
		seeds[i] = strconv.Itoa(s)
	}
	line := "seeds " + strings.Join(seeds, ", ")
	for _, policy := range policies {
		var taus []string
		for _, s := range seeds {
			if tau, ok := d.Tau[policy][s]; ok {
				taus = append(taus, strconv.FormatFloat(tau, 'g', -1, 64))
			}
		}
		if len(taus) > 0 {
			line += "; " + policy + " τ " + strings.Join(taus, ", ")
		}
	}
	return line
}

// madeFact says what made the scores of a run, hashes whole.
func madeFact(m results.Made) string {
	parts := make([]string, 0, len(m.By)+len(m.Files)+2)
	for _, by := range m.By {
		parts = append(parts, "by "+strings.TrimSuffix(by.Tool+", "+by.Runtime, ", ")+" on "+by.CPU)
	}
	parts = append(parts, "configuration "+m.ConfigHash)
	for _, f := range m.Files {
		parts = append(parts, f.Path+" "+f.SHA256)
	}
	if m.TrainSHA256 != "" {
		parts = append(parts, "fitted on "+m.TrainSHA256)
	}
	return strings.Join(parts, "; ")
}
