package strictyaml

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/fault"
)

type shelf struct {
	Books []book         `yaml:"books"`
	Rooms map[string]int `yaml:"rooms"`
	Note  string         `yaml:"note"`
}

type book struct {
	Title  string   `yaml:"title"`
	Pages  int      `yaml:"pages"`
	Price  *float64 `yaml:"price"`
	Lent   bool     `yaml:"lent"`
	Topics []string `yaml:"topics"`
	Series *series  `yaml:"series"`
	Cover  cover    `yaml:"cover"`

	//lint:ignore U1000 a field that no file may name
	seen bool
}

type series struct {
	Name    string `yaml:"name"`
	Volumes int    `yaml:"volumes"`
}

type cover struct {
	Colour string `yaml:"colour"`
	Weight int    `yaml:"weight"`
}

func read(data string) (*File, shelf, error) {
	f := &File{Name: "s.yaml", Kind: fault.Usage, Cure: "correct it",
		Elsewhere: map[string]string{"cover.price": "under deals"}}
	var s shelf
	err := f.Decode([]byte(data), &s)
	return f, s, err
}

const good = `# a comment
books:
  - title: One
    pages: 0x10
    price: 3
    topics: &t [sea, "404"]
  - title: >-
      Two
      words
    lent: true
    topics: *t
    series: {name: "on"}
rooms: {hall: 2, "2": 3}
`

func TestDecodeTakesWhatIsWritten(t *testing.T) {
	_, got, err := read(good)
	if err != nil {
		t.Fatal(err)
	}
	price := 3.0
	want := shelf{
		Books: []book{
			{Title: "One", Pages: 16, Price: &price, Topics: []string{"sea", "404"}},
			{Title: "Two words", Lent: true, Topics: []string{"sea", "404"}, Series: &series{Name: "on"}},
		},
		Rooms: map[string]int{"hall": 2, "2": 3},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(book{})); diff != "" {
		t.Error(diff)
	}
}

func TestMistakesAreOneSentenceWithTheLine(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", "s.yaml is empty; correct it"},
		{"comments only", "# a\n\n", "s.yaml is empty; correct it"},
		{"no mapping", "- a\n", "s.yaml:1: the file holds a list, expected a mapping; correct it"},
		{"a word", "\n\na\n", `s.yaml:3: the file holds "a", expected a mapping; correct it`},
		{"unknown field", "books:\n  - title: a\n    binding: red\n    size: 3\n",
			`s.yaml:3: unknown field "binding"; correct its name or delete it`},
		{"a misspelt field", "books:\n  - titel: a\n",
			`s.yaml:2: unknown field "titel" (did you mean title?); correct its name or delete it`},
		{"a misspelt field of a section", "books:\n  - title: a\n    volums: 3\n",
			`s.yaml:3: unknown field "volums" (did you mean volumes under series?); correct its name or delete it`},
		{"a field of a section on top of it", "books:\n  - title: a\n    colour: red\n",
			`s.yaml:3: field "colour" stands in the wrong place, expected under cover; move it`},
		{"a field of what holds the section", "books:\n  - series:\n      pages: 3\n",
			`s.yaml:3: field "pages" stands in the wrong place, expected beside series, not under it; move it`},
		{"a field of another section", "books:\n  - series:\n      weight: 3\n",
			`s.yaml:3: field "weight" stands in the wrong place, expected under cover, not under series; move it`},
		{"a field that is told of", "books: [{cover: {price: 3}}]\n",
			`s.yaml:1: field "price" stands in the wrong place, expected under deals; move it`},
		{"a field of the file in an item of a list", "books:\n  - note: a\n",
			`s.yaml:2: unknown field "note"; correct its name or delete it`},
		{"no field of ours", "books:\n  - seen: true\n", `s.yaml:2: unknown field "seen"; correct its name or delete it`},
		{"field twice", "note: a\nbooks: []\nnote: b\n", "s.yaml:3: field note stands twice; delete one of them"},
		{"merge key", "books:\n  - &b {title: a}\n  - <<: *b\n",
			`s.yaml:3: unknown field "<<"; correct its name or delete it`},
		{"escape in a name", "\"x\\e[2J\": 1\n", `s.yaml:1: unknown field "x\x1b[2J"; correct its name or delete it`},
		{"a number for a text", "books:\n  - title: 1.10\n",
			"s.yaml:2: field title holds 1.10, expected a text; put the value in quotes"},
		{"a truth value for a text", "note: true\n",
			"s.yaml:1: field note holds true, expected a text; put the value in quotes"},
		{"a list for a text", "note: [a]\n", "s.yaml:1: field note holds a list, expected a text; correct it"},
		{"a mapping for a text", "note:\n  a: b\n", "s.yaml:2: field note holds a mapping, expected a text; correct it"},
		{"a text for a number", "books: [{pages: '5'}]\n",
			`s.yaml:1: field pages holds "5", expected a whole number; correct it`},
		{"a fraction", "books:\n  - pages: 1.5\n", "s.yaml:2: field pages holds 1.5, expected a whole number; correct it"},
		{"a large number", "books: [{pages: 18446744073709551615}]\n",
			`s.yaml:1: the number "18446744073709551615" is too large; correct it`},
		{"a text for a price", "books: [{price: cheap}]\n",
			`s.yaml:1: field price holds "cheap", expected a number; correct it`},
		{"a text for a truth value", "books: [{lent: yes!}]\n",
			`s.yaml:1: field lent holds "yes!", expected true or false; correct it`},
		{"a text for a list", "books: none\n", `s.yaml:1: field books holds "none", expected a list; correct it`},
		{"a list for a mapping", "rooms:\n  - hall\n", "s.yaml:2: field rooms holds a list, expected a mapping; correct it"},
		{"an empty item", "books:\n  - title: a\n  -\n", "s.yaml:3: field books holds an empty item; correct it"},
		{"a wrong item", "books: [{topics: [a, 7]}]\n",
			"s.yaml:1: field topics holds 7, expected a text; put the value in quotes"},
		{"a text in a map", "rooms: {hall: big}\n", `s.yaml:1: field hall holds "big", expected a whole number; correct it`},
		{"a tag", "note: !!binary x\n", "s.yaml:1: a tag stands here, expected a plain value; delete the tag"},
		{"an unknown alias", "note: *x\n", `s.yaml:1: there is no anchor "x" above; correct it`},
		{"an alias of another type", "rooms: &r {a: 1}\nnote: *r\n",
			"s.yaml:1: field note holds a mapping, expected a text; correct it"},
		{"an alias in itself", "books: &b [*b]\n", `s.yaml:1: there is no anchor "b" above; correct it`},
		{"a second document", "note: a\n---\nnote: b\n", "s.yaml:3: a second document begins here, expected one; delete it"},
		{"an open list", "note: a\nbooks: [\n", "s.yaml:2: sequence end token ']' not found; correct it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := read(tt.data)
			if err == nil || err.Error() != tt.want || fault.ExitCode(err) != int(fault.Usage) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestLineAndHasFindValuesAndTheirNearestParts(t *testing.T) {
	f, _, err := read(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path []any
		want int
	}{
		{nil, 2}, {[]any{"books"}, 2}, {[]any{"books", 0}, 3}, {[]any{"books", 0, "price"}, 5},
		{[]any{"books", 0, "topics", 1}, 6}, {[]any{"books", 1, "title"}, 7}, {[]any{"books", 1, "topics"}, 11},
		{[]any{"books", 1, "series", "name"}, 12}, {[]any{"rooms", "2"}, 13}, {[]any{"books", 1, "pages"}, 7},
		{[]any{"books", 9, "pages"}, 2}, {[]any{"absent"}, 1}, {[]any{"books", "title"}, 2},
	} {
		if got := f.Line(tt.path...); got != tt.want {
			t.Errorf("Line(%v) = %d, want %d", tt.path, got, tt.want)
		}
	}
	for _, tt := range []struct {
		path []any
		want bool
	}{
		{nil, true}, {[]any{"books", 0, "price"}, true}, {[]any{"books", 1, "price"}, false}, {[]any{"books", 2}, false},
		{[]any{"books", 1, "topics", 1}, true}, {[]any{"books", 1, "topics", 2}, false}, {[]any{"note"}, false},
		{[]any{"rooms", "hall"}, true},
	} {
		if got := f.Has(tt.path...); got != tt.want {
			t.Errorf("Has(%v) = %v", tt.path, got)
		}
	}
	if f, _, err := read("note:\nbooks: []\n"); err != nil || f.Has("note") || !f.Has("books") || f.Line("note") != 1 {
		t.Errorf("an empty value counts as one, or an empty list does not (%v)", err)
	}
	if got := (&File{}).Line("a"); got != 1 {
		t.Errorf("Line of a file that was not read is %d", got)
	}
}

func TestLoadNamesTheFileThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long")
	if err := os.WriteFile(long, []byte(strings.Repeat("#", maxSize+1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "absent"): "s.yaml cannot be read: no such file or directory; restore it",
		dir:                          "s.yaml is no file; restore it",
		long:                         "s.yaml has 4194305 bytes, expected at most 4194304; restore it",
	} {
		f := &File{Name: "s.yaml", Kind: fault.Integrity, Cure: "restore it"}
		err := f.Load(path, new(shelf))
		if err == nil || err.Error() != want || fault.ExitCode(err) != int(fault.Integrity) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(good))
	for _, s := range []string{
		"note: !!binary x", "? a\n: b", "note: |\n  x", "books: [{title: *a}]", "--- \n...\n", "\t", "&a *a",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, _, err := read(string(data))
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 1
		if n := file.Line("books", 0, "title"); n < 1 || n > lines {
			t.Errorf("line %d of %d", n, lines)
		}
		if err == nil {
			return
		}
		var e *fault.Error
		if !errors.As(err, &e) || e.Kind != fault.Usage || e.Cure == "" || !strings.HasPrefix(e.Msg, "s.yaml") ||
			strings.ContainsFunc(e.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("error %q is not one sentence that names the file, with a cure", err)
		}
	})
}

func TestDeepFilesAreRefusedBeforeTheyAreParsed(t *testing.T) {
	for name, data := range map[string]string{
		"lists": strings.Repeat("[", 200_000), "mappings": "a: " + strings.Repeat("{b: ", 50_000), "marks": strings.Repeat("- ", 200_000),
		"keys": strings.Repeat("? ", 200_000), "later": "a: 1\nb: " + strings.Repeat("[", 5000),
	} {
		_, _, err := read(data)
		if err == nil || !strings.Contains(err.Error(), "the file nests too deeply here") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "later" && !strings.Contains(err.Error(), ":2: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
