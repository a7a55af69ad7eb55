package builder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

// A stage that computes without looking at the context is left behind within two seconds.
func TestAStoppedBuildDoesNotWaitForALongStage(t *testing.T) {
	s, dir := small(), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	w := s.workshop(t, dir)
	w.ctx = ctx
	p, end := s.plan(), make(chan struct{})
	defer close(end)
	p.texts = func() ([]Record, error) {
		cancel()
		<-end
		return s.texts, nil
	}
	start := time.Now()
	if _, err := assemble(w, p); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the build ended %v after it was stopped", took)
	}
	if _, err := os.Stat(filepath.Join(dir, stageAuthored)); !os.IsNotExist(err) {
		t.Errorf("the stopped stage left a folder (%v)", err)
	}
}

// A stage that ends by itself, as one does that runs other programs, is waited for.
func TestAStoppedStageMayEndByItself(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cleared := false
	_, err := unlessStopped(ctx, func() (outcome, error) {
		cancel()
		time.Sleep(patience / 5)
		cleared = true
		return outcome{}, ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || !cleared {
		t.Errorf("the stage was left behind (%v)", err)
	}
}

func TestAnInputWithoutAHashEndsTheBuild(t *testing.T) {
	s := small()
	delete(s.files, hardBenignPath)
	_, err := s.assembleIn(t, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "stage clean reads "+hardBenignPath+", which has no hash") {
		t.Errorf("the error is %v", err)
	}
}

func TestAStageGetsTheSetsThatItNamesAndNoOther(t *testing.T) {
	s := small()
	w := s.workshop(t, t.TempDir())
	make := func(name string, inputs []string, run func(reads)) error {
		return w.step(name, inputs, nil, func(in reads) (outcome, error) {
			run(in)
			return outcome{sets: map[string][]Record{records: s.texts, "more": s.texts[:1]}}, nil
		})
	}
	if err := make("first", nil, func(reads) {}); err != nil {
		t.Fatal(err)
	}
	err := make("second", []string{input("first", "more"), LockPath}, func(in reads) {
		if n := len(in.set("first", "more")); n != 1 {
			t.Errorf("%d records, want 1", n)
		}
		defer func() {
			if recover() == nil {
				t.Error("the stage got a set that its manifest does not name")
			}
		}()
		in.set("first", records)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAStageFileThatChangesDuringTheBuildEndsIt(t *testing.T) {
	s, dir := small(), t.TempDir()
	w := s.workshop(t, dir)
	w.done = func(name string, _ int, _ bool) {
		if name == stageClassify {
			if err := os.WriteFile(filepath.Join(dir, input(stageClassify, records)), []byte("{}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := assemble(w, s.plan())
	testenv.WantFault(t, err, fault.Failed, "classify/records.jsonl", "not what the stage wrote")
}

func TestMistakesInTheListsNameThemBelowTheRoot(t *testing.T) {
	for _, path := range []string{adjacentPath, dropPath, hardBenignPath, subtypePath, GoalsPath} {
		for _, content := range []string{"", "schema: another\n", "{"} {
			root, _ := ownRoot(t)
			if err := os.WriteFile(filepath.Join(root, path), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := LoadLists(root)
			kind := fault.Integrity
			if path == GoalsPath { // no list of decisions
				kind = fault.Usage
			}
			testenv.WantFault(t, err, kind, path)
			if strings.Contains(err.Error(), root) {
				t.Errorf("the error names a folder of this machine: %v", err)
			}
		}
		root, _ := ownRoot(t)
		if err := os.Remove(filepath.Join(root, path)); err != nil {
			t.Fatal(err)
		}
		_, err := Build(t.Context(), Options{Root: root, Draft: true})
		testenv.WantFault(t, err, fault.Usage, path)
		if strings.Contains(err.Error(), root) {
			t.Errorf("the error names a folder of this machine: %v", err)
		}
	}
}

// A build that waits for another one uses the lists as they are when its turn comes, as its manifests say.
func TestAListChangedWhileABuildWaitsIsUsed(t *testing.T) {
	root, s := ownRoot(t)
	work := filepath.Join(root, ".build", "builder")
	if err := os.MkdirAll(work, 0o777); err != nil {
		t.Fatal(err)
	}
	other := flock.New(filepath.Join(work, ".lock"))
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	type result struct {
		report *Report
		err    error
	}
	ended := make(chan result)
	go func() {
		r, err := Build(t.Context(), Options{Root: root, Draft: true})
		ended <- result{r, err}
	}()
	time.Sleep(300 * time.Millisecond) // it waits by now, or has not begun
	path := filepath.Join(root, dropPath)
	drops, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	more := fmt.Sprintf("drop:\n  - {sha256: %s, reason: broken, source: chats}\n", textnorm.ExactHash(s.items[1][0].Text))
	if err := os.WriteFile(path, []byte(strings.Replace(string(drops), "drop:\n", more, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	r := <-ended
	if r.err != nil {
		t.Fatal(r.err)
	}
	if n := reasons(r.report.Removed)["drop list: broken"]; n != 1 {
		t.Error("the build used the list as it was before it waited")
	}
}
