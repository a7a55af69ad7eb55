package detect

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// Entry is one detector of configs/detectors.yaml. Adding a detector is adding an entry.
type Entry struct {
	ID       string `yaml:"id" json:"id"`
	Name     string `yaml:"name" json:"-"` // display name; the id when empty
	Kind     string `yaml:"kind" json:"kind"`
	Baseline bool   `yaml:"baseline" json:"-"` // shown below the line of the tables
	ArmOf    string `yaml:"arm_of" json:"-"`   // id of the detector that this one is, but for rows added to training
	Arm      string `yaml:"arm" json:"-"`      // what was added, in a word: curated, third-party, ordinary
	// Sources stands for as many detectors: each is WithoutOf, trained without one source, which LeftOut then names.
	Sources      []string `yaml:"sources" json:"-"`
	WithoutOf    string   `yaml:"without_of" json:"-"`
	LeftOut      string   `yaml:"-" json:"-"`
	Description  string   `yaml:"description" json:"-"`
	Licence      string   `yaml:"licence" json:"-"`
	Reference    string   `yaml:"reference" json:"-"`
	Contaminated string   `yaml:"contamination" json:"-"` // what is known about training on evaluation data
	// TrainedOn names the data sets that the detector is known to be trained on, for comparison with the sources of an
	// edition.
	TrainedOn []string `yaml:"trained_on" json:"-"`
	Seeds     []int    `yaml:"seeds" json:"-"` // 0 or more each; empty means the detector has no seed: 0

	Rule   string   `yaml:"rule" json:"rule,omitempty"` // kind constant: block, allow, random, length
	Native *float64 `yaml:"native" json:"-"`            // the detector's own threshold, 0 to 1
	Model  string   `yaml:"model" json:"-"`             // folder, may hold {seed} and {source}; identity is by file hashes
	File   string   `yaml:"file" json:"file,omitempty"` // model file inside the folder
	Pull   *Pull    `yaml:"pull" json:"-"`

	Augment string   `yaml:"augment" json:"augment,omitempty"` // kind tfidf: benign rows added to the train split
	Pool    int      `yaml:"pool" json:"pool,omitempty"`       // of Augment: so many of them; 0 means all
	Chat    *Chat    `yaml:"chat" json:"chat,omitempty"`       // kind chat
	Process *Process `yaml:"process" json:"process,omitempty"` // kind process

	Output      string   `yaml:"output" json:"output,omitempty"`           // the graph's only one when empty
	Head        string   `yaml:"head" json:"head,omitempty"`               // softmax (default) or sigmoid
	Positive    []string `yaml:"positive" json:"positive,omitempty"`       // class names or indices, summed
	Veto        *Veto    `yaml:"veto" json:"veto,omitempty"`               // a class that clears the text
	Temperature float64  `yaml:"temperature" json:"temperature,omitempty"` // divides the logits; 0 means 1
	MaxLength   int      `yaml:"max_length" json:"max_length,omitempty"`   // tokens; 0 means what the model takes
	Stride      int      `yaml:"stride" json:"stride,omitempty"`           // tokens; 0 means DefaultStride
	Pad         string   `yaml:"pad" json:"pad,omitempty"`                 // batch (default), none, to:N, buckets:[N,…]
	BatchTokens int      `yaml:"batch_tokens" json:"-"`                    // scores do not depend on it
	Precision   string   `yaml:"precision" json:"-"`                       // what the graph must hold
	// SpecialTokensInText is literal (default) or special.
	SpecialTokensInText string `yaml:"special_tokens_in_text" json:"special_tokens_in_text,omitempty"`

	place *place // nil for an entry that was read from no file
	home  string // folder of a user's own file; empty for the project's
}

// place is where an entry stands in a file.
type place struct {
	file *strictyaml.File
	item int // of the list
}

// Where names a field of the entry for a message: with the file and the line, or else with the detector.
func (e *Entry) Where(field string) string {
	if e.place == nil {
		return fmt.Sprintf("detector %s: field %s", fault.Quote(e.ID), field)
	}
	dir, name := filepath.Split(e.place.file.Name) // no longer: the folder before is this machine's
	return fmt.Sprintf("%s:%d: field %s", fault.Name(filepath.Base(dir)+"/"+name),
		e.place.file.Line("detectors", e.place.item, field), field)
}

// ModelPath returns the path of a model folder as the entry names it, with a number in the place of {seed}: the end of
// the folder's absolute path.
func (e *Entry) ModelPath(dir string) string {
	if e.Model == "" {
		return dir
	}
	root := dir
	for range strings.Count(e.Model, "/") + 1 {
		root = filepath.Dir(root)
	}
	name, err := filepath.Rel(root, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(name)
}

// Foreign reports whether the detector was made elsewhere: it is pulled, shares a pulled folder, or runs outside.
func (e *Entry) Foreign() bool {
	return e.Pull != nil || e.Kind == "chat" || e.Kind == "process" || strings.HasPrefix(e.Model, PulledFolder+"/")
}

// Veto is a class whose probability, from At on, sets the score to 0.
type Veto struct {
	Class string  `yaml:"class" json:"class"` // class name or index
	At    float64 `yaml:"at" json:"at"`       // above 0, at most 1
}

// Config is configs/detectors.yaml.
type Config struct {
	Detectors []Entry `yaml:"detectors"`
}

// DefaultStride is the number of tokens that neighbouring windows share when the entry does not say.
const DefaultStride = 64

// LoadConfig reads a detectors file. A mistake in it (an unknown or repeated field, an id that stands twice, a value
// out of range or missing, a path that leads out of its folder) is a usage error that names the line.
func LoadConfig(path string) (*Config, error) {
	c, f := &Config{}, configFile(path)
	if err := f.Load(path, c); err != nil {
		return nil, err
	}
	if err := c.check(f); err != nil {
		return nil, err
	}
	return c, nil
}

func configFile(name string) *strictyaml.File {
	const request = "under chat.request"
	return &strictyaml.File{Name: name, Kind: fault.Usage, Cure: "correct it", Elsewhere: map[string]string{
		"chat.temperature": request, "chat.top_p": request, "chat.stop": request, "chat.seed": request,
	}}
}

// check returns the first mistake and fills in display names.
func (c *Config) check(f *strictyaml.File) error {
	if len(c.Detectors) == 0 {
		return f.Fail(f.Line("detectors"), "there is no detector, expected at least one under detectors")
	}
	seen := map[string]bool{}
	for i := range c.Detectors {
		e := &c.Detectors[i]
		e.place = &place{f, i}
		if m := cmp.Or(e.mistake(), e.writtenZero()); m != nil {
			return m.in(f, i)
		}
		if seen[e.ID] {
			return f.Fail(f.Line("detectors", i, "id"), "the detector id %s stands twice", fault.Quote(e.ID)).
				WithCure("rename one of them")
		}
		seen[e.ID] = true
		if e.Name == "" {
			e.Name = e.ID
		}
	}
	for i := range c.Detectors {
		e := &c.Detectors[i]
		if m := cmp.Or(e.strayFolder(c.Detectors), e.strayArm(c.Detectors), e.strayWithout(c.Detectors)); m != nil {
			return m.in(f, i)
		}
	}
	c.expand()
	ids := map[string]bool{}
	for _, e := range c.Detectors {
		if ids[e.ID] {
			return f.Fail(f.Line("detectors", e.place.item, "sources"), "the detector id %s, of source %s, stands twice",
				fault.Quote(e.ID), fault.Quote(e.LeftOut)).WithCure("rename the other one")
		}
		ids[e.ID] = true
	}
	return nil
}

// Hash returns the SHA-256 (hex) over the fields that can change a score, in a fixed order. Defaults are filled in, so
// that naming one does not change the hash.
func (e *Entry) Hash() string {
	h := *e
	if h.Kind == "onnx" {
		h.Head = cmp.Or(h.Head, "softmax")
		h.Temperature = cmp.Or(h.Temperature, 1)
		h.Stride = cmp.Or(h.Stride, DefaultStride)
		h.Pad = strings.ReplaceAll(cmp.Or(h.Pad, "batch"), " ", "")
		h.SpecialTokensInText = cmp.Or(h.SpecialTokensInText, "literal")
	}
	b, err := json.Marshal(h)
	if err != nil { // plain strings and numbers always marshal
		panic(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
