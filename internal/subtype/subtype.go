// Package subtype names the kind of an attack by ordered rules that are kept in a data file. A rule is a pattern of
// whole words with bounded gaps, or the name of a structural detector (a long base64 run, Morse code, disguised
// letters). The first rule that matches decides; a text that no rule matches is a direct override. Rules describe
// attacks: they are meant for texts already known to be injections and are no detector.
//
// Words are compared in folded form (compatibility characters, accents, invisible characters and look-alike letters
// levelled, as in textnorm.Skeleton, letter by letter), while the evidence is given as a span of the text itself. The
// time is linear in the length of the text.
package subtype

import (
	"slices"
	"sync"
)

// Type is the kind of an attack.
type Type = string

// The six types. Benign rows have none.
const (
	DirectOverride         Type = "direct_override"
	RoleplayAttack         Type = "roleplay_attack"
	ContextualManipulation Type = "contextual_manipulation"
	DataExfiltration       Type = "data_exfiltration"
	EncodedAttack          Type = "encoded_attack"
	ToolInjection          Type = "tool_injection"
)

// Default is the rule of a text that no rule matches; its type is DirectOverride.
const Default = "default"

// Types returns the six types in the order of the taxonomy.
func Types() []Type {
	return []Type{DirectOverride, RoleplayAttack, ContextualManipulation, DataExfiltration, EncodedAttack, ToolInjection}
}

// Match is the outcome for one text: the type, the rule that decided, and the evidence text[Start:End] in bytes.
// Rule is Default and the span empty at 0 when no rule matches.
type Match struct {
	Type       Type
	Rule       string
	Start, End int
}

// Classifier holds compiled rules. It is safe for concurrent use.
type Classifier struct {
	rules []rule
	dict  *dictionary
	pool  sync.Pool // of *view
}

// rule is one entry of the data file.
type rule struct {
	id, typ  string
	atMost   int // words of the texts it looks at; 0 means any number
	patterns []pattern
	detect   detector // instead of patterns
}

// Rules returns the ids of the rules in the order in which they are tried, without Default.
func (c *Classifier) Rules() []string {
	ids := make([]string, len(c.rules))
	for i, r := range c.rules {
		ids[i] = r.id
	}
	return ids
}

// Classify returns the first rule that matches the text, which may be any bytes.
func (c *Classifier) Classify(text string) Match {
	v := c.read(text)
	defer c.pool.Put(v)
	for i := range c.rules {
		if s, e, ok := c.rules[i].find(v); ok {
			return Match{Type: c.rules[i].typ, Rule: c.rules[i].id, Start: s, End: e}
		}
	}
	return Match{Type: DirectOverride, Rule: Default}
}

// Matching returns the ids of all rules that match the text, in order: for finding rules that misfire.
func (c *Classifier) Matching(text string) []string {
	v := c.read(text)
	defer c.pool.Put(v)
	var ids []string
	for i := range c.rules {
		if _, _, ok := c.rules[i].find(v); ok {
			ids = append(ids, c.rules[i].id)
		}
	}
	return slices.Clip(ids)
}

func (c *Classifier) read(text string) *view {
	v, _ := c.pool.Get().(*view)
	if v == nil {
		v = &view{byClass: make([][]span, len(c.dict.classes))}
	}
	v.read(text, c.dict)
	return v
}

func (r *rule) find(v *view) (start, end int, ok bool) {
	if r.detect != nil {
		return r.detect(v)
	}
	if r.atMost > 0 && len(v.words) > r.atMost {
		return 0, 0, false
	}
	for i := range r.patterns {
		if from, to, ok := r.patterns[i].find(v); ok {
			return v.words[from].start, v.words[to-1].end, true
		}
	}
	return 0, 0, false
}
