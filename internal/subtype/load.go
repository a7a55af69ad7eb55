package subtype

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// schema names the form of a rule file.
const schema = "pidsbench-subtypes/1"

var idForm = regexp.MustCompile(`^[a-z][a-z0-9]*(?::[a-z0-9]+(?:-[a-z0-9]+)*)$`)

// file is data/lists/subtypes.yaml.
type file struct {
	Schema  string      `yaml:"schema"`
	Lexicon string      `yaml:"lexicon"` // ordinary words, parted by white space
	Sets    []setEntry  `yaml:"sets"`
	Rules   []ruleEntry `yaml:"rules"`
}

type setEntry struct {
	Name  string   `yaml:"name"`
	Words []string `yaml:"words"`
}

// ruleEntry is a rule as the file states it.
type ruleEntry struct {
	ID        string   `yaml:"id"`
	Type      string   `yaml:"type"`
	Language  string   `yaml:"language"` // of the words; empty for English and for structures
	Case      bool     `yaml:"case"`     // capitals count
	AtMost    int      `yaml:"at_most"`  // words of the texts it looks at; 0 means any number
	Patterns  []string `yaml:"patterns"`
	Structure string   `yaml:"structure"`
	Why       string   `yaml:"why"`
	Match     []string `yaml:"match"` // own texts that the rule matches
	Not       []string `yaml:"not"`   // own texts that it does not match
}

// Load reads a rule file, named by its path below root with slashes. A file that does not parse, an unknown field, schema, type, set or structure, a repeated id,
// a pattern that does not compile, a set that no rule uses, a term that another covers, and a rule without reason or
// examples are errors of kind Integrity that name file, line and field.
func Load(root, name string) (*Classifier, error) {
	c, _, err := load(root, name)
	return c, err
}

func load(root, name string) (*Classifier, []ruleEntry, error) {
	var f file
	src := &strictyaml.File{Name: name, Kind: fault.Integrity, Cure: "restore the file from the repository"}
	if err := src.Load(filepath.Join(root, filepath.FromSlash(name)), &f); err != nil {
		return nil, nil, err
	}
	if f.Schema != schema {
		return nil, nil, src.Fail(src.Line("schema"), "field schema holds %s, expected %q", fault.Quote(f.Schema), schema)
	}
	comp := &compiler{dict: newDictionary(), sets: map[string][]string{}, used: map[string]bool{}, ids: map[string]int{}}
	for _, w := range strings.Fields(f.Lexicon) {
		comp.dict.lexicon.add(foldWord(w))
	}
	for w := range comp.dict.lexicon.plain {
		comp.dict.lexicon.english[w] = true
	}
	for i, s := range f.Sets {
		if s.Name == "" || comp.sets[s.Name] != nil || len(s.Words) == 0 {
			return nil, nil, src.Fail(src.Line("sets", i), "field name holds %s, expected a new name and words with it",
				fault.Quote(s.Name))
		}
		comp.sets[s.Name] = s.Words
	}
	c := &Classifier{dict: comp.dict}
	seen := map[string]bool{Default: true}
	for i, e := range f.Rules {
		r, err := comp.rule(src, i, e)
		if err != nil {
			return nil, nil, err
		}
		if seen[e.ID] {
			return nil, nil, src.Fail(src.Line("rules", i, "id"), "field id holds %s, which stands there already, expected "+
				"each rule once", fault.Quote(e.ID))
		}
		seen[e.ID] = true
		c.rules = append(c.rules, r)
	}
	if len(c.rules) == 0 {
		return nil, nil, src.Fail(1, "field rules is empty, expected at least one rule")
	}
	for i, s := range f.Sets {
		if !comp.used[s.Name] {
			return nil, nil, src.Fail(src.Line("sets", i), "set %s is used by no rule, expected one that is",
				fault.Quote(s.Name))
		}
	}
	return c, f.Rules, nil
}

func (c *compiler) rule(src *strictyaml.File, i int, e ruleEntry) (rule, error) {
	r := rule{id: e.ID, typ: e.Type, atMost: e.AtMost}
	switch {
	case !idForm.MatchString(e.ID):
		return r, src.Fail(src.Line("rules", i, "id"), "field id holds %s, expected a form like override:ignore-previous",
			fault.Quote(e.ID))
	case !slices.Contains(Types(), e.Type):
		return r, src.Fail(src.Line("rules", i, "type"), "field type holds %s, expected %s", fault.Quote(e.Type),
			strings.Join(Types(), ", "))
	case e.AtMost < 0:
		return r, src.Fail(src.Line("rules", i, "at_most"), "field at_most holds %d, expected a number of words", e.AtMost)
	case e.Why == "":
		return r, src.Fail(src.Line("rules", i, "id"), "rule %s has no why, expected a note", fault.Quote(e.ID))
	case len(e.Match) == 0 || len(e.Not) == 0:
		return r, src.Fail(src.Line("rules", i, "id"), "rule %s lacks examples, expected match and not", fault.Quote(e.ID))
	case (e.Structure == "") == (len(e.Patterns) == 0):
		return r, src.Fail(src.Line("rules", i, "id"), "rule %s has patterns and a structure or neither, expected "+
			"one of the two", fault.Quote(e.ID))
	}
	if e.Structure != "" {
		if r.detect = structures[e.Structure]; r.detect == nil || e.ID != "structure:"+e.Structure {
			return r, src.Fail(src.Line("rules", i, "structure"), "field structure holds %s, expected %s, and an id to match",
				fault.Quote(e.Structure), strings.Join(structureNames(), ", "))
		}
		return r, nil
	}
	for k, text := range e.Patterns {
		p, err := c.pattern(text, e.Case)
		if err != nil {
			return r, src.Fail(src.Line("rules", i, "patterns", k), "field patterns holds %s, of which %s",
				fault.Quote(text), err)
		}
		r.patterns = append(r.patterns, p)
	}
	return r, nil
}
