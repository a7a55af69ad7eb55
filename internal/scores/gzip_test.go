package scores

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pidsbench/internal/engine"
)

func TestPackedScoresReadBackAndHaveOneSetOfBytes(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "test.jsonl")
	finish(t, open(t, plain, header(60), Options{}))
	file, err := Read(plain)
	if err != nil {
		t.Fatal(err)
	}
	first, second := plain+".gz", filepath.Join(dir, "another name.jsonl.gz")
	for _, path := range []string{first, second} {
		if err := file.WriteGzip(path); err != nil {
			t.Fatal(err)
		}
	}
	if contents(t, first) != contents(t, second) {
		t.Error("the packed bytes depend on the name or the time")
	}
	z, err := gzip.NewReader(bytes.NewReader([]byte(contents(t, first))))
	if err != nil || z.Name != "" || !z.ModTime.IsZero() || z.Comment != "" {
		t.Errorf("the pack's header is %+v, %v, want nothing in it", z.Header, err)
	}
	got, err := Read(first)
	if err != nil {
		t.Fatal(err)
	}
	if got.Path = plain; !reflect.DeepEqual(got, file) {
		t.Error("the packed file reads back to other scores")
	}

	// Find takes the packed file of a later folder, and the plain one where both are.
	root := t.TempDir()
	h := header(60)
	place(t, Path(root, h)+".gz", contents(t, first))
	dirs := []string{t.TempDir(), root}
	find := func() string {
		t.Helper()
		path, err := Find(dirs, h.Edition, h.Detector, h.Seed, engine.Max, h.Split)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	if got := find(); got != Path(root, h)+".gz" {
		t.Errorf("Find = %s, want the packed file", got)
	}
	place(t, Path(root, h), contents(t, plain))
	if got := find(); got != Path(root, h) {
		t.Errorf("Find = %s, want the plain file", got)
	}
}

func TestPackingReplacesAFileWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	file := &File{Header: header(0)}
	file.Header.Info.Also = nil
	path := filepath.Join(dir, "test.jsonl.gz")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := file.WriteGzip(path); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the folder holds %v, want what was there before", left)
	}
}

func TestSameScoresLooksAtIdentityAndLines(t *testing.T) {
	made := func(change func(*File)) *File {
		f := &File{Header: header(3), Lines: []Line{lineOf(0), lineOf(1), lineOf(2)}}
		change(f)
		return f
	}
	base := made(func(*File) {})
	for name, c := range map[string]struct {
		change func(*File)
		want   bool
	}{
		"nothing":         {func(*File) {}, true},
		"another machine": {func(f *File) { f.Header.Info.CPU = "neon"; f.Header.Info.Also = []Setup{{Tool: "x"}} }, true},
		"another path":    {func(f *File) { f.Path = "elsewhere" }, true},
		"a score":         {func(f *File) { f.Lines[1].Score /= 2 }, false},
		"a model file":    {func(f *File) { f.Header.Files[0].SHA256 = hashB }, false},
		"a seed":          {func(f *File) { f.Header.Seed = 13 }, false},
		"a shard":         {func(f *File) { f.Header.Info.Shard = Shard{1, 2} }, false},
	} {
		if got := base.SameScores(made(c.change)); got != c.want {
			t.Errorf("%s changed: SameScores = %v, want %v", name, got, c.want)
		}
	}
}
