package tfidf

import (
	"context"
	"path/filepath"
	"sync"

	"pidsbench/internal/detect"
)

// Detector is a fitted model under the name of its entry.
type Detector struct {
	info    detect.Info
	model   *Model
	scratch sync.Pool // of *vector
}

// Open reads the model file and returns the detector. The fit has no randomness: seed only names the score files. A file
// that is damaged, of another version or not a model at all is an integrity error; one that cannot be opened wraps the
// error of the system (fs.ErrNotExist).
func Open(modelPath string, entry detect.Entry, seed int) (*Detector, error) {
	m, sum, err := readFile(modelPath)
	if err != nil {
		return nil, err
	}
	d := newDetector(m, entry, seed)
	d.info.Files = []detect.File{{Path: filepath.Base(modelPath), SHA256: sum}}
	return d, nil
}

// newDetector returns the detector of a model in memory.
func newDetector(m *Model, entry detect.Entry, seed int) *Detector {
	d := &Detector{model: m, info: detect.Info{
		ID: entry.ID, DisplayName: entry.Name, Kind: entry.Kind, Seed: seed, ConfigHash: entry.Hash(),
		Precision: "fp64", TrainSHA256: m.TrainSHA256,
	}}
	d.scratch.New = func() any { return new(vector) }
	return d
}

// Info describes the detector.
func (d *Detector) Info() detect.Info { return d.info }

// Close does nothing.
func (d *Detector) Close() error { return nil }

// Score returns P(injection) in [0,1]; it fails only when the context is done. A text without a known term has the
// score of the intercept.
func (d *Detector) Score(ctx context.Context, text string) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	v := d.scratch.Get().(*vector)
	defer d.scratch.Put(v)
	d.model.vectorize(text, v)
	return d.model.probability(v), nil
}
