//go:build cgo && !nonative && (linux || darwin)

package nanoguard_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/detect/onnx"
	"pidsbench/internal/nanoguard"
	"pidsbench/internal/testenv"
)

// full asks for tests that take minutes.
func full() bool { return os.Getenv("PIDSBENCH_FULL") != "" }

// openReal converts the package's own files in a new folder and opens what comes of it.
func openReal(t testing.TB) *onnx.Detector {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"model.pt", "tokenizer.pkl"} {
		from, to := testenv.Built(t, "models/.pulled/metatronnanoguard/"+name), filepath.Join(dir, name)
		if os.Link(from, to) == nil {
			continue
		}
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if names, err := nanoguard.Convert(dir); err != nil ||
		!slices.Equal(names, []string{"config.json", "model.onnx", "tokenizer.json"}) {
		t.Fatalf("Convert = %v, %v", names, err)
	}
	d, err := onnx.Open(dir, detect.Entry{ID: "metatronnanoguard", Kind: "onnx", Pad: "to:512", Precision: "fp32"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestTheModelsIdentityCoversAllItsFiles(t *testing.T) {
	d := openReal(t)
	var names []string
	for _, f := range d.Info().Files {
		names = append(names, f.Path)
	}
	if want := []string{"config.json", "model.onnx", "model.pt", "tokenizer.json"}; !slices.Equal(names, want) {
		t.Errorf("files %v, expected %v", names, want)
	}
	if s := d.Shape(); s.MaxLength != 512 || s.Special != 1 {
		t.Errorf("windows of %d tokens, %d of them special, expected 512 and 1", s.MaxLength, s.Special)
	}
}

// TestScoresAreThoseOfThePackage scores a few of the rows with expected scores, all of them with PIDSBENCH_FULL set.
func TestScoresAreThoseOfThePackage(t *testing.T) {
	f, err := os.Open(testenv.Shared(t, "oracles/metatronnanoguard-0.1.0.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if rows = rows[1:]; len(rows) != 542 {
		t.Fatalf("%d rows, expected 542", len(rows))
	}
	if !full() {
		rows = slices.DeleteFunc(rows, func(r []string) bool { n, _ := strconv.Atoi(r[1]); return n%40 != 4 })
	}
	texts, d := oracleTexts(t), openReal(t)
	var lock sync.Mutex
	var worst float64
	var wait sync.WaitGroup
	began := time.Now()
	for worker := range 2 {
		wait.Go(func() {
			for i := worker; i < len(rows); i += 2 {
				diff := compareRow(t, d, rows[i], texts)
				lock.Lock()
				worst = max(worst, diff)
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	t.Logf("%d rows, largest difference %.2g, %.0f tokens/s with padding", len(rows), worst,
		float64(512*len(rows))/time.Since(began).Seconds())
}

// compareRow scores the first window of a row (file, row, score, verdict) and returns the difference.
func compareRow(t *testing.T, d *onnx.Detector, row []string, texts map[string][]string) float64 {
	n, err := strconv.Atoi(row[1])
	if err != nil || n >= len(texts[row[0]]) {
		t.Errorf("row %v is not in its file", row)
		return 0
	}
	want, err := strconv.ParseFloat(row[2], 64)
	if err != nil {
		t.Error(err)
		return 0
	}
	ids, err := d.Tokenize(texts[row[0]][n])
	if err != nil {
		t.Errorf("row %v: %v", row, err)
		return 0
	}
	scores, err := d.ScoreWindows(context.Background(), [][]uint32{ids[:min(len(ids), 511)]})
	if err != nil || len(scores) != 1 {
		t.Errorf("row %v: scores %v, %v", row, scores, err)
		return 0
	}
	diff := math.Abs(scores[0] - want)
	if !(diff <= 1e-5) || (scores[0] >= 0.5) != (row[3] == "1") {
		t.Errorf("row %v: score %v", row, scores[0])
	}
	return diff
}

// oracleTexts returns the texts behind the oracle's file names.
func oracleTexts(t *testing.T) map[string][]string {
	texts := map[string][]string{}
	for name, path := range map[string]string{"final_dataset_test": "final_dataset", "processed_test": "processed"} {
		split, err := dataset.ReadFile(
			testenv.Shared(t, "realdata/Prompt-Injection-Detection-System/"+path+"/test.csv"), dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range split.Rows {
			texts[name] = append(texts[name], r.Text)
		}
	}
	for _, name := range []string{"one", "two"} {
		data, err := os.ReadFile(testenv.Shared(t, "realdata/PIGuard/NotInject_"+name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var list []struct{ Prompt string }
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			texts["notinject_"+name] = append(texts["notinject_"+name], x.Prompt)
		}
	}
	return texts
}

// golden is the file that testdata/tokens.py writes.
type golden struct {
	Texts []struct {
		Text string   `json:"text"`
		IDs  []uint32 `json:"ids"`
	} `json:"texts"`
	Repeats []struct {
		Part   string `json:"part"`
		Times  int    `json:"times"`
		Tokens int    `json:"tokens"`
		SHA256 string `json:"sha256"`
	} `json:"repeats"`
	Alphabet string   `json:"alphabet"`
	Draws    int      `json:"draws"`
	Drawn    string   `json:"drawn_sha256"`
	BlocksOf int      `json:"blocks_of"`
	Blocks   []string `json:"blocks_sha256"`
}

// TestTokensAreThoseOfThePackage looks at an eighth of all characters, at each one with PIDSBENCH_FULL set.
func TestTokensAreThoseOfThePackage(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	d := openReal(t)
	tokens := func(text string) []uint32 {
		ids, err := d.Tokenize(text)
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
		return ids
	}
	for _, x := range g.Texts {
		if got := tokens(x.Text); !slices.Equal(got, x.IDs) {
			t.Errorf("%q gives %v, expected %v", x.Text, got, x.IDs)
		}
	}
	for _, r := range g.Repeats {
		got := tokens(strings.Repeat(r.Part, r.Times))
		if len(got) != r.Tokens || digest(got) != r.SHA256 {
			t.Errorf("%d times %q gives %d tokens, expected %d, or others", r.Times, r.Part, len(got), r.Tokens)
		}
	}
	var drawn []uint32
	for _, text := range draw([]rune(g.Alphabet), g.Draws) {
		drawn = append(drawn, tokens(text)...)
	}
	if digest(drawn) != g.Drawn {
		t.Errorf("%d texts of drawn characters give other tokens than expected", g.Draws)
	}
	for i, want := range g.Blocks {
		if i%8 != 0 && !full() {
			continue
		}
		if got := digest(blockTokens(tokens, i*g.BlocksOf, g.BlocksOf)); got != want {
			t.Errorf("the characters from U+%04X on give other tokens than expected", i*g.BlocksOf)
		}
	}
}

// blockTokens returns the tokens of texts that show each character of a block beside letters, digits, blanks, marks and
// itself, without NUL, which is removed from every text before, and surrogates, which no text holds.
func blockTokens(tokens func(string) []uint32, start, n int) []uint32 {
	var all []uint32
	var text strings.Builder
	for code := start; code < start+n; code++ {
		if c := string(rune(code)); code > 0 && (code < 0xd800 || code >= 0xe000) {
			fmt.Fprintf(&text, "a%[1]sb%[1]s %[1]s1%[1]s%[1]s\n'%[1]sx\n%[1]s .%[1]s\n", c)
		}
		if code&0xff == 0xff { // a line begins a new piece, so many go in one call
			all = append(all, tokens(text.String())...)
			text.Reset()
		}
	}
	return all
}

// draw returns n texts of 1 to 60 characters of an alphabet, drawn by a small generator.
func draw(alphabet []rune, n int) []string {
	state := uint32(1)
	number := func(below int) int {
		state = (state*1103515245 + 12345) & (1<<31 - 1)
		return int(state>>16) % below
	}
	texts := make([]string, n)
	for i := range texts {
		text := make([]rune, 1+number(60))
		for k := range text {
			text[k] = alphabet[number(len(alphabet))]
		}
		texts[i] = string(text)
	}
	return texts
}

func digest(ids []uint32) string {
	var raw []byte
	for _, id := range ids {
		raw = binary.LittleEndian.AppendUint32(raw, id)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
