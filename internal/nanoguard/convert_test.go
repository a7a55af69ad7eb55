package nanoguard

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// sample is a small model of the package's form, to be spoilt.
type sample struct {
	config  map[string]int64
	tensors map[string]*sampleTensor
	ranks   []string // tokens by id
	special []string // of the ids that follow
	method  uint16   // of the zip file's members
	order   string
	drop    string // a member that is left out
}

type sampleTensor struct {
	class           string
	shape, strides  []int64
	start, elements int64
	extra           int // bytes more than the storage should hold
}

func newSample() *sample {
	s := &sample{
		config: map[string]int64{
			"sequence_len": 8, "vocab_size": 262, "n_layer": 1, "n_head": 2, "n_kv_head": 2, "n_embd": 8, "num_classes": 2,
		},
		tensors: map[string]*sampleTensor{},
		special: []string{beginToken, padToken, "<|reserved_2|>", "<|reserved_3|>"},
		order:   "little",
	}
	n := &network{positions: 8, vocabulary: 262, layers: 1, heads: 2, width: 8, classes: 2}
	for name, shape := range n.tensors() {
		s.tensors[name] = &sampleTensor{
			class: "FloatStorage", shape: shape, strides: rowMajor(shape), elements: product(shape),
		}
	}
	s.tensors[embedding].class = "BFloat16Storage"
	for c := range 256 {
		s.ranks = append(s.ranks, string([]byte{byte(c)}))
	}
	s.ranks = append(s.ranks, "ab", "abc")
	return s
}

// write puts the model's two files in a new folder and returns it.
func (s *sample) write(t *testing.T) string {
	t.Helper()
	var model bytes.Buffer
	z := zip.NewWriter(&model)
	add := func(name string, data []byte) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: "best_model/" + name, Method: s.method})
		if err == nil && name != s.drop {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("data.pkl", s.table())
	add("byteorder", []byte(s.order))
	for i, name := range slices.Sorted(maps.Keys(s.tensors)) {
		x := s.tensors[name]
		size := map[string]int64{"FloatStorage": 4, "BFloat16Storage": 2, "LongStorage": 8}[x.class]
		if key := fmt.Sprintf("data/%d", i); key != s.drop {
			add(key, make([]byte, x.elements*size+int64(x.extra)))
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"model.pt": model.Bytes(), "tokenizer.pkl": s.words()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func pickleText(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func pickleInt(n int64) string {
	return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(int32(n))))
}

func pickleInts(list []int64) string {
	s := "("
	for _, n := range list {
		s += pickleInt(n)
	}
	return s + "t"
}

// table is the pickle of model.pt.
func (s *sample) table() []byte {
	out := p2 + "}(" + pickleText("model_state_dict") + "}("
	for i, name := range slices.Sorted(maps.Keys(s.tensors)) {
		x := s.tensors[name]
		out += pickleText(name) + "ctorch._utils\n_rebuild_tensor_v2\n((" +
			pickleText("storage") + "ctorch\n" + x.class + "\n" + pickleText(fmt.Sprint(i)) + pickleText("cpu") + pickleInt(x.elements) + "tQ" + pickleInt(x.start) +
			pickleInts(x.shape) + pickleInts(x.strides) + "\x89ccollections\nOrderedDict\n)RtR"
	}
	out += "u" + pickleText("config") + "}("
	for _, name := range slices.Sorted(maps.Keys(s.config)) {
		out += pickleText(name) + pickleInt(s.config[name])
	}
	return []byte(out + "uu.")
}

// words is the pickle of a tiktoken encoding.
func (s *sample) words() []byte {
	out := "\x80\x04\x8c\x0dtiktoken.core\x8c\x08Encoding\x93)\x81}(" + pickleText("pat_str") + pickleText(`\S+|\s+`) +
		pickleText("mergeable_ranks") + "}("
	for id, token := range s.ranks {
		out += "C" + string([]byte{byte(len(token))}) + token + pickleInt(int64(id))
	}
	out += "u" + pickleText("special_tokens") + "}("
	for i, name := range s.special {
		out += pickleText(name) + pickleInt(int64(len(s.ranks)+i))
	}
	return []byte(out + "uub.")
}

func TestConvertWritesTheSameFilesEachTime(t *testing.T) {
	dir := newSample().write(t)
	read := func() (all string) {
		names, err := Convert(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"config.json", "model.onnx", "tokenizer.json"}; !slices.Equal(names, want) {
			t.Errorf("names %v, expected %v", names, want)
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all += string(data)
		}
		return all
	}
	first := read()
	if second := read(); first != second {
		t.Error("the second run wrote other bytes")
	}
	var config struct {
		ID2Label map[string]string `json:"id2label"`
		Length   int               `json:"max_position_embeddings"`
		Pad      int               `json:"pad_token_id"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil || config.ID2Label["1"] != "injection" || config.Length != 8 || config.Pad != 259 {
		t.Errorf("config.json holds %+v, %v", config, err)
	}
}

func TestConvertRefusesWhatIsNoSuchModel(t *testing.T) {
	fc := layerWeight(0, "mlp.c_fc")
	for name, c := range map[string]struct {
		spoil func(s *sample)
		say   string
	}{
		"compressed":         {func(s *sample) { s.method = zip.Deflate }, "compressed"},
		"big-endian":         {func(s *sample) { s.order = "big" }, "byte order"},
		"no table":           {func(s *sample) { s.drop = "data.pkl" }, "pickle at byte 0"},
		"no storage":         {func(s *sample) { s.drop = "data/3" }, `"data/3" is missing`},
		"another class":      {func(s *sample) { s.tensors[fc].class = "LongStorage" }, "torch.LongStorage"},
		"a longer storage":   {func(s *sample) { s.tensors[fc].extra = 4 }, "holds 1028 bytes, expected 256 numbers"},
		"beyond the end":     {func(s *sample) { s.tensors[fc].start = 1 }, "does not fit"},
		"before the start":   {func(s *sample) { s.tensors[fc].start = -1 }, "does not fit"},
		"transposed":         {func(s *sample) { s.tensors[fc].strides = []int64{1, 32} }, "strides"},
		"negative":           {func(s *sample) { s.tensors[fc].shape[0] = -32 }, "whole number"},
		"huge":               {func(s *sample) { s.tensors[fc].shape = []int64{1 << 30, 1 << 30, 1 << 30} }, "too large"},
		"another shape":      {func(s *sample) { x := s.tensors[fc]; x.shape = []int64{256}; x.strides = []int64{1} }, "[256]"},
		"half precision":     {func(s *sample) { s.tensors[fc].class = "BFloat16Storage" }, "float32"},
		"a tensor less":      {func(s *sample) { delete(s.tensors, fc) }, fc + " is missing"},
		"a tensor more":      {func(s *sample) { s.tensors["x"] = s.tensors["cls_head.bias"] }, "expected 13"},
		"more layers":        {func(s *sample) { s.config["n_layer"] = 2 }, "resid_lambdas has shape [1], expected [2]"},
		"countless layers":   {func(s *sample) { s.config["n_layer"] = 1 << 30 }, "n_layer is 1073741824"},
		"no width":           {func(s *sample) { delete(s.config, "n_embd") }, "n_embd is 0"},
		"shared keys":        {func(s *sample) { s.config["n_kv_head"] = 1 }, "n_kv_head is 1"},
		"odd heads":          {func(s *sample) { s.config["n_head"], s.config["n_kv_head"] = 3, 3 }, "3 heads"},
		"another size":       {func(s *sample) { s.ranks = append(s.ranks, "bc") }, "263 tokens"},
		"a byte less":        {func(s *sample) { s.ranks[7] = "xyz" }, "byte 0x07"},
		"an empty token":     {func(s *sample) { s.ranks[257] = "" }, "token 257 holds no byte"},
		"a token of nothing": {func(s *sample) { s.ranks[256] = "xyz" }, "no merges make token"},
		"no first token":     {func(s *sample) { s.special[0] = "x" }, beginToken + " is missing"},
		"no padding":         {func(s *sample) { s.special[1] = "x" }, padToken + " is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSample()
			c.spoil(s)
			dir := s.write(t)
			_, err := Convert(dir)
			testenv.WantFault(t, err, fault.Integrity, c.say)
			if _, err := os.Lstat(filepath.Join(dir, graphFile)); err == nil {
				t.Error("a graph was written all the same")
			}
		})
	}
}

func TestConvertNamesAMissingOrStrangeFile(t *testing.T) {
	dir := newSample().write(t)
	if err := os.Remove(filepath.Join(dir, weightsFile)); err != nil {
		t.Fatal(err)
	}
	_, err := Convert(dir)
	testenv.WantFault(t, err, fault.Incomplete, weightsFile)
	if err := os.Mkdir(filepath.Join(dir, weightsFile), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = Convert(dir)
	testenv.WantFault(t, err, fault.Integrity, "not a plain file")
	if err := os.WriteFile(filepath.Join(dir, vocabularyFile), make([]byte, maxPickleBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Convert(dir)
	testenv.WantFault(t, err, fault.Integrity, vocabularyFile, "at most")
}

// TestTheAnglesAreThoseOfTorch compares with the tables that the package's own code computes.
func TestTheAnglesAreThoseOfTorch(t *testing.T) {
	cos, sin := (&network{positions: 512, heads: 4, width: 512}).rotary()
	var raw []byte
	for _, x := range append(cos, sin...) {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	sum := sha256.Sum256(raw)
	if got := hex.EncodeToString(sum[:]); got != "0868e8ea92478d59c56c508b7f2d58ee39063fff2db1aef75fceba8462ab2336" {
		t.Errorf("%d angles hash to %s", len(cos), got)
	}
}

func TestParentsAreTheLastMerge(t *testing.T) {
	v := &vocabulary{ranks: map[byteText]int{}}
	for id, token := range []byteText{"a", "b", "c", "bc", "ab", "abc", "aa", "aaa", "acb"} {
		v.tokens, v.ranks[token] = append(v.tokens, token), id
	}
	for token, want := range map[byteText]string{"abc": "a+bc", "ab": "a+b", "aaa": "aa+a", "acb": "none"} {
		left, right, ok := v.parents(token)
		got := string(left + "+" + right)
		if !ok {
			got = "none"
		}
		if got != want {
			t.Errorf("parents of %s: %s, expected %s", token, got, want)
		}
	}
}

func TestBytesAreSpeltByPrintableCharacters(t *testing.T) {
	spell := byteSpelling()
	if got := spell("\x00 a!~\x7f\xa0\xa1\xad\xff\n"); got != "ĀĠa!~ġł¡Ńÿ"+"Ċ" {
		t.Errorf("spelt %s", got)
	}
	var all []byte
	for c := range 256 {
		all = append(all, byte(c))
	}
	seen := map[rune]bool{}
	for _, r := range spell(byteText(all)) {
		seen[r] = true
	}
	if len(seen) != 256 || strings.ContainsAny(spell(byteText(all)), " \n\x00") {
		t.Errorf("%d spellings of 256 bytes", len(seen))
	}
}

// FuzzCheckpoint looks for a file that ends the process or gives a tensor outside itself.
func FuzzCheckpoint(f *testing.F) {
	data := newSample().table()
	f.Add(data)
	f.Add(bytes.Replace(data, []byte(pickleInt(256)), []byte(pickleInt(-256)), 1))
	f.Add(bytes.Replace(data, []byte("tQ"+pickleInt(0)), []byte("tQ"+pickleInt(math.MaxInt32)), 1))
	f.Fuzz(func(t *testing.T, table []byte) {
		var file bytes.Buffer
		z := zip.NewWriter(&file)
		for _, m := range []struct {
			name string
			data []byte
		}{{"data.pkl", table}, {"byteorder", []byte("little")}, {"data/0", make([]byte, 8)}, {"data/1", make([]byte, 1024)}} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: "x/" + m.name})
			if err == nil {
				_, err = w.Write(m.data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		c, err := readCheckpoint(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			return
		}
		for name, x := range c.tensors {
			if x.offset < 0 || x.length() < 0 || x.offset+x.length() > int64(file.Len()) {
				t.Fatalf("tensor %q of shape %v lies at %d in a file of %d bytes", name, x.shape, x.offset, file.Len())
			}
		}
		if n, err := readNetwork(c); err == nil {
			buildGraph(n, c.tensors, 0)
		}
	})
}
