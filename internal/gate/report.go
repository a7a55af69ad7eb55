package gate

import "pidsbench/internal/results"

// Schema names the layout of a report as JSON.
const Schema = "pidsbench-gate/1"

// Report is what became of all limits of a file.
type Report struct {
	Schema         string                    `json:"schema"`
	Config         string                    `json:"config"` // the file of limits
	Edition        string                    `json:"edition"`
	ManifestSHA256 string                    `json:"manifest_sha256,omitempty"` // absent for a user's own files
	WindowMode     string                    `json:"window_mode"`
	Baseline       string                    `json:"baseline,omitempty"` // folder of its score files
	Undecided      string                    `json:"undecided"`          // fails or passes
	Passed         bool                      `json:"passed"`
	Counts         map[Verdict]int           `json:"counts"` // limits by verdict, all four of them
	Limits         []Item                    `json:"limits"`
	Detectors      []results.DetectorSummary `json:"detectors"`
	Run            map[string]string         `json:"run,omitempty"`
}

// Sum fills in what follows from the limits.
func (r *Report) Sum() {
	r.Schema, r.Passed = Schema, true
	r.Counts = map[Verdict]int{Pass: 0, Broken: 0, Undecided: 0, NoData: 0}
	for _, it := range r.Limits {
		r.Counts[it.Verdict]++
		r.Passed = r.Passed && !it.Fails
	}
}

// String returns the verdict as people read it.
func (v Verdict) String() string {
	if v == NoData {
		return "no data"
	}
	return string(v)
}
