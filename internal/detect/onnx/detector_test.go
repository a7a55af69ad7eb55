//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

func TestOpenTellsWhatTheModelIs(t *testing.T) {
	needLibrary(t)
	dir := copyFolder(t, "wordpiece")
	write(t, lockOf("Tiny WordPiece"), dir, "model.lock.json")
	d := openDir(t, dir, detect.Entry{ID: "tiny", Name: "tiny", Kind: "onnx", Stride: 16, BatchTokens: 64})
	info, shape := d.Info(), d.Shape()
	if info.ID != "tiny" || info.DisplayName != "Tiny WordPiece" || info.Kind != "onnx" || info.Precision != "fp32" ||
		info.TrainSHA256 != trainHash || info.MaxLength != 128 || info.Stride != 16 || len(info.Files) != 3 ||
		!strings.HasPrefix(info.Runtime, "onnxruntime 1.") || len(info.ConfigHash) != 64 {
		t.Errorf("info %+v", info)
	}
	if want := (detect.Shape{MaxLength: 128, Special: 2, Stride: 16, BatchTokens: 64}); shape != want {
		t.Errorf("shape %+v, expected %+v", shape, want)
	}
	if named := openDir(t, dir, detect.Entry{ID: "tiny", Name: "Other", Stride: 16}); named.Info().DisplayName != "Other" {
		t.Errorf("the entry's name gives way to %q", named.Info().DisplayName)
	}
}

func TestSpecialTokensComeFromThePostProcessor(t *testing.T) {
	for name, want := range map[string][2]uint32{"wordpiece": {2, 3}, "unigram": {1, 2}, "bytebpe": {0, 2}} {
		d := open(t, name)
		if len(d.tokens.prefix) != 1 || len(d.tokens.suffix) != 1 || d.tokens.prefix[0].id != want[0] ||
			d.tokens.suffix[0].id != want[1] {
			t.Errorf("%s: %+v … %+v, expected %v", name, d.tokens.prefix, d.tokens.suffix, want)
		}
		ids, mask := make([]int64, 6), make([]int64, 6)
		d.fill("input_ids", ids, []uint32{9, 8})
		d.fill("attention_mask", mask, []uint32{9, 8})
		pad := d.padID
		if !slices.Equal(ids, []int64{int64(want[0]), 9, 8, int64(want[1]), pad, pad}) ||
			!slices.Equal(mask, []int64{1, 1, 1, 1, 0, 0}) {
			t.Errorf("%s: row %v, mask %v", name, ids, mask)
		}
	}
	if d := open(t, "bytebpe"); d.padID != 1 {
		t.Errorf("padding is token %d, expected 1", d.padID)
	}
}

func TestTokenTypesComeFromThePostProcessor(t *testing.T) {
	needLibrary(t)
	const before = `"single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},` +
		`{"SpecialToken":{"id":"[SEP]","type_id":0}}]`
	const after = `"single":[{"Sequence":{"id":"A","type_id":1}},{"SpecialToken":{"id":"[SEP]","type_id":2}},` +
		`{"SpecialToken":{"id":"[CLS]","type_id":0}}]`
	data := string(readTokenizer(t, "wordpiece"))
	if !strings.Contains(data, before) {
		t.Fatal("the template of testdata/wordpiece has changed")
	}
	tok, err := newTokenizer([]byte(strings.Replace(data, before, after, 1)), true)
	if err != nil {
		t.Fatal(err)
	}
	defer tok.close()
	d := &Detector{tokens: tok}
	ids, mask, kinds := make([]int64, 5), make([]int64, 5), make([]int64, 5)
	d.fill("input_ids", ids, []uint32{9, 8})
	d.fill("attention_mask", mask, []uint32{9, 8})
	d.fill("token_type_ids", kinds, []uint32{9, 8})
	if !slices.Equal(ids, []int64{9, 8, 3, 2, 0}) || !slices.Equal(kinds, []int64{1, 1, 2, 0, 0}) ||
		!slices.Equal(mask, []int64{1, 1, 1, 1, 0}) {
		t.Errorf("ids %v, types %v, mask %v", ids, kinds, mask)
	}
}

func TestUnmaskedSingleAndQuantisedGraphsRunOneRowACall(t *testing.T) {
	for name, c := range map[string]struct {
		sig signature
		g   graph
		can bool
	}{
		"plain":     {signature{masked: true}, graph{}, true},
		"no mask":   {signature{}, graph{}, false},
		"one row":   {signature{masked: true, single: true}, graph{}, false},
		"quantised": {signature{masked: true}, graph{int8: true}, false},
	} {
		d := &Detector{session: &session{signature: c.sig}, tokens: &tokenizer{}}
		f := &folder{graph: &c.g, config: &modelConfig{MaxPositionEmbeddings: 512}}
		shape, err := d.windowShape(f, detect.Entry{})
		if err != nil || (shape.BatchRows == 0) != c.can {
			t.Errorf("%s: %+v, %v", name, shape, err)
		}
		_, err = d.windowShape(f, detect.Entry{ID: "d", Pad: "batch"})
		if !c.can {
			checkFault(t, err, fault.Usage, `pad is "batch"`)
		} else if err != nil {
			t.Error(err)
		}
	}
}

func TestEntriesThatDoNotFitTheModelAreUsageErrors(t *testing.T) {
	needLibrary(t)
	for _, c := range []struct {
		name    string
		folder  string
		entry   detect.Entry
		message string
	}{
		{"too long", "wordpiece", detect.Entry{MaxLength: 129, Stride: 16},
			"max_length is 129, the model has positions for 128 tokens"},
		{"stride of a window", "wordpiece", detect.Entry{Stride: 126},
			"stride is 126, expected less than the 126 tokens of a window"},
		{"other precision", "wordpiece", detect.Entry{Stride: 16, Precision: "int8"},
			"field precision holds \"int8\" (int8 storage and arithmetic), but FOLDER/model.onnx has \"fp32\" (fp32 storage and " +
				"arithmetic); write `precision: fp32`, or use another model file"},
		{"int8 storage taken for int8 arithmetic", "int8_weights", detect.Entry{Positive: []string{"0"}, Stride: 4,
			Precision: "int8"}, "(int8 storage and arithmetic), but FOLDER/model.onnx has \"int8-weights\" (int8 storage, fp32 " +
			"arithmetic); write `precision: int8-weights`"},
		{"unknown class", "wordpiece", detect.Entry{Stride: 16, Positive: []string{"BAD"}},
			`field positive names the class "BAD", expected "SAFE", "INJECTION"`},
		{"unknown output", "wordpiece", detect.Entry{Stride: 16, Output: "scores"}, `output is "scores"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.entry.ID = "d"
			dir := abs(t, "testdata/wordpiece")
			if c.folder != "wordpiece" {
				dir = formFolder(t, c.folder)
			}
			_, err := Open(dir, c.entry, 0)
			checkFault(t, err, fault.Usage, strings.ReplaceAll(c.message, "FOLDER", dir))
		})
	}
	t.Run("no limit known", func(t *testing.T) {
		dir := copyFolder(t, "wordpiece")
		write(t, []byte(`{"id2label":{"0":"SAFE","1":"INJECTION"}}`), dir, "config.json")
		_, err := Open(dir, detect.Entry{ID: "d"}, 0)
		checkFault(t, err, fault.Usage, "field max_length is missing, and "+dir+"/config.json names no limit "+
			"(max_position_embeddings); expected the tokens that a window may hold; add max_length to the entry")
		remove(t, dir, "config.json")
		_, err = Open(dir, detect.Entry{ID: "d", Positive: []string{"1"}}, 0)
		checkFault(t, err, fault.Usage, "field max_length is missing, and "+dir+"/config.json is missing too")
	})
	t.Run("relative positions have no limit", func(t *testing.T) {
		open(t, "unigram", func(e *detect.Entry) { e.MaxLength = 1000 })
	})
}

func TestBrokenModelsEndInOneSentence(t *testing.T) {
	needLibrary(t)
	values := msg(valueOf(11, "input_ids", 7, -1, -1), valueOf(12, "logits", 1, -1, 2))
	for _, c := range []struct {
		name    string
		damage  func(t *testing.T, dir string)
		message string
	}{
		{"unknown operator", func(t *testing.T, dir string) {
			write(t, modelOf(values, nodeOf("NoSuchOperator", []string{"input_ids"}, "logits")), dir, "model.onnx")
		}, "model.onnx cannot be loaded"},
		{"weights of the wrong size", func(t *testing.T, dir string) {
			write(t, modelOf(values, tensorOf("w", 1, make([]byte, 4), 1<<20, 1<<20),
				nodeOf("Gather", []string{"w", "input_ids"}, "logits")), dir, "model.onnx")
		}, "model.onnx cannot be loaded"},
		{"weights in external data of the wrong size", func(t *testing.T, dir string) {
			write(t, modelOf(values, nodeOf("Gather", []string{"far", "input_ids"}, "logits"),
				externalTensor("location", "w.bin", "length", "3")), dir, "model.onnx")
			write(t, make([]byte, 3), dir, "w.bin")
		}, "model.onnx cannot be loaded"},
		{"tokenizer cut short", func(t *testing.T, dir string) {
			write(t, readTokenizer(t, "wordpiece")[:2000], dir, "tokenizer.json")
		},
			"tokenizer.json cannot be used: not a JSON object"},
		{"tokenizer of an unknown kind", func(t *testing.T, dir string) {
			write(t, []byte(`{"model":{"type":"Magic"}}`), dir, "tokenizer.json")
		}, "tokenizer.json cannot be used"},
		{"tokenizer without a vocabulary", func(t *testing.T, dir string) {
			write(t, []byte(`{"added_tokens":[],"model":{"type":"WordPiece","unk_token":"[UNK]",`+
				`"continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{}}}`), dir, "tokenizer.json")
		}, "tokenizer.json cannot be used"},
		{"tokenizer with a broken character map", func(t *testing.T, dir string) {
			write(t, []byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["a",0]]},`+
				`"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"}}`), dir, "tokenizer.json")
		}, "field normalizer: precompiled_charsmap: it holds 3 bytes"},
		{"class numbers with a gap", func(t *testing.T, dir string) {
			write(t, []byte(`{"max_position_embeddings":128,"id2label":{"0":"A","2":"B"}}`), dir, "config.json")
		}, `config.json: field id2label holds the key "2"`},
		{"three names for two logits", func(t *testing.T, dir string) {
			write(t, []byte(`{"max_position_embeddings":128,"id2label":{"0":"A","1":"B","2":"INJECTION"}}`), dir, "config.json")
		}, "names 3 classes in id2label but the graph gives 2 logits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyFolder(t, "wordpiece")
			c.damage(t, dir)
			_, err := Open(dir, detect.Entry{ID: "d", Stride: 16}, 0)
			checkFault(t, err, fault.Integrity, c.message)
		})
	}
}

// scoreOneByOne scores every window alone, unpadded.
func scoreOneByOne(t testing.TB, d *Detector, windows [][]uint32) []float64 {
	t.Helper()
	scores := make([]float64, len(windows))
	for i, w := range windows {
		s, err := d.ScoreWindows(context.Background(), [][]uint32{w})
		if err != nil {
			t.Fatal(err)
		}
		scores[i] = s[0]
	}
	return scores
}

// randomWindows draws windows of all lengths, their ids below the size of the vocabulary.
func randomWindows(t testing.TB, d *Detector, n int, rng *rand.Rand) [][]uint32 {
	t.Helper()
	vocab := int(d.tokens.lib.VocabSize()) - 5 // the library counts hidden special tokens twice
	windows := make([][]uint32, n)
	for i := range windows {
		longest := min(d.Shape().MaxLength-d.Shape().Special, 1<<rng.IntN(10))
		windows[i] = make([]uint32, rng.IntN(longest+1))
		for j := range windows[i] {
			windows[i][j] = uint32(rng.IntN(vocab))
		}
	}
	return windows
}

func TestScoresDoNotDependOnBatchOrderOrPadding(t *testing.T) {
	for name, folder := range goldenModels(t) {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			d := openDir(t, dir, readGolden(t, name).Entry)
			if single := name == "bytebpe" || name == "stackone-defender"; (d.Shape().BatchRows == 1) != single {
				t.Errorf("shape %+v", d.Shape())
			}
			rng := rand.New(rand.NewPCG(1, 2))
			windows := randomWindows(t, d, 60, rng)
			want := scoreOneByOne(t, d, windows)
			distinct := slices.Compact(slices.Sorted(slices.Values(want)))
			if len(distinct) < len(windows)/2 {
				t.Fatalf("only %d distinct scores in %d windows: this test would see nothing", len(distinct), len(windows))
			}
			for round := range 4 {
				d.shape.BatchTokens = []int{1, 300, 512, 1 << 20}[round]
				order := rng.Perm(len(windows))
				shuffled := make([][]uint32, len(order))
				for i, k := range order {
					shuffled[i] = windows[k]
				}
				got, err := d.ScoreWindows(context.Background(), shuffled)
				if err != nil {
					t.Fatal(err)
				}
				for i, k := range order {
					if math.Float64bits(got[i]) != math.Float64bits(want[k]) {
						t.Errorf("budget %d, window of %d tokens: %v, alone %v", d.shape.BatchTokens, len(windows[k]), got[i], want[k])
					}
				}
			}
		})
	}
}

func TestScoresDoNotDependOnTheNumberOfCallers(t *testing.T) {
	d := open(t, "unigram")
	windows := randomWindows(t, d, 200, rand.New(rand.NewPCG(3, 4)))
	want := scoreOneByOne(t, d, windows)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := 0; i < len(windows); i += 10 {
				got, err := d.ScoreWindows(context.Background(), windows[i:i+10])
				if err != nil || !slices.Equal(got, want[i:i+10]) {
					t.Errorf("windows %d to %d: %v, %v", i, i+9, got, err)
				}
				if ids, err := d.Tokenize("order of the day"); err != nil || len(ids) == 0 {
					t.Errorf("tokens %v, %v", ids, err)
				}
			}
		})
	}
	wait.Wait()
}

func TestBrokenLogitsAreNaNForTheirWindowAlone(t *testing.T) {
	d := open(t, "wordpiece")
	broken := uint32(d.tokens.lib.VocabSize()) // the tiny graphs have an infinite row behind their vocabulary
	windows := [][]uint32{{7}, {7, broken}, {}, {broken, broken, broken}, {8, 9}}
	got, err := d.ScoreWindows(context.Background(), windows)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got {
		if bad := i == 1 || i == 3; math.IsNaN(s) != bad || !bad && !(s >= 0 && s <= 1) {
			t.Errorf("window %d has score %v", i, s)
		}
	}
}

func TestWindowsOutOfBoundsAreErrors(t *testing.T) {
	d := open(t, "wordpiece")
	ctx := context.Background()
	if _, err := d.ScoreWindows(ctx, [][]uint32{{1}, make([]uint32, 127)}); err == nil ||
		err.Error() != "window 1 holds 127 tokens, expected at most 126" {
		t.Errorf("error %v", err)
	}
	if _, err := d.ScoreWindows(ctx, [][]uint32{{1 << 31}}); err == nil || !strings.Contains(err.Error(), "table") &&
		!strings.Contains(err.Error(), "indices") {
		t.Errorf("a token outside the vocabulary: error %v", err)
	}
	if got, err := d.ScoreWindows(ctx, nil); err != nil || len(got) != 0 {
		t.Errorf("no windows: %v, %v", got, err)
	}
}

func TestTextsThatTheTokenizerWouldMisreadAreErrors(t *testing.T) {
	d := open(t, "wordpiece")
	for text, want := range map[string]string{
		"before\x00after":         "NUL byte at byte 6",
		"\xff":                    "not valid UTF-8",
		"lone \xed\xa0\x80 half":  "not valid UTF-8", // a surrogate in WTF-8
		"long \xf4\x90\x80\x80":   "not valid UTF-8", // beyond U+10FFFF
		"overlong \xc0\x80 bytes": "not valid UTF-8",
	} {
		if ids, err := d.Tokenize(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, expected an error with %q", text, ids, err, want)
		}
	}
	for _, text := range []string{"", " \n", "\u0301", "\u200b\ufeff", "\x01\x1b", "\ufffd", "\ue000", "\u3164"} {
		if ids, err := d.Tokenize(text); err != nil {
			t.Errorf("%q: %v, %v", text, ids, err)
		}
	}
}

func TestTokenizerFailuresAreErrors(t *testing.T) {
	needLibrary(t)
	vocab := `{"added_tokens":[],"model":{"type":"%s",%s"vocab":%s}%s}`
	template := `,"post_processor":{"type":"TemplateProcessing","pair":[],` +
		`"single":[{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[S]","type_id":0}}],` +
		`"special_tokens":{"[S]":{"id":"[S]","ids":[9],"tokens":["[S]"]}}}`
	spaced := `,"pre_tokenizer":{"type":"WhitespaceSplit"}`
	for name, file := range map[string]string{
		"a Unigram model without an unknown token": fmt.Sprintf(vocab, "Unigram", `"unk_id":null,`,
			`[["a",-1],["t",-1],["h",-1],["e",-1],["1",-2],["b",-2],[" ",-1]]`, template),
		"a BPE model that drops unknown letters": fmt.Sprintf(vocab, "BPE", `"merges":[],`,
			`{"a":0,"t":1,"h":2,"e":3,"1":4,"b":5}`, template+spaced),
		"one without special tokens": fmt.Sprintf(vocab, "BPE", `"merges":[],`,
			`{"a":0,"t":1,"h":2,"e":3,"1":4,"b":5}`, spaced),
	} {
		tok, err := newTokenizer([]byte(file), true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if ids, err := tok.ids("a"); err != nil || !slices.Equal(ids, []uint32{0}) {
			t.Errorf("%s: a known letter gives %v, %v", name, ids, err)
		}
		if ids, err := tok.ids("ж"); err == nil {
			t.Errorf("%s: an unknown letter gives %v without an error", name, ids)
		}
		tok.close()
	}
}

func TestNoTextSpellsASpecialToken(t *testing.T) {
	for _, name := range []string{"wordpiece", "unigram", "bytebpe"} {
		d := open(t, name)
		asSpecial := open(t, name, func(e *detect.Entry) { e.SpecialTokensInText = "special" })
		end := d.tokens.suffix[0].id
		text := map[string]string{"bytebpe": "a</s>b"}[name]
		if text == "" {
			text = "a[SEP]b"
		}
		ids, err := d.Tokenize(text)
		if err != nil || slices.Contains(ids, end) {
			t.Errorf("%s: %q gives %v, %v", name, text, ids, err)
		}
		if ids, err := asSpecial.Tokenize(text); err != nil || !slices.Contains(ids, end) {
			t.Errorf("%s with special_tokens_in_text: special: %q gives %v, %v", name, text, ids, err)
		}
	}
	// A WordPiece model whose words are cut at white space alone finds the token as a word of its vocabulary.
	file := strings.ReplaceAll(string(readTokenizer(t, "wordpiece")), `"BertPreTokenizer"`, `"WhitespaceSplit"`)
	file = strings.ReplaceAll(file, `"lowercase":true`, `"lowercase":false`)
	if _, err := newTokenizer([]byte(file), true); err == nil || !strings.Contains(err.Error(), "cannot be kept literal") {
		t.Errorf("error %v", err)
	}
	if tok, err := newTokenizer([]byte(file), false); err != nil {
		t.Error(err)
	} else {
		tok.close()
	}
}

func TestCancelledCallsReturnAtOnce(t *testing.T) {
	dir := copyFolder(t, "wordpiece")
	write(t, slowGraph(), dir, "model.onnx")
	d := openDir(t, dir, detect.Entry{ID: "slow", Stride: 16, Pad: "none"})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	scores, err := d.ScoreWindows(ctx, [][]uint32{make([]uint32, 100)})
	took := time.Since(start)
	if !errors.Is(err, context.Canceled) || scores != nil || fault.ExitCode(err) != 130 {
		t.Errorf("scores %v, error %v", scores, err)
	}
	if took < 100*time.Millisecond || took > time.Second {
		t.Errorf("came back after %v, expected within a second of the cancellation after 0.1 s", took)
	}
	if _, err := d.ScoreWindows(ctx, [][]uint32{{1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call with a cancelled context: %v", err)
	}
	other := open(t, "wordpiece")
	if s, err := other.ScoreWindows(context.Background(), [][]uint32{{1}}); err != nil || len(s) != 1 {
		t.Errorf("a call after a cancellation: %v, %v", s, err)
	}
}

// slowGraph multiplies square matrices before it gives its logits: for a minute when the window is long.
func slowGraph() []byte {
	int64s := func(values ...uint64) []byte {
		var raw []byte
		for _, v := range values {
			raw = append(raw, byte(v), byte(v>>8), 0, 0, 0, 0, 0, 0)
		}
		return raw
	}
	parts := [][]byte{
		valueOf(11, "input_ids", 7, -1, -1), valueOf(11, "attention_mask", 7, -1, -1), valueOf(12, "logits", 1, -1, 2),
		tensorOf("eight", 7, int64s(8), 1), tensorOf("start", 7, int64s(0, 0), 2), tensorOf("end", 7, int64s(1, 2), 2),
		nodeOf("Cast", []string{"attention_mask"}, "mask", intAttribute("to", 1)),
		nodeOf("ReduceMean", []string{"mask"}, "mean", intAttribute("keepdims", 1)),
		nodeOf("Shape", []string{"input_ids"}, "shape"),
		nodeOf("ReduceMax", []string{"shape"}, "length", intAttribute("keepdims", 1)),
		nodeOf("Mul", []string{"length", "eight"}, "side"),
		nodeOf("Concat", []string{"side", "side"}, "size", intAttribute("axis", 0)),
		nodeOf("Expand", []string{"mean", "size"}, "m0"),
	}
	const steps = 1500
	for i := range steps {
		parts = append(parts, nodeOf("MatMul", []string{fmt.Sprint("m", i), "m0"}, fmt.Sprint("n", i)),
			nodeOf("Softmax", []string{fmt.Sprint("n", i)}, fmt.Sprint("m", i+1)))
	}
	parts = append(parts, nodeOf("Slice", []string{fmt.Sprint("m", steps), "start", "end"}, "logits"))
	return modelOf(parts...)
}

func TestCloseEndsTheDetector(t *testing.T) {
	d := open(t, "wordpiece")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for {
				if _, err := d.Tokenize("order"); err != nil {
					return
				}
				if _, err := d.ScoreWindows(context.Background(), [][]uint32{{5, 6}}); err != nil {
					return
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	wait.Wait()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Tokenize("order"); err == nil {
		t.Error("a closed detector tokenises")
	}
	if _, err := d.ScoreWindows(context.Background(), [][]uint32{{5}}); err == nil {
		t.Error("a closed detector scores")
	}
}

func TestWeightsInExternalDataRun(t *testing.T) {
	needLibrary(t)
	dir := copyFolder(t, "wordpiece")
	weights := make([]byte, 0, 16)
	for _, f := range []float32{1, -1, 0.5, 2} {
		weights = append(weights, float32Bytes(f)...)
	}
	write(t, weights, dir, "onnx", "w.bin")
	remove(t, dir, "model.onnx")
	far := bytesField(5, msg(intField(1, 2), intField(1, 2), intField(2, 1), stringField(8, "far"),
		bytesField(13, msg(stringField(1, "location"), stringField(2, "w.bin"))), intField(14, 1)))
	// The logits of a row are row 1 of the external table, found by the largest value of the mask.
	axes := bytesField(5, msg(stringField(1, "axes"), intField(8, 1), intField(20, 7)))
	write(t, modelOf(valueOf(11, "input_ids", 7, -1, -1), valueOf(11, "attention_mask", 7, -1, -1),
		valueOf(12, "logits", 1, -1, -1), far,
		nodeOf("ReduceMax", []string{"attention_mask"}, "row", axes, intAttribute("keepdims", 0)),
		nodeOf("Gather", []string{"far", "row"}, "logits")), dir, "onnx", "model.onnx")
	d := openDir(t, dir, detect.Entry{ID: "far", Head: "sigmoid", Positive: []string{"1"}, Stride: 16})
	if d.session.width != 2 {
		t.Errorf("%d logits found by a run, expected 2", d.session.width)
	}
	got, err := d.ScoreWindows(context.Background(), [][]uint32{{1}, {1, 2}})
	if want := 1 / (1 + math.Exp(-2)); err != nil || len(got) != 2 || math.Abs(got[0]-want) > 1e-12 || got[0] != got[1] {
		t.Errorf("scores %v, %v, expected %v", got, err, want)
	}
	if paths := d.Info().Files; len(paths) != 4 || paths[1].Path != "onnx/model.onnx" || paths[2].Path != "onnx/w.bin" {
		t.Errorf("files %v", paths)
	}
}

func float32Bytes(f float32) []byte {
	b := math.Float32bits(f)
	return []byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}
}

func TestLongTextsAreTokenisedWhole(t *testing.T) {
	d := open(t, "wordpiece")
	one, err := d.Tokenize("the order ")
	if err != nil || len(one) == 0 {
		t.Fatal(one, err)
	}
	const n = 100_000 // a million characters
	ids, err := d.Tokenize(strings.Repeat("the order ", n))
	if err != nil || len(ids) != n*len(one) {
		t.Fatalf("%d tokens, %v, expected %d", len(ids), err, n*len(one))
	}
	for i := 0; i < len(ids); i += len(one) {
		if !slices.Equal(ids[i:i+len(one)], one) {
			t.Fatalf("tokens from %d on are %v, expected %v", i, ids[i:i+len(one)], one)
		}
	}
}
