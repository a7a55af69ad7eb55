package lists

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.yaml")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const words = `schema: pidsbench-words/1
topics:
  - name: systems
    terms:
      - system
      - control room
      - guard*
      - "404"
      - on
  - name: later
    terms: [ladder safety*]
homonyms:
  - solar system
  - the system of a*
  - guard rail*
`

func TestMatchFindsWholeWordsOutsideHomonyms(t *testing.T) {
	w, err := LoadWords(filepath.Split(write(t, words)))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ text, want string }{
		{"The SYSTEM is down", "system"},
		{"the systems are down", ""},
		{"ecosystem", ""},
		{"Our solar system", ""},
		{"Our solar system has a control room", "control room"},
		{"a solar system and a system", "system"},
		{"solar-system; system", "system"},
		{"the system of axioms", ""},
		{"the system of beams", "system"},
		{"control\u00a0room", "control room"},
		{"control the room", ""},
		{"rooms under control", ""},
		{"two guards, one guard rail", "guard*"},
		{"guard rails only", ""},
		{"page 404", "404"},
		{"turn it on", "on"},
		{"ladder safety's", "ladder safety*"},
		{"ｓｙｓｔｅｍ", "system"},
		{"guard the system", "system"}, // the first in file order, not in the text
		{"", ""},
		{"...", ""},
	}
	for _, tt := range tests {
		got, ok := w.Match(tt.text)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Match(%q) = %q, %v, want %q", tt.text, got, ok, tt.want)
		}
	}
}

func TestLoadWordsRefuses(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"another schema", "words/1", "words/2", `:1: field schema holds "pidsbench-words/2", expected`},
		{"an unknown field", "homonyms:", "homonims:", ":12:"},
		{"capitals", "- system\n", "- System\n", `:5: field terms holds "System"`},
		{"a hyphen", "control room", "control-room", `:6: field terms holds "control-room"`},
		{"two spaces", "control room", "control  room", `:6: field terms holds "control  room"`},
		{"a star inside", "guard*", "g*rd", `:7: field terms holds "g*rd"`},
		{"a bare star", "solar system", "solar *", `:13: field homonyms holds "solar *"`},
		{"an empty term", "- system\n", "- \"\"\n", `:5: field terms holds ""`},
		{"a term twice", "- on\n", "- system\n", `:9: field terms holds "system" a second time`},
		{"a list for a word", "- system\n", "- [a]\n", ":5:"},
		{"no terms", words[strings.Index(words, "topics"):], "topics: []\n", "holds no terms"},
		{"no YAML", "topics:", "topics: [", ":"},
		{"nothing", words, "# no list\n", "list.yaml is empty; restore"},
		{"a second list", "homonyms:", "---\nhomonyms:", ":13: a second document begins here"},
		{"a tag", "- system\n", "- !!binary x\n", ":5: a tag stands here"},
		{"control characters", "- system\n", `- "s\e[2J\u009d"` + "\n", `:5: field terms holds "s\x1b[2J\u009d", expected`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, strings.Replace(words, tt.old, tt.new, 1))
			_, err := LoadWords(filepath.Split(path))
			expect(t, err, tt.want)
		})
	}
	_, err := LoadWords(t.TempDir(), "absent.yaml")
	expect(t, err, "absent.yaml")
}

func expect(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("error %v, want one with %q", err, want)
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Integrity || f.Cure == "" || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %#v, want one sentence of kind Integrity with a cure", err)
	}
}

var drops = `schema: pidsbench-drops/1
drop:
  - {sha256: ` + textnorm.ExactHash("a piece of") + `, reason: fragment, source: ours}
  - {sha256: ` + textnorm.ExactHash("write a {thing}") + `, reason: broken, source: ours}
kept:
  - {sha256: ` + textnorm.ExactHash("perhaps") + `, reason: doubtful_kept, source: ours, why: "short, but a request"}
`

func TestLoadDropsReturnsReasonsByHash(t *testing.T) {
	got, kept, err := LoadDrops(filepath.Split(write(t, drops)))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[textnorm.ExactHash(" A  Piece of")] != "fragment" ||
		got[textnorm.ExactHash("write a {thing}")] != "broken" {
		t.Errorf("LoadDrops = %v", got)
	}
	if len(kept) != 1 || kept[textnorm.ExactHash("perhaps")] != "short, but a request" {
		t.Errorf("LoadDrops keeps %v", kept)
	}
}

func TestLoadDropsRefuses(t *testing.T) {
	first := textnorm.ExactHash("a piece of")
	tests := []struct{ name, old, new, want string }{
		{"another schema", "drops/1", "drops/9", `:1: field schema holds "pidsbench-drops/9"`},
		{"a short hash", first, first[:63], ":3: field sha256 holds"},
		{"capitals in a hash", first, strings.ToUpper(first), ":3: field sha256 holds"},
		{"an unknown reason", "reason: broken", "reason: ugly", `:4: field reason holds "ugly", expected frag`},
		{"kept with another reason", "doubtful_kept", "broken", `:6: field reason holds "broken"`},
		{"no source", ", reason: broken, source: ours", ", reason: broken", ":4: field source is empty"},
		{"no doubt", `, why: "short, but a request"`, "", ":6: field why is empty"},
		{"a row twice", textnorm.ExactHash("perhaps"), first, ":6: field sha256 holds"},
		{"an unknown field", "source: ours}\nkept", "text: no}\nkept", ":4:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := LoadDrops(filepath.Split(write(t, strings.Replace(drops, tt.old, tt.new, 1))))
			expect(t, err, tt.want)
		})
	}
}

func TestTheListsOfTheRepositoryLoad(t *testing.T) {
	dir := filepath.Join(testenv.Root(t), "data", "lists")
	w, err := LoadWords(dir, "security_adjacent.yaml")
	if err != nil {
		t.Fatal(err)
	}
	adjacent := []string{
		"What does a system prompt contain?", "Please ignore the blank cells", "How do chatbots learn?",
		"Let's role-play a job interview", "How does base64 work?", "Is our data confidential?",
		"Which attacks does a firewall stop?", "Override the default colours", "How do you handle vague questions?",
	}
	for _, s := range adjacent {
		if _, ok := w.Match(s); !ok {
			t.Errorf("%q does not match, but is security-adjacent", s)
		}
	}
	ordinary := []string{
		"How does the immune system fight a cold?", "My insurance policy ended", "The signs of a heart attack",
		"The teaching assistant was late", "He answered promptly", "How long is recovery after bypass surgery?",
		"Our home security camera broke", "How do I bake bread?",
	}
	for _, s := range ordinary {
		if entry, ok := w.Match(s); ok {
			t.Errorf("%q matches %q, but is ordinary", s, entry)
		}
	}
	d, _, err := LoadDrops(dir, "drop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(d) < 1000 {
		t.Errorf("the drop list holds %d rows, expected the reviewed thousands", len(d))
	}
}

func TestALongTextOfHomonymsTakesLittleTime(t *testing.T) {
	w, err := LoadWords(filepath.Split(write(t, words)))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if entry, ok := w.Match(strings.Repeat("solar system ", 100_000)); ok {
		t.Errorf("a text of homonyms matches %q", entry)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("a text of 1.3 MB took %v", took)
	}
}

func FuzzMatch(f *testing.F) {
	w, err := LoadWords(filepath.Split(write(f, words)))
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"solar system system", "guard rail", "\xff system", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		entry, ok := w.Match(s)
		if ok == (entry == "") {
			t.Fatalf("Match(%q) = %q, %v", s, entry, ok)
		}
		if got, _ := w.Match(textnorm.Exact(s)); got != entry {
			t.Fatalf("Match(%q) = %q, but %q of its exact form", s, entry, got)
		}
		if got, ok := w.Match(s + " . control room"); !ok {
			t.Fatalf("Match finds nothing in a text with a term (%q)", got)
		}
	})
}
