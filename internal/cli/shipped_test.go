package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/testenv"
)

// repository opens the project that the tests are part of.
func repository(t *testing.T) *project {
	t.Helper()
	root := testenv.Root(t)
	benchmark, err := dataset.LoadBenchmark(filepath.Join(root, "configs", "benchmark.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := detect.LoadConfig(filepath.Join(root, "configs", "detectors.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return &project{root: root, benchmark: benchmark, detectors: config}
}

// TestShippedModelsBelongToTheFrozenEdition keeps a new freeze from leaving models behind that saw other data, and names
// from promising another size than the weights have. An entry is shipped when the folder of one of its seeds is here; the
// others run where somebody trained their weights.
func TestShippedModelsBelongToTheFrozenEdition(t *testing.T) {
	p := repository(t)
	_, m, spec, err := p.trainSplit()
	if err != nil {
		t.Fatal(err)
	}
	train, _ := m.Lookup(spec.Path)
	here := map[string]bool{}
	for _, f := range p.modelFolders() {
		if _, err := os.Stat(f.dir); err == nil {
			here[f.entry.ID] = true
		}
	}
	shipped := 0
	for _, f := range p.modelFolders() {
		if f.entry.PulledBy() != "" || !here[f.entry.ID] {
			continue
		}
		shipped++
		lock, err := verifyModel(f.entry, f.dir)
		var alone *lockOnlyError
		if errors.As(err, &alone) {
			lock, err = alone.lock, nil
		}
		if lock == nil && err == nil {
			err = fmt.Errorf("%s has no lock", f.name)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if lock.Training.TrainSHA256 != train.SHA256 {
			t.Errorf("%s was trained on a train split with SHA-256 %.12s, the frozen one has %.12s", f.name,
				lock.Training.TrainSHA256, train.SHA256)
		}
		size := fmt.Sprintf("%.1fM", float64(lock.Training.Parameters)/1e6)
		if lock.Training.Parameters >= 10e6 {
			size = fmt.Sprintf("%.0fM", float64(lock.Training.Parameters)/1e6)
		}
		if f.entry.Name != lock.DisplayName || !strings.Contains(f.entry.Name, size) {
			t.Errorf("%s is called %q in configs/detectors.yaml and %q in its lock, expected one name with %s", f.name,
				f.entry.Name, lock.DisplayName, size)
		}
	}
	if shipped == 0 {
		t.Error("no model is shipped")
	}
}
