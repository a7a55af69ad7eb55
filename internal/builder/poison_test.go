package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
	"pidsbench/internal/neardup"
	"pidsbench/internal/testenv"
)

// poison gives a stage other pairs, with a manifest that says so.
func poison(t *testing.T, dir string, pairs []byte) {
	t.Helper()
	path := filepath.Join(dir, stageNear, manifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m stageManifest
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	m.Outputs[pairsFile] = hashOf(pairs)
	if data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(filepath.Dir(path), pairsFile), pairs, 0o666),
		os.WriteFile(path, data, 0o666)); err != nil {
		t.Fatal(err)
	}
}

func TestPairsOfNoRowsAreMadeAgain(t *testing.T) {
	s := small()
	base := smallBuild(t)
	dir := base.folder(t)
	for _, pairs := range []string{
		`{"I":-1,"J":1,"Cosine":1}`, `{"I":0,"J":1000000,"Cosine":1}`, `{"I":1,"J":1,"Cosine":1}`,
		`{"I":2,"J":1,"Cosine":1}`, `{"I":"a"}`, `nonsense`,
	} {
		poison(t, dir, []byte(pairs+"\n"))
		got, err := s.assembleIn(t, dir)
		if err != nil {
			t.Fatalf("%s: %v", pairs, err)
		}
		if diff := cmp.Diff([]string{stageNear}, sorted(got.ran)); diff != "" {
			t.Errorf("%s: other stages ran: %s", pairs, diff)
		}
		if diff := cmp.Diff(base.left, tree(t, dir)); diff != "" {
			t.Fatalf("%s: the stages differ: %.2000s", pairs, diff)
		}
	}
}

func TestPairsBeyondTheRowsThatAreReadAreAnError(t *testing.T) {
	w := &workshop{dir: t.TempDir(), hashes: map[string]string{}}
	m, err := writeStage(filepath.Join(w.dir, "s"), stageManifest{}, outcome{
		sets: map[string][]Record{records: make([]Record, 3)}, pairs: []neardup.Pair{{I: 0, J: 2}, {I: 1, J: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	for file, sum := range m.Outputs {
		w.hashes["s/"+file] = sum
	}
	_, err = w.read("s/"+records+".jsonl", "s/"+pairsFile)
	testenv.WantFault(t, err, fault.Integrity, "names rows that are not there", "delete that folder")
}

func TestNoFileIsReplacedUnlessAllAreWritten(t *testing.T) {
	dir := t.TempDir()
	var files []newFile
	for i := range 4 {
		f := newFile{filepath.Join(dir, fmt.Sprint("sub", i), "f"), []byte("new")}
		if err := writeFile(f.path, []byte("old")); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// A place that cannot be written: the last one, so that all others are written before.
	last := &files[len(files)-1]
	if err := errors.Join(os.Remove(last.path), os.Mkdir(last.path, 0o777)); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	err := replaceFiles(t.Context(), files)
	if testenv.WantFault(t, err, fault.Failed, "cannot put a file in its place"); !errors.Is(err, atomicfile.ErrNotRegular) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := replaceFiles(ctx, files[:3]); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("files were replaced, or left behind: %s", diff)
	}
	if err := replaceFiles(t.Context(), files[:3]); err != nil {
		t.Fatal(err)
	}
	for path, data := range tree(t, dir) {
		if data != "new" || len(before) != 3 {
			t.Errorf("%s holds %q", path, data)
		}
	}
}
