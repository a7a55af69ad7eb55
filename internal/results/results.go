// Package results turns score files and frozen labels into cells: numbers with their counts and state. It reads scores
// only, never a model, so every table can be made again without inference.
package results

import (
	"encoding/json"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/scores"
	"pidsbench/internal/threshold"
)

// Schema names the layout of the JSON form.
const Schema = "pidsbench-results/1"

// Input is everything results are computed from.
type Input struct {
	Edition        string // id; "custom" for a user's own files
	EditionName    string // for captions
	ManifestSHA256 string // empty for a user's own files
	WindowMode     string // max or truncate
	Splits         []Split
	Val            *dataset.Split // nil when there is none
	NoVal          string         // why there is none
	ValPromised    bool           // val belongs to the splits: a threshold without its scores is incomplete
	Detectors      []Detector
	Policies       []threshold.Policy
	Limit          int      // rows scored per split under --limit; 0 = all
	Chosen         []string // splits that the user chose; empty for all. Splits holds no others
	Absent         []string // what the edition promises and is not here, a sentence each
	PublicSubset   bool     // withheld texts make nothing incomplete, by the user's wish
	Undisputed     bool     // rows whose label readers doubt (column disputed) count nowhere, by the user's wish

	Other []Detector // the same detectors in the window mode that is not WindowMode; nil unless a table needs them
}

// Split is one evaluation split with what it measures.
type Split struct {
	Spec   dataset.SplitSpec
	Data   *dataset.Split
	Absent string // why there are no rows; empty when there are. Data is then empty

	External bool // a set of the user's beside the edition: not frozen, and of no axis of the edition
	Asked    bool // of an external set: the user named it, so that its cells are incomplete without scores
}

// Detector is one detector with the outcomes of each of its seeds.
type Detector struct {
	ID          string
	Name        string // display name
	Baseline    bool   // shown below the line
	Native      *float64
	Seeds       []Seed
	Doubts      []string // what a reader must know: trained on other data, …
	Unavailable string   // why it could not run; its cells are then n/a with this reason
	Required    bool     // the user named it: cells are incomplete when it could not run
	Foreign     bool     // made elsewhere, on other data

	Exposed map[string][]bool // of a split by name, in row order: the row comes from a set it was trained on
}

// Seed is one run.
type Seed struct {
	Seed     int
	Outcomes map[string][]Outcome // of each evaluation split by name, in row order
	Missing  map[string]string    // evaluation splits without scores, with the reason
	Val      []Outcome            // of Input.Val; nil when it was not scored
	NoVal    string               // why
	Made     Made                 // what made its scores
}

// Made says what made the scores of one run, as their files say: hashes in lower-case hexadecimal digits.
type Made struct {
	ConfigHash  string         `json:"config_hash"`            // of the fields of the entry that can change a score
	Files       []detect.File  `json:"files,omitempty"`        // of the model; none for detectors without any
	Precision   string         `json:"precision,omitempty"`    // of the model
	TrainSHA256 string         `json:"train_sha256,omitempty"` // of the train split it was fitted on, where known
	By          []scores.Setup `json:"by"`                     // programs and machines that scored, sorted
}

// Outcome is what became of one row.
type Outcome struct {
	State     State
	Score     float64 // meaningful when State is Scored
	Truncated bool    // the detector saw only a part of the text
}

// State of a row: only a scored row counts for or against a detector.
type State int8

// The states of a row. NotAsked rows lie beyond --limit.
const (
	Scored State = iota
	Failed
	MissingText
	NotAsked
)

// Results is the model all renderers draw from.
type Results struct {
	Schema         string            `json:"schema"`
	Edition        string            `json:"edition"`
	EditionName    string            `json:"edition_name"`
	ManifestSHA256 string            `json:"manifest_sha256,omitempty"`
	WindowMode     string            `json:"window_mode"`
	Limit          int               `json:"limit,omitempty"`
	Splits         []SplitSummary    `json:"splits"`
	Detectors      []DetectorSummary `json:"detectors"`
	Cells          []Cell            `json:"cells"`
	Warnings       []string          `json:"warnings"`
	Run            map[string]string `json:"run,omitempty"`

	Chosen       []string `json:"chosen_splits,omitempty"` // by the user; empty for all
	Absent       []string `json:"absent,omitempty"`        // what the edition promises and is not here
	PublicSubset bool     `json:"public_subset,omitempty"`
	Undisputed   bool     `json:"undisputed,omitempty"`

	Policies []string `json:"policies"`

	index map[key]int
}

// SplitSummary says what a split holds.
type SplitSummary struct {
	Name      string       `json:"name"`
	Axis      dataset.Axis `json:"axis"`
	SHA256    string       `json:"sha256"`
	Rows      int          `json:"rows"`
	Benign    int          `json:"benign"`
	Injection int          `json:"injection"`

	Frozen   bool   `json:"frozen"`                   // by the edition's manifest
	External bool   `json:"external,omitempty"`       // a set of the user's beside the edition
	Absent   string `json:"absent,omitempty"`         // why it has no rows here
	Withheld int    `json:"texts_withheld,omitempty"` // rows whose text is not there
	Disputed int    `json:"disputed,omitempty"`       // rows whose label readers doubt

	Authorship map[string]int `json:"authorship,omitempty"` // rows by who wrote them: human, llm, template, unknown
}

// DetectorSummary says how a detector was run. Tau maps policy → seed → threshold.
type DetectorSummary struct {
	ID          string                        `json:"id"`
	Name        string                        `json:"name"`
	Baseline    bool                          `json:"baseline,omitempty"`
	Seeds       []int                         `json:"seeds"`
	Tau         map[string]map[string]float64 `json:"tau"`
	NoTau       map[string]string             `json:"no_tau,omitempty"` // policy → why it gives no threshold
	Unavailable string                        `json:"unavailable,omitempty"`
	Required    bool                          `json:"required,omitempty"` // the user named it
	Foreign     bool                          `json:"foreign,omitempty"`  // made elsewhere, on other data
	Doubts      []string                      `json:"doubts,omitempty"`
	Made        map[string]Made               `json:"made,omitempty"` // by seed: what made the scores
}

// Cell is one number of a table. Value is nil where the number is undefined; Reason says why.
type Cell struct {
	Detector   string       `json:"detector"`
	Seed       SeedRef      `json:"seed"`
	NSeeds     int          `json:"n_seeds"` // seeds it rests on: 1 but for a mean
	Axis       dataset.Axis `json:"axis"`
	Split      string       `json:"split"`
	Slice      string       `json:"slice"`  // "all" or name=value
	Metric     string       `json:"metric"` // f1, fpr, recall, precision, accuracy, roc_auc, tn, fp, fn, tp
	Policy     *string      `json:"policy"` // nil for threshold-free metrics
	Value      *float64     `json:"value"`
	Reason     string       `json:"reason,omitempty"`
	SD         *float64     `json:"sd"` // over seeds, ddof 1; nil for one seed
	Lo         *float64     `json:"lo"` // 95 % interval of a mean over the seeds that are there; nil for a single seed
	Hi         *float64     `json:"hi"`
	Interval   string       `json:"interval,omitempty"` // its method
	N          int          `json:"n"`                  // scored rows
	NBenign    int          `json:"n_benign"`
	NInjection int          `json:"n_injection"`
	NError     int          `json:"n_error"`
	NMissing   int          `json:"n_missing_text"`
	NUnscored  int          `json:"n_unscored"` // rows without a line in any score file
	NTruncated int          `json:"n_truncated"`
	NExposed   int          `json:"n_exposed,omitempty"` // rows from sets that the detector was trained on
	State      string       `json:"state"`               // complete or incomplete

	Groups          int      `json:"groups,omitempty"`           // independent groups that the interval rests on
	GroupsEffective float64  `json:"groups_effective,omitempty"` // groups of equal size that would weigh as much
	SeedLo          *float64 `json:"seed_lo,omitempty"`          // 95 % interval with the spread of the seeds
	SeedHi          *float64 `json:"seed_hi,omitempty"`
	Doubts          []string `json:"doubts,omitempty"` // about the interval

	Frozen bool `json:"frozen"` // whether its rows are frozen by the edition's manifest
}

// Total returns the rows the cell should rest on.
func (c *Cell) Total() int { return c.N + c.NError + c.NMissing + c.NUnscored }

// SeedRef is a seed's number, or the mean over the seeds.
type SeedRef struct {
	Seed int
	Mean bool
}

// MarshalJSON writes the number, or "mean".
func (s SeedRef) MarshalJSON() ([]byte, error) {
	if s.Mean {
		return []byte(`"mean"`), nil
	}
	return json.Marshal(s.Seed)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *SeedRef) UnmarshalJSON(b []byte) error {
	if string(b) == `"mean"` {
		*s = SeedRef{Mean: true}
		return nil
	}
	*s = SeedRef{}
	return json.Unmarshal(b, &s.Seed)
}

type key struct {
	detector, split, slice, metric, policy string
	seed                                   SeedRef
}

// Mean returns the mean cell of a detector over its seeds; policy "" for threshold-free metrics. It is nil when the
// edition has no such split or slice.
func (r *Results) Mean(detector, split, slice, metric, policy string) *Cell {
	i, ok := r.index[key{detector, split, slice, metric, policy, SeedRef{Mean: true}}]
	if !ok {
		return nil
	}
	return &r.Cells[i]
}

// SplitOf returns the first split of the edition (or of the user's own files) that measures the axis, or nil; an
// external set is never taken for one of them.
func (r *Results) SplitOf(axis dataset.Axis) *SplitSummary {
	for i := range r.Splits {
		if r.Splits[i].Axis == axis && !r.Splits[i].External {
			return &r.Splits[i]
		}
	}
	return nil
}

// Incomplete reports whether any cell lacks rows it should rest on, or the edition a split.
func (r *Results) Incomplete() bool {
	if len(r.Absent) > 0 {
		return true
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		agreed := c.Total() > c.N && r.Lacking(c) == 0 // the user asked for the public subset
		if c.State == StateIncomplete && !agreed {
			return true
		}
	}
	return false
}

// Lacking returns how many rows the cell lacks that it should rest on; of withheld ones under PublicSubset none.
func (r *Results) Lacking(c *Cell) int {
	n := c.Total() - c.N
	if r.PublicSubset {
		n -= c.NMissing
	}
	return n
}

func (c *Cell) key() key {
	policy := ""
	if c.Policy != nil {
		policy = *c.Policy
	}
	return key{c.Detector, c.Split, c.Slice, c.Metric, policy, c.Seed}
}

func (r *Results) add(c Cell) {
	r.index[c.key()] = len(r.Cells)
	r.Cells = append(r.Cells, c)
}
