package scores

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
)

func TestAScoreFileLooksLikeThis(t *testing.T) {
	h := header(6)
	h.WindowMode, h.TextColumn, h.Info.TrainSHA256 = engine.Truncate, "prompt", hashB
	path := Path(t.TempDir(), h)
	w := open(t, path, h, Options{})
	for _, l := range []Line{
		{Row: 5, Score: 5e-324, Windows: 1, Tokens: 2, TokensScored: 2, NULs: 3},
		{Row: 0, Score: 0.9731, Windows: 1, Tokens: 57, TokensScored: 57},
		{Row: 4, Score: 1, NULs: 1},
		{Row: 1, Error: "the model said \"no\"\x1b"},
		{Row: 3, Score: 0, Windows: 1, Tokens: 700, TokensScored: 512},
		{Row: 2, MissingText: true},
	} {
		if err := w.Append(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":"pidsbench-scores/1","edition":"open","split":"test","split_sha256":"` + hashA + `","rows":6,` +
		`"text_column":"prompt","detector":"deberta","seed":42,"config_hash":"` + hashB + `",` +
		`"files":[{"path":"model.onnx","sha256":"` + hashA + `"},{"path":"tokenizer.json","sha256":"` + hashB + `"}],` +
		`"precision":"fp32","window_mode":"truncate","max_length":512,` +
		`"stride":64,"info":{"tool":"pidsbench 1.0","runtime":"onnxruntime 1.30.0","cpu":"avx2 fma","train_sha256":"` +
		hashB + `"}}
{"row":0,"score":0.9731,"windows":1,"tokens":57,"tokens_scored":57}
{"row":1,"error":"the model said \"no\"\u001b"}
{"row":2,"missing_text":true}
{"row":3,"score":0,"windows":1,"tokens":700,"tokens_scored":512}
{"row":4,"score":1,"nuls":1}
{"row":5,"score":5e-324,"windows":1,"tokens":2,"tokens_scored":2,"nuls":3}
`
	if got := contents(t, path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if rel := path[strings.Index(path, "open"):]; rel != filepath.FromSlash("open/deberta/seed-42/truncate/test.jsonl") {
		t.Errorf("it lies at %s", rel)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f.Header, h) {
		t.Errorf("got header %+v, want %+v", f.Header, h)
	}
	if l := f.Lines; !l[3].Truncated() || l[0].Truncated() || l[1].Scored() || l[2].Scored() || !l[3].Scored() {
		t.Errorf("got lines %+v", f.Lines)
	}
}

func TestScoresReadBackToTheSameFloat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	scores := []float64{
		0, 1, 0.1, 1. / 3, 0.5, math.Nextafter(1, 0), math.SmallestNonzeroFloat64, 1e-5, 1e-7, 0.30000000000000004,
	}
	for len(scores) < 20_000 {
		// Any bits of a float from 0 to 1, denormal ones too, and floats as they come out of a softmax.
		drawn := math.Float64frombits(rng.Uint64N(math.Float64bits(1) + 1))
		scores = append(scores, drawn, rng.Float64(), float64(rng.Float32()))
	}
	h := header(len(scores))
	path := filepath.Join(t.TempDir(), "test.jsonl")
	w := open(t, path, h, Options{})
	for row, s := range scores {
		if err := w.Append(Line{Row: row, Score: s}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for row, s := range scores {
		if got := f.Lines[row].Score; math.Float64bits(got) != math.Float64bits(s) {
			t.Fatalf("wrote %b, read %b", s, got)
		}
	}
}

func TestOtherSpellingsOfALineAreRead(t *testing.T) {
	for in, want := range map[string]Line{
		`{"row": 1, "score": 0.50}`:    {Row: 1, Score: 0.5},
		"{\"score\":5e-1,\"row\":1}\r": {Row: 1, Score: 0.5},
		`{"row":1,"score":1,"windows":2,"tokens":9,"tokens_scored":9,"nuls":0} `: {
			Row: 1, Score: 1, Windows: 2, Tokens: 9, TokensScored: 9,
		},
		`{"row":1,"error":"\u0041é"}`:                {Row: 1, Error: "Aé"},
		`{"row":1,"missing_text":true,"error":null}`: {Row: 1, MissingText: true},
	} {
		got, err := parseLine([]byte(in + "\n"))
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", in, got, err)
		}
	}
}

func TestABadScoreFileIsNamedWithItsLine(t *testing.T) {
	good := whole(t, header(3))
	lines := strings.SplitAfter(strings.TrimSuffix(good, "\n"), "\n")
	head := lines[0]
	l0, l1, l2 := `{"row":0,"score":1}`+"\n", `{"row":1,"score":0.5}`+"\n", `{"row":2,"error":"no"}`+"\n"
	shard := strings.Replace(head, `"cpu":`, `"shard":"2/2","cpu":`, 1)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "F: is empty, expected a score file"},
		{"torn header", head[:50], "F:1: ends within the header"},
		{"no JSON", "hello\n", "F:1: no header of a score file: invalid character 'h' looking for beginning of value"},
		{"other JSON", l0, `F:1: schema is "", expected "pidsbench-scores/1"`},
		{"other schema", strings.Replace(head, "scores/1", "scores/2", 1) + l0,
			`F:1: schema is "pidsbench-scores/2", expected "pidsbench-scores/1"`},
		{"unknown field", strings.Replace(head, `"seed"`, `"sead"`, 1), `F:1: header: unknown field "sead"`},
		{"field twice", strings.Replace(head, `"seed":42`, `"seed":42,"seed":43`, 1),
			`F:1: header: field "seed" stands twice`},
		{"other case", strings.Replace(head, `"seed"`, `"Seed"`, 1),
			`F:1: header: field "Seed" is unknown, expected lower-case letters`},
		{"two values", strings.TrimSpace(head) + "{}\n",
			"F:1: no header of a score file: invalid character '{' after top-level value"},
		{"bad hash", strings.Replace(head, hashA, strings.ToUpper(hashA), 1),
			`F:1: split_sha256 is "A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1"…, expected 64 lower-case hexadecimal digits`},
		{"bad rows", strings.Replace(head, `"rows":3`, `"rows":-3`, 1), "F:1: rows is -3, expected 0 to 2147483647"},
		{"bad type", strings.Replace(head, `"rows":3`, `"rows":"3"`, 1),
			"F:1: no header of a score file: field rows holds a string, expected int"},
		{"bad mode", strings.Replace(head, `"max"`, `"mean"`, 1), `F:1: window_mode is "mean", expected "max" or "truncate"`},
		{"long text column", strings.Replace(head, `"rows":3`, `"rows":3,"text_column":"`+strings.Repeat("x", 1001)+`"`, 1),
			`F:1: text_column is "` + strings.Repeat("x", 40) + `"…, expected UTF-8 of at most 1000 bytes`},
		{"bad train hash", strings.Replace(head, `"cpu":`, `"train_sha256":"x","cpu":`, 1),
			`F:1: train_sha256 is "x", expected 64 lower-case hexadecimal digits`},
		{"mark of a part", strings.Replace(head, `"seed":42`, `"seed":42,"fresh":true`, 1),
			`F:1: header: unknown field "fresh"`},
		{"control characters", strings.Replace(head, `"tokenizer.json"`, `"a\u001b[2J\u009d"`, 1),
			`F:1: the path of model file 2 is "a\x1b[2J\u009d", expected paths in ascending order`},
		{"bad stride", strings.Replace(head, `"stride":64`, `"stride":-64`, 1), `F:1: stride is -64, expected 0 or more`},
		{"files out of order", strings.Replace(head, `"tokenizer.json"`, `"a"`, 1),
			`F:1: the path of model file 2 is "a", expected paths in ascending order`},
		{"bad file hash", strings.Replace(head, hashB+`"}]`, `x"}]`, 1),
			`F:1: the sha256 of model file "tokenizer.json" is "x", expected 64 lower-case hexadecimal digits`},
		{"bad shard", strings.Replace(shard, "2/2", "3/2", 1),
			`F:1: no header of a score file: shard is "3/2", expected one like 1/3 to 3/3`},
		{"row of another shard", shard + l0, "F:2: row is 0, expected a row of shard 2/2"},
		{"bad line", head + l0 + "{]\n" + l2, "F:3: invalid character ']' looking for beginning of object key string"},
		{"torn last line", head + l0 + l1 + l2[:9], "F:4: ends within the line"},
		{"last newline torn", head + l0 + l1 + strings.TrimSpace(l2), "F:4: ends within the line"},
		{"blank line", head + l0 + "\n" + l1 + l2, "F:3: unexpected end of JSON input"},
		{"too few rows", head + l0 + l1, "F: holds 2 rows, expected 3"},
		{"row twice", head + l0 + l0 + l1, "F:3: row 0 comes after row 0, expected each row once and in order"},
		{"rows out of order", head + l1 + l0 + l2, "F:3: row 0 comes after row 1, expected each row once and in order"},
		{"row out of range", head + l0 + l1 + l2 + `{"row":3,"score":1}` + "\n",
			"F:5: row is 3, expected one of the 3 rows of the split, counted from 0"},
		{"negative row", head + `{"row":-1,"score":1}` + "\n",
			"F:2: row is -1, expected one of the 3 rows of the split, counted from 0"},
		{"no row", head + `{"score":1}` + "\n", "F:2: row is missing"},
		{"fractional row", head + `{"row":0.5,"score":1}` + "\n", "F:2: field row holds a number 0.5, expected int"},
		{"score and error", head + `{"row":0,"score":1,"error":"no"}` + "\n",
			"F:2: row 0 has 2 of score, error and missing_text, expected exactly one"},
		{"no state", head + `{"row":0}` + "\n", "F:2: row 0 has 0 of score, error and missing_text, expected exactly one"},
		{"empty error", head + `{"row":0,"error":""}` + "\n", "F:2: the error of row 0 is empty, expected a reason"},
		{"text not missing", head + `{"row":0,"missing_text":false}` + "\n",
			"F:2: missing_text of row 0 is false, expected true or no such field"},
		{"score above 1", head + `{"row":0,"score":1.0000000000000002}` + "\n",
			"F:2: the score of row 0 is 1.0000000000000002, expected 0 to 1"},
		{"score below 0", head + `{"row":0,"score":-1e-9}` + "\n", "F:2: the score of row 0 is -1e-09, expected 0 to 1"},
		{"NaN", head + `{"row":0,"score":NaN}` + "\n", "F:2: the score of row 0 is NaN, expected 0 to 1"},
		{"score too large for a float", head + `{"row":0,"score":1e999}` + "\n",
			"F:2: field score holds a number 1e999, expected float64"},
		{"score as text", head + `{"row":0,"score":"1"}` + "\n", "F:2: field score holds a string, expected float64"},
		{"unknown field in a line", head + `{"row":0,"score":1,"text":"x"}` + "\n", `F:2: unknown field "text"`},
		{"field of a line twice", head + `{"row":0,"row":1,"score":1}` + "\n", `F:2: field "row" stands twice`},
		{"long s", head + `{"row":0,"ſcore":1}` + "\n", `F:2: field "ſcore" is unknown, expected lower-case letters`},
		{"half of the counts", head + `{"row":0,"score":1,"windows":1}` + "\n",
			"F:2: row 0 has 1 of windows, tokens and tokens_scored, expected all or none"},
		{"counts without a score", head + `{"row":0,"error":"no","nuls":1}` + "\n",
			"F:2: row 0 has counts but no score, expected both"},
		{"more tokens scored than there are", head + `{"row":0,"score":1,"windows":1,"tokens":5,"tokens_scored":6}` + "\n",
			"F:2: row 0 has 1 windows, 5 tokens, 6 of them scored, 0 NUL bytes: expected counts that fit"},
		{"tokens without a window", head + `{"row":0,"score":1,"windows":0,"tokens":5,"tokens_scored":5}` + "\n",
			"F:2: row 0 has 5 tokens without a window, expected both or none"},
		{"tokens unseen in mode max", head + `{"row":0,"score":1,"windows":2,"tokens":600,"tokens_scored":599}` + "\n",
			"F:2: row 0 has 599 of 600 tokens scored, expected all of them in window mode max"},
		{"two windows in mode truncate", strings.Replace(head, `"max"`, `"truncate"`, 1) +
			`{"row":0,"score":1,"windows":2,"tokens":600,"tokens_scored":600}` + "\n",
			"F:2: row 0 has 2 windows, expected one in window mode truncate"},
		{"more tokens in a window than it takes", head + `{"row":0,"score":1,"windows":1,"tokens":513,"tokens_scored":513}` +
			"\n", "F:2: row 0 has a window of 513 tokens, expected at most 512 (max_length)"},
		{"row of a larger split", strings.Replace(head, `"rows":3`, `"rows":2`, 1) + l0 + l1 + l2,
			"F:4: row is 2, expected one of the 2 rows of the split, counted from 0"},
		{"a mark in a finished file", head + `{"begin":[0]}` + "\n", "F:2: row is missing"},
		{"invalid UTF-8", head + "{\"row\":0,\"error\":\"\xff\"}\n", "F:2: the line is no valid UTF-8"},
		{"long line", head + `{"row":0,"error":"` + strings.Repeat("x", maxLine) + `"}` + "\n",
			"F:2: the line is longer than 65536 bytes"},
		{"long error", head + `{"row":0,"error":"` + strings.Repeat("x", maxError+1) + `"}` + "\n",
			"F:2: the error of row 0 is no UTF-8 of at most 8192 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := place(t, filepath.Join(t.TempDir(), "test.jsonl"), c.text)
			_, err := Read(path)
			want := strings.Replace(c.want, "F", path, 1) + "; restore the file, or give --fresh to score again"
			if err == nil || err.Error() != want || fault.ExitCode(err) != 3 {
				t.Errorf("got  %v (%d)\nwant %s", err, fault.ExitCode(err), want)
			}
		})
	}
	if _, err := Read(place(t, filepath.Join(t.TempDir(), "test.jsonl"), head+l0+l1+l2)); err != nil {
		t.Errorf("the lines that these cases are made of: %v", err)
	}
}

func TestGzippedFilesAreRead(t *testing.T) {
	text := whole(t, header(40))
	path := place(t, filepath.Join(t.TempDir(), "test.jsonl.gz"), gzipped(t, text))
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.encode(&b); err != nil || b.String() != text {
		t.Errorf("%v; got\n%s\nwant\n%s", err, b.String(), text)
	}
	for name, bad := range map[string]string{
		"cut off": gzipped(t, text)[:200], "no gzip": text, "too short": gzipped(t, text[:len(text)-1]),
	} {
		if _, err := Read(place(t, path, bad)); fault.ExitCode(err) != 3 || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAFileOfOtherScoresIsNamedByTheFieldThatDiffers(t *testing.T) {
	f := &File{Path: "out/test.jsonl", Header: header(10)}
	for _, c := range []struct {
		change func(*Identity)
		want   string
	}{
		{func(i *Identity) {}, ""},
		{func(i *Identity) { i.Schema = "" }, ""},
		{func(i *Identity) { i.Edition = "v3" }, `edition is "open", expected "v3"`},
		{func(i *Identity) { i.Split = "val" }, `split is "test", expected "val"`},
		{func(i *Identity) { i.SplitSHA256 = hashB }, `the data have changed since, or another file has that name: ` +
			`split_sha256 is "a1a1a1a1a1a1"…, expected "b2b2b2b2b2b2"…`},
		{func(i *Identity) { i.Rows = 11 }, `rows is 10, expected 11`},
		{func(i *Identity) { i.TextColumn = "text" }, ""},
		{func(i *Identity) { i.TextColumn = "prompt" }, `text_column is "text", expected "prompt"`},
		{func(i *Identity) { i.Detector = "rule" }, `detector is "deberta", expected "rule"`},
		{func(i *Identity) { i.Seed = 0 }, `seed is 42, expected 0`},
		{func(i *Identity) { i.ConfigHash = hashA }, `config_hash is "b2b2b2b2b2b2"…, expected "a1a1a1a1a1a1"…`},
		{func(i *Identity) { i.Precision = "int8" }, `precision is "fp32", expected "int8"`},
		{func(i *Identity) { i.WindowMode = engine.Truncate }, `window_mode is "max", expected "truncate"`},
		{func(i *Identity) { i.MaxLength = 256 }, `max_length is 512, expected 256`},
		{func(i *Identity) { i.Stride = 32 }, `stride is 64, expected 32`},
		{func(i *Identity) { i.Files[0].SHA256 = hashB },
			`the sha256 of "model.onnx" is "a1a1a1a1a1a1"…, expected "b2b2b2b2b2b2"…`},
		{func(i *Identity) { i.Files = i.Files[:1] }, `the sha256 of "tokenizer.json" is "b2b2b2b2b2b2"…, expected none`},
		{func(i *Identity) { i.Files = append(i.Files, detect.File{Path: "x\x1b[2J\u009d", SHA256: hashA}) },
			`the sha256 of "x\x1b[2J\u009d" is none, expected "a1a1a1a1a1a1"…`},
	} {
		want := header(10).Identity
		c.change(&want)
		err := f.Check(want)
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("got %v, want none", err)
			}
		case err == nil || fault.ExitCode(err) != 3 || err.Error() != "out/test.jsonl: holds other scores: "+c.want+
			"; give --fresh to score again, or another --out":
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	// A field that is added to Identity must be compared as well.
	if n := reflect.TypeFor[Identity]().NumField(); n != 14 {
		t.Errorf("Identity has %d fields, this test and differ know 14", n)
	}
}

func TestShardsDealOutEveryRowOnce(t *testing.T) {
	for rows := range 20 {
		for count := 1; count <= 6; count++ {
			seen := make([]int, rows)
			for i := 1; i <= count; i++ {
				s, n := Shard{i, count}, 0
				for row := range rows {
					if s.Has(row) {
						seen[row]++
						n++
					}
				}
				if n != s.Len(rows) {
					t.Errorf("shard %s of %d rows: Len is %d, want %d", s, rows, s.Len(rows), n)
				}
			}
			if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
				t.Errorf("%d rows in %d shards: %v", rows, count, seen)
			}
		}
	}
	if whole := (Shard{}); !whole.Has(5) || whole.Len(9) != 9 || whole.String() != "" {
		t.Error("the zero Shard is the whole split")
	}
	for _, bad := range []string{"", "1", "/", "0/3", "4/3", "1/0", "+1/3", "01/3", "1/3 ", "-1/3", "1/3/3"} {
		var s Shard
		if err := s.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was read as shard %s", bad, s)
		}
	}
}

func TestPathsStayInTheirFolderAndApart(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"test", "..", ".", "", "a/b", `a\b`, "a%2Fb", "%2F", "/", ".hidden", "Ünïcode", "a b", "x\x00y", "COM1", "\xff",
		strings.Repeat("long", 100), strings.Repeat("long", 101), strings.Repeat("ü", 100), "test.2-of-3",
	} {
		h := header(1)
		h.Edition, h.Detector, h.Split = name, name, name
		path := Path("out", h)
		if n := strings.Count(path, "/"); n != 5 || filepath.Clean(path) != path {
			t.Errorf("%q lies at %s", name, path)
		}
		for _, part := range strings.Split(path, "/") {
			if len(part) > 200 || strings.HasPrefix(part, ".") {
				t.Errorf("%q makes a file name %q", name, part)
			}
		}
		if other, ok := seen[path]; ok {
			t.Errorf("%q and %q both lie at %s", name, other, path)
		}
		seen[path] = name
	}
	h := header(1)
	h.Info.Shard = Shard{2, 3}
	if got, want := Path("out", h), filepath.FromSlash("out/open/deberta/seed-42/max/test.2-of-3.jsonl"); got != want {
		t.Errorf("a shard lies at %s, want %s", got, want)
	}
}

func TestFindLooksInOrderAndTakesThePlainFileFirst(t *testing.T) {
	out, results := t.TempDir(), t.TempDir()
	find := func() (string, error) {
		return Find([]string{out, results}, "open", "deberta", 42, engine.Max, "test")
	}
	_, err := find()
	want := fmt.Sprintf(`no scores of deberta (seed 42, windows max) for split "test" of edition "open" in %s, %s: `+
		`file does not exist; run pidsbench score --detector deberta`, out, results)
	if !errors.Is(err, fs.ErrNotExist) || fault.ExitCode(err) != 4 || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	h := header(1)
	for _, path := range []string{
		Path(results, h) + ".gz", Path(results, h), Path(out, h) + ".gz", Path(out, h), // each goes before the last
	} {
		place(t, path, "")
		if got, err := find(); got != path || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, path)
		}
	}
}

func FuzzScores(f *testing.F) {
	text := whole(f, header(12))
	f.Add([]byte(text))
	f.Add([]byte(strings.Replace(text, `"cpu"`, `"shard":"1/1","cpu"`, 1)))
	f.Add([]byte(text[:len(text)-3]))
	f.Add([]byte(strings.SplitAfter(text, "\n")[0] + `{"begin":[1,2]}` + "\n" + `{"end":[2]}` + "\n" +
		`{"setup":{"tool":"x","cpu":"y"}}` + "\n" + `{"row":1,"score":0.25}` + "\n" + `{"row":2,`))
	f.Fuzz(func(t *testing.T, data []byte) {
		// What is accepted reads back the same from its canonical form.
		if file, err := read("f", bytes.NewReader(data)); err == nil {
			var b bytes.Buffer
			if err := file.encode(&b); err != nil {
				t.Fatal(err)
			}
			again, err := read("f", bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatalf("%v\n%s", err, b.String())
			}
			if len(file.Header.Files) == 0 {
				file.Header.Files, again.Header.Files = nil, nil
			}
			if len(file.Header.Info.Also) == 0 {
				file.Header.Info.Also, again.Header.Info.Also = nil, nil
			}
			if !reflect.DeepEqual(file, again) {
				t.Fatalf("got %+v\nwant %+v", again, file)
			}
		} else if fault.ExitCode(err) != 3 {
			t.Fatalf("not an integrity error: %v", err)
		}
		// A part never claims more than it holds, and every line of it is sound.
		if p, err := readPart("f", bytes.NewReader(data)); err == nil {
			if p.whole > int64(len(data)) {
				t.Fatalf("%d of %d bytes are sound", p.whole, len(data))
			}
			for row, l := range p.lines {
				if err := l.check(&p.header); err != nil || row != l.Row {
					t.Fatal(row, l, err)
				}
			}
		} else if fault.ExitCode(err) != 3 {
			t.Fatalf("not an integrity error: %v", err)
		}
	})
}
