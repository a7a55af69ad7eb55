package builder

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"pidsbench/internal/dataset"
)

// Record is one text on its way through the pipeline. Stages take and return records in canonical order: by source as
// in the lock, then by ID; no stage looks at where a record stood in its source.
type Record struct {
	ID         string // the source, "_", and 16 hex digits over source, class and text
	Text       string
	Label      dataset.Label
	Source     string
	Rank       int // the place of the source in the lock: earlier sources win when two hold the same text
	Role       Role
	Language   string
	Authorship string
	License    string
	Carrier    string // the document or conversation the text was taken from, or ""
	Frame      string // the sentence frame the text fills, or ""
	Family     string // set by the families stage

	Obfuscation string // the transform that was applied, or "none"
	Edits       int    // how many places of the text it changed
}

// Role says what the texts of a source are for.
type Role string

// The roles.
const (
	Pool    Role = "pool"    // train, val, test and what is held out from them
	Control Role = "control" // the ordinary control: no split trains on it
	Filler  Role = "filler"  // padding of diluted texts: in no split by itself
)

// Removal says why a record went no further. It holds no text.
type Removal struct {
	Stage   string  `json:"stage"`
	ID      string  `json:"id"`
	Source  string  `json:"source"`
	Reason  string  `json:"reason"`
	Partner string  `json:"partner,omitempty"` // the record that is kept instead, or that it conflicts with
	Score   float64 `json:"score,omitempty"`   // the cosine with the partner
}

// recordID is the name of a text within a source. It depends on content alone, so that it outlives any change of order
// or selection.
func recordID(source string, label dataset.Label, text string) string {
	h := sha256.New()
	for _, s := range []string{source, labelName(label), text} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return source + "_" + hex.EncodeToString(h.Sum(nil)[:8])
}

func labelName(l dataset.Label) string {
	if l == dataset.Injection {
		return "injection"
	}
	return "benign"
}

// canonical sorts records by source, then ID.
func canonical(records []Record) {
	slices.SortFunc(records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID))
	})
}

// remove describes the removal of r.
func (r Record) remove(stage, reason string) Removal {
	return Removal{Stage: stage, ID: r.ID, Source: r.Source, Reason: reason}
}

// benignPool reports whether r is a benign row that a split may train on.
func (r Record) benignPool() bool { return r.Role == Pool && r.Label == dataset.Benign }

func texts(records []Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = r.Text
	}
	return out
}

func byID(r Record) string { return r.ID }
