package paraphrase

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
	"pidsbench/internal/textnorm"
)

// rulesSchema names the form of the rule file.
const rulesSchema = "pidsbench-paraphrase/1"

// Rules are the rewordings and the checks of a rule file. They are safe for concurrent use.
type Rules struct {
	refusals     []string // in exact form
	stopWords    map[string][]string
	openers      []change
	starts       []change
	phrases      []change
	contractions []change
	imperatives  map[string]bool
	nouns        map[string]bool // imperatives that are nouns too
	objects      []string        // the words before which they are not
	prefixes     []string
	prefixed     *regexp.Regexp // a prefix that a text begins with
	requests     []string
	patterns     []pattern
	questions    []string // what a question begins with
	noQuestions  []string // and what begins so but asks nothing
	subjects     []string // what a statement begins with
	articles     []string // what it begins with when a verb follows
	verbs        []string // such verbs
	noStatements []string // what begins so but states nothing
	ofCommands   frame
	ofQuestions  frame
	ofStatements frame
}

// change is a set of ways to say one thing: what matches is replaced by one of the others.
type change struct {
	literal   string         // stands in every match, in small letters
	match     *regexp.Regexp // its first group is what is replaced, a second one the free words of an opener
	to        []string
	notBefore []string
	notAfter  []string
}

type rulesFile struct {
	Schema       string              `yaml:"schema"`
	Refusals     []string            `yaml:"refusals"`
	StopWords    map[string][]string `yaml:"stop_words"`
	Imperatives  []string            `yaml:"imperatives"`
	Nouns        []string            `yaml:"nouns"`
	Objects      []string            `yaml:"before_objects"`
	Prefixes     []string            `yaml:"prefixes"`
	Requests     []string            `yaml:"requests"`
	Questions    []string            `yaml:"questions"`
	NoQuestions  []string            `yaml:"no_questions"`
	Subjects     []string            `yaml:"subjects"`
	Articles     []string            `yaml:"articles"`
	Verbs        []string            `yaml:"verbs"`
	NoStatements []string            `yaml:"no_statements"`
	OfCommands   frame               `yaml:"of_commands"`
	OfQuestions  frame               `yaml:"of_questions"`
	OfStatements frame               `yaml:"of_statements"`
	Patterns     []patternSet        `yaml:"patterns"`
	Openers      []phraseSet         `yaml:"openers"`
	Starts       []phraseSet         `yaml:"starts"`
	Phrases      []phraseSet         `yaml:"phrases"`
	Contractions []phraseSet         `yaml:"contractions"`
}

// phraseSet is either any, whose members replace each other, or of, whose members become one of to.
type phraseSet struct {
	Any       []string `yaml:"any"`
	Of        []string `yaml:"of"`
	To        []string `yaml:"to"`
	NotBefore []string `yaml:"not_before"` // words that may not follow; * is a part that is kept, . an end
	NotAfter  []string `yaml:"not_after"`  // words that may not stand before
}

// LoadRules reads a rule file, named by its path below root with slashes. A file that cannot be read or does not parse,
// an unknown field, another schema, an empty list, a phrase that is empty or stands in two sets of a kind, or a set
// without a choice is an error of kind Integrity that names file, line and field.
func LoadRules(root, name string) (*Rules, error) {
	file := &strictyaml.File{Name: name, Kind: fault.Integrity, Cure: "restore the file from the repository"}
	var f rulesFile
	if err := file.Load(filepath.Join(root, filepath.FromSlash(name)), &f); err != nil {
		return nil, err
	}
	if f.Schema != rulesSchema {
		return nil, file.Fail(file.Line("schema"), "field schema holds %s, expected %q", fault.Quote(f.Schema), rulesSchema)
	}
	for _, l := range []struct {
		name string
		list []string
	}{
		{"refusals", f.Refusals}, {"imperatives", f.Imperatives}, {"prefixes", f.Prefixes},
		{"requests", f.Requests}, {"questions", f.Questions},
		{"no_questions", f.NoQuestions}, {"subjects", f.Subjects}, {"articles", f.Articles},
		{"verbs", f.Verbs}, {"no_statements", f.NoStatements}, {"of_commands", f.OfCommands.Leads},
		{"of_questions", f.OfQuestions.Leads}, {"of_statements", f.OfStatements.Leads},
		{"of_commands", f.OfCommands.Closers}, {"of_questions", f.OfQuestions.Closers},
		{"of_statements", f.OfStatements.Closers}, {"nouns", f.Nouns}, {"before_objects", f.Objects},
		{"stop_words", f.StopWords["en"]},
	} {
		if len(l.list) == 0 {
			return nil, file.Fail(file.Line(l.name), "field %s is empty, expected at least one entry", l.name)
		}
		for i, s := range l.list {
			if strings.TrimSpace(s) != s || s == "" {
				return nil, file.Fail(file.Line(l.name, i), "field %s holds %s, expected words without space around them",
					l.name, fault.Quote(s))
			}
		}
	}
	r := &Rules{stopWords: f.StopWords, prefixes: f.Prefixes, requests: f.Requests, questions: f.Questions,
		noQuestions: f.NoQuestions, subjects: f.Subjects, articles: f.Articles, verbs: f.Verbs,
		noStatements: f.NoStatements, ofCommands: f.OfCommands, ofQuestions: f.OfQuestions,
		ofStatements: f.OfStatements, objects: f.Objects, imperatives: map[string]bool{}, nouns: map[string]bool{}}
	for _, s := range f.Refusals {
		r.refusals = append(r.refusals, textnorm.Exact(s))
	}
	for _, v := range f.Imperatives {
		r.imperatives[v] = true
	}
	for _, v := range f.Nouns {
		r.nouns[v] = true
	}
	if len(f.Patterns) == 0 {
		return nil, file.Fail(file.Line("patterns"), "field patterns is empty, expected at least one entry")
	}
	var at int
	var problem string
	if r.patterns, at, problem = patterns(f.Patterns); problem != "" {
		return nil, file.Fail(file.Line("patterns", at), "field patterns: %s", problem)
	}
	r.prefixed = regexp.MustCompile(`^(?i:` + alternatives(f.Prefixes) + `) `)
	for _, l := range []setList{
		{"openers", f.Openers, &r.openers, `^(?i)`, `(?:[ \n]|$)`},
		{"starts", f.Starts, &r.starts, `^(?i)`, `\b`},
		{"phrases", f.Phrases, &r.phrases, `(?i)\b`, `\b`},
		{"contractions", f.Contractions, &r.contractions, `(?i)\b`, `\b`},
	} {
		if err := l.compile(file); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// setList is a list of sets and where its changes go.
type setList struct {
	name           string
	sets           []phraseSet
	into           *[]change
	before, behind string // of a match
}

// compile makes a change of each phrase: of finds at one place the longest counts.
func (l setList) compile(file *strictyaml.File) error {
	if len(l.sets) == 0 {
		return file.Fail(file.Line(l.name), "field %s is empty, expected at least one entry", l.name)
	}
	seen := map[string]bool{}
	for i, s := range l.sets {
		of, to, problem := s.phrases(seen, l.name == "openers")
		if problem != "" {
			return file.Fail(file.Line(l.name, i), "field %s: %s", l.name, problem)
		}
		for _, p := range of {
			literal, behind := strings.ToLower(p), l.behind
			if strings.ContainsAny(p[len(p)-1:], ",:") && behind == `\b` {
				behind = ""
			}
			if before, after, ok := strings.Cut(literal, "{x}"); ok {
				if literal = before; len(after) > len(before) {
					literal = after
				}
			}
			p = strings.Replace(regexp.QuoteMeta(p), regexp.QuoteMeta("{x}"), `(\S+(?: \S+){0,3}?)`, 1)
			*l.into = append(*l.into, change{literal, regexp.MustCompile(l.before + "(" + p + ")" + behind), to,
				s.NotBefore, s.NotAfter})
		}
	}
	return nil
}

// phrases returns what is replaced and by what, or what is wrong with the set.
func (s phraseSet) phrases(seen map[string]bool, free bool) (of, to []string, problem string) {
	switch {
	case len(s.Any) > 1 && len(s.Of)+len(s.To) == 0:
		of, to = s.Any, s.Any
	case len(s.Any) == 0 && len(s.Of) > 0 && len(s.To) > 0:
		of, to = s.Of, s.To
	default:
		return nil, nil, "an entry leaves no choice or more than one, expected any with two phrases or more, or of and to"
	}
	x := strings.Count(of[0], "{x}")
	for _, p := range slices.Concat(of, to) {
		if p == "" || strings.Join(strings.Fields(p), " ") != p {
			return nil, nil, "an entry holds " + fault.Quote(p) + ", expected words with single spaces between"
		}
		if n := strings.Count(p, "{x}"); n != x || n > 1 || n == 1 && !free {
			return nil, nil, "an entry holds " + fault.Quote(p) + ", expected {x} once in each phrase of an opener or in none"
		}
	}
	for _, p := range of {
		key := strings.ToLower(p)
		if seen[key] {
			return nil, nil, "an entry holds " + fault.Quote(p) + " a second time, expected each phrase once"
		}
		seen[key] = true
	}
	return of, to, ""
}

// alternatives is a pattern of the phrases, longest first, so that the longest one matches.
func alternatives(phrases []string) string {
	sorted := slices.Clone(phrases)
	slices.SortStableFunc(sorted, func(a, b string) int { return len(b) - len(a) })
	for i, p := range sorted {
		sorted[i] = regexp.QuoteMeta(p)
	}
	return strings.Join(sorted, "|")
}

// refuses reports whether a text, given in exact form, says that its writer will not do the task.
func (r *Rules) refuses(exact string) bool {
	return slices.ContainsFunc(r.refusals, func(s string) bool { return strings.Contains(exact, s) })
}

// english reports whether the words of a text are English: no other language has more of its stop words in it. A text
// with none of any is taken for English.
func (r *Rules) english(text string) bool {
	count := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) }) {
		for lang, stop := range r.stopWords {
			if slices.Contains(stop, w) {
				count[lang]++
			}
		}
	}
	for _, n := range count {
		if n > count["en"] {
			return false
		}
	}
	return true
}
