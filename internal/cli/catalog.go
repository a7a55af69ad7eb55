package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/detect/onnx"
	"pidsbench/internal/detect/rule"
	"pidsbench/internal/detect/tfidf"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
	"pidsbench/internal/models"
)

// candidate is a detector at one seed: described without loading it, opened when there is something to score.
type candidate struct {
	entry detect.Entry
	seed  int
	info  detect.Info
	open  func() (detect.Detector, error)
}

// unavailableError says that a detector cannot run here. It is no failure of the run: its row says n/a and why.
type unavailableError struct{ reason string }

func (e *unavailableError) Error() string { return e.reason }

// candidate describes a detector at a seed. It verifies model files against their lock; it fits tfidf on first use.
func (p *project) candidate(st *State, e detect.Entry, seed int) (*candidate, error) {
	c := &candidate{entry: e, seed: seed}
	switch e.Kind {
	case "constant", "rule":
		d, err := openSimple(e, seed)
		if err != nil {
			return nil, err
		}
		c.info, c.open = d.Info(), func() (detect.Detector, error) { return d, nil }
	case "tfidf":
		path, err := p.tfidfModel(st, e)
		if err != nil {
			return nil, err
		}
		d, err := tfidf.Open(path, e, seed)
		if err != nil {
			return nil, err
		}
		c.info, c.open = d.Info(), func() (detect.Detector, error) { return d, nil }
	case "onnx":
		dir := p.modelDir(e, seed)
		if _, err := verifyModel(e, dir); err != nil {
			return nil, err
		}
		info, err := onnx.Describe(dir, e, seed)
		if err != nil {
			return nil, cannotRun(err)
		}
		c.info, c.open = info, func() (detect.Detector, error) { return onnx.Open(dir, e, seed) }
	}
	return c, nil
}

func openSimple(e detect.Entry, seed int) (detect.Detector, error) {
	if e.Kind == "rule" {
		return rule.Open(e, seed), nil
	}
	return detect.NewConstant(e, seed)
}

// modelDir returns the folder of a model at a seed.
func (p *project) modelDir(e detect.Entry, seed int) string {
	return p.path(strings.ReplaceAll(e.Model, "{seed}", strconv.Itoa(seed)))
}

// verifyModel checks a model folder against its lock; an absent folder makes the detector unavailable. A folder of the
// user's own may have no lock: score files hold the hashes of its files all the same. The lock is nil then.
func verifyModel(e detect.Entry, dir string) (*models.Lock, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if e.Pull != nil {
			return nil, &unavailableError{"its model is not here; run `pidsbench models pull " + e.ID + "`"}
		}
		return nil, &unavailableError{"its model folder is not here: " + filepath.Base(dir)}
	}
	if _, err := os.Lstat(filepath.Join(dir, models.LockName)); errors.Is(err, fs.ErrNotExist) && e.Pull == nil {
		return nil, nil
	}
	return models.Verify(dir)
}

// cannotRun makes what this machine or build lacks (a native library, a file) a reason to leave the detector out.
func cannotRun(err error) error {
	if fault.ExitCode(err) == int(fault.Incomplete) {
		return &unavailableError{err.Error()}
	}
	return err
}

// tfidfPath returns where the TF-IDF model for the open edition's train split and the entry's configuration is kept.
func (p *project) tfidfPath(e detect.Entry) (string, error) {
	_, m, spec, err := p.trainSplit()
	if err != nil {
		return "", err
	}
	frozen, ok := m.Lookup(spec.Path)
	if !ok {
		return "", fault.New(fault.Integrity, "the manifest of the open edition does not freeze %s", spec.Path)
	}
	return p.path(".build/models/tfidf-" + frozen.SHA256[:16] + "-" + e.Hash()[:8] + ".model"), nil
}

func (p *project) trainSplit() (*dataset.Edition, *manifest.Manifest, dataset.SplitSpec, error) {
	e, err := p.benchmark.Edition("open")
	if err != nil {
		return nil, nil, dataset.SplitSpec{}, err
	}
	spec, ok := e.Split("train")
	if !ok {
		return nil, nil, spec, fault.New(fault.Usage, "configs/benchmark.yaml: edition %s has no train split", e.ID)
	}
	m, err := p.loadManifest(e)
	return e, m, spec, err
}

// tfidfModel returns the path of the fitted TF-IDF model, fitting it when there is none yet.
func (p *project) tfidfModel(st *State, e detect.Entry) (string, error) {
	path, err := p.tfidfPath(e)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, p.fitTFIDF(st, e, path)
}

// fitTFIDF fits the model on the open edition's train split and stores it under path.
func (p *project) fitTFIDF(st *State, e detect.Entry, path string) error {
	edition, m, spec, err := p.trainSplit()
	if err != nil {
		return err
	}
	if notBuilt(edition, p.path(edition.Dir)) {
		return &unavailableError{"there is no train split to fit it on; run `make data`, or `pidsbench data build`"}
	}
	loaded, err := manifest.Load(m, p.path(edition.Dir), spec.Path)
	if err != nil {
		return err
	}
	train := loaded[0]
	st.note("%s: fitting on %s (%d rows), once", e.ID, spec.Path, len(train.Rows))
	texts := make([]string, len(train.Rows))
	labels := make([]dataset.Label, len(train.Rows))
	for i, r := range train.Rows {
		texts[i], labels[i] = r.Text, r.Label
	}
	model, err := tfidf.Fit(texts, labels, tfidf.Options{TrainSHA256: train.SHA256})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return model.WriteFile(path)
}
