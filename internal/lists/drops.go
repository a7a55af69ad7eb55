package lists

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// dropsSchema names the form of a drop list.
const dropsSchema = "pidsbench-drops/1"

// reasons are why a row may be dropped.
var reasons = []string{
	"fragment",      // a piece of a text that nobody could judge
	"broken",        // an unfilled slot, a sentence of the wrong words, a text cut off
	"not_injection", // labelled injection, attacks nothing
	"harm_only",     // a harmful request that attacks no instructions
	"mislabelled",   // labelled benign, is an attack or harmful
	"near_copy",     // one of many copies of a template of which enough stay
	"surplus",       // beyond what is kept of an over-represented source
}

// keptReasons are why a doubtful row stays.
var keptReasons = []string{"doubtful_kept"}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

type dropsFile struct {
	Schema value       `yaml:"schema"`
	Drop   []dropEntry `yaml:"drop"`
	Kept   []dropEntry `yaml:"kept"`
}

type dropEntry struct {
	SHA256 value `yaml:"sha256"`
	Reason value `yaml:"reason"`
	Source value `yaml:"source"`
	Why    value `yaml:"why"`
}

// LoadDrops reads the reviewed drop list, named by its path below root with slashes. By the hash of a row's exact form
// (textnorm.ExactHash), drops holds the reason of each row that is left out, and kept the doubt about each row that was
// doubtful and stays. A file that does not parse, an unknown field, reason or schema, a malformed hash, a hash that
// stands there twice, no source, or a kept row without its doubt is an error of kind Integrity that names file, line
// and field.
func LoadDrops(root, name string) (drops, kept map[string]string, err error) {
	var f dropsFile
	file := list(name)
	if err := file.Load(filepath.Join(root, filepath.FromSlash(name)), &f); err != nil {
		return nil, nil, err
	}
	if f.Schema.text != dropsSchema {
		return nil, nil, file.Fail(max(f.Schema.line, 1), "field schema holds %s, expected %q", fault.Quote(f.Schema.text),
			dropsSchema)
	}
	drops = make(map[string]string, len(f.Drop))
	kept = make(map[string]string, len(f.Kept))
	seen := make(map[string]int, len(f.Drop)+len(f.Kept))
	check := func(e dropEntry, allowed []string) error {
		switch {
		case !hash.MatchString(e.SHA256.text):
			return file.Fail(e.line(), "field sha256 holds %s, expected 64 hexadecimal digits in lower case",
				fault.Quote(e.SHA256.text))
		case seen[e.SHA256.text] > 0:
			return file.Fail(e.line(), "field sha256 holds %s, which stands on line %d already, expected each row once",
				fault.Quote(e.SHA256.text), seen[e.SHA256.text])
		case !slices.Contains(allowed, e.Reason.text):
			return file.Fail(e.line(), "field reason holds %s, expected %s", fault.Quote(e.Reason.text),
				strings.Join(allowed, ", "))
		case e.Source.text == "":
			return file.Fail(e.line(), "field source is empty, expected the name of a source")
		}
		seen[e.SHA256.text] = e.line()
		return nil
	}
	for _, e := range f.Drop {
		if err := check(e, reasons); err != nil {
			return nil, nil, err
		}
		drops[e.SHA256.text] = e.Reason.text
	}
	for _, e := range f.Kept {
		if err := check(e, keptReasons); err != nil {
			return nil, nil, err
		}
		if e.Why.text == "" {
			return nil, nil, file.Fail(e.line(), "field why is empty, expected a sentence about the doubt")
		}
		kept[e.SHA256.text] = e.Why.text
	}
	return drops, kept, nil
}

// line returns the line of the first field that is there.
func (e dropEntry) line() int {
	for _, v := range []value{e.SHA256, e.Reason, e.Source, e.Why} {
		if v.line > 0 {
			return v.line
		}
	}
	return 1
}
