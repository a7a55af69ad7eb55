package builder

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

var byLabel = LabelRule{Column: "label", Benign: []string{"0"}, Injection: []string{"1"}}

func zipped(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parquetBytes(t *testing.T) []byte {
	t.Helper()
	type row struct {
		Text   string   `parquet:"text"`
		Label  int32    `parquet:"label"`
		Source string   `parquet:"source"`
		Tags   []string `parquet:"tags,list"`
	}
	var b bytes.Buffer
	rows := []row{{"one", 1, "mine", []string{"a", "b"}}, {"two", 0, "other", nil}, {"thrée\r\n", 0, "mine", nil}}
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadersGiveTextClassAndCarrier(t *testing.T) {
	benign := LabelRule{Constant: "benign"}
	for _, tt := range []struct {
		name   string
		source Source
		path   string
		data   []byte
		want   []Item
	}{
		{"csv keeps the bytes of a text, rows end with CRLF",
			Source{Format: "csv", Text: []string{"text"}, Label: byLabel},
			"a.csv", []byte("text,label\r\n\"a\r\nb \",1\r\nNA,0\r\n"),
			[]Item{{Text: "a\r\nb ", Label: dataset.Injection}, {Text: "NA"}}},
		{"csv with lines above the header", Source{Format: "csv", SkipLines: 2, Text: []string{"q"}, Label: benign},
			"a.csv", []byte("\"a warning, quoted\",,\n,,\nid,q\n1,why\n"), []Item{{Text: "why"}}},
		{"csv with escapes and two columns",
			Source{Format: "csv", Text: []string{"t", "d"}, Unescape: true, Label: benign},
			"a.csv", []byte("t,d\nTitle,one\\ntwo\\r\\nthree\n"), []Item{{Text: "Title\n\none\ntwo\nthree"}}},
		{"json with a carrier, packed",
			Source{ID: "s", Format: "json", Text: []string{"t"}, Carrier: "id", Label: benign},
			"a.json.gz", zipped(t, `[{"id":"x","t":"a \u00e9"},{"id":7,"t":"b"}]`),
			[]Item{{Text: "a é", Carrier: "s/x"}, {Text: "b", Carrier: "s/7"}}},
		{"jsonl", Source{Format: "jsonl", Text: []string{"t"}, Label: LabelRule{Constant: "injection"}},
			"a.jsonl", []byte("{\"t\":\"a\"}\n{\"t\":\"b\",\"u\":[1]}\n"),
			[]Item{{Text: "a", Label: dataset.Injection}, {Text: "b", Label: dataset.Injection}}},
		{"parquet, one inner source", Source{Format: "parquet", Text: []string{"text"}, Label: byLabel,
			Where: &Where{"source", "mine"}}, "a.parquet", parquetBytes(t),
			[]Item{{Text: "one", Label: dataset.Injection}, {Text: "thrée\r\n"}}},
		{"json, an array of texts", Source{Format: "json", Text: []string{"text"}, Label: benign}, "a.json",
			[]byte(` ["a", "b\n"]`), []Item{{Text: "a"}, {Text: "b\n"}}},
		{"json, a column in an object", Source{Format: "json", Text: []string{"a.b.c", "d.e"}, Label: benign}, "a.json",
			[]byte(`[{"a":{"b":{"c":"deep"}},"d.e":"plain"}]`), []Item{{Text: "deep\n\nplain"}}},
		{"yaml, one row a file", Source{Format: "yaml", Text: []string{"value"}, Label: benign}, "a.yaml",
			[]byte("---\nname: x\nvalue: >\n  one\n  two\n\n  three\n"), []Item{{Text: "one two\nthree\n"}}},
		{"yaml, a column in an object", Source{Format: "yaml", Text: []string{"a.b"}, Label: benign}, "a.yaml",
			[]byte("a:\n  b: 'it''s'\n"), []Item{{Text: "it's"}}},
		{"dialogues, the first speaker", Source{Format: "dialogues", Label: benign,
			Languages: Languages{Folder: map[string]string{"finnish": "fi"}}}, "data/finnish/a.yml",
			[]byte("conversations:\n- - q1\n  - a1\n- - q2\n  - a2\n  - q3\n- - 7\n  - a4\n- stray\n"),
			[]Item{{Text: "q1", Language: "fi"}, {Text: "q2", Language: "fi"}, {Text: "q3", Language: "fi"}}},
		{"a language column that some rows lack", Source{Format: "jsonl", Text: []string{"t"}, Label: benign,
			Languages: Languages{Column: "lang"}}, "a.jsonl", []byte("{\"t\":\"a\",\"lang\":\"zu\"}\n{\"t\":\"b\"}\n"),
			[]Item{{Text: "a", Language: "zu"}, {Text: "b"}}},
		{"conversations, a turn is one row", Source{ID: "s", Format: "conversations", Label: benign}, "a.json",
			[]byte(`{"c2":{"messages":[[{"text":"hi"},{"text":"you"}]]},` +
				`"c1":{"messages":[[{"text":"b"}],[{"text":"a"}]]}}`),
			[]Item{{Text: "a", Carrier: "s/c1"}, {Text: "b", Carrier: "s/c1"}, {Text: "hi you", Carrier: "s/c2"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readItems(&tt.source, tt.path, tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadersNameWhatIsWrong(t *testing.T) {
	csv := Source{ID: "s", Format: "csv", Text: []string{"text"}, Label: byLabel}
	for _, tt := range []struct {
		name   string
		source Source
		path   string
		data   string
		say    string
	}{
		{"another label", csv, "in/a.csv", "text,label\na,0\nb,maybe\n", `in/a.csv: row 2: found label "maybe"`},
		{"no such column", csv, "a.csv", "words,label\na,0\n", `no column "text"`},
		{"ragged", csv, "a.csv", "text,label\na\n", "a.csv"},
		{"cut gzip", Source{Format: "json"}, "a.json.gz", "\x1f\x8b", "gzip"},
		{"no JSON", Source{Format: "json"}, "a.json", "[{", "a.json"},
		{"torn JSON line", Source{Format: "jsonl", Text: []string{"t"}, Label: LabelRule{Constant: "benign"}},
			"a.jsonl", "{\"t\":\"a\"}\n{\"t\"", "a.jsonl: row 1"},
		{"no Parquet", Source{Format: "parquet"}, "a.parquet", "PAR1PAR1", "a.parquet"},
		{"no conversations", Source{Format: "conversations"}, "a.json", "[1]", "an object of conversations"},
		{"no object in an array", Source{Format: "json", Text: []string{"t"}}, "a.json", "[1]", "a.json"},
		{"no such inner column", Source{Format: "json", Text: []string{"a.b"}}, "a.json", `[{"a":1}]`, `no column "a.b"`},
		{"no YAML", Source{Format: "yaml", Text: []string{"t"}}, "a.yaml", "a: [", "a.yaml"},
		{"a YAML list", Source{Format: "yaml", Text: []string{"t"}}, "a.yaml", "- a\n", "a.yaml"},
		{"no text in YAML", Source{Format: "yaml", Text: []string{"t"}}, "a.yaml", "t: 7\n", `no column "t"`},
		{"no dialogues", Source{Format: "dialogues"}, "a.yml", "conversations: 7\n", "a list of conversations"},
		{"too few lines", Source{Format: "csv", SkipLines: 2}, "a.csv", "a\n", "fewer lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readItems(&tt.source, tt.path, []byte(tt.data))
			testenv.WantFault(t, err, fault.Integrity, tt.say)
		})
	}
}

func FuzzReadItems(f *testing.F) {
	f.Add("csv", []byte("text,label\na,0\n"))
	f.Add("json", []byte(`[{"text":"a","label":1}]`))
	f.Add("jsonl", []byte(`{"text":"a","label":"0"}`))
	f.Add("yaml", []byte("text: >\n  a\nlabel: '0'\n"))
	f.Add("dialogues", []byte("conversations:\n- - a\n  - b\n"))
	f.Add("conversations", []byte(`{"c":{"messages":[[{"text":"hi"}]]}}`))
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		if !slices.Contains([]string{"csv", "json", "jsonl", "yaml", "conversations", "dialogues"}, format) {
			t.Skip("no format of a source")
		}
		s := &Source{ID: "s", Format: format, Text: []string{"text"}, Label: byLabel}
		items, err := readItems(s, "a", data)
		if err != nil && items != nil {
			t.Fatal("an error and rows")
		}
	})
}

func TestImportRejectsAndLogs(t *testing.T) {
	lock := &Lock{Sources: []Source{
		{ID: "a", Role: Pool, Authorship: "unknown", AuthorshipBenign: "template",
			Frames: []Frame{{ID: "what", Label: "benign", Pattern: "^What is .+"}}},
		{ID: "b", Role: Pool, Select: Selection{Words: []int{2, 3}}},
		{ID: "c", Role: Control, Select: Selection{Latin: true, Chars: []int{3, 5}}},
	}}
	for i := range lock.Sources[0].Frames {
		f := &lock.Sources[0].Frames[i]
		f.re = regexp.MustCompile(f.Pattern)
	}
	items := [][]Item{
		{{Text: "What is it", Carrier: "z"}, {Text: "What is it", Carrier: "y"},
			{Text: "What is it", Label: dataset.Injection}, {Text: " \t\n"},
			{Text: "a\x00b"}, {Text: "a\xff"}, {Text: "plain "}},
		{{Text: "one"}, {Text: "one two"}, {Text: "one two three four"}},
		{{Text: "abcd"}, {Text: "ab漢字"}, {Text: "ab"}, {Text: "éééééé"}},
	}
	kept, removed := Import(lock, items, Lists{}, 1)
	if diff := cmp.Diff([]string{"What is it", "What is it", "abcd", "one two", "plain "}, textsOf(kept)); diff != "" {
		t.Error(diff)
	}
	want := map[string]int{"repeat": 1, "empty": 1, "NUL": 1, "invalid UTF-8": 1, "words": 2, "script": 1, "chars": 2}
	if diff := cmp.Diff(want, reasons(removed)); diff != "" {
		t.Error(diff)
	}
	for _, r := range kept {
		switch {
		case r.Text == "What is it" && r.Label == dataset.Benign:
			if r.Frame != "a/what" || r.Authorship != "template" || r.Carrier != "y" {
				t.Errorf("the frame row is %+v", r)
			}
		case r.Frame != "":
			t.Errorf("%q has the frame %s", r.Text, r.Frame)
		case r.Label == dataset.Injection && r.Authorship != "unknown":
			t.Errorf("the injection has authorship %s", r.Authorship)
		}
	}
}

func TestImportTakesOneTurnAConversation(t *testing.T) {
	lock := &Lock{Sources: []Source{{ID: "a", Role: Pool, Select: Selection{OnePerCarrier: true}}}}
	var items []Item
	for i := range 40 {
		items = append(items, Item{Text: fmt.Sprint("turn ", i), Carrier: fmt.Sprint("c", i%8)})
	}
	kept, removed := Import(lock, [][]Item{items}, Lists{}, 1)
	seen := map[string]bool{}
	for _, r := range kept {
		seen[r.Carrier] = true
	}
	if len(kept) != 8 || len(seen) != 8 || len(removed) != 32 {
		t.Errorf("%d rows of %d conversations kept, %d removed", len(kept), len(seen), len(removed))
	}
	slices.Reverse(items)
	again, _ := Import(lock, [][]Item{items}, Lists{}, 1)
	if diff := cmp.Diff(kept, again); diff != "" {
		t.Errorf("the order of the source matters: %s", diff)
	}
}

func TestSelectCutsToTheQuotaAndGivesFiller(t *testing.T) {
	lock := &Lock{Sources: []Source{{ID: "ours", Role: Pool, Select: Selection{Max: 10, Filler: 5}}}}
	var in []Record
	for _, s := range sentences(20, "select") {
		in = append(in, pool(dataset.Benign, s))
	}
	kept, removed := Select(in, lock, 1)
	inPool, fillers := byRole(kept)[Pool], byRole(kept)[Filler]
	if len(inPool) != 10 || len(fillers) != 5 || reasons(removed)["beyond the quota"] != 5 {
		t.Errorf("%d in the pool, %d fillers, %v removed", len(inPool), len(fillers), reasons(removed))
	}
	slices.Reverse(in)
	again, _ := Select(in, lock, 1)
	if diff := cmp.Diff(kept, again); diff != "" {
		t.Errorf("the order of the rows matters: %s", diff)
	}
}

func TestImportTellsLanguagesRowByRow(t *testing.T) {
	lock := &Lock{Sources: []Source{
		{ID: "a", Role: Pool, Language: "mul", Languages: Languages{Detect: []string{"en", "de"}}},
		{ID: "b", Role: Pool, Language: "en", Languages: Languages{Column: "lang"}},
	}}
	items := [][]Item{
		{{Text: "Der Bus zum Hafen fährt bis spät am Abend alle zwanzig Minuten ab."}, {Text: "ja"}},
		{{Text: "one", Language: "zu"}, {Text: "two"}},
	}
	kept, _ := Import(lock, items, Lists{}, 1)
	got := map[string]string{}
	for _, r := range kept {
		got[r.Text[:2]] = r.Language
	}
	if diff := cmp.Diff(map[string]string{"De": "de", "ja": "und", "on": "zu", "tw": "en"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestImportKeepsTheQuotaOfALanguage(t *testing.T) {
	lock := &Lock{Sources: []Source{{ID: "a", Role: Pool, Select: Selection{PerLanguage: 3}}}}
	var items []Item
	for i := range 12 {
		items = append(items, Item{Text: fmt.Sprint("line ", i), Language: []string{"fi", "et", "fi"}[i%3]})
	}
	kept, removed := Import(lock, [][]Item{items}, Lists{}, 1)
	n := map[string]int{}
	for _, r := range kept {
		n[r.Language]++
	}
	if n["fi"] != 3 || n["et"] != 3 || reasons(removed)["beyond the quota of the language"] != 6 {
		t.Errorf("kept %v, removed %v", n, reasons(removed))
	}
	slices.Reverse(items)
	again, _ := Import(lock, [][]Item{items}, Lists{}, 1)
	if diff := cmp.Diff(kept, again); diff != "" {
		t.Errorf("the order of the source matters: %s", diff)
	}
}

func TestWordsCountsScriptsWithoutSpaces(t *testing.T) {
	for text, want := range map[string]int{
		"one two  three": 3, "": 0, "你好": 1, "你叫什么名字": 3, "항구로 가는 버스": 3, "รถเมล์ไปท่าเรือ": 7, "a 港へ行く": 3,
	} {
		if got := words(text); got != want {
			t.Errorf("words(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestMembersFollowsStarsAndExclamationMarks(t *testing.T) {
	names := []string{"d/a/one.yml", "d/a/sub/two.yml", "d/b/one.yml", "d/b/x.yml", "d/top.yml", "other.yml"}
	for _, tt := range []struct {
		paths   []string
		folders map[string]string
		want    []string
	}{
		{[]string{"other.yml", "d/top.yml"}, nil, []string{"other.yml", "d/top.yml"}},
		{[]string{"d/*/one.yml"}, nil, []string{"d/a/one.yml", "d/b/one.yml"}},
		{[]string{"d/*.yml"}, nil, []string{"d/top.yml"}},
		{[]string{"d/**.yml", "!d/*/one.yml"}, nil, []string{"d/a/sub/two.yml", "d/b/x.yml", "d/top.yml"}},
		{[]string{"d/**.yml"}, map[string]string{"b": "de"}, []string{"d/b/one.yml", "d/b/x.yml"}},
	} {
		s := Source{ID: "s", Paths: tt.paths, Languages: Languages{Folder: tt.folders}}
		got, err := s.members(names)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.paths, diff)
		}
	}
	_, err := (&Source{ID: "s", Paths: []string{"e/*.yml"}}).members(names)
	testenv.WantFault(t, err, fault.Integrity, `source "s"`, `"e/*.yml"`)
}
