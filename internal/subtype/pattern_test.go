package subtype

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withRule returns a classifier with one rule of the given patterns.
func withRule(t testing.TB, fields string, patterns ...string) *Classifier {
	t.Helper()
	var b strings.Builder
	b.WriteString("schema: pidsbench-subtypes/1\nlexicon: open gate\nsets:\n" +
		"  - {name: lift, words: [raise*, open, pull up]}\nrules:\n  - id: a:b\n    type: tool_injection\n" +
		"    why: x\n    match: [x]\n    not: [y]\n" + fields + "    patterns:\n")
	for _, p := range append(patterns, "@lift neverfound") {
		fmt.Fprintf(&b, "      - '%s'\n", strings.ReplaceAll(p, "'", "''"))
	}
	c, err := Load(filepath.Split(write(t, b.String())))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "subtypes.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPatterns(t *testing.T) {
	tests := []struct{ name, fields, pattern, text, want string }{
		{"whole words only", "", "gate", "the agate and the gates", ""},
		{"a word, in any case", "", "gate", "The GATE!", "GATE"},
		{"a stem goes on", "", "gate*", "two gateways", "gateways"},
		{"a set", "", "@lift the gate", "pull up the gate", "pull up the gate"},
		{"a stem of a set", "", "@lift the gate", "it raised the gate", "raised the gate"},
		{"neighbours may be parted by signs", "", "open gate", "open_gate()", "open_gate"},
		{"neighbours stand in one clause", "", "open gate", "We open. Gate two is shut.", ""},
		{"a line end ends a clause", "", "open gate", "open\ngate", ""},
		{"a full stop inside a name does not", "", "open gate", "open.gate", "open.gate"},
		{"a gap within its bound", "", "open ..2 gate", "open the old gate", "open the old gate"},
		{"a gap beyond its bound", "", "open ..2 gate", "open the very old gate", ""},
		{"a gap needs no word", "", "open ..2 gate", "open gate", "open gate"},
		{"a gap stays in the clause", "", "open ..5 gate", "It is open! The gate", ""},
		{"a wide gap leaves it", "", "open ...5 gate", "It is open! The gate", "open! The gate"},
		{"the nearest start is the evidence", "", "open ..9 gate", "open or not, open the gate", "open the gate"},
		{"absent words", "", "open (the|an old)? gate", "open gate", "open gate"},
		{"present optional words", "", "open (the|an old)? gate", "open an old gate", "open an old gate"},
		{"a shape, with its capitals", "", "open /[A-Z]{2,}/", "open gate, open GATE", "open GATE"},
		{"a shape behind a gap", "", "open ..2 /[0-9]+/", "open the gate 12 now", "open the gate 12"},
		{"a sign between", "", "open : gate", "open: gate", "open: gate"},
		{"a sign that is not there", "", "open : gate", "open gate", ""},
		{"a sign behind a gap", "", "open ..3 : gate", "open it now: gate", "open it now: gate"},
		{"a quoted sign", "", `open \(`, "open(gate)", "open"},
		{"the start of a clause", "", "^ open", "Please open. Open!", "Open"},
		{"the start behind a sign", "", "^ open", "Note: open", "open"},
		{"not inside a clause", "", "^ open", "Please open", ""},
		{"the end of a clause", "", "open $", "open it. It is open.", "open"},
		{"capitals count", "    case: true\n", "open GATE", "open gate, open GATE", "open GATE"},
		{"accents fold", "", "öffne das tor", "Offne das Tor", "Offne das Tor"},
		{"look-alikes fold", "", "gate", "the gаtе", "gаtе"},
		{"invisible characters fold", "", "gate", "the ga\u200bte", "ga\u200bte"},
		{"full width folds", "", "gate", "ｇａｔｅ", "ｇａｔｅ"},
		{"digits for letters", "", "gate", "the g4t3", "g4t3"},
		{"a shape looks at no endless word", "", "open /[a-z]+/", "open " + strings.Repeat("a", maxShape+1), ""},
		{"and at no shorter one in vain", "", "open /a+/", "open " + strings.Repeat("a", maxShape), "open " +
			strings.Repeat("a", maxShape)},
		{"a word that a sign breaks", "", "open gate", "op-en the g.ate, op-en ga_te", "op-en ga_te"},
		{"words with a hyphen stay two", "", "gate", "open-gate", "gate"},
		{"words of at most so many", "    at_most: 3\n", "gate", "the gate is open", ""},
		{"and not more", "    at_most: 4\n", "gate", "the gate is open", "gate"},
		{"other scripts", "", "ворота", "Открой ВОРОТА", "ВОРОТА"},
		{"several paths", "", "(a|b) ..2 (b|c) ..2 d", "a b x c d", "b x c d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := withRule(t, tt.fields, tt.pattern).Classify(tt.text)
			if got := tt.text[m.Start:m.End]; got != tt.want || (m.Rule == "a:b") != (tt.want != "") {
				t.Errorf("%s on %q: %q by %s, want %q", tt.pattern, tt.text, got, m.Rule, tt.want)
			}
		})
	}
}

func TestPatternsThatDoNotCompileAreErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"":                      "empty",
		"..2 gate":              "misplaced",
		"open ..2":              "at the end",
		"open ..21 gate":        "within 1 to 20",
		"open ..0 gate":         "within 1 to 20",
		"open ..2 ..2 gate":     "misplaced",
		"open ..2 gate?":        "behind a gap",
		"gate? open":            "not optional",
		": $":                   "not optional",
		"(open|gate":            "not closed",
		"open /(/":              "does not parse",
		"@nobody":               "no set",
		"(open|open)":           "dead",
		"(open|op*)":            "less than three letters",
		"(ope*|open)":           "dead",
		"(open|)":               "holds no word",
		"(öffne|offne)":         "dead",
		"(pull up|pull-up)":     "dead",
		"open ..1 (gate|gates)": "",
	} {
		c := &compiler{dict: newDictionary(), sets: map[string][]string{}, used: map[string]bool{}, ids: map[string]int{}}
		_, err := c.pattern(pattern, false)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", pattern, err, want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{
		"^ @lift ..3 (a|b c|d*)? /x+/ : $", "open ...5 gate", `\(`, "(", "a? b", "..", "/", "@", "a ..2 :",
	} {
		f.Add(s, "open the gate: a b c d xx")
	}
	f.Fuzz(func(t *testing.T, src, text string) {
		c := &compiler{dict: newDictionary(), sets: map[string][]string{"lift": {"raise*", "open"}},
			used: map[string]bool{}, ids: map[string]int{}}
		p, err := c.pattern(src, false)
		if err != nil {
			return
		}
		v := &view{byClass: make([][]span, len(c.dict.classes))}
		v.read(text, c.dict)
		if from, to, ok := p.find(v); ok && (from < 0 || from >= to || to > len(v.words)) {
			t.Fatalf("%q on %q: words %d to %d of %d", src, text, from, to, len(v.words))
		}
	})
}
