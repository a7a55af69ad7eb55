// Package scores reads and writes score files: a header that says what was scored with what, then one line a row. Every
// table is a function of score files and frozen data, so nothing is ever scored twice.
//
// While a file is being made its lines are appended to FILE.part, which survives a killed process; see Writer.
package scores

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
)

// Schema names the format of the files that this package reads and writes.
const Schema = "pidsbench-scores/1"

// Header is the first line of a score file.
type Header struct {
	Identity
	Info Info `json:"info"`
}

// Identity is everything that can change a score. Files of different identities never mix.
type Identity struct {
	Schema      string        `json:"schema"` // set by this package
	Edition     string        `json:"edition"`
	Split       string        `json:"split"`
	SplitSHA256 string        `json:"split_sha256"`          // lower-case hex
	Rows        int           `json:"rows"`                  // of the whole split, shards too
	TextColumn  string        `json:"text_column,omitempty"` // the texts were read from; empty for the default one, text
	Detector    string        `json:"detector"`
	Seed        int           `json:"seed"`
	ConfigHash  string        `json:"config_hash"` // lower-case hex, over the fields of the entry that can change a score
	Files       []detect.File `json:"files"`       // model files, sorted by path; empty for detectors without any
	Precision   string        `json:"precision"`
	WindowMode  engine.Mode   `json:"window_mode"`
	MaxLength   int           `json:"max_length"` // tokens, special ones counted; 0 = no limit
	Stride      int           `json:"stride"`     // tokens
}

// Info is what else is worth knowing. It may differ between files that are compared.
type Info struct {
	Setup
	TrainSHA256 string  `json:"train_sha256,omitempty"` // of the train split the weights were fitted on, where known
	Shard       Shard   `json:"shard,omitzero"`
	Also        []Setup `json:"also,omitempty"` // others that scored rows, when the file was not made in one go

	Servers []Server `json:"servers,omitempty"` // that were asked for scores, as they named themselves, in order
}

// Server is what a server that was asked for a score says of itself. It may change at any time, also between two rows.
type Server struct {
	Model       string `json:"model"`
	Fingerprint string `json:"system_fingerprint,omitempty"`
}

// Setup is the program and machine that scored.
type Setup struct {
	Tool    string `json:"tool"`              // name and version
	Runtime string `json:"runtime,omitempty"` // "onnxruntime 1.30.0"; empty for native Go
	CPU     string `json:"cpu"`               // features, in words
}

// Shard is one of Count parts of a split, counted from 1. The zero Shard is the whole split.
type Shard struct {
	Index, Count int
}

// Has reports whether the row, counted from 0, belongs to the shard: rows are dealt out in turn.
func (s Shard) Has(row int) bool {
	return s.Count == 0 || row%s.Count == s.Index-1
}

// Len returns how many of the rows belong to the shard.
func (s Shard) Len(rows int) int {
	if s.Count == 0 {
		return rows
	}
	return (rows + s.Count - s.Index) / s.Count
}

// IsZero reports whether the shard is the whole split.
func (s Shard) IsZero() bool { return s == Shard{} }

// String returns "2/3", or "" for the whole split.
func (s Shard) String() string {
	if s.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// MarshalText writes the shard as in --shard: "2/3".
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads "2/3" and nothing else.
func (s *Shard) UnmarshalText(b []byte) error {
	index, count, _ := strings.Cut(string(b), "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	got := Shard{i, n}
	if err1 != nil || err2 != nil || i < 1 || i > n || got.String() != string(b) {
		return fmt.Errorf("shard is %s, expected one like 1/3 to 3/3", fault.Quote(string(b)))
	}
	*s = got
	return nil
}

// check returns what is wrong with a header.
func (h *Header) check() error {
	isHash := func(s string) bool {
		b, err := hex.DecodeString(s)
		return err == nil && len(b) == 32 && strings.ToLower(s) == s
	}
	const sha = "64 lower-case hexadecimal digits"
	wrong := func(field string, found any, expected string) error {
		if s, ok := found.(string); ok {
			found = fault.Quote(s)
		}
		return fmt.Errorf("%s is %v, expected %s", field, found, expected)
	}
	switch {
	case h.Schema != Schema:
		return wrong("schema", h.Schema, strconv.Quote(Schema))
	case h.Edition == "":
		return wrong("edition", h.Edition, "a name")
	case h.Split == "":
		return wrong("split", h.Split, "a name")
	case !isHash(h.SplitSHA256):
		return wrong("split_sha256", h.SplitSHA256, sha)
	case h.Rows < 0 || h.Rows > maxRows:
		return wrong("rows", h.Rows, fmt.Sprintf("0 to %d", maxRows))
	case len(h.TextColumn) > maxColumn || !utf8.ValidString(h.TextColumn):
		return wrong("text_column", h.TextColumn, fmt.Sprintf("UTF-8 of at most %d bytes", maxColumn))
	case h.Detector == "":
		return wrong("detector", h.Detector, "a name")
	case !isHash(h.ConfigHash):
		return wrong("config_hash", h.ConfigHash, sha)
	case h.WindowMode != engine.Max && h.WindowMode != engine.Truncate:
		return wrong("window_mode", string(h.WindowMode), `"max" or "truncate"`)
	case h.MaxLength < 0:
		return wrong("max_length", h.MaxLength, "0 or more")
	case h.Stride < 0:
		return wrong("stride", h.Stride, "0 or more")
	case h.Info.TrainSHA256 != "" && !isHash(h.Info.TrainSHA256):
		return wrong("train_sha256", h.Info.TrainSHA256, sha)
	}
	for i, f := range h.Files {
		if f.Path == "" || i > 0 && f.Path <= h.Files[i-1].Path {
			return wrong(fmt.Sprintf("the path of model file %d", i+1), f.Path, "paths in ascending order")
		}
		if !isHash(f.SHA256) {
			return wrong("the sha256 of model file "+fault.Quote(f.Path), f.SHA256, sha)
		}
	}
	return nil
}

const (
	maxRows   = 1<<31 - 1
	maxColumn = 1000 // bytes of a column's name

	maxServers = 16 // further ones are not noted: some servers have another fingerprint for each answer
)

// defaultColumn is the text column that an empty TextColumn stands for.
const defaultColumn = "text"

// normal returns the identity in the one spelling that is compared and written.
func (i Identity) normal() Identity {
	if i.TextColumn == defaultColumn {
		i.TextColumn = ""
	}
	return i
}

// encode returns the header's line.
func (h Header) encode() ([]byte, error) { return partHeader{Header: h}.encode() }

func (h partHeader) encode() ([]byte, error) {
	if h.Files == nil {
		h.Files = []detect.File{}
	}
	b, err := json.Marshal(h)
	return append(b, '\n'), err
}

// difference is a field in which two identities are not the same.
type difference struct{ field, found, expected string }

// differ returns the first field in which the identity found differs from the one expected, or nil.
func differ(found, expected Identity) *difference {
	type pair struct {
		field           string
		found, expected any
	}
	pairs := []pair{
		{"schema", found.Schema, expected.Schema},
		{"edition", found.Edition, expected.Edition},
		{"split", found.Split, expected.Split},
		{"detector", found.Detector, expected.Detector},
		{"seed", found.Seed, expected.Seed},
		{"window_mode", string(found.WindowMode), string(expected.WindowMode)},
		{"split_sha256", found.SplitSHA256, expected.SplitSHA256},
		{"rows", found.Rows, expected.Rows},
		{"text_column", cmp.Or(found.TextColumn, defaultColumn), cmp.Or(expected.TextColumn, defaultColumn)},
		{"config_hash", found.ConfigHash, expected.ConfigHash},
		{"precision", found.Precision, expected.Precision},
		{"max_length", found.MaxLength, expected.MaxLength},
		{"stride", found.Stride, expected.Stride},
	}
	hashes := func(files []detect.File) map[string]string {
		m := map[string]string{}
		for _, f := range files {
			m[f.Path] = f.SHA256
		}
		return m
	}
	foundFiles, expectedFiles := hashes(found.Files), hashes(expected.Files)
	for _, files := range [][]detect.File{expected.Files, found.Files} {
		for _, f := range files {
			pairs = append(pairs, pair{"the sha256 of " + fault.Quote(f.Path), foundFiles[f.Path], expectedFiles[f.Path]})
		}
	}
	for _, p := range pairs {
		if p.found != p.expected {
			return &difference{p.field, show(p.found), show(p.expected)}
		}
	}
	return nil
}

func show(v any) string {
	if s, ok := v.(string); ok {
		if s == "" {
			return "none"
		}
		return fault.Quote(s)
	}
	return fmt.Sprint(v)
}

// mismatch is the error for a file of another identity.
func mismatch(path string, d *difference) error {
	why := ""
	if d.field == "split_sha256" { // all else that names the split is the same
		why = "the data have changed since, or another file has that name: "
	}
	return fault.New(fault.Integrity, "%s: holds other scores: %s%s is %s, expected %s", path, why, d.field, d.found, d.expected).
		WithCure("give --fresh to score again, or another --out")
}
