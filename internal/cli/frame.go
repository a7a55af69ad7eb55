package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
	"pidsbench/internal/results"
)

// frame is the data a command works on: evaluation splits, and where thresholds come from.
type frame struct {
	edition     string // id in score files
	name        string
	manifestSHA string
	splits      []results.Split
	val         *dataset.Split // nil when there is none
	noVal       string         // why
	valEdition  string         // the edition val belongs to
	train       string         // SHA-256 of the edition's train split; empty for a user's own files
}

// openFrame verifies and reads the edition, or reads the user's own files. Whatever is read is verified in the same
// pass, so nothing can change between check and use.
func (p *project) openFrame(st *State, o *dataOptions) (*frame, error) {
	if o.own() {
		return p.openOwn(st, o)
	}
	e, dir, err := p.edition(st, o)
	if err != nil {
		return nil, err
	}
	m, err := p.loadManifest(e)
	if err != nil {
		return nil, err
	}
	report, err := manifest.Verify(m, dir)
	if err != nil {
		return nil, withBuildCure(e, dir, err)
	}
	f := &frame{edition: e.ID, name: e.Name, manifestSHA: m.Hash(), valEdition: e.ID,
		noVal: "the edition has no val split"}
	for _, spec := range e.Splits {
		s, ok := report.Split(spec.Path)
		if !ok {
			return nil, fault.New(fault.Integrity, "%s does not freeze %s, which configs/benchmark.yaml names as split %s",
				e.Manifest, spec.Path, spec.Name)
		}
		s.Name = spec.Name
		switch {
		case spec.Axis != "":
			f.splits = append(f.splits, results.Split{Spec: spec, Data: s})
		case spec.Name == "val":
			f.val = s
		case spec.Name == "train":
			f.train = s.SHA256
		}
	}
	return f, nil
}

// edition returns the edition the options name and the folder it lies in.
func (p *project) edition(st *State, o *dataOptions) (*dataset.Edition, string, error) {
	e, err := p.benchmark.Edition(o.edition)
	if err != nil {
		return nil, "", err
	}
	switch {
	case o.data != "":
		return e, st.abs(o.data), nil
	case e.Dir == "":
		return nil, "", fault.New(fault.Usage, "edition %s is not shipped", e.ID).
			WithCure("say where your copy lies with --data DIR")
	}
	return e, p.path(e.Dir), nil
}

func (p *project) loadManifest(e *dataset.Edition) (*manifest.Manifest, error) {
	data, err := os.ReadFile(p.path(e.Manifest))
	if err != nil {
		return nil, fault.New(fault.Integrity, "edition %s: cannot read its manifest: %w", e.ID, err)
	}
	return manifest.Parse(e.Manifest, data)
}

// withBuildCure tells how to get the data when the whole folder is absent.
func withBuildCure(e *dataset.Edition, dir string, err error) error {
	if _, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) && e.Dir != "" {
		return fault.New(fault.Integrity, "the data of edition %s is not here (%s is missing)", e.ID, e.Dir).
			WithCure("run `make data`, or `pidsbench data build`")
	}
	return err
}

// openOwn reads the user's own files. Thresholds come from --val, or from the val scores of the open edition.
func (p *project) openOwn(st *State, o *dataOptions) (*frame, error) {
	e, err := p.benchmark.Edition(o.edition)
	if err != nil {
		return nil, err
	}
	own, notes, err := dataset.OpenOwn(st.abs(o.data), o.mapping())
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		st.logf("note: %s", n)
	}
	f := &frame{edition: "custom", name: "your own files"}
	for _, s := range own {
		f.splits = append(f.splits, results.Split{Spec: dataset.SplitSpec{Name: s.Name, Axis: dataset.Custom}, Data: s})
	}
	if o.val != "" {
		if f.val, err = dataset.ReadFile(st.abs(o.val), o.mapping()); err != nil {
			return nil, err
		}
		f.valEdition = "custom"
		return f, nil
	}
	f.val, f.noVal = p.editionVal(e)
	f.valEdition = e.ID
	return f, nil
}

// editionVal reads the val split of an edition for the sake of thresholds, or says why it cannot.
func (p *project) editionVal(e *dataset.Edition) (*dataset.Split, string) {
	const none = "your file has no val and the edition's val is not here; name one with --val FILE"
	m, err := p.loadManifest(e)
	if err != nil {
		return nil, none
	}
	spec, ok := e.Split("val")
	if !ok {
		return nil, none
	}
	loaded, err := manifest.Load(m, p.path(e.Dir), spec.Path)
	if err != nil {
		return nil, none
	}
	loaded[0].Name = "val"
	return loaded[0], ""
}

// abs resolves a path of the command line against the working folder.
func (st *State) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(st.Dir, path)
}
