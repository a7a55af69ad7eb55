package detect

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func parse(data string) (*Config, error) {
	c, f := &Config{}, configFile("d.yaml")
	if err := f.Decode([]byte(data), c); err != nil {
		return nil, err
	}
	return c, c.check(f)
}

// entry is a detectors file with one detector of every field; from line 2 on a field a line.
const entry = `detectors:
  - id: guard
    kind: onnx
    model: models/guard-s{seed}
    file: onnx/model.onnx
    seeds: [0, 42]
    native: 0.52
    head: sigmoid
    positive: ["0"]
    temperature: 2.41
    max_length: 256
    stride: 32
    pad: none
    batch_tokens: 4096
    special_tokens_in_text: special
    pull:
      package: guard
      version: 0.9.4
      sha256: 97c206d989fd7e938bb8fd3cae80bcbf3350ef2a4ee5e4f1402f488489bc1cbb
      path: guard/models
      files:
        model.onnx: 3d4a1ba798c395c140202992c50e6c8de02fb1b9bd5aba6540848705b9c1e92c
`

func TestShippedDetectorsLoad(t *testing.T) {
	c, err := LoadConfig(filepath.Join(testenv.Root(t), "configs", "detectors.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Entry{}
	for _, e := range c.Detectors {
		found[e.ID] = e
	}
	for _, id := range []string{"deberta", "tfidf", "rule", "always-block", "always-allow", "random", "length"} {
		if found[id].Name == "" {
			t.Errorf("there is no detector %s", id)
		}
	}
}

func TestLoadConfigTakesWhatIsWritten(t *testing.T) {
	c, err := parse(entry + "  - {id: r, kind: constant, rule: random}\n")
	if err != nil {
		t.Fatal(err)
	}
	e, r := c.Detectors[0], c.Detectors[1]
	if e.Name != "guard" || e.Model != "models/guard-s{seed}" || *e.Native != 0.52 || e.Seeds[1] != 42 ||
		e.Pull.Version != "0.9.4" || len(e.Pull.Files) != 1 || e.Temperature != 2.41 || e.BatchTokens != 4096 {
		t.Errorf("got %+v", e)
	}
	if _, err := parse(entry + "  - {id: r, kind: tfidf, arm_of: guard, arm: curated, augment: rows}\n"); err != nil {
		t.Error(err)
	}
	if r.Native != nil || r.Rule != "random" || r.Seeds != nil {
		t.Errorf("got %+v", r)
	}
}

func TestMistakesInTheConfigurationNameTheLine(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"empty", entry, "", "d.yaml is empty; correct it"},
		{"no detector", entry, "detectors: []\n",
			"d.yaml:1: there is no detector, expected at least one under detectors; correct it"},
		{"unknown field", "head:", "heat:", `d.yaml:8: unknown field "heat" (did you mean head?); correct its name or delete it`},
		{"field of a section on top", "head: sigmoid", "url: http://127.0.0.1",
			`d.yaml:8: field "url" stands in the wrong place, expected under chat; move it`},
		{"field of two sections on top", "head: sigmoid", "timeout: 5",
			`d.yaml:8: field "timeout" stands in the wrong place, expected under chat or process; move it`},
		{"key on top", "head: sigmoid", "api_key: sk-secret",
			`d.yaml:8: unknown field "api_key" (did you mean api_key_env under chat?); correct its name or delete it`},
		{"field of the entry in a section", "      path: guard/models", "      native: 0.5",
			`d.yaml:20: field "native" stands in the wrong place, expected beside pull, not under it; move it`},
		{"field of another section", "      path: guard/models", "      command: [x]",
			`d.yaml:20: field "command" stands in the wrong place, expected under process, not under pull; move it`},
		{"the request's temperature in the section", "kind: onnx", "kind: chat\n    chat: {temperature: 0.2}",
			`d.yaml:4: field "temperature" stands in the wrong place, expected under chat.request; move it`},
		{"field twice", "pad: none", "kind: onnx", "d.yaml:13: field kind stands twice; delete one of them"},
		{"number for a text", "0.9.4", "0.10",
			"d.yaml:18: field version holds 0.10, expected a text; put the value in quotes"},
		{"fraction for a length", "256", "256.5",
			"d.yaml:11: field max_length holds 256.5, expected a whole number; correct it"},
		{"two mistakes: the first", "id: guard\n    kind: onnx", "id: Guard\n    kind: none",
			`d.yaml:2: field id holds "Guard", expected lower-case letters, digits, dots and dashes; correct it`},
		{"reserved id", "id: guard", "id: all",
			`d.yaml:2: field id holds "all", expected another name: all stands for every detector; correct it`},
		{"no id", "id: guard\n    kind", "kind",
			"d.yaml:2: field id is missing, expected lower-case letters, digits, dots and dashes; add it"},
		{"id twice", "detectors:\n", "detectors:\n  - {id: guard, kind: rule}\n",
			`d.yaml:3: the detector id "guard" stands twice; rename one of them`},
		{"unknown kind", "kind: onnx", "kind: torch",
			`d.yaml:3: field kind holds "torch", expected onnx, rule, tfidf, constant, process, chat; correct it`},
		{"rule of a model", "native: 0.52", "rule: block",
			`d.yaml:7: field rule holds "block", expected none for the kind onnx; correct it`},
		{"unknown rule", "kind: onnx", "kind: constant\n    rule: some",
			`d.yaml:4: field rule holds "some", expected block, allow, random, length; correct it`},
		{"constant without a rule", "kind: onnx", "kind: constant",
			"d.yaml:2: field rule is missing, expected block, allow, random, length; add it"},
		{"no kind", "    kind: onnx\n", "",
			"d.yaml:2: field kind is missing, expected onnx, rule, tfidf, constant, process, chat; add it"},
		{"an empty kind", "kind: onnx", "kind:",
			"d.yaml:3: field kind is missing, expected onnx, rule, tfidf, constant, process, chat; add it"},
		{"an empty model", "model: models/guard-s{seed}", `model: ""`,
			`d.yaml:4: field model holds "", expected the model's folder; correct it`},
		{"unknown precision", "temperature: 2.41", "precision: int4",
			`d.yaml:10: field precision holds "int4", expected fp32, fp16, int8 or int8-weights; correct it`},
		{"unknown head", "sigmoid", "tanh", `d.yaml:8: field head holds "tanh", expected softmax or sigmoid; correct it`},
		{"unknown padding", "pad: none", "pad: max", `d.yaml:13: field pad holds "max", expected batch, none, ` +
			"to:N or buckets:[N,N] with ascending numbers of tokens; correct it"},
		{"padding to less than a window", "pad: none", "pad: to:255",
			`d.yaml:13: field pad holds "to:255", expected at least the 256 tokens of max_length; correct it`},
		{"buckets for less than a window", "pad: none", "pad: buckets:[64, 128]",
			`d.yaml:13: field pad holds "buckets:[64, 128]", expected at least the 256 tokens of max_length; correct it`},
		{"a veto without a class", "temperature: 2.41", "veto: {at: 0.5}",
			"d.yaml:10: field veto.class is missing, expected a class name or index; add it"},
		{"a veto without a limit", "temperature: 2.41", `veto: {class: "1"}`,
			"d.yaml:10: field veto.at is missing, expected more than 0, at most 1; add it"},
		{"a veto above 1", "temperature: 2.41", "veto:\n      class: \"1\"\n      at: 1.5",
			"d.yaml:12: field veto.at holds 1.5, expected more than 0, at most 1; correct it"},
		{"a veto by number", "temperature: 2.41", "veto: {class: 1, at: 0.5}",
			"d.yaml:10: field class holds 1, expected a text; put the value in quotes"},
		{"a veto of a rule", "kind: onnx", "kind: rule\n    veto: {class: \"1\", at: 0.5}",
			`d.yaml:4: field veto holds "1", expected none for the kind rule; correct it`},
		{"rows added to a model", "temperature: 2.41", "augment: hard_negative_train",
			`d.yaml:10: field augment holds "hard_negative_train", expected none for the kind onnx; correct it`},
		{"an arm of nothing", "temperature: 2.41", "arm: curated",
			"d.yaml:2: field arm_of is missing, expected the id of the detector that the arm curated is one of; add it"},
		{"an arm without a word", "temperature: 2.41", "arm_of: base",
			"d.yaml:2: field arm is missing, expected what was added to the training of base, in a word; add it"},
		{"a pool of a model", "temperature: 2.41", "pool: 100",
			"d.yaml:10: field pool holds 100, expected none for the kind onnx; correct it"},
		{"a pool of a model, 0", "temperature: 2.41", "pool: 0",
			"d.yaml:10: field pool holds 0, expected none for the kind onnx; correct it"},
		{"a pool of nothing", "detectors:\n", "detectors:\n  - {id: a, kind: tfidf, pool: 100}\n",
			"d.yaml:2: field augment is missing, expected the file whose rows the pool of 100 is drawn from; add it"},
		{"an empty pool", "detectors:\n", "detectors:\n  - {id: a, kind: tfidf, augment: rows, pool: 0}\n",
			"d.yaml:2: field pool holds 0, expected 1 or more rows, or no such field for all; correct it"},
		{"a pool below 0", "detectors:\n", "detectors:\n  - {id: a, kind: tfidf, augment: rows, pool: -1}\n",
			"d.yaml:2: field pool holds -1, expected 1 or more rows, or no such field for all; correct it"},
		{"a pool by word", "detectors:\n", "detectors:\n  - {id: a, kind: tfidf, augment: rows, pool: all}\n",
			`d.yaml:2: field pool holds "all", expected a whole number; correct it`},
		{"sources without a detector of all", "temperature: 2.41", "sources: [a]",
			"d.yaml:2: field without_of is missing, expected the id of the detector that was trained on all sources; add it"},
		{"a detector of all without sources", "temperature: 2.41", "without_of: x",
			"d.yaml:2: field sources is missing, expected the sources that were left out of training, one after the other; add it"},
		{"sources that no folder tells apart", "temperature: 2.41", "sources: [a]\n    without_of: x",
			`d.yaml:4: field model holds "models/guard-s{seed}", expected a folder with {source} in its name, since sources are given; correct it`},
		{"an arm of nobody", "temperature: 2.41", "arm: curated\n    arm_of: base",
			`d.yaml:11: field arm_of holds "base", expected the id of another entry; correct it`},
		{"an arm of itself", "temperature: 2.41", "arm: curated\n    arm_of: guard",
			`d.yaml:11: field arm_of holds "guard", expected a detector that is no arm itself; correct it`},
		{"an arm of an arm", "detectors:\n", "detectors:\n  - {id: a, kind: rule, arm: x, arm_of: b}\n" +
			"  - {id: b, kind: rule, arm: x, arm_of: guard}\n",
			`d.yaml:2: field arm_of holds "b", expected a detector that is no arm itself; correct it`},
		{"unknown reading", "special\n", "secret\n",
			`d.yaml:15: field special_tokens_in_text holds "secret", expected literal or special; correct it`},
		{"no model", "    model: models/guard-s{seed}\n", "",
			"d.yaml:2: field model is missing, expected the model's folder; add it"},
		{"model outside", "models/guard-s{seed}", "models/../../x",
			`d.yaml:4: field model holds "models/../../x", expected a path inside the project with slashes; correct it`},
		{"absolute model", "models/guard-s{seed}", "/etc",
			`d.yaml:4: field model holds "/etc", expected a path inside the project with slashes; correct it`},
		{"drive", "models/guard-s{seed}", `'C:x'`,
			`d.yaml:4: field model holds "C:x", expected a path inside the project with slashes; correct it`},
		{"backslash", "models/guard-s{seed}", `'models\x'`,
			`d.yaml:4: field model holds "models\\x", expected a path inside the project with slashes; correct it`},
		{"file outside", "onnx/model.onnx", "../model.onnx",
			`d.yaml:5: field file holds "../model.onnx", expected a path inside the model folder with slashes; correct it`},
		{"pull path outside", "guard/models\n", "../x\n",
			`d.yaml:20: field pull.path holds "../x", expected a path inside the package with slashes; correct it`},
		{"pulled file outside", "        model.onnx", "        ../model.onnx",
			`d.yaml:22: field pull.files holds "../model.onnx", expected names inside the model folder with slashes; ` +
				"correct it"},
		{"escape in a path", "onnx/model.onnx", `"../\e[2J\u009d"`,
			`d.yaml:5: field file holds "../\x1b[2J\u009d", expected a path inside the model folder with slashes; correct it`},
		{"seed below 0", "[0, 42]", "[0, -1]", "d.yaml:6: field seeds holds -1, expected 0 or more; correct it"},
		{"seed twice", "[0, 42]", "[7, 42, 7]", "d.yaml:6: field seeds holds 7 twice, expected each seed once; correct it"},
		{"native above 1", "0.52", "52", "d.yaml:7: field native holds 52, expected 0 to 1; correct it"},
		{"native below 0", "0.52", "-0.1", "d.yaml:7: field native holds -0.1, expected 0 to 1; correct it"},
		{"native no number", "0.52", ".nan", "d.yaml:7: field native holds NaN, expected 0 to 1; correct it"},
		{"temperature below 0", "2.41", "-2.41",
			"d.yaml:10: field temperature holds -2.41, expected more than 0, at most 1000; correct it"},
		{"temperature 0", "2.41", "0", "d.yaml:10: field temperature holds 0, expected more than 0, at most 1000; correct it"},
		{"temperature no number", "2.41", ".nan",
			"d.yaml:10: field temperature holds NaN, expected more than 0, at most 1000; correct it"},
		{"temperature below any number", "2.41", "-.inf",
			"d.yaml:10: field temperature holds -Inf, expected more than 0, at most 1000; correct it"},
		{"seeds of one model", "models/guard-s{seed}", "models/guard", "d.yaml:6: field seeds holds 0, 42, expected {seed} in " +
			"the path of model, or no seeds: each would be the same model; correct it"},
		{"length 0", "256", "0", "d.yaml:11: field max_length holds 0, expected 1 or more tokens, or no such field for what " +
			"the model takes; correct it"},
		{"stride 0", "stride: 32", "stride: 0",
			"d.yaml:12: field stride holds 0, expected 1 or more tokens, or no such field for 64; correct it"},
		{"batch 0", "4096", "0", "d.yaml:14: field batch_tokens holds 0, expected 1 or more tokens; correct it"},
		{"endless temperature", "2.41", ".inf",
			"d.yaml:10: field temperature holds +Inf, expected more than 0, at most 1000; correct it"},
		{"length below 0", "256", "-1", "d.yaml:11: field max_length holds -1, expected 1 to 1048576 tokens; correct it"},
		{"stride below 0", "stride: 32", "stride: -1",
			"d.yaml:12: field stride holds -1, expected 1 to 1048576 tokens; correct it"},
		{"batch below 0", "4096", "-1",
			"d.yaml:14: field batch_tokens holds -1, expected 1 to 1073741824 tokens; correct it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := strings.Replace(entry, tt.old, tt.new, 1)
			if data == entry {
				t.Fatal("the case changes nothing")
			}
			_, err := parse(data)
			if err == nil || err.Error() != tt.want || fault.ExitCode(err) != int(fault.Usage) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestFieldsThatAKindDoesNotUseAreRefused(t *testing.T) {
	judgeWith := func(field string) string { return strings.Replace(judge, "kind: chat", "kind: chat\n    "+field, 1) }
	programWith := func(field string) string {
		return strings.Replace(program, "kind: process", "kind: process\n    "+field, 1)
	}
	for _, tt := range []struct{ data, want string }{
		{judgeWith("model: small-1"), `d.yaml:4: field model holds "small-1", expected it under chat; correct it`},
		{judgeWith(`positive: ["1"]`), `d.yaml:4: field positive holds "1", expected it under chat; correct it`},
		{judgeWith("temperature: 0.5"), "d.yaml:4: field temperature holds 0.5, expected it under chat.request; correct it"},
		{judgeWith("temperature: 0"), "d.yaml:4: field temperature holds 0, expected it under chat.request; correct it"},
		{programWith("stride: 0"), "d.yaml:4: field stride holds 0, expected none for the kind process; correct it"},
		{judgeWith("head: sigmoid"), `d.yaml:4: field head holds "sigmoid", expected none for the kind chat; correct it`},
		{programWith("max_length: 512"), "d.yaml:4: field max_length holds 512, expected none for the kind process; correct it"},
		{programWith("precision: fp32"), `d.yaml:4: field precision holds "fp32", expected none for the kind process; correct it`},
		{programWith("model: models/mine"), ""},
		{"detectors:\n  - {id: r, kind: rule, model: models/mine}\n",
			`d.yaml:2: field model holds "models/mine", expected none for the kind rule; correct it`},
		{strings.Replace(program, `, "{seed}"`, "", 1), "d.yaml:4: field seeds holds 1, 2, expected {seed} in process.command or " +
			"in the path of model, or no seeds: each would be the same model; correct it"},
		{strings.NewReplacer(`, "{seed}"`, "", "kind: process", "kind: process\n    model: m-{seed}").Replace(program), ""},
		{"detectors:\n  - {id: r, kind: constant, rule: random, seeds: [1, 2]}\n", ""},
	} {
		_, err := parse(tt.data)
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}

func TestAnEntryKnowsWhereItsFieldsStand(t *testing.T) {
	c, f := &Config{}, configFile("/home/me/project/configs/detectors.yaml")
	if err := f.Decode([]byte(entry+"  - {id: r, kind: rule}\n"), c); err != nil {
		t.Fatal(err)
	}
	if err := c.check(f); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		of          *Entry
		field, want string
	}{
		{&c.Detectors[0], "file", "configs/detectors.yaml:5: field file"},
		{&c.Detectors[0], "precision", "configs/detectors.yaml:2: field precision"}, // where it would stand
		{&c.Detectors[1], "kind", "configs/detectors.yaml:23: field kind"},
		{&Entry{ID: "own"}, "file", `detector "own": field file`},
	} {
		if got := tt.of.Where(tt.field); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestHashChangesWithWhatChangesScoresAlone(t *testing.T) {
	c, err := parse(entry)
	if err != nil {
		t.Fatal(err)
	}
	plain := Entry{ID: "guard", Kind: "onnx", Model: "models/guard"}
	padded := Entry{ID: "guard", Kind: "onnx", Model: "models/guard", Pad: "buckets:[64,128]"}
	native := 0.25
	for _, tt := range []struct {
		name string
		of   Entry
		edit func(*Entry)
		same bool
	}{
		{"head default", plain, func(e *Entry) { e.Head = "softmax" }, true},
		{"stride default", plain, func(e *Entry) { e.Stride = 64 }, true},
		{"pad default", plain, func(e *Entry) { e.Pad = "batch" }, true},
		{"temperature default", plain, func(e *Entry) { e.Temperature = 1 }, true},
		{"special tokens default", plain, func(e *Entry) { e.SpecialTokensInText = "literal" }, true},
		{"precision", plain, func(e *Entry) { e.Precision = "int8" }, true},
		{"batch size", plain, func(e *Entry) { e.BatchTokens = 512 }, true},
		{"seeds", plain, func(e *Entry) { e.Seeds = []int{1} }, true},
		{"model folder", plain, func(e *Entry) { e.Model = "models/other" }, true},
		{"threshold", plain, func(e *Entry) { e.Native = &native }, true},
		{"words for people", plain, func(e *Entry) {
			e.Name, e.Description, e.Licence, e.Reference, e.Contaminated = "n", "d", "l", "r", "c"
			e.Baseline, e.Pull, e.TrainedOn = true, &Pull{Package: "p"}, []string{"s"}
			e.ArmOf, e.Arm = "o", "a"
		}, true},
		{"head", plain, func(e *Entry) { e.Head = "sigmoid" }, false},
		{"stride", plain, func(e *Entry) { e.Stride = 65 }, false},
		{"pad", plain, func(e *Entry) { e.Pad = "none" }, false},
		{"pad lengths", padded, func(e *Entry) { e.Pad = "buckets:[64,256]" }, false},
		{"blanks in pad", padded, func(e *Entry) { e.Pad = "buckets:[64, 128]" }, true},
		{"veto", plain, func(e *Entry) { e.Veto = &Veto{Class: "1", At: 0.5} }, false},
		{"temperature", plain, func(e *Entry) { e.Temperature = 2 }, false},
		{"special tokens", plain, func(e *Entry) { e.SpecialTokensInText = "special" }, false},
		{"max length", plain, func(e *Entry) { e.MaxLength = 128 }, false},
		{"positive", plain, func(e *Entry) { e.Positive = []string{"1"} }, false},
		{"output", plain, func(e *Entry) { e.Output = "logits" }, false},
		{"file", plain, func(e *Entry) { e.File = "model_int8.onnx" }, false},
		{"rows added", plain, func(e *Entry) { e.Augment = "rows" }, false},
		{"pool", plain, func(e *Entry) { e.Pool = 100 }, false},
		{"id", plain, func(e *Entry) { e.ID = "other" }, false},
		{"rule", Entry{ID: "r", Kind: "constant", Rule: "random"}, func(e *Entry) { e.Rule = "length" }, false},
		{"every field", c.Detectors[0], func(e *Entry) { e.Stride, e.Pad, e.Head = 0, "", "" }, false},
	} {
		edited := tt.of
		tt.edit(&edited)
		if same := edited.Hash() == tt.of.Hash(); same != tt.same {
			t.Errorf("%s: the hash stays the same: %v, want %v", tt.name, same, tt.same)
		}
	}
	// Score files name this hash: another one makes all of them foreign.
	const want = "2dfcd0ec2d01bc5ffcfbc2ec7a564ea241988433c547562a8043ff36f9dfa6d6"
	if got := plain.Hash(); got != want {
		t.Errorf("the hash of a plain entry is %s, want %s", got, want)
	}
}

func TestAnEntryWithSourcesIsADetectorForEach(t *testing.T) {
	const base = "detectors:\n  - {id: whole, kind: rule}\n  - {id: less, name: Less, kind: onnx, positive: ['1'], without_of: whole, " +
		"sources: [s_labs, Web], model: 'models/less-{source}-s{seed}', seeds: [42]}\n"
	c, err := parse(base)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range c.Detectors {
		got = append(got, strings.Join([]string{e.ID, e.Name, e.Model, e.LeftOut, e.WithoutOf}, "|"))
	}
	want := []string{"whole|whole|||", "less-s-labs|Less without s_labs|models/less-s_labs-s{seed}|s_labs|whole",
		"less-web|Less without Web|models/less-Web-s{seed}|Web|whole"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for change, expected := range map[string]string{
		"whole, sources: [s_labs, s-labs]": `the detector id "less-s-labs", of source "s-labs", stands twice`,
		"whole, sources: [a, a]":           `field sources holds "a", expected each source once`,
		"whole, sources: [../a]":           `field sources holds "../a"`,
		"nobody, sources: [a]":             `field without_of holds "nobody", expected the id of another entry`,
	} {
		_, err := parse(strings.Replace(base, "whole, sources: [s_labs, Web]", change, 1))
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: %v, want %s", change, err, expected)
		}
	}
}

func TestPadLengths(t *testing.T) {
	for pad, want := range map[string][]int{
		"": nil, "batch": nil, "none": nil, "to:512": {512}, "buckets:[64]": {64}, "buckets:[32, 64,256]": {32, 64, 256},
	} {
		if got, ok := padLengths(pad); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, expected %v", pad, got, ok, want)
		}
	}
	for _, pad := range []string{"to:", "to:0", "to:-1", "to:+5", "to:064", "to:1.5", "to:[64]", "to:32,64", "to:9999999",
		"to:99999999999999999999", "buckets", "buckets:64", "buckets:[]", "buckets:[64", "buckets:[64,32]", "buckets:[64,64]",
		"buckets:[64,,128]", "buckets:[64,128] ", "Batch"} {
		if got, ok := padLengths(pad); ok {
			t.Errorf("%q: taken as %v", pad, got)
		}
	}
}

// FuzzLoadConfig feeds arbitrary bytes: every outcome is a usage error with a cure, or entries that are safe to use.
func FuzzLoadConfig(f *testing.F) {
	f.Add([]byte(entry))
	f.Add([]byte("detectors:\n  - {id: r, kind: constant, rule: random, native: .inf}\n  - &a {id: b}\n  - *a\n"))
	f.Add([]byte("detectors: [{id: t, kind: tfidf, seeds: [1e3], pull: {files: {'': x}}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse(string(data))
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Kind != fault.Usage || e.Cure == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %q", err)
			}
			return
		}
		for _, e := range c.Detectors {
			for _, path := range []string{e.Model, e.File} {
				if path != "" && !filepath.IsLocal(path) {
					t.Errorf("the path %q leads out", path)
				}
			}
			if e.Name == "" || e.Stride < 0 || e.Kind == "onnx" && e.Model == "" || len(e.Hash()) != 64 {
				t.Errorf("accepted %+v", e)
			}
		}
	})
}
