package annotate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// split reads rows of text, label and kind as a split.
func split(t testing.TB, name string, records [][]string) *dataset.Split {
	t.Helper()
	var b bytes.Buffer
	if err := dataset.WriteCSV(&b, []string{"text", "label", "kind", "source"}, records); err != nil {
		t.Fatal(err)
	}
	s, err := dataset.ReadBytes(name+".csv", b.Bytes(), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// many returns rows of several kinds: 50 a, 30 b, 19 c, 1 d.
func many() (records [][]string) {
	for i := range 100 {
		kind := "a"
		switch {
		case i >= 99:
			kind = "d"
		case i >= 80:
			kind = "c"
		case i >= 50:
			kind = "b"
		}
		records = append(records, []string{"text " + strconv.Itoa(i), strconv.Itoa(i % 2), kind, "mail"})
	}
	return records
}

func sample(t testing.TB, s *dataset.Split, column string, n int, seed int64) ([]Item, []Stratum) {
	t.Helper()
	items, strata, err := Sample([]*dataset.Split{s}, column, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	return items, strata
}

func TestTheSampleFollowsTheStrataByLargestRemainders(t *testing.T) {
	s := split(t, "x", many())
	for n, want := range map[int][]int{
		10: {5, 3, 2, 0},    // shares 5, 3, 1.9, .1
		7:  {4, 2, 1, 0},    // 3.5, 2.1, 1.33, .07
		1:  {1, 0, 0, 0},    // .5, .3, .19, .01
		50: {25, 15, 10, 0}, // 25, 15, 9.5, .5: the tie goes to c, the first by name
		99: {50, 30, 19, 0}, // 49.5, 29.7, 18.81, .99: d has the greatest remainder, then c, b
	} {
		if n == 99 {
			want = []int{49, 30, 19, 1}
		}
		items, strata := sample(t, s, "kind", n, 42)
		var got []int
		for _, c := range strata {
			got = append(got, c.Drawn)
		}
		if !slices.Equal(got, want) || len(items) != n {
			t.Errorf("n %d: %v and %d items, want %v", n, got, len(items), want)
		}
		for _, it := range items {
			sum := sha256.Sum256([]byte(it.Text))
			r := s.Rows[it.Row]
			if r.Text != it.Text || r.Label != it.Label || it.SHA256 != hex.EncodeToString(sum[:]) || it.Source != "mail" ||
				it.Stratum != many()[it.Row][2] || it.Split != "x" || len(it.ID) != 12 {
				t.Errorf("item %+v", it)
			}
		}
	}
	if _, strata := sample(t, s, "label", 10, 1); len(strata) != 2 || strata[0].Drawn != 5 {
		t.Errorf("by label: %v", strata)
	}
}

func TestARowsLuckDependsOnNoOtherRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	all := many()
	first, _ := sample(t, split(t, "x", all), "", 30, 42)
	texts := func(items []Item) (out []string) {
		for _, it := range items {
			out = append(out, it.ID+" "+it.Text)
		}
		return out
	}
	shuffled := slices.Clone(all)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	second, _ := sample(t, split(t, "x", shuffled), "", 30, 42)
	if !slices.Equal(texts(first), texts(second)) {
		t.Error("the order of the rows changes the sample")
	}
	// Without a row that was not drawn, the others are the same.
	drawn := map[int]bool{}
	for _, it := range first {
		drawn[it.Row] = true
	}
	fewer := slices.Clone(all)
	for i := len(fewer) - 1; i >= 0; i-- {
		if !drawn[i] {
			fewer = slices.Delete(fewer, i, i+1)
			break
		}
	}
	third, _ := sample(t, split(t, "x", fewer), "", 30, 42)
	if !slices.Equal(texts(first), texts(third)) {
		t.Error("a row that was not drawn changes the sample")
	}
	other, _ := sample(t, split(t, "x", all), "", 30, 43)
	if slices.Equal(texts(first), texts(other)) {
		t.Error("another seed draws the same")
	}
}

func TestWhatCannotBeDrawnIsAUsageError(t *testing.T) {
	s := split(t, "x", many())
	for _, tt := range []struct {
		column string
		n      int
	}{{"", 0}, {"", 101}, {"colour", 5}} {
		if _, _, err := Sample([]*dataset.Split{s}, tt.column, tt.n, 1); fault.ExitCode(err) != 2 {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	for _, bad := range [][]string{nil, {""}, {"text"}, {"a", "a"}, {"Is it?"}} {
		if err := CheckQuestions(bad); fault.ExitCode(err) != 2 {
			t.Errorf("questions %q: %v", bad, err)
		}
	}
}

// TestWithheldRowsAreNotDrawn: a row without a text cannot be judged.
func TestWithheldRowsAreNotDrawn(t *testing.T) {
	s, err := dataset.ReadBytes("x.csv", []byte("text,label,text_sha256\n,0,"+strings.Repeat("0", 64)+"\na,0,\n"),
		dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	if items, _ := sample(t, s, "", 1, 1); items[0].Row != 1 {
		t.Errorf("drew %+v", items)
	}
	if _, _, err := Sample([]*dataset.Split{s}, "", 2, 1); err == nil {
		t.Error("drew a withheld row")
	}
}

var hostile = []string{"=1+2", "+cmd|' /C calc'!A0", "-5", "@SUM(A1)", "a,b", "say \"hi\"", "two\nlines",
	"two\r\nlines", "\ttab", " x ",
	"NA", "\x00", "é😀\u202e"}

func TestSheetsAreBlindAndGiveTheTextsBackExactly(t *testing.T) {
	var records [][]string
	for i, text := range hostile {
		records = append(records, []string{text, strconv.Itoa(i % 2), "a", "secret_source"})
	}
	items, _ := sample(t, split(t, "hard_benign_test", records), "", len(records), 42)
	orders := Orders(items, 3, 42)
	var first []string
	for i, order := range orders {
		var b bytes.Buffer
		if err := WriteSheet(&b, order, []string{"is_benign"}); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"secret_source", "hard_benign_test", "injection", "label"} {
			if bytes.Contains(b.Bytes(), []byte(word)) {
				t.Errorf("the sheet holds %q", word)
			}
		}
		header, rows, err := dataset.ReadCSV("sheet.csv", b.Bytes())
		if err != nil || !slices.Equal(header, []string{"item_id", "text", "is_benign", "notes"}) {
			t.Fatalf("%q, %v", header, err)
		}
		var ids, texts []string
		for _, r := range rows {
			if r[1] != "" && strings.ContainsRune("=+-@\t\r\n", rune(r[1][0])) {
				t.Errorf("%q is a formula", r[1])
			}
			ids, texts = append(ids, r[0]), append(texts, ofCell(r[1]))
			if r[2] != "" || r[3] != "" {
				t.Errorf("row %q is filled", r)
			}
		}
		slices.Sort(texts)
		if !slices.Equal(texts, slices.Sorted(slices.Values(hostile))) {
			t.Errorf("texts %q", texts)
		}
		if i > 0 && slices.Equal(ids, first) {
			t.Error("two annotators get one order")
		}
		first = ids
	}
}

func TestTwoItemsComeInBothOrders(t *testing.T) {
	for seed := range int64(20) {
		items, _ := sample(t, split(t, "x", many()), "", 2, seed)
		if o := Orders(items, 2, seed); slices.Equal(o[0], o[1]) {
			t.Errorf("seed %d: one order for both", seed)
		}
	}
}

// pack writes a key and filled sheets. Answers are by annotator and item.
func pack(t testing.TB, labels string, answers ...[]string) (key map[string]KeyItem, sheets []*Filled) {
	t.Helper()
	var records [][]string
	for i, l := range strings.Split(labels, "") {
		records = append(records, []string{"text " + strconv.Itoa(i), l, "a", ""})
	}
	items, _ := sample(t, split(t, "x", records), "", len(records), 42)
	var b bytes.Buffer
	if err := WriteKey(&b, items); err != nil {
		t.Fatal(err)
	}
	key, err := ReadKey("key.csv", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for a, order := range Orders(items, len(answers), 42) {
		b.Reset()
		if err := WriteSheet(&b, order, []string{"is_benign"}); err != nil {
			t.Fatal(err)
		}
		header, rows, err := dataset.ReadCSV("s.csv", b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			rows[i][2] = answers[a][order[i].Row]
		}
		b.Reset()
		if err := dataset.WriteCSV(&b, header, rows); err != nil {
			t.Fatal(err)
		}
		f, err := ReadSheet(fmt.Sprintf("s%d.csv", a+1), b.Bytes(), key)
		if err != nil {
			t.Fatal(err)
		}
		sheets = append(sheets, f)
	}
	return key, sheets
}

func TestSheetsAreComparedPairByPairAndWithTheLabel(t *testing.T) {
	// items:                          0      1      2     3      4
	key, sheets := pack(t, "00011", []string{"yes", "YES", "no", " 0", "skip"}, []string{"1", "no", "no", "no", "no"},
		[]string{"yes", "yes", "yes", "no", "no"})
	r, err := Score(key, sheets)
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		a, b       string
		n, skipped int
		table      string
	}
	var got []line
	for _, c := range slices.Concat(r.Agreement, r.WithLabel) {
		got = append(got, line{c.A, c.B, c.N, c.Skipped, fmt.Sprint(c.Table)})
	}
	want := []line{
		{"s1.csv", "s2.csv", 4, 1, "[[2 0] [1 1]]"},
		{"s1.csv", "s3.csv", 4, 1, "[[1 1] [0 2]]"},
		{"s2.csv", "s3.csv", 5, 0, "[[2 2] [0 1]]"},
		{"s1.csv", "label", 4, 1, "[[1 1] [0 2]]"},
		{"s2.csv", "label", 5, 0, "[[2 2] [0 1]]"},
		{"s3.csv", "label", 5, 0, "[[2 0] [0 3]]"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("comparisons\n%v\nwant\n%v", got, want)
	}
	if c := r.Agreement[1]; *c.Kappa.Value != 0.5 || c.Band != "moderate" || *c.OnYes.Value != 0.8 {
		t.Errorf("kappa %v (%s), on yes %v; want 0.5, moderate, 0.8", *c.Kappa.Value, c.Band, *c.OnYes.Value)
	}
	found := map[string]string{}
	for _, d := range r.Disagreements {
		found[d.Row] = strings.Join(d.Answers, " ")
	}
	if len(found) != 2 || found["1"] != "yes no yes" || found["2"] != "no no yes" {
		t.Errorf("disagreements %v", found)
	}
}

func TestABadSheetEndsInOneSentence(t *testing.T) {
	var records [][]string
	for i := range 3 {
		records = append(records, []string{"text " + strconv.Itoa(i), "0", "a", ""})
	}
	items, _ := sample(t, split(t, "x", records), "", 3, 42)
	var k bytes.Buffer
	if err := WriteKey(&k, items); err != nil {
		t.Fatal(err)
	}
	key, err := ReadKey("key.csv", k.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	id := []string{items[0].ID, items[1].ID, items[2].ID}
	row := func(i int, answer string) string { return id[i] + "," + items[i].Text + "," + answer + ",\n" }
	const header = "item_id,text,is_benign,notes\n"
	for _, tt := range []struct{ name, sheet, want string }{
		{"answer", header + row(0, "yes") + row(1, "maybe\x1b") + row(2, "no"),
			"s.csv row 3 (item " + id[1] + `): column is_benign holds ` +
				`"maybe\x1b", expected yes, no, 1, 0 or skip; answer every question of every item`},
		{"no answer", header + row(0, "yes") + row(1, "") + row(2, "no"),
			"s.csv row 3 (item " + id[1] + `): column is_benign holds "", ` +
				"expected yes, no, 1, 0 or skip; answer every question of every item"},
		{"missing", header + row(2, "yes"), "s.csv: item " + id[0] + " of the key is missing, and so are 1 others of 3; " +
			"put the rows back from the sheet as it was written"},
		{"unknown", header + row(0, "yes") + "zzz,a,yes,\n",
			`s.csv row 3: column item_id holds "zzz", which is no item of the key; delete ` +
				"the row, or name the key that belongs to the sheet"},
		{"twice", header + row(0, "yes") + row(0, "yes"),
			`s.csv row 3: item "` + id[0] + `" stands twice; delete one of the rows`},
		{"no " +
			"questions", "item_id,text\na,b\n",
			`s.csv: the columns are ["item_id" "text"], expected item_id, text and at least one ` +
				"question; fill in the sheet as it was written, and save it with commas"},
		{"semicolons", "item_id;text;is_benign\n",
			`s.csv: the columns are ["item_id;text;is_benign"], expected item_id, text and at least ` +
				"one question; fill in the sheet as it was written, and save it with commas"},
	} {
		_, err := ReadSheet("s.csv", []byte(tt.sheet), key)
		if err == nil || err.Error() != tt.want || fault.ExitCode(err) != 3 {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	// What a spreadsheet program does to a file is borne: another order of columns, CRLF, a byte order mark.
	sheet := "\ufeffis_benign,text,item_id\r\n"
	for i := range 3 {
		sheet += "YES," + items[i].Text + "," + id[i] + "\r\n"
	}
	f, err := ReadSheet("s.csv", []byte(sheet), key)
	if err != nil || f.Changed != 0 || f.Answers["is_benign"][id[2]] != Yes {
		t.Errorf("a sheet from a spreadsheet program: %+v, %v", f, err)
	}
	f, err = ReadSheet("s.csv", []byte(header+row(0, "yes")+row(1, "no")+id[2]+",another text,yes,\n"), key)
	if err != nil || f.Changed != 1 {
		t.Errorf("a changed text: %+v, %v", f, err)
	}
	for _, bad := range []string{"item_id,split\na,b\n", strings.Join(keyColumns, ",") + "\n",
		strings.Replace(k.String(), "benign", "maybe", 1), strings.Replace(k.String(), id[0], id[1], 1)} {
		if _, err := ReadKey("key.csv", []byte(bad)); fault.ExitCode(err) != 3 {
			t.Errorf("key %q: %v", bad, err)
		}
	}
	other := &Filled{File: "o.csv", Questions: []string{"is_injection"},
		Answers: map[string]map[string]Answer{"is_injection": {}}}
	if _, err := Score(key, []*Filled{f, other}); fault.ExitCode(err) != 3 {
		t.Errorf("sheets with other questions: %v", err)
	}
	if _, err := Score(key, []*Filled{f}); fault.ExitCode(err) != 2 {
		t.Errorf("one sheet: %v", err)
	}
}

func TestTextsComeBackFromTheirCells(t *testing.T) {
	for _, text := range append([]string{"", "'", "''", "'=1", "''=1", "'a", "a'", "\tx", "\rx", "\nx", "=", "é"},
		hostile...) {
		cell := asCell(text)
		if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) || ofCell(cell) != text {
			t.Errorf("%q stands as %q and comes back as %q", text, cell, ofCell(cell))
		}
		if plain := text == "" || !strings.ContainsRune(formula, rune(text[0])); plain && cell != text {
			t.Errorf("%q stands as %q", text, cell)
		}
	}
}

// FuzzReadSheet checks that whatever a sheet holds, reading it ends, and that one which is accepted answers every item.
func FuzzReadSheet(f *testing.F) {
	key := map[string]KeyItem{"a": {SHA256: strings.Repeat("0", 64)}, "b": {SHA256: strings.Repeat("1", 64)}}
	f.Add([]byte("item_id,text,q\na,x,yes\nb,y,0\n"))
	f.Add([]byte("item_id,text,q\na,x,yes\n\"b\",\"\r\n\",skip"))
	f.Add([]byte("\ufefftext,q,item_id,notes\r\n,1,b,\r\n=1,no,a,z\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSheet("s.csv", data, key)
		if err != nil {
			return
		}
		for _, q := range s.Questions {
			if len(s.Answers[q]) != len(key) {
				t.Errorf("question %q has %d answers for %d items", q, len(s.Answers[q]), len(key))
			}
		}
	})
}
