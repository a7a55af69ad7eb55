package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// copyFolder copies a model folder of testdata, so that a test can damage it.
func copyFolder(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t testing.TB, data []byte, path ...string) {
	t.Helper()
	full := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, path ...string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(path...)); err != nil {
		t.Fatal(err)
	}
}

func external(entries ...string) []byte {
	return modelOf(nodeOf("Relu", []string{"far"}, "logits"), externalTensor(entries...))
}

func TestBrokenFoldersEndInOneSentence(t *testing.T) {
	pull := detect.Entry{ID: "d", Kind: "onnx", Pull: &detect.Pull{}}
	for _, c := range []struct {
		name    string
		entry   detect.Entry
		damage  func(t *testing.T, dir string)
		kind    fault.Kind
		message string
	}{
		{"no model", pull, func(t *testing.T, dir string) { remove(t, dir, "model.onnx") },
			fault.Incomplete, "neither model.onnx nor onnx/model.onnx; run `pidsbench models pull d`"},
		{"named model missing", detect.Entry{ID: "d", File: "other.onnx"}, func(*testing.T, string) {},
			fault.Incomplete, `detector "d": field file holds "other.onnx", which FOLDER does not hold; it holds model.onnx; name ` +
				"one of these as `file` in the entry"},
		{"graphs of other names", pull, func(t *testing.T, dir string) {
			remove(t, dir, "model.onnx")
			write(t, nil, dir, "onnx", "model_int8.onnx")
			write(t, nil, dir, "a\x1b[2J.onnx")
		}, fault.Incomplete, "FOLDER holds neither model.onnx nor onnx/model.onnx; it holds \"a\\x1b[2J.onnx\", " +
			"onnx/model_int8.onnx; name one of these as `file` in the entry"},
		{"a checkpoint", detect.Entry{ID: "d"}, func(t *testing.T, dir string) {
			remove(t, dir, "model.onnx")
			write(t, nil, dir, "model.safetensors")
		}, fault.Incomplete, "FOLDER holds neither model.onnx nor onnx/model.onnx; it is a checkpoint with the weights in " +
			"model.safetensors; export it with `tools/export --checkpoint FOLDER --out FOLDER-onnx`, and name that folder as `model`"},
		{"nothing of a model", detect.Entry{ID: "d"}, func(t *testing.T, dir string) { remove(t, dir, "model.onnx") },
			fault.Incomplete, "FOLDER holds neither model.onnx nor onnx/model.onnx; put a model there, or correct `model` in the entry"},
		{"named model outside", detect.Entry{ID: "d", File: "../model.onnx"}, func(*testing.T, string) {},
			fault.Usage, `file is "../model.onnx", which leads out`},
		{"named model absolute", detect.Entry{ID: "d", File: "/etc/passwd"}, func(*testing.T, string) {},
			fault.Usage, "leads out"},
		{"model is a folder", pull, func(t *testing.T, dir string) {
			remove(t, dir, "model.onnx")
			write(t, nil, dir, "model.onnx", "x")
		},
			fault.Integrity, "model.onnx is not a plain file"},
		{"model cut short", pull, func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "model.onnx"), 3000); err != nil {
				t.Fatal(err)
			}
		}, fault.Integrity, "is not a complete ONNX model: broken protobuf"},
		{"model empty", pull, func(t *testing.T, dir string) { write(t, nil, dir, "model.onnx") },
			fault.Integrity, "is not a complete ONNX model: no graph"},
		{"model is text", pull, func(t *testing.T, dir string) {
			write(t, []byte("<!doctype html><html>not found</html>"), dir, "model.onnx")
		},
			fault.Integrity, "is not a complete ONNX model"},
		{"model is a pointer", pull, func(t *testing.T, dir string) {
			write(t, []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"), dir, "model.onnx")
		}, fault.Integrity, "is a Git LFS pointer"},
		{"model is a link out", pull, func(t *testing.T, dir string) { linkOut(t, dir, "model.onnx") },
			fault.Integrity, "model.onnx is a link that leads out of the model folder"},
		{"tokenizer is a link out", pull, func(t *testing.T, dir string) { linkOut(t, dir, "tokenizer.json") },
			fault.Integrity, "tokenizer.json is a link that leads out of the model folder"},
		{"tokenizer missing", pull, func(t *testing.T, dir string) { remove(t, dir, "tokenizer.json") },
			fault.Incomplete, "tokenizer.json is missing"},
		{"config is no JSON", pull, func(t *testing.T, dir string) { write(t, []byte("{"), dir, "config.json") },
			fault.Integrity, "config.json is not a JSON object"},
		{"config with a wrong type", pull, func(t *testing.T, dir string) {
			write(t, []byte(`{"max_position_embeddings":"512"}`), dir, "config.json")
		}, fault.Integrity, "field max_position_embeddings holds a string, expected int"},
		{"lock is no JSON", pull, func(t *testing.T, dir string) { write(t, []byte("{"), dir, "model.lock.json") },
			fault.Integrity, "model.lock.json: is not the JSON expected"},

		{"weights above the folder", pull, func(t *testing.T, dir string) {
			write(t, external("location", "../secret"), dir, "model.onnx")
		},
			fault.Integrity, `the weights of tensor "far" are said to lie in "../secret", expected a relative path inside`},
		{"weights above the folder, winding", pull, func(t *testing.T, dir string) {
			write(t, external("location", "a/../../secret"), dir, "model.onnx")
		},
			fault.Integrity, "expected a relative path inside"},
		{"weights at an absolute path", pull, func(t *testing.T, dir string) {
			write(t, external("location", "/etc/passwd"), dir, "model.onnx")
		},
			fault.Integrity, "expected a relative path inside"},
		{"weights in memory", pull, func(t *testing.T, dir string) {
			write(t, external("location", "*/_ORT_MEM_ADDR_/*", "offset", "4096"), dir, "model.onnx")
		}, fault.Integrity, "expected a relative path inside"},
		{"weights nowhere", pull, func(t *testing.T, dir string) { write(t, external("offset", "0"), dir, "model.onnx") },
			fault.Integrity, "expected a relative path inside"},
		{"weights behind a link", pull, func(t *testing.T, dir string) {
			write(t, external("location", "w.bin"), dir, "model.onnx")
			linkOut(t, dir, "w.bin")
		}, fault.Integrity, "w.bin is a link that leads out of the model folder"},
		{"weights below a linked folder", pull, func(t *testing.T, dir string) {
			write(t, external("location", "sub/w.bin"), dir, "model.onnx")
			other := t.TempDir()
			write(t, make([]byte, 16), other, "w.bin")
			if err := os.Symlink(other, filepath.Join(dir, "sub")); err != nil {
				t.Fatal(err)
			}
		}, fault.Integrity, "w.bin is a link that leads out of the model folder"},
		{"weights missing", pull, func(t *testing.T, dir string) {
			write(t, external("location", "w.bin"), dir, "model.onnx")
		},
			fault.Incomplete, "w.bin is missing"},
		{"weights too short", pull, func(t *testing.T, dir string) {
			write(t, external("location", "w.bin", "offset", "8", "length", "16"), dir, "model.onnx")
			write(t, make([]byte, 16), dir, "w.bin")
		}, fault.Integrity, `offset "8", length "16" of "w.bin", which holds 16 bytes`},
		{"weights at a negative offset", pull, func(t *testing.T, dir string) {
			write(t, external("location", "w.bin", "offset", "-8"), dir, "model.onnx")
			write(t, make([]byte, 16), dir, "w.bin")
		}, fault.Integrity, `offset "-8"`},
		{"weights of endless length", pull, func(t *testing.T, dir string) {
			write(t, external("location", "w.bin", "offset", "1", "length", "4611686018427387903"), dir, "model.onnx")
			write(t, make([]byte, 16), dir, "w.bin")
		}, fault.Integrity, "which holds 16 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyFolder(t, "wordpiece")
			c.damage(t, dir)
			_, err := readFolder(dir, c.entry)
			checkFault(t, err, c.kind, strings.ReplaceAll(c.message, "FOLDER", dir))
		})
	}
	t.Run("no folder", func(t *testing.T) {
		_, err := readFolder(filepath.Join(t.TempDir(), "absent"), pull)
		checkFault(t, err, fault.Incomplete, "the model folder of detector \"d\" cannot be opened")
	})
}

// linkOut replaces a file by a link to a copy of it in another folder.
func linkOut(t *testing.T, dir, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		data = make([]byte, 16)
	}
	other := t.TempDir()
	write(t, data, other, name)
	remove(t, dir, name)
	if err := os.Symlink(filepath.Join(other, name), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

var trainHash = strings.Repeat("ab", 32)

// lockOf returns the lock of a model that was trained on a split with trainHash.
func lockOf(displayName string) []byte {
	return fmt.Appendf(nil, `{"schema":"pidsbench-model-lock/1","name":"tiny","display_name":%q,"licence":"MIT","source":{},
		"files":[{"path":"model.onnx","sha256":%q,"bytes":1}],
		"training":{"tool":"own","edition":"open","train_sha256":%q,"val_sha256":%q,"seed":1,"parameters":1,"epochs":1,
		"best_epoch":1,"val_f1":0.5}}`, displayName, trainHash, trainHash, trainHash)
}

func TestFolderListsItsFilesWithHashes(t *testing.T) {
	dir := copyFolder(t, "wordpiece")
	write(t, external("location", "w.bin", "length", "16"), dir, "onnx", "model.onnx")
	write(t, make([]byte, 16), dir, "onnx", "w.bin")
	remove(t, dir, "model.onnx")
	remove(t, dir, "config.json")
	write(t, lockOf("Tiny"), dir, "model.lock.json")
	f, err := readFolder(dir, detect.Entry{ID: "d"})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, file := range f.files {
		paths = append(paths, file.Path)
		if len(file.SHA256) != 64 {
			t.Errorf("%s has hash %q", file.Path, file.SHA256)
		}
	}
	if got := strings.Join(paths, " "); got != "onnx/model.onnx onnx/w.bin tokenizer.json" {
		t.Errorf("files %s", got)
	}
	if zeros := "374708fff7719dd5979ec875d56cd2286f6d3cf7ec317a3b25632aab28ec37bb"; f.files[1].SHA256 != zeros {
		t.Errorf("hash of 16 zero bytes is %s", f.files[1].SHA256)
	}
	if f.displayName != "Tiny" || f.trainSHA256 != trainHash {
		t.Errorf("the lock says %q, %q", f.displayName, f.trainSHA256)
	}
}

func TestAFolderWithoutAConfigNeedsClassesByIndex(t *testing.T) {
	dir := copyFolder(t, "wordpiece")
	remove(t, dir, "config.json")
	for _, c := range []struct {
		entry   detect.Entry
		message string // "" when it will do
	}{
		{detect.Entry{Positive: []string{"1"}}, ""},
		{detect.Entry{Positive: []string{"1"}, Veto: &detect.Veto{Class: "0", At: 0.5}}, ""},
		{detect.Entry{}, `detector "d": field positive is left out, and ` + dir + "/config.json, which would name the classes, is " +
			"missing; put the checkpoint's config.json there, or give classes by index: `positive: [\"1\"]`"},
		{detect.Entry{Positive: []string{"0", "INJECTION"}}, `field positive names a class, and ` + dir + "/config.json, which"},
		{detect.Entry{Positive: []string{"1"}, Veto: &detect.Veto{Class: "SAFE", At: 0.5}}, "field veto names a class, and"},
	} {
		c.entry.ID = "d"
		f, err := readFolder(dir, c.entry)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = f.head(c.entry, 2); c.message != "" {
			checkFault(t, err, fault.Incomplete, c.message)
		} else if err != nil {
			t.Error(err)
		}
	}
}

func TestLinksInsideTheFolderAreFollowed(t *testing.T) {
	dir := copyFolder(t, "wordpiece")
	if err := os.Rename(filepath.Join(dir, "model.onnx"), filepath.Join(dir, "real.onnx")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.onnx", filepath.Join(dir, "model.onnx")); err != nil {
		t.Fatal(err)
	}
	if _, err := readFolder(dir, detect.Entry{ID: "d"}); err != nil {
		t.Error(err)
	}
}

func TestSignatureRefusesGraphsItCannotServe(t *testing.T) {
	ids := valueOf(11, "input_ids", 7, -1, -1)
	mask := valueOf(11, "attention_mask", 7, -1, -1)
	logits := valueOf(12, "logits", 1, -1, 2)
	for _, c := range []struct {
		name    string
		values  []byte
		output  string
		kind    fault.Kind
		message string
	}{
		{"no ids", msg(mask, logits), "", fault.Integrity, "no input input_ids"},
		{"unknown input", msg(ids, valueOf(11, "pixel_values", 1, -1, 3), logits), "", fault.Integrity,
			`input "pixel_values" is unknown`},
		{"ids of another type", msg(valueOf(11, "input_ids", 1, -1, -1), logits), "", fault.Integrity,
			"input input_ids holds float32, expected int64 or int32"},
		{"odd element type", msg(valueOf(11, "input_ids", 99, -1, -1), logits), "", fault.Integrity, "element type 99"},
		{"flat ids", msg(valueOf(11, "input_ids", 7, -1), logits), "", fault.Integrity,
			"shape [-1], expected [batch, sequence]"},
		{"fixed length", msg(valueOf(11, "input_ids", 7, -1, 128), logits), "", fault.Usage,
			`rows of exactly 128 tokens, and pad is "batch"`},
		{"fixed lengths", msg(valueOf(11, "input_ids", 7, -1, 128), valueOf(11, "attention_mask", 7, -1, 64), logits), "",
			fault.Integrity, "input attention_mask has a fixed length of 64"},
		{"length 0", msg(valueOf(11, "input_ids", 7, -1, 0), logits), "", fault.Integrity, "fixed length of 0"},
		{"fixed batch", msg(valueOf(11, "input_ids", 7, 4, -1), logits), "", fault.Integrity, "fixed batch of 4"},
		{"twice", msg(ids, ids, logits), "", fault.Integrity, "declared twice"},
		{"no output", ids, "", fault.Usage, "0 outputs"},
		{"two outputs", msg(ids, logits, valueOf(12, "hidden", 1, -1, -1, 8)), "", fault.Usage,
			`2 outputs ("logits", "hidden")`},
		{"other output", msg(ids, logits), "scores", fault.Usage, `output is "scores", the graph has "logits"`},
		{"output of another type", msg(ids, valueOf(12, "logits", 11, -1, 2)), "", fault.Integrity,
			"holds float64, expected float32 or float16"},
		{"float16 output of unknown width", msg(ids, valueOf(12, "logits", 10, -1, -1)), "", fault.Integrity,
			"holds float16 and does not say how many classes it has"},
		{"output a token", msg(ids, valueOf(12, "logits", 1, -1, -1, 2)), "", fault.Integrity,
			"shape [-1 -1 2], a row of numbers for each token, expected [batch, classes]"},
		{"output without a batch", msg(ids, valueOf(12, "logits", 1, 2)), "", fault.Integrity,
			"shape [2], a single axis, expected [batch, classes]"},
		{"endless classes", msg(ids, valueOf(12, "logits", 1, -1, 1<<40)), "", fault.Integrity, "1099511627776 classes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := parseGraph(modelOf(nodeOf("Relu", nil, "logits"), c.values))
			if err != nil {
				t.Fatal(err)
			}
			_, err = newSignature(g, "m.onnx", detect.Entry{ID: "d", Output: c.output})
			checkFault(t, err, c.kind, c.message)
		})
	}
	t.Run("what is served", func(t *testing.T) {
		weights := msg(valueOf(11, "w", 1, 2, 2), tensorOf("w", 1, make([]byte, 16), 2, 2))
		types := valueOf(11, "token_type_ids", 7, 1, -1)
		values := msg(types, valueOf(11, "input_ids", 6, -1, -1), mask, valueOf(12, "logits", 1, -1, -1))
		g, err := parseGraph(modelOf(nodeOf("Relu", nil, "logits"), weights, values))
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSignature(g, "m.onnx", detect.Entry{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.inputs) != 3 || s.inputs[0] != (input{"token_type_ids", false}) || s.inputs[1] != (input{"input_ids", true}) ||
			!s.has("attention_mask") || !s.masked || !s.single || s.width != 0 || s.output != "logits" || s.length != 0 {
			t.Errorf("signature %+v", s)
		}
	})
}

func TestConfigTellsLabelsAndPositions(t *testing.T) {
	for _, c := range []struct {
		config string
		labels string // joined; an error begins with !
		limit  int
		hard   bool
	}{
		{`{}`, "", 0, false},
		{`{"id2label":{"1":"B","0":"A"},"max_position_embeddings":512}`, "A B", 512, true},
		{`{"id2label":{"0":"A","2":"B"}}`, `!field id2label holds the key "2", expected 0 to 1`, 0, false},
		{`{"id2label":{"0":"A","01":"B"}}`, `!field id2label holds the key "01"`, 0, false},
		{`{"id2label":{"0":"A","x":"B"}}`, `!field id2label holds the key "x"`, 0, false},
		{`{"model_type":"roberta","max_position_embeddings":514,"pad_token_id":1}`, "", 512, true},
		{`{"model_type":"roberta","max_position_embeddings":514,"pad_token_id":null}`, "", 512, true},
		{`{"model_type":"deberta-v2","max_position_embeddings":512,"position_biased_input":false}`, "", 512, false},
		{`{"model_type":"deberta","max_position_embeddings":512}`, "", 512, true},
		{`{"max_position_embeddings":-1}`, "", 0, false},
	} {
		config, err := parseConfig([]byte(c.config), "config.json")
		if err != nil {
			t.Fatal(err)
		}
		labels, err := config.labels()
		got := strings.Join(labels, " ")
		if err != nil {
			got = "!" + err.Error()
		}
		if !strings.HasPrefix(got, c.labels) || (c.labels == "") != (got == "") {
			t.Errorf("%s: labels %q, expected %q", c.config, got, c.labels)
		}
		if limit, hard := config.positions(); limit != c.limit || hard != c.hard {
			t.Errorf("%s: positions %d, %v", c.config, limit, hard)
		}
	}
}
