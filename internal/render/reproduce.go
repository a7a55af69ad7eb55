package render

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/reproduce"
)

// Reproduce returns the table of published scores that were scored again: a row a detector and seed, what is off and
// which verdicts flip below it, and why the others were not run.
func Reproduce(r *reproduce.Report) []Table {
	t := Table{ID: "reproduce", Title: reproduceTitle(r), Left: 2,
		Source: Source{Edition: r.Edition, Manifest: r.Manifest, Windows: r.Windows},
		Columns: []string{"Detector", "Result", "Rows", "Equal", "Largest difference", "Tolerance", "Beyond", "Flips",
			"No score"}}
	var rows []Row
	for i := range r.Runs {
		if run := &r.Runs[i]; run.Verdict != reproduce.NotRun {
			rows = append(rows, reproduceRow(run))
		}
	}
	t.Groups = [][]Row{rows}
	t.Notes = slices.Concat(sampleNotes(r), toleranceNotes(r), findings(r), notRunNotes(r))
	return []Table{t}
}

func reproduceTitle(r *reproduce.Report) string {
	rows := "all rows"
	if r.Sample.Rows > 0 {
		rows = fmt.Sprintf("%d rows of each split by seed %d", r.Sample.Rows, r.Sample.Seed)
	}
	return fmt.Sprintf("Published scores and the same made again, %s (windows %s, edition %s, manifest %s)", rows, r.Windows,
		Printable(r.Edition), short(r.Manifest))
}

// runName is the id of a detector with its seed, if it has any.
func runName(run *reproduce.Run) string {
	if !run.Seeded {
		return Printable(run.Detector)
	}
	return fmt.Sprintf("%s seed %d", Printable(run.Detector), run.Seed)
}

func reproduceRow(run *reproduce.Run) Row {
	var compared, equal, beyond, flips, lacking int
	var largest *reproduce.Pair
	most := -1.0
	for _, s := range run.Splits {
		compared, equal, beyond, lacking = compared+s.Compared, equal+s.Equal, beyond+s.Beyond+s.Counts, lacking+s.Lacking
		for _, f := range s.Flips {
			flips += f.N
		}
		if s.Largest != nil && (largest == nil || s.Largest.Difference > largest.Difference) {
			largest = s.Largest
		}
		if s.Tolerance != nil {
			most = max(most, s.Tolerance.Max)
		}
	}
	difference, tolerance := absent(), absent()
	if largest != nil {
		difference, tolerance = label("%.2g", largest.Difference), label("%g", most)
	}
	return Row{label("%s", runName(run)), label("%s", run.Verdict), label("%s", thousands(compared)),
		label("%s", thousands(equal)), difference, tolerance, label("%d", beyond), label("%d", flips), label("%d", lacking)}
}

// sampleNotes say how rows were drawn and what the columns count.
func sampleNotes(r *reproduce.Report) (notes []string) {
	if r.Sample.Rows > 0 {
		note(&notes, "Sample of a split: a quarter are the rows with the published scores nearest to a threshold, a quarter took "+
			"more than one window, as far as there are any, the others are any rows; drawn by (seed %d, split, row).", r.Sample.Seed)
	}
	note(&notes, "Flips: verdicts that differ at fixed:0.5, val_f1 of the published val scores, and native where there is one, "+
		"each counted. One within the tolerance is what a score at a threshold may do, and does not count as off.")
	return notes
}

// toleranceNotes say what the tolerances are and which processors the scores come from.
func toleranceNotes(r *reproduce.Report) (notes []string) {
	runs := map[string]int{}
	var processors []string
	another := false
	for _, run := range r.Runs {
		var of []string
		for _, s := range run.Splits {
			if s.Tolerance == nil {
				continue
			}
			of = append(of, s.Tolerance.ScoredOn...)
			another = another || s.Tolerance.Family == reproduce.AnotherFamily
		}
		slices.Sort(of)
		for _, p := range slices.Compact(of) {
			if runs[p]++; runs[p] == 1 {
				processors = append(processors, p)
			}
		}
	}
	var limits []string
	for _, l := range reproduce.AllLimits {
		said := fmt.Sprintf("%s %g", l.Arithmetic, l.Same)
		if l.Other != l.Same {
			said += fmt.Sprintf(" (%g)", l.Other)
		}
		limits = append(limits, said)
	}
	note(&notes, "Tolerance by arithmetic, on another family of processors in brackets: %s.", strings.Join(limits, ", "))
	slices.Sort(processors)
	for i, p := range processors {
		name := Printable(p)
		if p == "" {
			name = "a processor that is not named"
		}
		processors[i] = fmt.Sprintf("%s (%s)", name, plural(runs[p], "run"))
	}
	if len(processors) > 0 {
		said := "for all of them of the same family"
		if another {
			said = "for some of them of another family"
		}
		note(&notes, "Published scores were made on %s; this processor is %s, %s.", strings.Join(processors, ", "),
			Printable(r.Processor), said)
	}
	return notes
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// findings lists what is off or lacks a score, and the flips.
func findings(r *reproduce.Report) (notes []string) {
	for i := range r.Runs {
		run := &r.Runs[i]
		for _, c := range run.Cutoffs {
			if c.Tau == nil {
				note(&notes, "%s: no threshold %s: %s", runName(run), c.Policy, c.Reason)
			}
		}
		var reasons grouped
		for _, s := range run.Splits {
			if s.Reason != "" {
				reasons.add(s.Reason, Printable(s.Split))
			}
		}
		for _, reason := range reasons.order {
			note(&notes, "%s, %s: %s", runName(run), strings.Join(reasons.names[reason], ", "), reason)
		}
		for _, s := range run.Splits {
			at := runName(run) + ", " + Printable(s.Split)
			for _, f := range s.Findings {
				note(&notes, "%s row %d: %s", at, f.Row, f.Why)
			}
			if more := s.Beyond + s.Counts + s.Lacking - len(s.Findings); more > 0 {
				note(&notes, "%s: and %d more", at, more)
			}
			for _, f := range s.Flips {
				for _, p := range f.First {
					note(&notes, "%s row %d flips at %s (%v): published %v, again %v", at, p.Row, f.Policy, f.Tau, p.Published,
						p.Again)
				}
				if more := f.N - len(f.First); more > 0 {
					note(&notes, "%s: %s more at %s", at, plural(more, "flip"), f.Policy)
				}
			}
		}
	}
	return notes
}

// notRunNotes lists the runs that there was nothing to compare of, those with one reason together.
func notRunNotes(r *reproduce.Report) (notes []string) {
	var reasons grouped
	for i := range r.Runs {
		run := &r.Runs[i]
		if run.Verdict != reproduce.NotRun {
			continue
		}
		of := reasons.names[run.Reason]
		if last := len(of) - 1; i > 0 && last >= 0 && run.Seeded && r.Runs[i-1].Detector == run.Detector {
			of[last] = strings.Replace(of[last], " seed ", " seeds ", 1) + fmt.Sprintf(" %d", run.Seed)
		} else {
			reasons.add(run.Reason, runName(run))
		}
	}
	for _, reason := range reasons.order {
		note(&notes, "Not run: %s: %s", strings.Join(reasons.names[reason], ", "), reason)
	}
	return notes
}

// grouped are names by a reason that they share, reasons in order of appearance.
type grouped struct {
	order []string
	names map[string][]string
}

func (g *grouped) add(reason, name string) {
	if g.names == nil {
		g.names = map[string][]string{}
	}
	if g.names[reason] == nil {
		g.order = append(g.order, reason)
	}
	g.names[reason] = append(g.names[reason], name)
}

// ReproduceJSON writes the report for programs.
func ReproduceJSON(w io.Writer, r *reproduce.Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
