package models

import (
	"os"
	"path/filepath"
	"testing"

	"pidsbench/internal/fault"
)

func TestOnlyAFolderWithoutAnyOfItsFilesIsALockAlone(t *testing.T) {
	weights, tokenizer := filepath.Join("onnx", "model.onnx"), "tokenizer.json"
	for name, c := range map[string]struct {
		remove []string
		change func(dir string)
		want   bool
	}{
		"the lock and README.md":   {remove: []string{weights, tokenizer}, want: true},
		"the lock":                 {remove: []string{weights, tokenizer, "README.md"}, want: true},
		"whole":                    {},
		"one file is missing":      {remove: []string{weights}},
		"another file is missing":  {remove: []string{tokenizer}},
		"no lock":                  {remove: []string{weights, tokenizer, LockName}},
		"a file of another name":   {remove: []string{weights, tokenizer}, change: func(dir string) { put(t, filepath.Join(dir, "x"), "") }},
		"a link in a file's place": {remove: []string{weights, tokenizer}, change: func(dir string) { os.Symlink("/", filepath.Join(dir, tokenizer)) }},
		"a damaged lock":           {remove: []string{weights, tokenizer}, change: func(dir string) { put(t, filepath.Join(dir, LockName), "{") }},
		"no folder":                {change: func(dir string) { os.RemoveAll(dir) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			for _, f := range c.remove {
				if err := os.Remove(filepath.Join(dir, f)); err != nil {
					t.Fatal(err)
				}
			}
			if c.change != nil {
				c.change(dir)
			}
			lock := LockOnly(dir)
			if (lock != nil) != c.want {
				t.Fatalf("LockOnly = %v, want a lock: %v", lock, c.want)
			}
			if _, err := Verify(dir); c.want && (lock.Training.Seed != 42 || fault.ExitCode(err) != int(fault.Integrity)) {
				t.Errorf("the lock is %+v; Verify = %v, want an Integrity error: it promises the files", lock, err)
			}
		})
	}
}
