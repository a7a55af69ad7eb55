package onnx

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func readTokenizer(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPrepareTokenizerChangesNothingElse(t *testing.T) {
	for _, name := range []string{"wordpiece", "unigram", "bytebpe"} {
		for _, literal := range []bool{true, false} {
			data := readTokenizer(t, name)
			file, err := prepareTokenizer(data, literal)
			if err != nil {
				t.Fatal(err)
			}
			want, got := decode(t, data), decode(t, file.data)
			want["truncation"], want["padding"], want["decoder"] = nil, nil, nil
			if name == "unigram" && literal {
				for _, id := range []int{0, 1, 2, 3, 4} { // all special tokens of its vocabulary
					piece := want["model"].(map[string]any)["vocab"].([]any)[id].([]any)
					piece[0] = "\x00" + piece[0].(string)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, literal %v: the prepared file differs in more than it should", name, literal)
			}
		}
	}
}

func TestPrepareTokenizerFindsThePaddingToken(t *testing.T) {
	for file, want := range map[string]int{
		`{"model":{}}`:                        -1,
		`{"model":{},"padding":{"pad_id":7}}`: 7,
		`{"model":{},"padding":null,"added_tokens":[{"id":3,"content":"<pad>","special":true}]}`:                         3,
		`{"model":{},"padding":{"pad_id":0},"added_tokens":[{"id":3,"content":"[PAD]","special":true}]}`:                 0,
		`{"model":{},"added_tokens":[{"id":3,"content":"[PAD]","special":false},{"id":1,"content":"x","special":true}]}`: -1,
	} {
		got, err := prepareTokenizer([]byte(file), true)
		if err != nil || got.padID != want {
			t.Errorf("%s: %+v, %v, expected %d", file, got, err, want)
		}
	}
}

func TestPrepareTokenizerSwitchesRandomMergesOff(t *testing.T) {
	file, err := prepareTokenizer([]byte(`{"model":{"type":"BPE","dropout":0.5,"vocab":{}}}`), true)
	if err != nil {
		t.Fatal(err)
	}
	if model := decode(t, file.data)["model"].(map[string]any); model["dropout"] != nil || model["type"] != "BPE" {
		t.Errorf("model %v", model)
	}
}

func TestPrepareTokenizerNamesWhatIsBroken(t *testing.T) {
	for file, want := range map[string]string{
		``:                                    "not a JSON object",
		`[]`:                                  "not a JSON object",
		`{"model":{}`:                         "not a JSON object",
		`{}`:                                  "field model is missing",
		`{"model":3}`:                         "field model",
		`{"model":{"vocab":[3`:                "not a JSON object",
		`{"model":{},"added_tokens":{"a":1}}`: "field added_tokens",
		`{"model":{"vocab":["a"]},"added_tokens":[{"id":0,"content":"a","special":true}]}`: "vocab entry 0",
	} {
		if _, err := prepareTokenizer([]byte(file), true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected one with %q", file, err, want)
		}
	}
}

// charsmap writes a character map: a trie of units and the texts.
func charsmap(size uint32, units []uint32, texts string) string {
	data := binary.LittleEndian.AppendUint32(nil, size)
	for _, u := range units {
		data = binary.LittleEndian.AppendUint32(data, u)
	}
	return base64.StdEncoding.EncodeToString(append(data, texts...))
}

// trieOf is a trie of 512 units in which the byte 'A' leads to a value.
func trieOf(value uint32) []uint32 {
	units := make([]uint32, 512)
	units[0] = 0                            // the root's offset is 0
	units['A'] = 256<<10 | 1<<8 | 'A'       // a leaf whose node is 'A' ^ 256
	units['A'^256] = 1<<31 | value&^(1<<31) // its value
	return units
}

func TestCharsmapStaysInsideItsTrie(t *testing.T) {
	far := trieOf(0)
	far['B'] = 1<<20<<10 | 'B'
	for _, c := range []struct{ name, text, problem string }{
		{"good", charsmap(2048, trieOf(0), "a\x00"), ""},
		{"value at the end", charsmap(2048, trieOf(2), "a\x00"), ""},
		{"no base64", "*", "not plain base64"},
		{"line break in base64", charsmap(2048, trieOf(0), "a")[:8] + "\n" + charsmap(2048, trieOf(0), "a")[8:],
			"not plain base64"},
		{"nothing", "", "expected at least 4"},
		{"size too large", charsmap(1<<31, trieOf(0), ""), "2147483648 bytes"},
		{"no trie", charsmap(0, nil, "a"), "trie is empty"},
		{"short trie", charsmap(4, []uint32{0}, ""), "points to unit"},
		{"step out of the trie", charsmap(2048, far, "a\x00"), "points to unit"},
		{"value behind the texts", charsmap(2048, trieOf(3), "a\x00"), "points to byte 3 of 2"},
		{"value inside a character", charsmap(2048, trieOf(1), "ä\x00"), "points to byte 1"},
		{"texts of broken UTF-8", charsmap(2048, trieOf(0), "\xff"), "not valid UTF-8"},
	} {
		err := checkCharsmap(c.text)
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: error %v, expected %q", c.name, err, c.problem)
		}
		for _, shape := range []string{
			`{"model":{},"normalizer":{"type":"Precompiled","precompiled_charsmap":%}}`,
			`{"model":{},"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKC"},{"precompiled_charsmap":%}]}}`,
		} {
			quoted, _ := json.Marshal(c.text)
			nested := checkParts([]byte(strings.ReplaceAll(shape, "%", string(quoted))))
			if (nested == nil) != (err == nil) {
				t.Errorf("%s in %s: error %v", c.name, shape, nested)
			}
		}
	}
	if checkParts([]byte(`{"model":{},"normalizer":{"type":"Precompiled"}}`)) == nil {
		t.Error("a map that is missing passes")
	}
}

func TestTemplatesNameNothingThatIsNotThere(t *testing.T) {
	for file, want := range map[string]string{
		`{"single":[{"SpecialToken":{"id":"[A]"}},{"Sequence":{"id":"A"}}],"special_tokens":{"[A]":0}}`: "",
		`{"single":[{"SpecialToken":{"id":"[B]"}}]}`:                                                    `special token "[B]"`,
		`{"single":[{"Sequence":{"id":"B"}}]}`:                                                          "a second one",
		`{"processors":[{"single":[{"Sequence":{"id":"B"}}]}]}`:                                         "a second one",
	} {
		err := checkParts([]byte(`{"model":{},"post_processor":` + file + `}`))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %q", file, err, want)
		}
	}
}

func TestNULStandsOnlyWhereItDoesNoHarm(t *testing.T) {
	for file, good := range map[string]bool{
		`{"model":{"vocab":[["\u0000",0]]}}`:                                                      true,
		`{"model":{},"normalizer":{"type":"Replace","pattern":{"String":"\u0000"},"content":""}}`: true,
		`{"model":{},"version":"\u0000"}`:                                                         false,
		`{"model":{"type":"\u0000"}}`:                                                             false,
		`{"model":{"merges":["a \u0000"]}}`:                                                       false,
		`{"model":{},"decoder":{"\u0000":1}}`:                                                     false,
		`{"model":{},"pre_tokenizer":{"prepend_scheme":"\u0000"}}`:                                false,
		`{"model":{},"added_tokens":[{"id":0,"content":"\u0000"}]}`:                               false,
	} {
		if err := checkParts([]byte(file)); (err == nil) != good {
			t.Errorf("%s: error %v", file, err)
		}
	}
}

func FuzzCharsmap(f *testing.F) {
	f.Add(uint32(2048), "a\x00")
	f.Fuzz(func(t *testing.T, size uint32, rest string) {
		units := trieOf(size)
		checkCharsmap(charsmap(size, units, rest))
		checkCharsmap(charsmap(uint32(len(rest)), nil, rest))
		checkCharsmap(rest)
	})
}
