package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/detect/chat"
	"pidsbench/internal/detect/onnx"
	"pidsbench/internal/detect/process"
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
	lock  *models.Lock // set when its weights are not shipped: open fails, and published scores stand for it
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
	case "chat":
		c.info = chat.Describe(e, seed)
		c.open = func() (detect.Detector, error) { return chat.Open(e, seed, st.Getenv) }
	case "process":
		if e.Model != "" {
			if _, err := verifyModel(e, p.modelDir(e, seed)); err != nil {
				return nil, err
			}
		}
		info, err := process.Describe(e.Home(p.root), e, seed)
		if err != nil {
			return nil, cannotRun(err)
		}
		c.info, c.open = info, func() (detect.Detector, error) { return process.Open(e.Home(p.root), e, seed, st.note) }
	case "onnx":
		dir := p.modelDir(e, seed)
		_, err := verifyModel(e, dir)
		var alone *lockOnlyError
		if errors.As(err, &alone) {
			c.standFor(alone)
			return c, nil
		}
		if err != nil {
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
	return e.Path(p.root, strings.ReplaceAll(e.Model, "{seed}", strconv.Itoa(seed)))
}

// cannotRun makes what this machine or build lacks (a native library, a file) a reason to leave the detector out.
func cannotRun(err error) error {
	if fault.ExitCode(err) == int(fault.Incomplete) {
		return &unavailableError{err.Error()}
	}
	return err
}

// tfidfPath returns where the TF-IDF model for the entry's configuration and the rows it is fitted on is kept.
func (p *project) tfidfPath(e detect.Entry) (string, error) {
	edition, m, spec, err := p.trainSplit()
	if err != nil {
		return "", err
	}
	rows, err := tfidfRows(edition, m, spec, e)
	if err != nil {
		return "", err
	}
	name := "tfidf"
	for _, f := range rows {
		name += "-" + f.SHA256[:16]
	}
	return p.path(".build/models/" + name + "-" + e.Hash()[:8] + ".model"), nil
}

// tfidfRows returns the frozen files that a TF-IDF entry is fitted on: the train split, and the file of rows that the
// entry adds to it, which is none that thresholds or tables rest on.
func tfidfRows(edition *dataset.Edition, m *manifest.Manifest, spec dataset.SplitSpec, e detect.Entry) (
	[]manifest.File, error) {
	train, ok := m.Lookup(spec.Path)
	if !ok {
		return nil, fault.New(fault.Integrity, "the manifest of the open edition does not freeze %s", spec.Path)
	}
	if e.Augment == "" {
		return []manifest.File{train}, nil
	}
	more, ok := m.Lookup(e.Augment + ".csv")
	split := slices.ContainsFunc(edition.Splits, func(s dataset.SplitSpec) bool { return s.Path == more.Path })
	if split || !ok || !more.Counted {
		return nil, fault.New(fault.Usage, "detector %s: field augment holds %s, expected a file of rows that the edition "+
			"freezes beside its splits", e.ID, fault.Quote(e.Augment)).
			WithCure("name one without .csv in configs/detectors.yaml, such as hard_negative_train")
	}
	if e.Pool >= more.Rows {
		return nil, fault.New(fault.Usage, "detector %s: field pool holds %d, expected fewer than the %d rows of %s", e.ID,
			e.Pool, more.Rows, more.Path).WithCure("leave it out in configs/detectors.yaml for all of them")
	}
	return []manifest.File{train, more}, nil
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

// fitTFIDF fits the model on the open edition's train split, and on the rows that the entry adds to it, and stores it
// under path.
func (p *project) fitTFIDF(st *State, e detect.Entry, path string) error {
	edition, m, spec, err := p.trainSplit()
	if err != nil {
		return err
	}
	files, err := tfidfRows(edition, m, spec, e)
	if err != nil {
		return err
	}
	if notBuilt(edition, p.path(edition.Dir)) {
		return &unavailableError{"there is no train split to fit it on; run `make data`, or `pidsbench data build`"}
	}
	var paths, said []string
	for i, f := range files {
		rows := strconv.Itoa(f.Rows)
		if i > 0 && e.Pool > 0 {
			rows = strconv.Itoa(e.Pool) + " of " + rows
		}
		paths, said = append(paths, f.Path), append(said, f.Path+" ("+rows+" rows)")
	}
	loaded, err := manifest.Load(m, p.path(edition.Dir), paths...)
	if err != nil {
		return err
	}
	st.note("%s: fitting on %s, once", e.ID, strings.Join(said, " and "))
	var texts []string
	var labels []dataset.Label
	for i, split := range loaded {
		rows := split.Rows
		if i > 0 && e.Pool > 0 {
			rows = pool(split, e.Pool)
		}
		for _, r := range rows {
			texts, labels = append(texts, r.Text), append(labels, r.Label)
		}
	}
	model, err := tfidf.Fit(texts, labels, tfidf.Options{TrainSHA256: loaded[0].SHA256})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return model.WriteFile(path)
}

// pool returns the rows of a pool of so many of a file of added rows, drawn by their column hardneg_category.
func pool(s *dataset.Split, size int) (rows []dataset.Row) {
	categories, ok := s.Column("hardneg_category")
	if !ok {
		categories = make([]string, len(s.Rows))
	}
	for _, i := range tfidf.Pool(categories, size) {
		rows = append(rows, s.Rows[i])
	}
	return rows
}
