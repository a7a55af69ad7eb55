//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// formsGolden is what tools/golden/graphs.py writes: logits of the same rows by graphs of several forms.
type formsGolden struct {
	Rows   [][]uint32
	Graphs []struct {
		Graph  string
		Padded int
		Logits [][]float32
	}
}

func readForms(t testing.TB) *formsGolden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", "graphs.json"))
	if err != nil {
		t.Fatalf("%v: make it with tools/golden/graphs.py", err)
	}
	var g formsGolden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return &g
}

// formFolder makes a model folder of a graph of testdata/graphs and the tokenizer of testdata/wordpiece.
func formFolder(t testing.TB, graph string) string {
	t.Helper()
	dir := copyFolder(t, "wordpiece")
	write(t, []byte(`{"max_position_embeddings":128,"pad_token_id":0}`), dir, "config.json")
	for from, to := range map[string]string{graph + ".onnx": "model.onnx", "weights.bin": "weights.bin",
		"more/bias.bin": "more/bias.bin"} {
		data, err := os.ReadFile(filepath.Join("testdata", "graphs", filepath.FromSlash(from)))
		if err != nil {
			t.Fatal(err)
		}
		write(t, data, dir, filepath.FromSlash(to))
	}
	return dir
}

// formEntry is the entry that each graph needs.
func formEntry(graph string) detect.Entry {
	e := detect.Entry{ID: "form", Kind: "onnx", Positive: []string{"0"}, MaxLength: 32, Stride: 4}
	switch graph {
	case "no_mask", "fixed":
		e.MaxLength, e.Pad = 16, "to:16"
	case "one_logit":
		e.Head = "sigmoid"
	case "two_outputs":
		e.Output = "logits"
	}
	return e
}

func TestGraphsOfEveryFormGiveTheLogitsOfPython(t *testing.T) {
	needLibrary(t)
	golden := readForms(t)
	for _, g := range golden.Graphs {
		t.Run(g.Graph, func(t *testing.T) {
			d := openDir(t, formFolder(t, g.Graph), formEntry(g.Graph))
			tolerance := 1e-5
			if d.Info().Precision == "int8" {
				tolerance = 1e-3
			}
			for i, row := range golden.Rows {
				logits, err := d.logits(context.Background(), [][]uint32{row})
				if err != nil {
					t.Fatal(err)
				}
				if len(logits) != len(g.Logits[i]) {
					t.Fatalf("row %d has %d logits, expected %d", i, len(logits), len(g.Logits[i]))
				}
				for k, want := range g.Logits[i] {
					if math.Abs(float64(logits[k]-want)) > tolerance*max(1, math.Abs(float64(want))) {
						t.Errorf("row %d: logit %d is %g, expected %g", i, k, logits[k], want)
					}
				}
			}
			scores, err := d.ScoreWindows(context.Background(), golden.Rows)
			if err != nil || len(scores) != len(golden.Rows) {
				t.Fatalf("scores %v, %v", scores, err)
			}
			if got := slices.Compact(slices.Sorted(slices.Values(scores))); len(got) < 3 {
				t.Errorf("scores %v: this test would see little", scores)
			}
		})
	}
}

func TestGraphsTellTheirPrecisionAndWhetherRowsMayShareACall(t *testing.T) {
	needLibrary(t)
	for graph, want := range map[string]struct {
		precision string
		alone     bool
	}{
		"int32": {"fp32", false}, "types_positions": {"fp32", false}, "one_logit": {"fp32", false},
		"float16": {"fp16", false}, "external": {"fp32", false}, "fixed": {"fp32", false}, "no_mask": {"fp32", false},
		"dynamic_int8": {"int8", true}, "static_int8": {"int8", true},
		"int8_weights": {"int8-weights", false}, "int8_scaled": {"int8-weights", false},
	} {
		d := openDir(t, formFolder(t, graph), formEntry(graph))
		if d.Info().Precision != want.precision || (d.Shape().BatchRows == 1) != want.alone {
			t.Errorf("%s: precision %s, shape %+v", graph, d.Info().Precision, d.Shape())
		}
	}
}

func TestGraphsOfNoClassifierOfTextsAreRefused(t *testing.T) {
	needLibrary(t)
	for _, c := range []struct {
		graph   string
		edit    func(*detect.Entry)
		kind    fault.Kind
		message string
	}{
		{"float16_unsaid", nil, fault.Integrity, "holds float16 and does not say how many classes it has"},
		{"tokens", nil, fault.Integrity, "has shape [-1 -1 3], a row of numbers for each token, expected [batch, classes]"},
		{"tokens_unsaid", nil, fault.Integrity, "has shape [1 3 3], a row of numbers for each token, expected [batch, classes]"},
		{"flat", nil, fault.Integrity, "has shape [3], a single axis, expected [batch, classes]"},
		{"flat_unsaid", nil, fault.Integrity, "has shape [3], a single axis, expected [batch, classes]"},
		{"lying", nil, fault.Integrity, "model.onnx does not run on one token"},
		{"two_outputs", func(e *detect.Entry) { e.Output = "" }, fault.Usage, `2 outputs ("hidden", "logits")`},
		{"two_outputs", func(e *detect.Entry) { e.Output = "hidden" }, fault.Integrity, "a row of numbers for each token"},
		{"one_logit", func(e *detect.Entry) { e.Head = "" }, fault.Usage, "write `head: sigmoid`"},
		{"fixed", func(e *detect.Entry) { e.Pad = "" }, fault.Usage, `rows of exactly 16 tokens, and pad is "batch"`},
		{"fixed", func(e *detect.Entry) { e.Pad = "to:20" }, fault.Usage, `rows of exactly 16 tokens, and pad is "to:20"`},
		{"dynamic_int8", func(e *detect.Entry) { e.Pad = "batch" }, fault.Usage, "scores would depend on the padding"},
		{"no_mask", func(e *detect.Entry) { e.Pad = "batch" }, fault.Usage, "scores would depend on the padding"},
		{"int32", func(e *detect.Entry) { e.Pad = "to:129" }, fault.Usage,
			`pad is "to:129", the model has positions for 128 tokens`},
	} {
		e := formEntry(c.graph)
		if c.edit != nil {
			c.edit(&e)
		}
		_, err := Open(formFolder(t, c.graph), e, 0)
		t.Run(c.graph, func(t *testing.T) { checkFault(t, err, c.kind, c.message) })
	}
	for _, name := range []string{"weights.bin", "more/bias.bin"} {
		dir := formFolder(t, "external")
		remove(t, dir, filepath.FromSlash(name))
		_, err := Open(dir, formEntry("external"), 0)
		checkFault(t, err, fault.Incomplete, filepath.FromSlash(name)+" is missing")
	}
}

// unpadded scores windows one a call without the entry's padding.
func unpadded(t *testing.T, dir string, e detect.Entry, windows [][]uint32) []float64 {
	t.Helper()
	e.Pad = "none"
	return scoreOneByOne(t, openDir(t, dir, e), windows)
}

func TestPaddingGoesToAFixedLength(t *testing.T) {
	needLibrary(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		graph, pad string
		changes    bool // padding changes scores, so that a test of lengths sees something
	}{
		{"no_mask", "to:16", true}, {"no_mask", "buckets:[4, 8,32]", true}, {"no_mask", "buckets:[32]", true},
		{"dynamic_int8", "to:24", false}, {"dynamic_int8", "buckets:[8,16]", false}, {"int32", "to:24", false},
		{"int32", "buckets:[8,16]", false},
	} {
		t.Run(c.graph+" "+c.pad, func(t *testing.T) {
			dir, e := formFolder(t, c.graph), formEntry(c.graph)
			e.MaxLength, e.Pad = 16, c.pad
			d := openDir(t, dir, e)
			windows := randomWindows(t, d, 40, rng)
			want := make([]float64, len(windows))
			for i, w := range windows { // the same rows, padded by hand
				want[i] = byHand(t, d, w, e.PadLengths())
			}
			changed := 0
			for i, s := range unpadded(t, dir, e, windows) {
				if s != want[i] {
					changed++
				}
			}
			if c.changes && changed < len(windows)/2 {
				t.Fatalf("padding changes only %d of %d scores: this test would see nothing", changed, len(windows))
			}
			for _, budget := range []int{1, 64, 1 << 20} {
				d.shape.BatchTokens = budget
				got, err := d.ScoreWindows(context.Background(), windows)
				if err != nil {
					t.Fatal(err)
				}
				for i := range want {
					if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
						t.Errorf("budget %d, window of %d tokens: %v, padded by hand %v", budget, len(windows[i]), got[i], want[i])
					}
				}
			}
		})
	}
}

// byHand scores a window by a run of its own over tensors that are written out here.
func byHand(t *testing.T, d *Detector, window []uint32, lengths []int) float64 {
	t.Helper()
	ids := append(append([]int64{2}, widen(window)...), 3)
	mask := slices.Repeat([]int64{1}, len(ids))
	for _, n := range lengths {
		if len(ids) <= n {
			ids = append(ids, make([]int64, n-len(ids))...)
			break
		}
	}
	mask = append(mask, make([]int64, len(ids)-len(mask))...)
	var tensors [][]int64
	for _, in := range d.session.inputs {
		tensors = append(tensors, map[string][]int64{"input_ids": ids, "attention_mask": mask}[in.name])
	}
	logits, err := d.session.run(context.Background(), 1, len(ids), tensors)
	if err != nil {
		t.Fatal(err)
	}
	return d.head.score(logits)
}

func widen(ids []uint32) []int64 {
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	return out
}

func TestPaddingTellsTheLengthWhereTheEntryDoesNot(t *testing.T) {
	needLibrary(t)
	for pad, want := range map[string]int{"": 128, "to:24": 24, "buckets:[8,40]": 40} {
		e := formEntry("int32")
		e.MaxLength, e.Pad = 0, pad
		d := openDir(t, formFolder(t, "int32"), e)
		if d.Shape().MaxLength != want || d.Info().MaxLength != want {
			t.Errorf("pad %q: shape %+v, info %+v, expected %d tokens", pad, d.Shape(), d.Info(), want)
		}
	}
}

func TestPositionsCountAsTheModelsFamilyDoes(t *testing.T) {
	row := func(config string) []int64 {
		c, err := parseConfig([]byte(config), "config.json")
		if err != nil {
			t.Fatal(err)
		}
		d := &Detector{counts: c.positionCount(), tokens: &tokenizer{prefix: make([]special, 1), suffix: make([]special, 1)}}
		out := make([]int64, 5)
		d.fill("position_ids", out, []uint32{9})
		return out
	}
	for config, want := range map[string][]int64{
		`{"model_type":"bert","pad_token_id":0}`:      {0, 1, 2, 3, 4},
		`{"model_type":"roberta"}`:                    {2, 3, 4, 1, 1},
		`{"model_type":"camembert","pad_token_id":0}`: {1, 2, 3, 0, 0},
	} {
		if got := row(config); !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", config, got, want)
		}
	}
}

func TestTwoOutputsAndAVetoOfOneOfThem(t *testing.T) {
	needLibrary(t)
	golden := readForms(t)
	e := formEntry("two_outputs")
	e.Head, e.Temperature, e.Positive, e.Veto = "sigmoid", 10, []string{"1"}, &detect.Veto{Class: "0", At: 0.6}
	scores, err := openDir(t, formFolder(t, "two_outputs"), e).ScoreWindows(context.Background(), golden.Rows)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(golden.Graphs, func(g struct {
		Graph  string
		Padded int
		Logits [][]float32
	}) bool {
		return g.Graph == "two_outputs"
	})
	var said []string
	for i, z := range golden.Graphs[at].Logits {
		p := func(c int) float64 { return 1 / (1 + math.Exp(-float64(z[c])/10)) }
		want := p(1)
		if p(0) >= 0.6 {
			want = 0
		}
		said = append(said, fmt.Sprint(want > 0))
		if math.Abs(scores[i]-want) > 1e-6 {
			t.Errorf("row %d: %v, expected %v", i, scores[i], want)
		}
	}
	if !slices.Contains(said, "true") || !slices.Contains(said, "false") {
		t.Errorf("the veto decides nothing: %v", said)
	}
}
