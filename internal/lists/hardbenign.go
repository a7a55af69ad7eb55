package lists

import (
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// hardBenignSchema names the form of a list of hard-benign verdicts.
const hardBenignSchema = "pidsbench-hard-benign/1"

// keepVerdict is the verdict of a row that may stand on the hard-benign axis.
const keepVerdict = "keep"

// verdicts are what reading a benign row can result in.
var verdicts = []string{
	keepVerdict,
	"homonym",      // the listed word means something else
	"not_adjacent", // about something else
	"ambiguous",    // one may doubt that it is benign
	"harmful",      // asks for harm, or is an attack
}

// hardTopics are what a row that is kept may be about.
var hardTopics = []string{
	"prompts", "models", "security", "overriding", "role_play", "confidentiality", "encodings",
}

type hardBenignFile struct {
	Schema value             `yaml:"schema"`
	Rows   []hardBenignEntry `yaml:"rows"`
}

type hardBenignEntry struct {
	SHA256  value `yaml:"sha256"`
	Verdict value `yaml:"verdict"`
	Topic   value `yaml:"topic"`
	Source  value `yaml:"source"`
	Listed  value `yaml:"listed"`
}

// Verdict is what reading a benign row resulted in.
type Verdict struct {
	Verdict string // keep, homonym, not_adjacent, ambiguous or harmful
	Topic   string // of keep: prompts, models, security, overriding, role_play, confidentiality or encodings; else ""
}

// LoadHardBenign reads the verdicts on benign rows that may stand for hard benign, by the hash of the row's exact form
// (textnorm.ExactHash), from the file of that path below root, with slashes. A file that does not parse, an unknown
// field, verdict, topic or schema, a kept row without a topic, another row with one, a malformed hash, a hash that
// stands there twice, no source, or `listed` (absent for a row that the word list matches) other than false is an error
// of kind Integrity that names file, line and field.
func LoadHardBenign(root, name string) (map[string]Verdict, error) {
	var f hardBenignFile
	file := list(name)
	if err := file.Load(filepath.Join(root, filepath.FromSlash(name)), &f); err != nil {
		return nil, err
	}
	if f.Schema.text != hardBenignSchema {
		return nil, file.Fail(max(f.Schema.line, 1), "field schema holds %s, expected %q", fault.Quote(f.Schema.text),
			hardBenignSchema)
	}
	if len(f.Rows) == 0 {
		return nil, file.Fail(1, "field rows holds no rows, expected at least one")
	}
	out := make(map[string]Verdict, len(f.Rows))
	seen := make(map[string]int, len(f.Rows))
	for _, e := range f.Rows {
		line := e.line()
		keep := e.Verdict.text == keepVerdict
		switch {
		case !hash.MatchString(e.SHA256.text):
			return nil, file.Fail(line, "field sha256 holds %s, expected 64 hexadecimal digits in lower case",
				fault.Quote(e.SHA256.text))
		case seen[e.SHA256.text] > 0:
			return nil, file.Fail(line, "field sha256 holds %s, which stands on line %d already, expected each row "+
				"once", fault.Quote(e.SHA256.text), seen[e.SHA256.text])
		case !slices.Contains(verdicts, e.Verdict.text):
			return nil, file.Fail(line, "field verdict holds %s, expected %s", fault.Quote(e.Verdict.text),
				strings.Join(verdicts, ", "))
		case keep && !slices.Contains(hardTopics, e.Topic.text):
			return nil, file.Fail(line, "field topic holds %s, expected %s", fault.Quote(e.Topic.text),
				strings.Join(hardTopics, ", "))
		case !keep && e.Topic.line > 0:
			return nil, file.Fail(line, "field topic holds %s, expected none for verdict %s", fault.Quote(e.Topic.text),
				e.Verdict.text)
		case e.Source.text == "":
			return nil, file.Fail(line, "field source is empty, expected the name of a source")
		case e.Listed.line > 0 && e.Listed.text != "false":
			return nil, file.Fail(line, "field listed holds %s, expected false or no such field",
				fault.Quote(e.Listed.text))
		}
		seen[e.SHA256.text] = line
		out[e.SHA256.text] = Verdict{e.Verdict.text, e.Topic.text}
	}
	return out, nil
}

// line returns the line of the first field that is there.
func (e hardBenignEntry) line() int {
	for _, v := range []value{e.SHA256, e.Verdict, e.Topic, e.Source, e.Listed} {
		if v.line > 0 {
			return v.line
		}
	}
	return 1
}
