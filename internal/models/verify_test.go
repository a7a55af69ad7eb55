package models

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/fault"
)

func put(t testing.TB, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func digest(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// folder makes a model folder of two files and its lock.
func folder(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a model")
	put(t, filepath.Join(dir, "onnx", "model.onnx"), "weights")
	put(t, filepath.Join(dir, "tokenizer.json"), "{}")
	put(t, filepath.Join(dir, "README.md"), "# A model\n")
	lock := Lock{
		Schema: Schema, Name: "a-model", DisplayName: "A model", Licence: "MIT", Source: Source{URL: "made here"},
		Files: []File{
			{Path: "onnx/model.onnx", SHA256: digest("weights"), Bytes: 7},
			{Path: "tokenizer.json", SHA256: digest("{}"), Bytes: 2},
		},
		Training: &Training{Tool: "tools/train", Edition: "open", TrainSHA256: digest("train"), ValSHA256: digest("val"),
			Seed: 42, Parameters: 1_850_000, Epochs: new(4.0), BestEpoch: new(2.5), ValF1: new(0.975)},
	}
	if err := lock.write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sentences returns the problems that an error of Verify lists, or the one it is.
func sentences(err error) []string {
	first, list, several := strings.Cut(err.Error(), " places:\n  ")
	if !several {
		return []string{first}
	}
	return strings.Split(list, "\n  ")
}

func TestVerifyReturnsTheLockOfARightFolder(t *testing.T) {
	dir := folder(t)
	lock, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	if lock.Training.Seed != 42 || *lock.Training.BestEpoch != 2.5 || lock.Training.TrainSHA256 != digest("train") {
		t.Errorf("training is %+v", lock.Training)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	again, err := Verify(link)
	if err != nil {
		t.Fatalf("through a link that its user made: %v", err)
	}
	if diff := cmp.Diff(lock, again); diff != "" {
		t.Error(diff)
	}
}

func TestVerifyNamesEachDifference(t *testing.T) {
	model := filepath.Join("onnx", "model.onnx")
	relink := func(t *testing.T, path string) { // the same bytes, reached through a link
		t.Helper()
		if err := errors.Join(os.Rename(path, path+"2"), os.Symlink(filepath.Base(path)+"2", path)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		say   []string // one a sentence
	}{
		"changed": {func(t *testing.T, dir string) { put(t, filepath.Join(dir, model), "weightz") },
			[]string{"model.onnx: SHA-256 is " + digest("weightz") + ", expected " + digest("weights")}},
		"cut": {func(t *testing.T, dir string) { put(t, filepath.Join(dir, model), "wei") },
			[]string{"model.onnx: the file has 3 bytes, expected 7"}},
		"missing": {func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "onnx")) },
			[]string{"model.onnx: the model's file is missing"}},
		"pointer": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, model), "version https://git-lfs.example/spec/v1\noid sha256:00\nsize 7\n")
		}, []string{"model.onnx: a Git LFS pointer"}},
		"folder in its place": {func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, model))
			os.Mkdir(filepath.Join(dir, model), 0o755)
		}, []string{"model.onnx is not a regular file"}},
		"link": {func(t *testing.T, dir string) { relink(t, filepath.Join(dir, "tokenizer.json")) },
			[]string{"tokenizer.json is a link", "the file tokenizer.json2 is not in model.lock.json"}},
		"link on the way": {func(t *testing.T, dir string) { relink(t, filepath.Join(dir, "onnx")) },
			[]string{": onnx is a link", "the file onnx is not in", "the file onnx2/model.onnx is not in"}},
		"strangers": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "z\x1b[2J\u009d.py"), "")
			put(t, filepath.Join(dir, "onnx", "README.md"), "")
		}, []string{"the file onnx/README.md is not in", `the file "z\x1b[2J\u009d.py" is not in`}},
		"two at once": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, model), "")
			os.Remove(filepath.Join(dir, "tokenizer.json"))
		}, []string{"has 0 bytes, expected 7", "tokenizer.json: the model's file is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			c.spoil(t, dir)
			_, err := Verify(dir)
			if fault.ExitCode(err) != int(fault.Integrity) {
				t.Fatalf("Verify = %v, want an Integrity error", err)
			}
			var one *fault.Error
			if !errors.As(err, &one) || one != err {
				t.Errorf("the error is %T, want one *fault.Error", err)
			}
			count := fmt.Sprintf("does not match model.lock.json in %d places", len(c.say))
			if len(c.say) > 1 && !strings.Contains(err.Error(), count) {
				t.Errorf("got %v", err)
			}
			got := sentences(err)
			if len(got) != len(c.say) {
				t.Fatalf("%d sentences, want %d:\n%v", len(got), len(c.say), err)
			}
			for i, part := range c.say {
				if !strings.Contains(got[i], part) || !strings.Contains(got[i], "; ") || strings.Contains(got[i], "\x1b") {
					t.Errorf("sentence %q does not say %q with a cure", got[i], part)
				}
			}
		})
	}
}

func TestReadLockRefusesWhatItCannotTrust(t *testing.T) {
	lock := func(files string) string {
		return `{"schema":"pidsbench-model-lock/1","name":"a","files":[` + files + `]}`
	}
	hash := digest("")
	good := `{"path":"a","sha256":"` + hash + `","bytes":0}`
	for name, c := range map[string]struct{ data, say string }{
		"no JSON":        {"<html>", "not the JSON expected"},
		"cut":            {lock(good)[:40], "not the JSON expected"},
		"wrong type":     {lock(`{"path":7}`), "not the JSON expected"},
		"other schema":   {`{"schema":"pidsbench-model-lock/2"}`, `has schema "pidsbench-model-lock/2", expected`},
		"no files":       {lock(""), "lists no files"},
		"twice":          {lock(good + "," + good), `path "a" twice`},
		"parent":         {lock(strings.Replace(good, `"a"`, `"../a"`, 1)), `"../a", expected one inside`},
		"absolute":       {lock(strings.Replace(good, `"a"`, `"/a"`, 1)), `"/a", expected one inside`},
		"backslash":      {lock(strings.Replace(good, `"a"`, `"a\\b"`, 1)), `expected one inside`},
		"itself":         {lock(strings.Replace(good, `"a"`, `"model.lock.json"`, 1)), `expected one inside`},
		"malformed hash": {lock(strings.Replace(good, hash, "abc", 1)), `holds "abc", expected 64`},
		"pointer":        {"version https://git-lfs.example/spec/v1\n", "a Git LFS pointer"},
		"too long":       {strings.Repeat(" ", maxLock) + lock(good), "at most 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, LockName), c.data)
			_, err := ReadLock(dir)
			if fault.ExitCode(err) != int(fault.Integrity) || !strings.Contains(err.Error(), c.say) ||
				!strings.Contains(err.Error(), LockName) {
				t.Errorf("ReadLock = %v, want an Integrity error that says %q", err, c.say)
			}
		})
	}
	dir := t.TempDir()
	if _, err := ReadLock(dir); fault.ExitCode(err) != int(fault.Integrity) || !strings.Contains(err.Error(), dir) {
		t.Errorf("without a lock: %v", err)
	}
	put(t, filepath.Join(dir, "elsewhere"), lock(good))
	if err := os.Symlink("elsewhere", filepath.Join(dir, LockName)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLock(dir); fault.ExitCode(err) != int(fault.Integrity) {
		t.Errorf("a linked lock: %v", err)
	}
}

func TestReadLockAcceptsFieldsItDoesNotKnow(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, LockName), `{"schema":"pidsbench-model-lock/1","name":"a","later":1,
		"files":[{"path":"a","sha256":"`+digest("")+`","bytes":0}],
		"training":{"seed":7,"learning_rate":0.0005,"versions":{"torch":"2"}}}`)
	lock, err := ReadLock(dir)
	if err != nil || lock.Training.Seed != 7 || lock.Training.ValF1 != nil || lock.Training.Epochs != nil {
		t.Errorf("ReadLock = %+v, %v", lock, err)
	}
}

// FuzzReadLock feeds arbitrary bytes: every outcome is an error or a lock whose paths stay inside the folder.
func FuzzReadLock(f *testing.F) {
	f.Add([]byte(`{"schema":"pidsbench-model-lock/1","files":[{"path":"a/b","sha256":"` + digest("") + `"}]}`))
	f.Add([]byte(`{"schema":"pidsbench-model-lock/1","files":[{"path":"../b"}],"training":{"seed":1e99}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		put(t, filepath.Join(dir, LockName), string(data))
		lock, err := ReadLock(dir)
		if err != nil {
			return
		}
		for _, file := range lock.Files {
			if !filepath.IsLocal(filepath.FromSlash(file.Path)) {
				t.Errorf("path %q leads out of the folder", file.Path)
			}
		}
	})
}
