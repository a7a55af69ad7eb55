package builder

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
)

// Record is one text on its way through the pipeline. Stages take and return records in canonical order: by source as
// in the lock, then by ID; no stage looks at where a record stood in its source.
type Record struct {
	ID         string        `json:"id"` // the source, "_", and 16 hex digits over source, class and text
	Text       string        `json:"text"`
	Label      dataset.Label `json:"label"`
	Source     string        `json:"source"`
	Rank       int           `json:"rank"` // the place of the source in the lock; of equal texts the first wins
	Role       Role          `json:"role"`
	Language   string        `json:"language"`
	Authorship string        `json:"authorship"`
	License    string        `json:"license"`
	Carrier    string        `json:"carrier,omitempty"`   // the document or conversation the text was taken from, or ""
	Frame      string        `json:"frame,omitempty"`     // the sentence frame the text fills, or ""
	Own        bool          `json:"own,omitempty"`       // whether we wrote the text, or a part of it
	Placement  string        `json:"placement,omitempty"` // where an injection stands in its document: start, middle, end
	Domain     string        `json:"domain,omitempty"`    // of a text of ours, or where a reader named one
	Disputed   bool          `json:"disputed,omitempty"`  // whether readers doubt the class
	AttackType string        `json:"attack_type,omitempty"`
	AttackRule string        `json:"attack_rule,omitempty"` // the rule that named the attack type
	AttackSpan *[2]int       `json:"attack_span,omitempty"` // bytes of the source's text that the rule rests on
	Parent     string        `json:"parent,omitempty"`      // the record this one paraphrases, or ""
	Generator  string        `json:"generator,omitempty"`   // what paraphrased it
	Round      int           `json:"round,omitempty"`       // 1 and up for a paraphrase
	Topic      string        `json:"topic,omitempty"`       // why a hard-benign row is one
	Family     string        `json:"family,omitempty"`      // set by the families stage

	Obfuscation string `json:"obfuscation"`     // the transform that was applied, as_found, or none
	Edits       int    `json:"edits,omitempty"` // how many places of the text it changed
	Clean       string `json:"clean,omitempty"` // the text before the transform
	Pair        string `json:"pair,omitempty"`  // joins an obfuscated attack, its benign twin and the clean texts of both

	Shift *Shift `json:"shift,omitempty"` // of a row of the structural split
}

// Shift says how a row of the structural split came about.
type Shift struct {
	Transform string   `json:"transform"`
	SeedIndex int      `json:"seed_index"` // 0-based, by class
	Start     int      `json:"start"`      // where the seed text begins, in characters; -1 where it is JSON-escaped
	Length    int      `json:"length"`     // of the seed text, in characters
	Fillers   []string `json:"fillers,omitempty"`
}

// Role says what the texts of a source are for.
type Role string

// The roles.
const (
	Pool         Role = "pool"          // train, val, test and what is held out from them
	Control      Role = "control"       // the ordinary control: no split trains on it
	Filler       Role = "filler"        // padding of diluted texts: in no split by itself
	Curated      Role = "hard_benign"   // authored hard-benign rows
	HardNegative Role = "hard_negative" // authored benign rows for the augmented arms
	DomainShift  Role = "domain_ood"    // authored rows of the domain split
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
	for _, s := range []string{source, label.Name(), text} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return source + "_" + hex.EncodeToString(h.Sum(nil)[:8])
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

func removeAll(records []Record, stage, reason string) []Removal {
	out := make([]Removal, len(records))
	for i, r := range records {
		out[i] = r.remove(stage, reason)
	}
	return out
}

// benignPool reports whether r is a benign row that a split may train on.
func (r Record) benignPool() bool { return r.Role == Pool && r.Label == dataset.Benign }

// ownPrefix begins the strata of our own texts.
const ownPrefix = "own_"

// kind is the attack type of an injection, "benign" of a benign row.
func (r Record) kind() string {
	if r.Label == dataset.Benign {
		return "benign"
	}
	return r.AttackType
}

// stratum is what quotas count: the kind of a row, texts of ours apart.
func (r Record) stratum() string {
	if r.Own {
		return ownPrefix + r.kind()
	}
	return r.kind()
}

func texts(records []Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = r.Text
	}
	return out
}

func byID(r Record) string { return r.ID }

// inHashOrder returns the records in the order of the hashes that belong to a purpose.
func inHashOrder(records []Record, seed int64, purpose string) []Record {
	order := make([]*Record, len(records)) // records are long, and sorting moves them often
	for i := range records {
		order[i] = &records[i]
	}
	draw.Order(order, seed, purpose, func(r *Record) string { return r.ID })
	out := make([]Record, len(records))
	for i, r := range order {
		out[i] = *r
	}
	return out
}
