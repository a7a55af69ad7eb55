package gate

import (
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// Flips are the rows on which the verdict of a run is not the baseline's.
type Flips struct {
	Split  string `json:"split"`
	Worse  int    `json:"worse"`  // right in the baseline, wrong now; over all seeds
	Better int    `json:"better"` // wrong in the baseline, right now
	Rows   []Flip `json:"rows"`   // by seed, then by row
}

// Flip is a row whose verdict changed.
type Flip struct {
	Seed   int     `json:"seed"`
	Row    int     `json:"row"` // 0-based in its split
	Label  int     `json:"label"`
	Change string  `json:"change"` // worse or better
	Was    float64 `json:"was"`    // the baseline's score
	Now    float64 `json:"now"`
}

// The changes.
const (
	Worse  = "worse"
	Better = "better"
)

// Run is one run on a split at its threshold.
type Run struct {
	Outcomes  []results.Outcome
	Threshold float64
}

func (r Run) flags(row int) bool { return r.Outcomes[row].Score >= r.Threshold }

// Add adds the rows on which two runs of a seed differ, among those that the limit counts and both have a score of.
func (f *Flips) Add(l *Limit, s *results.Split, seed int, was, now Run) {
	m, _ := metricNamed(l.Metric)
	name, want, sliced := strings.Cut(l.SliceName(), "=")
	values, _ := s.Data.Column(s.Spec.Slices[name])
	for i, row := range s.Data.Rows {
		switch {
		case !m.counts(row.Label) || sliced && values[i] != want:
		case was.Outcomes[i].State != results.Scored || now.Outcomes[i].State != results.Scored:
		case was.flags(i) != now.flags(i):
			flip := Flip{Seed: seed, Row: i, Label: int(row.Label), Change: Worse, Was: was.Outcomes[i].Score,
				Now: now.Outcomes[i].Score}
			if now.flags(i) == (row.Label == dataset.Injection) {
				flip.Change = Better
				f.Better++
			} else {
				f.Worse++
			}
			f.Rows = append(f.Rows, flip)
		}
	}
}
