// Package reproduce compares scores that were made again with published ones: which rows to score, how far two scores may
// be apart, which verdicts differ, and what came of it.
package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/scores"
)

// Verdict is what came of scoring again.
type Verdict string

// The verdicts, from good to bad.
const (
	Same       Verdict = "reproduced" // every row within the tolerance
	NotRun     Verdict = "not run"
	Incomplete Verdict = "incomplete" // rows or splits that could not be compared, and nothing off
	Off        Verdict = "off"        // a row beyond the tolerance, or other scores than these are published
)

var order = []Verdict{Same, NotRun, Incomplete, Off}

// Worst returns the worst of verdicts; NotRun of none.
func Worst(of []Verdict) Verdict {
	if len(of) == 0 {
		return NotRun
	}
	worst := 0
	for _, v := range of {
		worst = max(worst, slices.Index(order, v))
	}
	return order[worst]
}

// Schema names the form of a Report for programs.
const Schema = "pidsbench-reproduce/1"

// Report is what came of scoring again what is published of an edition.
type Report struct {
	Schema      string  `json:"schema"`
	Edition     string  `json:"edition"`
	EditionName string  `json:"edition_name"`
	Manifest    string  `json:"manifest_sha256,omitempty"`
	Windows     string  `json:"window_mode"`
	Sample      Sample  `json:"sample"`
	Processor   string  `json:"processor"` // its features, in the words of score files
	Verdict     Verdict `json:"verdict"`   // the worst of the runs that were compared
	Runs        []Run   `json:"runs"`

	Record map[string]string `json:"run,omitempty"` // what made the report
}

// Run is a detector at a seed.
type Run struct {
	Detector  string   `json:"detector"`
	Name      string   `json:"name"`
	Seed      int      `json:"seed"`   // 0 for a detector without seeds
	Seeded    bool     `json:"seeded"` // whether the detector has seeds
	Named     bool     `json:"named"`  // the user named it: it has to run
	Verdict   Verdict  `json:"verdict"`
	Reason    string   `json:"reason,omitempty"` // why it was not run
	Precision string   `json:"precision,omitempty"`
	Cutoffs   []Cutoff `json:"thresholds,omitempty"`
	Splits    []Split  `json:"splits,omitempty"`
}

// Judge sets the verdict of a run that was compared to the worst of its splits.
func (r *Run) Judge() {
	verdicts := make([]Verdict, len(r.Splits))
	for i, s := range r.Splits {
		verdicts[i] = s.Verdict
	}
	r.Verdict = Worst(verdicts)
}

// Judge sets the verdict of the report to the worst of the runs that were compared.
func (r *Report) Judge() {
	var verdicts []Verdict
	for _, run := range r.Runs {
		if run.Verdict != NotRun {
			verdicts = append(verdicts, run.Verdict)
		}
	}
	r.Verdict = Worst(verdicts)
}

// Complaint says in a clause why a run is not reproduced.
func (r *Run) Complaint() string {
	if r.Verdict == NotRun {
		return r.Reason
	}
	var beyond, counts, lacking, other, absent int
	for _, s := range r.Splits {
		beyond, counts, lacking = beyond+s.Beyond, counts+s.Counts, lacking+s.Lacking
		switch {
		case s.Reason != "" && s.Verdict == Off:
			other++
		case s.Reason != "":
			absent++
		}
	}
	var said []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{beyond, "rows beyond the tolerance"}, {counts, "rows with other counts of tokens"},
		{other, "splits of which other scores are published"}, {lacking, "rows without a score"},
		{absent, "splits without published scores"},
	} {
		if part.n > 0 {
			said = append(said, fmt.Sprintf("%s: %d", part.what, part.n))
		}
	}
	return strings.Join(said, ", ")
}

// Cutoff is the threshold of a policy, of published scores alone.
type Cutoff struct {
	Policy string   `json:"policy"`
	Tau    *float64 `json:"tau"`              // nil where Reason says why
	Reason string   `json:"reason,omitempty"` // empty when there is a threshold
}

// Split is what came of a split.
type Split struct {
	Split     string     `json:"split"`
	Verdict   Verdict    `json:"verdict"`
	Reason    string     `json:"reason,omitempty"`    // why nothing was compared
	Tolerance *Tolerance `json:"tolerance,omitempty"` // nil when nothing was compared
	Rows      int        `json:"rows"`                // of the split
	Drawn     int        `json:"drawn"`               // to be compared
	Compared  int        `json:"compared"`            // that have a score on both sides
	Windowed  int        `json:"multi_window"`        // of these, with more than one window
	Equal     int        `json:"equal"`               // to the last bit
	Beyond    int        `json:"beyond"`              // further apart than the tolerance
	Counts    int        `json:"other_counts"`        // other numbers of windows, tokens or NUL bytes
	Lacking   int        `json:"lacking"`             // without a score on one side or both
	Largest   *Pair      `json:"largest"`             // the row with the largest difference; nil when none was compared
	Flips     []Flips    `json:"flips"`               // for each threshold there is
	Findings  []Finding  `json:"findings,omitempty"`  // the first rows that are off or lack a score
}

// Pair is a row with its two scores.
type Pair struct {
	Row        int     `json:"row"`
	Published  float64 `json:"published"`
	Again      float64 `json:"again"`
	Difference float64 `json:"difference"` // absolute
}

// Flips are the rows whose two scores lie on different sides of a threshold. Within the tolerance that is what a score
// at the threshold may do; beyond it the row is off anyway.
type Flips struct {
	Policy string  `json:"policy"`
	Tau    float64 `json:"tau"`
	N      int     `json:"n"`
	Beyond int     `json:"beyond"` // of these, further apart than the tolerance
	First  []Pair  `json:"first,omitempty"`
}

// Finding is a row that is off or lacks a score.
type Finding struct {
	Row int    `json:"row"`
	Why string `json:"why"`
}

// listed is how many rows of a kind are listed for a split.
const listed = 5

// byRow returns lines by their row.
func byRow(lines []scores.Line) map[int]scores.Line {
	m := make(map[int]scores.Line, len(lines))
	for _, l := range lines {
		m[l.Row] = l
	}
	return m
}
