package grammar

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/codec"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// load reads one frame with the given text and slots.
func load(t testing.TB, slots, text string) (*Frame, error) {
	t.Helper()
	src := "schema: pidsbench-grammar/1\nlabel: benign\nsubtype: none\ndomain: x\nlanguage: en\nauthorship: template\n" +
		"schemes: [hex, morse]\n"
	if slots != "" {
		src += "slots:\n" + slots
	}
	src += "frames:\n  - id: f\n    text: " + fmt.Sprintf("%q", text) + "\n"
	f, err := Load(write(t, src, words), "f.yaml")
	if err != nil {
		return nil, err
	}
	return f.Frames[0], nil
}

func all(t testing.TB, slots, text string) []string {
	t.Helper()
	f, err := load(t, slots, text)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := f.all()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range texts {
		out = append(out, x.Text)
	}
	return out
}

func TestTheNotationGivesTheTextsItSays(t *testing.T) {
	const slots = "  n: [box, urn, open door]\n  v: [run, \"(stop|end) the {n}\"]\n"
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"a (b|c) d", []string{"a b d", "a c d"}},
		{"(please|) go (now|).", []string{"please go now.", "please go.", "go now.", "go."}},
		{"go(, now|)!", []string{"go, now!", "go!"}},
		{"a (|b) (|c) d", []string{"a d", "a c d", "a b d", "a b c d"}},
		{"say \"(|so) it\"", []string{"say \"it\"", "say \"so it\""}},
		{"x (|y) \"z\"", []string{"x \"z\"", "x y \"z\""}},
		{"(a|(b|c)) (d)", []string{"a (d)", "b (d)", "c (d)"}},
		{"f({n}) \\| \\(:", []string{"f(box) | (:", "f(urn) | (:", "f(open door) | (:"}},
		{"{a} {n}", []string{"a box", "an urn", "an open door"}},
		{"{cap}{a} {n} {n}", []string{"A box box", "An urn urn", "An open door open door"}},
		{"{cap}(|please) do", []string{"Do", "Please do"}},
		{"{n} {n#2}", []string{"box urn", "box open door", "urn box", "urn open door", "open door box", "open door urn"}},
		{"{v:ing} {n}", []string{"running box", "running urn", "running open door", "stopping the box box",
			"stopping the urn urn", "stopping the open door open door", "ending the box box", "ending the urn urn",
			"ending the open door open door"}},
		{"{\"k\": \\{{n}\\}} {}", []string{"{\"k\": {box}} {}", "{\"k\": {urn}} {}", "{\"k\": {open door}} {}"}},
		{"2\\^(a^3|b) x^2", []string{"2^a x^2", "2^b x^2"}},
		{"(x^2)", []string{"(x^2)"}},
		{"{scheme}: {encode:hex:n}", []string{"hex: 626f78", "hexadecimal: 626f78", "hex: 75726e", "hexadecimal: 75726e",
			"hex: 6f70656e20646f6f72", "hexadecimal: 6f70656e20646f6f72"}},
		{"{encode:$scheme:n:cap}{cap}", []string{"426f78", "-... --- -..-", "55726e", "..- .-. -.", "4f70656e20646f6f72",
			"--- .--. . -. / -.. --- --- .-."}},
		{"{cap}{encode:rot13:n}", []string{"obk", "hea", "bcra qbbe"}},
		{"{cap}- {encode:rot13:n} a", []string{"- obk a", "- hea a", "- bcra qbbe a"}},
	} {
		got := all(t, slots, tt.text)
		slices.Sort(got)
		slices.Sort(tt.want)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s\ngot  %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

// random writes a text of the notation and the slots it may use.
func random(rng *rand.Rand, depth int) string {
	var b strings.Builder
	for range 1 + rng.IntN(3) {
		switch k := rng.IntN(8); {
		case k < 3 && depth > 0:
			n := 2 + rng.IntN(2)
			var parts []string
			for i := range n {
				parts = append(parts, fmt.Sprintf("%c%d ", 'a'+rng.IntN(20), i)+random(rng, depth-1))
			}
			b.WriteString("(" + strings.Join(parts, "|") + ")")
		case k == 3:
			b.WriteString(" {n}")
		case k == 4:
			b.WriteString(" {n#2}")
		case k == 5:
			b.WriteString(" {v}")
		case k == 6:
			b.WriteString(" {encode:$scheme:n} {scheme}")
		default:
			b.WriteString(" word")
		}
	}
	return b.String()
}

// Counting is checked against going through all ways, and every text against the frame's regular expression.
func TestCountAndExpandAgreeWithGoingThroughAllWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const slots = "  n: [box, urn, pot]\n  v: [run, \"(go|end) {m}\"]\n  m: [in, \"out {n}\"]\n"
	checked := 0
	for checked < 40 {
		text := random(rng, 2)
		f, err := load(t, slots, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		count := f.Count()
		if !count.IsInt64() || count.Int64() > 600 {
			continue
		}
		checked++
		every, err := f.all()
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(every)) != count.Int64() {
			t.Errorf("%s: Count is %s, and there are %d ways", text, count, len(every))
		}
		re := regexp.MustCompile("^(?:" + pattern(f, f.body) + ")$")
		different := map[string]bool{}
		for _, x := range every {
			different[x.Text] = true
			if !re.MatchString(squeeze(x.Text)) {
				t.Errorf("%s: %q does not match %s", text, x.Text, re)
			}
		}
		got, err := f.Expand(len(different), 7)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, x := range got {
			if !different[x.Text] {
				t.Errorf("%s: %q is not among all texts, or stands twice", text, x.Text)
			}
			delete(different, x.Text)
		}
		if _, err := f.Expand(len(every)+1, 7); fault.ExitCode(err) != int(fault.Integrity) {
			t.Errorf("%s: more texts than there are: %v", text, err)
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// pattern is the regular language of a frame without its spaces; values that must be equal or different may be any.
func pattern(f *Frame, nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		switch n.kind {
		case literal:
			b.WriteString(regexp.QuoteMeta(squeeze(n.text)))
		case group:
			b.WriteString("(?:")
			for i, o := range n.options {
				if i > 0 {
					b.WriteByte('|')
				}
				b.WriteString(pattern(f, o.nodes))
			}
			b.WriteByte(')')
		case slotRef:
			b.WriteString("(?:" + strings.Join(values(f, n), "|") + ")")
		case encodeRef, schemeRef:
			b.WriteString(`[A-Za-z0-9+=/ .-]+`)
		}
	}
	return b.String()
}

func values(f *Frame, n node) []string {
	var out []string
	for _, it := range f.slots[n.name].items {
		out = append(out, pattern(f, it.nodes))
	}
	return out
}

func TestEachAlternativeComesUpBeforeAnyComesAgain(t *testing.T) {
	f, err := load(t, "  n: [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11^2, a12]\n", "(x|y|z^2) {n} (p|q|r|s|t)")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := f.Expand(60, 42)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		word, round int // the place of the choice in the text, and how many there are, weights counted
		weights     map[string]int
	}{{0, 4, map[string]int{"x": 1, "y": 1, "z": 2}}, {1, 13, map[string]int{"a11": 2, "a1": 1, "a12": 1}},
		{2, 5, map[string]int{"p": 1, "q": 1, "t": 1}}} {
		for from := 0; from+tt.round <= 20; from += tt.round { // the first rounds: nothing has repeated yet
			got := map[string]int{}
			for _, x := range texts[from : from+tt.round] {
				got[strings.Fields(x.Text)[tt.word]]++
			}
			for w, n := range tt.weights {
				if got[w] != n {
					t.Errorf("texts %d to %d hold %s %d times, want %d", from, from+tt.round, w, got[w], n)
				}
			}
		}
	}
}

func TestExpandDependsOnSeedAndFrameAlone(t *testing.T) {
	f, err := Load(write(t, good, words), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Expand(f, 12, 42)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Expand(f, 12, 42)
	if !reflect.DeepEqual(again, want) {
		t.Error("the same call gives other texts")
	}
	fewer, _ := Expand(f, 5, 42)
	if !reflect.DeepEqual(fewer[:5], want[:5]) || !reflect.DeepEqual(fewer[5:], want[12:17]) {
		t.Error("a smaller number gives other first texts")
	}
	every, err := f.Frames[1].Expand(24, 42)
	if err != nil {
		t.Fatal(err)
	}
	for n := range every {
		if first, err := f.Frames[1].Expand(n, 42); err != nil || len(first) > 0 && !reflect.DeepEqual(first, every[:n]) {
			t.Errorf("the first %d texts of 24 are others, %v", n, err)
		}
	}
	other, _ := Expand(f, 12, 43)
	if reflect.DeepEqual(other, want) {
		t.Error("another seed gives the same texts")
	}
	changed, err := Load(write(t, strings.Replace(good, "decode this", "read that", 1), words), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := Expand(changed, 12, 42)
	if !reflect.DeepEqual(got[12:], want[12:]) || reflect.DeepEqual(got[:12], want[:12]) {
		t.Error("a change in one frame does not change it, or changes another")
	}
	_, err = Expand(f, 25, 42)
	if err == nil || !strings.Contains(err.Error(),
		"f.yaml:16: frame second gives 24 different texts, expected at least 25") {
		t.Errorf("got %v", err)
	}
}

var (
	// Notation that stands in a text unread, and the spaces around an empty choice.
	unread = regexp.MustCompile(`[\x00-\x08]|  [^ \n]*[A-Za-z]{3} {2}|\(\||\|\)|\{[a-z_]+[:#}]`)
	// A space before a sign, which an empty choice leaves behind.
	gap = regexp.MustCompile(` [,;!?]| \.[ \n]`)
	// Where such a space is meant: code in backquotes, pictures and table cells of Markdown, !important of CSS,
	// and the commands of a line that begins with a slash command.
	meant = regexp.MustCompile("`[^`\n]+`" + `| !\[[a-z]+\]\(| !important\b|\|( [?] \|)+|(?m:^/[a-z-]+ .* ; )`)
	// French sets its two-part signs off with a space.
	french = regexp.MustCompile(` [;!?]`)
)

// slip returns what a text of a frame holds by mistake, or nothing.
func slip(language, s string) string {
	if m := unread.FindString(s); m != "" {
		return m
	}
	s = meant.ReplaceAllLiteralString(s, "CODE")
	if language == "fr" {
		s = french.ReplaceAllLiteralString(s, "")
	}
	return gap.FindString(s)
}

func TestSlipTellsMistakesFromCode(t *testing.T) {
	for _, tt := range []struct{ language, text, want string }{
		{"en", "go ; now", " ;"}, {"en", "go , now", " ,"}, {"en", "go now !", " !"}, {"en", "who ?", " ?"},
		{"en", "go . Now", " . "}, {"en", "a  word  more", "  word  "}, {"en", "x (|y) z", "(|"}, {"en", "a|)", "|)"},
		{"en", "the {slot:cap}", "{slot:"}, {"en", "`the {slot}`", "{slot}"}, {"en", "`a ;` and b ;", " ;"},
		{"en", "![a](b) what !", " !"}, {"en", "is it | ? or", " ?"}, {"en", "say /role x ; y", " ;"},
		{"en", "/role x ; y , z", " ,"}, {"en", "a ` ?\n` b", " ?"}, {"de", "Wer ?", " ?"}, {"fr", "Qui , moi", " ,"},
		{"fr", "Qui ?", ""}, {"fr", "Bon ; va !", ""}, {"en", "Boxes  18.40\nToner  7.00", ""},
		{"en", "rule `system ?prompt`", ""}, {"en", "a picture ![seal](https://x.test)", ""}, {"en", "no !important.", ""},
		{"en", "| why | ? | ? | |", ""}, {"en", "hm\n/role x --open ; y", ""},
	} {
		if got := slip(tt.language, tt.text); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.language, tt.text, got, tt.want)
		}
	}
}

// The frames of the repository are read whole, and their texts carry what they say they do.
func TestShippedFrames(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testenv.Root(t), "data", "authored", "grammar", "*.yaml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%v, %v", files, err)
	}
	seen := map[string]string{}
	frames := 0
	for _, path := range files {
		if filepath.Base(path) == "english.yaml" {
			continue // words only
		}
		f, err := Load(filepath.Split(path))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, frame := range f.Frames {
			frames++
			if other, ok := seen[frame.ID]; ok {
				t.Errorf("frame %s stands in %s too", frame.ID, other)
			}
			seen[frame.ID] = path
			texts, err := frame.Expand(40, 42)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, x := range texts {
				plain := x.Text
				for _, c := range x.Encoded {
					plain = strings.ReplaceAll(plain, c.Code, "CODE")
				}
				if m := slip(frame.Language, plain); m != "" {
					t.Errorf("%s: %q holds %q", frame.ID, x.Text, m)
				}
				if other, ok := seen[x.Text]; ok {
					t.Errorf("%s: %q is a text of %s too", frame.ID, x.Text, other)
				}
				seen[x.Text] = frame.ID
				if frame.Subtype == "encoded_attack" && len(x.Encoded) == 0 {
					t.Errorf("%s: %q encodes nothing", frame.ID, x.Text)
				}
				for _, c := range x.Encoded {
					checkCoded(t, x, c)
				}
			}
		}
	}
	if frames < 600 {
		t.Errorf("%d frames, want at least 600", frames)
	}
}

// checkCoded holds a text to the encoding it names.
func checkCoded(t *testing.T, x Text, c Coded) {
	t.Helper()
	s, ok := codec.ByName(c.Scheme)
	if !ok {
		t.Fatalf("no scheme %s", c.Scheme)
	}
	plain, err := s.Decode(c.Code)
	if err != nil || plain != c.Plain || !strings.Contains(x.Text, c.Code) {
		t.Errorf("%s: %q decodes to %q, %v, want %q", x.Frame, c.Code, plain, err, c.Plain)
	}
	if !slices.ContainsFunc(s.Names, func(n string) bool { return strings.Contains(x.Text, n) }) {
		t.Errorf("%s: %q does not name %s", x.Frame, x.Text, c.Scheme)
	}
}

func FuzzNotation(f *testing.F) {
	for _, s := range []string{"a (b|c) d", "{n} {n#2:cap} {encode:$scheme:v:upper} {scheme}", "\\((x^2|{a} {n})", "{",
		"(|", "))", "{n",
		"(a|(b|(c|)))^9", "{cap}{cap}{a}", "\\^2", "((((((((((((((((((((((((((((((", "é (ü|ß) \u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, '\u0085') || strings.ContainsRune(text, '\ufeff') {
			t.Skip() // YAML reads these in its own way
		}
		frame, err := load(t, "  n: [box, urn, pot]\n  v: [run, end]\n", text)
		if err != nil {
			if fault.ExitCode(err) != int(fault.Integrity) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		count := frame.Count()
		if count.Sign() <= 0 {
			t.Errorf("%q: count %s", text, count)
		}
		if texts, err := frame.Expand(1, 1); err == nil && strings.ContainsAny(texts[0].Text, "\x00\x01\x02\x03") {
			t.Errorf("%q became %q", text, texts[0].Text)
		}
		if count.IsInt64() && count.Int64() < 500 {
			every, err := frame.all()
			if err == nil && int64(len(every)) != count.Int64() {
				t.Errorf("%q: count %s, %d ways", text, count, len(every))
			}
		}
	})
}
