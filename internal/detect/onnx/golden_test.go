//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/testenv"
)

// golden is a file that tools/golden/golden.py writes.
type golden struct {
	Entry detect.Entry      `json:"entry"`
	Files map[string]string `json:"files"` // name → SHA-256
	Rows  []goldenRow       `json:"rows"`
}

type goldenRow struct {
	ID            string      `json:"id"`
	Tokens        goldenList  `json:"tokens"`
	TokensSpecial *goldenList `json:"tokens_special"` // where the spelling of special tokens makes a difference
	Logits        []float32   `json:"logits"`
}

type goldenList struct {
	N      int      `json:"n"`
	IDs    []uint32 `json:"ids"`
	SHA256 string   `json:"sha256"` // of the ids as little-endian uint32
}

func (g goldenList) check(t *testing.T, ids []uint32) {
	t.Helper()
	if len(ids) != g.N {
		t.Fatalf("%d tokens, expected %d", len(ids), g.N)
	}
	if g.SHA256 == "" {
		if !slices.Equal(ids, g.IDs) {
			t.Fatalf("tokens %v, expected %v", ids, g.IDs)
		}
		return
	}
	var raw []byte
	for _, id := range ids {
		raw = binary.LittleEndian.AppendUint32(raw, id)
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != g.SHA256 {
		t.Fatalf("the %d tokens differ from the golden ones", len(ids))
	}
}

// sampleText is an entry of testdata/texts.json: a text as it stands, a part repeated, or characters drawn.
type sampleText struct {
	ID     string  `json:"id"`
	Text   *string `json:"text"`
	Repeat string  `json:"repeat"`
	Draw   string  `json:"draw"`
	Seed   uint64  `json:"seed"`
	Runes  int     `json:"runes"`
}

func (s sampleText) expand() string {
	if s.Text != nil {
		return *s.Text
	}
	part := []rune(s.Repeat)
	alphabet := []rune(s.Draw)
	out := make([]rune, s.Runes)
	state := s.Seed
	for i := range out {
		if len(part) > 0 {
			out[i] = part[i%len(part)]
			continue
		}
		state = (state*1103515245 + 12345) % (1 << 31)
		out[i] = alphabet[(state>>16)%uint64(len(alphabet))]
	}
	return string(out)
}

func sampleTexts(t testing.TB) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "texts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []sampleText
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, s := range list {
		texts[s.ID] = s.expand()
	}
	return texts
}

func readGolden(t testing.TB, name string) *golden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", name+".json"))
	if err != nil {
		t.Fatalf("%v: make it with tools/golden/golden.py", err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return &g
}

// open loads a model folder of testdata.
func open(t testing.TB, name string, change ...func(*detect.Entry)) *Detector {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return openDir(t, dir, readGolden(t, name).Entry, change...)
}

func openDir(t testing.TB, dir string, e detect.Entry, change ...func(*detect.Entry)) *Detector {
	t.Helper()
	needLibrary(t)
	for _, c := range change {
		c(&e)
	}
	d, err := Open(dir, e, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func needLibrary(t testing.TB) {
	t.Helper()
	if _, err := LibraryPath(); err != nil {
		testenv.Missing(t, "the ONNX Runtime library (run `make native`)")
	}
}

// goldenModels are the model folders with golden files; the shipped and pulled ones are skipped where they are absent.
func goldenModels(t testing.TB) map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{
		"wordpiece": func(t testing.TB) string { return abs(t, "testdata/wordpiece") },
		"unigram":   func(t testing.TB) string { return abs(t, "testdata/unigram") },
		"bytebpe":   func(t testing.TB) string { return abs(t, "testdata/bytebpe") },
		"stackone-defender": func(t testing.TB) string {
			return filepath.Dir(testenv.Built(t, "models/.pulled/stackone-defender/model_quantized.onnx"))
		},
		"deberta-open-s42": func(t testing.TB) string {
			return filepath.Dir(testenv.Built(t, "models/deberta-open-s42/model.onnx"))
		},
	}
}

func abs(t testing.TB, path string) string {
	t.Helper()
	full, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return full
}

func TestTokensAndLogitsEqualThoseOfPython(t *testing.T) {
	texts := sampleTexts(t)
	for name, folder := range goldenModels(t) {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			g := readGolden(t, name)
			d := openDir(t, dir, g.Entry)
			for _, f := range d.Info().Files {
				if want := g.Files[f.Path]; want != "" && want != f.SHA256 {
					t.Fatalf("%s has SHA-256 %s, the golden file was made with %s: run tools/golden/golden.py again",
						f.Path, f.SHA256, want)
				}
			}
			special := openDir(t, dir, g.Entry, func(e *detect.Entry) { e.SpecialTokensInText = "special" })
			if len(g.Rows) != len(texts) {
				t.Fatalf("%d golden rows for %d texts: make the file again with tools/golden/golden.py", len(g.Rows), len(texts))
			}
			for _, row := range g.Rows {
				t.Run(row.ID, func(t *testing.T) {
					text, ok := texts[row.ID]
					if !ok {
						t.Fatal("testdata/texts.json has no such text")
					}
					text = strings.ReplaceAll(text, "\x00", "") // as the engine does
					ids, err := d.Tokenize(text)
					if err != nil {
						t.Fatal(err)
					}
					row.Tokens.check(t, ids)
					checkSpecial(t, special, text, row)
					checkLogits(t, d, ids, row.Logits)
				})
			}
		})
	}
}

// checkSpecial compares the tokens where the spelling of a special token counts as the token; long texts without one
// are left out.
func checkSpecial(t *testing.T, d *Detector, text string, row goldenRow) {
	t.Helper()
	want := row.Tokens
	if row.TokensSpecial != nil {
		want = *row.TokensSpecial
	} else if len(text) > 5000 {
		return
	}
	ids, err := d.Tokenize(text)
	if err != nil {
		t.Fatal(err)
	}
	want.check(t, ids)
}

// checkLogits compares the logits of a text's first window.
func checkLogits(t *testing.T, d *Detector, ids []uint32, want []float32) {
	t.Helper()
	window := ids[:min(len(ids), d.Shape().MaxLength-d.Shape().Special)]
	logits, err := d.logits(context.Background(), [][]uint32{window})
	if err != nil {
		t.Fatal(err)
	}
	tolerance := 1e-5
	switch {
	case d.Info().Precision == "int8" && sameKernels:
		tolerance = 1e-3
	case d.Info().Precision == "int8": // one 8-bit step of an activation earlier or later moves a logit that far
		tolerance = 1
	}
	if len(logits) != len(want) {
		t.Fatalf("%d logits, expected %d", len(logits), len(want))
	}
	for i := range want {
		if diff := math.Abs(float64(logits[i] - want[i])); !(diff <= tolerance) {
			t.Errorf("logit %d is %g, expected %g", i, logits[i], want[i])
		}
	}
}
