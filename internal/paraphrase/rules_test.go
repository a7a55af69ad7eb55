package paraphrase

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// shipped returns the rules of the repository.
func shipped(t testing.TB) *Rules {
	t.Helper()
	r, err := LoadRules(testenv.Root(t), "data/lists/paraphrase.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const small0 = `schema: pidsbench-paraphrase/1
refusals: [i can't help]
stop_words: {en: [the], de: [der]}
imperatives: [run, show]
nouns: [run]
before_objects: [this]
prefixes: [Please]
requests: [Could you]
of_commands: {leads: [Next task.], closers: [Thanks.]}
openers:
  - any: ["Run {x}:", "Now run {x}:"]
starts:
  - any: [Run, Execute]
phrases:
  - any: [right away, at once]
    not_before: [after]
  - of: [big]
    to: [large]
contractions:
  - any: [do not, don't]
questions: [what]
no_questions: [what a]
subjects: [i]
articles: [the]
verbs: [is]
no_statements: [i mean]
of_questions: {leads: [Hello.], closers: [Thanks.]}
of_statements: {leads: [Hello.], closers: [Thanks.]}
patterns:
  - any: ["what is {x}", "tell me what {x} is"]
  - of: ["compare {x} and {y}"]
    to: ["set {x} against {y}"]
`

func TestLoadRulesRefuses(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"another schema", "paraphrase/1", "paraphrase/2", `r.yaml:1: field schema holds "pidsbench-paraphrase/2"`},
		{"an unknown field", "requests:", "request:", `r.yaml:8: unknown field "request"`},
		{"an empty list", "[Could you]", "[]", "r.yaml:8: field requests is empty"},
		{"no English words", "en:", "fr:", "r.yaml:3: field stop_words is empty"},
		{"space around", "[Please]", "[' Please']", `r.yaml:7: field prefixes holds " Please"`},
		{"no choice", "[Run, Execute]", "[Run]", "r.yaml:13: field starts: an entry leaves no choice"},
		{"both kinds", "  - of: [big]", "  - any: [a, b]\n    of: [big]",
			"r.yaml:17: field phrases: an entry leaves no choice"},
		{"a phrase twice", "[big]", "[at once]", `r.yaml:17: field phrases: an entry holds "at once" a second time`},
		{"a free part in one", `"Now run {x}:"`, `"Now run:"`,
			"r.yaml:11: field openers: an entry holds \"Now run:\", expected {x}"},
		{"a free part of a phrase", "[big]", "['{x} big']", "r.yaml:17: field phrases: an entry holds"},
		{"two spaces", "right away", "right  away", `r.yaml:15: field phrases: an entry holds "right  away"`},
		{"a frame without closers", "{leads: [Hello.], closers: [Thanks.]}", "{leads: [Hello.]}",
			"r.yaml:27: field of_questions is empty"},
		{"a pattern without a free part", `"what is {x}"`, `"what is it"`,
			"r.yaml:30: field patterns: an entry holds \"what is it\", expected {x} once"},
		{"a second free part in one", `"set {x} against {y}"`, `"weigh {x}"`,
			"r.yaml:31: field patterns: an entry holds \"weigh {x}\", expected {x} once, and {y}"},
		{"a pattern twice", `"tell me what {x} is"`, `"what is {x}"`, "r.yaml:30: field patterns: an entry holds"},
		{"no set at all", "contractions:\n  - any: [do not, don't]\n", "", "r.yaml:1: field contractions is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.Replace(small0, tt.old, tt.new, 1)
			if err := os.WriteFile(filepath.Join(dir, "r.yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := LoadRules(dir, "r.yaml")
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || fault.ExitCode(err) != int(fault.Integrity) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "r.yaml"), []byte(small0), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRules(dir, "r.yaml"); err != nil {
		t.Errorf("the sound file: %v", err)
	}
}

// Every phrase of the shipped file stands for every other one of its set, so all must take the same words around them:
// at least each is found by its own pattern and is never replaced by itself.
func TestShippedPhrasesFindThemselves(t *testing.T) {
	r := shipped(t)
	for _, set := range [][]change{r.starts, r.phrases, r.contractions} {
		for _, c := range set {
			if !c.match.MatchString(c.literal) {
				t.Errorf("%q does not match its own pattern", c.literal)
			}
		}
	}
	for _, c := range r.openers {
		for _, to := range c.to {
			if !strings.HasSuffix(to, ":") && !strings.HasSuffix(to, "?") {
				t.Errorf("the opener %q ends without a colon", to)
			}
		}
	}
}
