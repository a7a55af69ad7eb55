package restrict

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/textnorm"
)

func parse(t testing.TB, text string) *File {
	t.Helper()
	f, err := Parse("f.csv", []byte(text), LMSYS)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func encode(t testing.TB, f *File) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func csv(t testing.TB, header []string, records [][]string) string {
	t.Helper()
	var b bytes.Buffer
	if err := dataset.WriteCSV(&b, header, records); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPolicyGoesByThePrefixInAnyCase(t *testing.T) {
	for source, want := range map[string]bool{"lmsys": true, "lmsys_ai_adjacent": true, "LMSYS": true, " lmsys": true,
		"oasst1": false, "": false, "not_lmsys": false} {
		if got := LMSYS.Restricted(source); got != want {
			t.Errorf("source %q is restricted: %v, want %v", source, got, want)
		}
	}
}

func TestFingerprintIsTheHashOfTheLevelledText(t *testing.T) {
	const nan = "9b2d5b4678781e53038e91ea5324530a03f27dc1d0e5f6c9bc9d493a23be9de0" // sha256sum of "nan"
	for _, text := range []string{"nan", " nan\n", "\x01nan\u2003"} {
		if got := Hash(text); got != nan {
			t.Errorf("Hash(%q) = %s", text, got)
		}
	}
	if Hash("NaN") == nan {
		t.Error("case does not count")
	}
}

// sample makes rows whose texts hold what CSV and layout make difficult. Level texts have their white space collapsed.
func sample(r *rand.Rand, rows int, level bool) (header []string, records [][]string) {
	words := []string{"a", "\"b\"", "c,", "né", "日", "x\u00a0y", "NA", "nan", "=1"}
	gaps := []string{" ", "  ", "\n", "\r\n", "\t", "\r"}
	for i := range rows {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(words[r.IntN(len(words))] + gaps[r.IntN(len(gaps))])
		}
		text := fmt.Sprintf("%s%d", b.String(), i)
		if level {
			text = textnorm.Fingerprint(text)
		}
		if i > 0 && r.IntN(8) == 0 { // some texts stand twice
			text = records[r.IntN(i)][1]
		}
		source := []string{"lmsys", "lmsys_ai_adjacent", "dolly", "curated"}[r.IntN(4)]
		records = append(records, []string{fmt.Sprint(i), text, "0", source})
	}
	if !level { // a text that stays shows how the file is laid out
		records = append(records, []string{"last", "two\nlines", "0", "dolly"})
	}
	return []string{"id", "text", "label", "source"}, records
}

func TestStripAndRebuildGiveBackTheBytes(t *testing.T) {
	dir := t.TempDir()
	for n := range 60 {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		header, records := sample(r, 1+r.IntN(30), n%2 == 0)
		original := csv(t, header, records)
		f := parse(t, original)
		_, err := f.Fingerprint()
		ok(t, err)
		fingerprinted := encode(t, f)
		plain, err := f.Without()
		ok(t, err)
		if string(plain) != original {
			t.Fatal("without the fingerprints it is not the original")
		}
		_, _, err = f.Strip()
		ok(t, err)
		public := encode(t, f)
		state, err := parse(t, public).Verify()
		ok(t, err)
		if state.Withheld != state.Restricted {
			t.Fatalf("stripped: %+v", state)
		}

		// The user's copy holds the texts in another order, among others, in two files of two formats.
		var texts [][]string
		for _, rec := range records {
			texts = append(texts, []string{rec[1]}, []string{"other " + rec[0]})
		}
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		half := len(texts) / 2
		ok(t, os.WriteFile(filepath.Join(dir, "a.csv"), []byte(csv(t, []string{"text"}, texts[:half])), 0o666))
		writeParquetTexts(t, filepath.Join(dir, "b.parquet"), texts[half:])

		g := parse(t, public)
		b, err := g.Rebuild()
		ok(t, err)
		_, err = b.Search(t.Context(), []string{dir})
		ok(t, err)
		if _, blank := b.Fill(); len(blank) > 0 {
			t.Fatalf("rows %v stay blank", blank)
		}
		if got := encode(t, g); got != fingerprinted {
			t.Fatalf("case %d: rebuilt %d bytes are not the %d fingerprinted ones", n, len(got), len(fingerprinted))
		}
		if _, err := g.Fingerprint(); err != nil || encode(t, g) != fingerprinted {
			t.Errorf("a fingerprint of the rebuilt file changes it: %v", err)
		}
	}
}

type plainRow struct {
	Text string `parquet:"text"`
}

func writeParquetTexts(t testing.TB, path string, texts [][]string) {
	t.Helper()
	rows := make([]plainRow, len(texts))
	for i, r := range texts {
		rows[i].Text = r[0]
	}
	ok(t, parquet.WriteFile(path, rows))
}

func TestStripTellsWhichTextsARebuildLaysOutAnew(t *testing.T) {
	f := parse(t, "text,source,text_sha256\n\"a\nb\",lmsys,"+Hash("a b")+"\nc,dolly,\n")
	if _, uneven, err := f.Strip(); err != nil || uneven != 1 {
		t.Errorf("%d texts, %v", uneven, err)
	}
	g := parse(t, "text,source,text_sha256\n\"a\nb\",lmsys,"+Hash("a b")+"\n\"c\nd\",dolly,\n")
	if _, uneven, err := g.Strip(); err != nil || uneven != 0 {
		t.Errorf("%d texts, %v", uneven, err)
	}
}

func TestTheOutcomeDoesNotDependOnTheOrderOfOffers(t *testing.T) {
	offers := []string{"a  b", "a b", "a\nb", "c"}
	public := "text,source,text_sha256\n,lmsys," + Hash("a b") + "\n\"x\ny\",dolly,\n"
	var first string
	for n := range 24 {
		r := rand.New(rand.NewPCG(2, uint64(n)))
		r.Shuffle(len(offers), func(i, j int) { offers[i], offers[j] = offers[j], offers[i] })
		f := parse(t, public)
		b, err := f.Rebuild()
		ok(t, err)
		for _, o := range offers {
			b.Offer(o)
		}
		b.Fill()
		if got := encode(t, f); first == "" {
			first = got
		} else if got != first {
			t.Fatalf("%q and %q", first, got)
		}
	}
}

type message struct {
	Content string `parquet:"content"`
	Role    string `parquet:"role"`
}

type chat struct {
	ID           string    `parquet:"conversation_id"`
	Conversation []message `parquet:"conversation,list"`
	Language     string    `parquet:"language"`
}

func TestParquetShardsGiveTheFirstUserMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "train-00000-of-00006.parquet")
	var rows []chat
	var want []string
	for i := range 1000 { // more than a buffer of values
		c := chat{ID: fmt.Sprint(i), Language: "English"}
		switch i % 4 {
		case 0:
		case 1:
			c.Conversation = []message{{"hello", "assistant"}}
		default:
			first := fmt.Sprintf("question %d", i)
			want = append(want, first)
			c.Conversation = []message{{"hello", "system"}, {first, "user"}, {"answer", "assistant"}, {"more", "user"}}
		}
		rows = append(rows, c)
	}
	ok(t, parquet.WriteFile(path, rows, parquet.MaxRowsPerRowGroup(300)))
	var got []string
	ok(t, readTexts(path, func(text string) error { got = append(got, text); return nil }))
	if !slices.Equal(got, want) {
		t.Errorf("%d texts, want %d; first %.40q", len(got), len(want), got[0])
	}
}

func TestCSVOfManyChunksIsReadWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.csv")
	var records [][]string
	for i := range 3000 {
		records = append(records, []string{fmt.Sprint(i), strings.Repeat("a \"quoted\",\r\nline\n", 60) + fmt.Sprint(i)})
	}
	text := csv(t, []string{"id", "text"}, records)
	if len(text) < 2*chunk {
		t.Fatal("the file is too small to show it")
	}
	for _, data := range []string{text, strings.TrimSuffix(text, "\n")} {
		ok(t, os.WriteFile(path, []byte(data), 0o666))
		n := 0
		ok(t, readTexts(path, func(text string) error {
			if text != records[n][1] {
				return fmt.Errorf("record %d differs", n)
			}
			n++
			return nil
		}))
		if n != len(records) {
			t.Errorf("%d records, want %d", n, len(records))
		}
	}
}

func TestSourcesThatCannotBeReadAreNamed(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ data, want string }{
		"broken.parquet": {"PAR1 and nothing", "broken.parquet cannot be read as .parquet"},
		"bomb.parquet":   {"PAR1\x29\xfc\xff\xff\xff\x7f\x00\x07\x00\x00\x00PAR1", "claims a list of 268435455 items"},
		"short.parquet":  {"PAR1", "shorter than any"},
		"open.csv":       {"text\n\"never closed\n", "opens a quote that is never closed"},
		"ragged.csv":     {"text,b\na,b\nc\n", "the row has 1 field, expected 2"},
		"head.csv":       {"\"text\nx", "opens a quote that is never closed"},
		"empty.csv":      {"", "is empty"},
		"empty.jsonl":    {" \n", "it is empty"},
		"cut.json":       {`[{"text":"a"}`, "unexpected EOF"},
		"type.jsonl":     {`{"text":7}`, "object 1"},
		"other.jsonl":    {`{"prompt":"a"}`, `there is no column "text"`},
		"chat.csv":       {"conversation\nnot json\n", `column "conversation"`},
	} {
		path := filepath.Join(dir, name)
		ok(t, os.WriteFile(path, []byte(tt.data), 0o666))
		err := readTexts(path, func(string) error { return nil })
		if fault.ExitCode(err) != int(fault.Integrity) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

func TestSearchStopsWhenNothingIsLeftToFind(t *testing.T) {
	dir := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte("{\"text\":\"a\"}\n{\"text\":\"b\"}\n"), 0o666))
	ok(t, os.WriteFile(filepath.Join(dir, "b.jsonl"), []byte("never read"), 0o666))
	f := parse(t, "text,source,text_sha256\n,lmsys,"+Hash("a")+"\nx,dolly,\n")
	b, err := f.Rebuild()
	ok(t, err)
	if n, err := b.Search(t.Context(), []string{dir}); n != 1 || err != nil {
		t.Errorf("%d texts, %v", n, err)
	}
}

// FuzzRestrict checks on any file that the steps lose nothing: what verify accepts can be fingerprinted, stripped and
// rebuilt from its own texts, and each step is idempotent.
func FuzzRestrict(f *testing.F) {
	f.Add([]byte("text,source\na,lmsys\n\"b\nc\",dolly\n"))
	f.Add([]byte("text,source,text_sha256\n,lmsys," + Hash("a") + "\n"))
	f.Add([]byte("source,text\nlmsys,\" \"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("f.csv", data, LMSYS)
		if err != nil {
			return
		}
		if _, err := file.Verify(); err != nil {
			return
		}
		texts := make([]string, len(file.Records))
		for i, r := range file.Records {
			texts[i] = r[file.text]
		}
		_, err = file.Fingerprint()
		ok(t, err)
		if n, err := file.Fingerprint(); n != 0 || err != nil {
			t.Fatalf("fingerprinted twice: %d, %v", n, err)
		}
		_, _, err = file.Strip()
		ok(t, err)
		if n, _, err := file.Strip(); n != 0 || err != nil {
			t.Fatalf("stripped twice: %d, %v", n, err)
		}
		b, err := file.Rebuild()
		ok(t, err)
		for _, text := range texts {
			b.Offer(text)
		}
		_, blank := b.Fill()
		for _, row := range blank {
			if !IsBlank(texts[row]) {
				t.Fatalf("row %d stays blank", row)
			}
		}
		for i, r := range file.Records {
			if textnorm.Fingerprint(r[file.text]) != textnorm.Fingerprint(texts[i]) {
				t.Fatalf("row %d has %q, had %q", i, r[file.text], texts[i])
			}
		}
		_, err = file.Verify()
		ok(t, err)
	})
}

// A download cache lays links to files; a folder may itself be met through a link.
func TestLinksToTheUsersOwnFilesAreFollowed(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"blobs", "snapshot"} {
		ok(t, os.Mkdir(filepath.Join(dir, d), 0o777))
	}
	ok(t, os.WriteFile(filepath.Join(dir, "blobs", "abc"), []byte(`{"text":"a"}`), 0o666))
	ok(t, os.Symlink(filepath.Join("..", "blobs", "abc"), filepath.Join(dir, "snapshot", "x.jsonl")))
	ok(t, os.Symlink("..", filepath.Join(dir, "snapshot", "up.jsonl"))) // a folder: never walked into
	ok(t, os.Symlink("snapshot", filepath.Join(dir, "current")))
	for _, name := range []string{"snapshot", "current"} {
		if files, err := expand(filepath.Join(dir, name)); err != nil || len(files) != 1 {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
	ok(t, os.Remove(filepath.Join(dir, "blobs", "abc")))
	if _, err := expand(filepath.Join(dir, "current")); err == nil {
		t.Error("a link to nothing is passed over")
	}
}
