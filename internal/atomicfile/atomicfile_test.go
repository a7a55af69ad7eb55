package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteReplacesAFileAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a b.txt")
	for _, s := range []string{"one", "", strings.Repeat("x", 1<<20)} {
		if err := Write(path, 0o640, text(s)); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, path); got != s {
			t.Errorf("%d bytes, want %d", len(got), len(s))
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&^0o640 != 0 || info.Mode().Perm()&0o600 != 0o600 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
}

func TestTheOldFileStaysUntilTheNewOneIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, 0o644, text("old")); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	err := Write(path, 0o644, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, path); got != "old" {
			t.Errorf("a reader meets %q", got)
		}
		return stop
	})
	if !errors.Is(err, stop) || contents(t, path) != "old" || len(names(t, dir)) != 1 {
		t.Errorf("%v, %q, %q", err, contents(t, path), names(t, dir))
	}
}

func TestWhatCannotBeWrittenIsAnErrorWithoutTraces(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "absent", "f"), 0o644, text("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	full := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(full, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(full, 0o644, text("x")); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
}

func TestOnlyRegularFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{empty, link} {
		before, _ := os.Lstat(path)
		err := Write(path, 0o644, func(io.Writer) error { t.Error("something is written"); return nil })
		if after, _ := os.Lstat(path); !errors.Is(err, ErrNotRegular) || !os.SameFile(before, after) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("the folder holds %q", got)
	}
}

func TestPreparedFilesWaitForTheirPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, 0o644, text("old")); err != nil {
		t.Fatal(err)
	}
	for _, discard := range []bool{true, false} {
		p, err := Prepare(path, 0o644, text("new"))
		if err != nil || contents(t, path) != "old" {
			t.Fatalf("%v, %q", err, contents(t, path))
		}
		want := "new"
		if discard {
			want = "old"
			p.Discard()
		} else if err := p.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, path); got != want || len(names(t, dir)) != 1 {
			t.Errorf("%q, %q", got, names(t, dir))
		}
	}
	p, err := Prepare(path+"2", 0o644, text("new"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path+"2", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(); !errors.Is(err, ErrNotRegular) || len(names(t, dir)) != 2 {
		t.Errorf("%v, %q", err, names(t, dir))
	}
}

func TestWritersOfOneFileDoNotMix(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	var wg sync.WaitGroup
	for _, c := range "abcdefgh" {
		wg.Go(func() {
			if err := Write(path, 0o644, text(strings.Repeat(string(c), 10_000))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got := contents(t, path)
	if len(got) != 10_000 || strings.Trim(got, got[:1]) != "" {
		t.Error("the file holds a mixture")
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
}
