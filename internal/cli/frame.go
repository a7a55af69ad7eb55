package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	textColumn  string         // of a user's own files, when it is not the default one
	val         *dataset.Split // nil when there is none
	noVal       string         // why
	valEdition  string         // the edition val belongs to, in score files
	borrowed    bool           // val is the edition's while the splits are the user's own: it is not scored here
	train       string         // SHA-256 of the edition's train split; empty for a user's own files
}

// Score files of a user's own files, and of the val file that belongs to them, lie under these names.
const (
	ownEdition    = "custom"
	ownValEdition = "custom-val"
)

// openFrame verifies and reads the edition, or reads the user's own files. Whatever is read is verified in the same
// pass, so nothing can change between check and use.
func (p *project) openFrame(st *State, o *dataOptions) (*frame, error) {
	e, dir, own, err := p.edition(st, o)
	if err != nil {
		return nil, err
	}
	if own {
		return p.openOwn(st, o, e)
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
			return nil, fault.New(fault.Integrity, "%s could not be read as split %s", spec.Path, spec.Name)
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

// edition returns the edition that the options name and its folder. Own is true when --data names the user's own files
// instead: an edition that is shipped stays where it is built, so --data can only mean them.
func (p *project) edition(st *State, o *dataOptions) (e *dataset.Edition, dir string, own bool, err error) {
	if strings.ContainsRune(o.edition, filepath.Separator) || o.edition == "." {
		e, err := p.editionAt(st.abs(o.edition))
		if err != nil {
			return nil, "", false, err
		}
		return e, e.Dir, o.data != "", nil
	}
	if e, err = p.benchmark.Edition(o.edition); err != nil {
		return nil, "", false, err
	}
	switch {
	case e.Dir != "":
		return e, p.path(e.Dir), o.data != "", nil
	case o.data != "":
		return e, st.abs(o.data), false, nil
	}
	return nil, "", false, fault.New(fault.Usage, "edition %s is not shipped", e.ID).
		WithCure("say where your copy lies with --data DIR")
}

// editionAt returns the edition that lies in a folder with a manifest of its own: the splits of the open edition that it
// freezes.
func (p *project) editionAt(dir string) (*dataset.Edition, error) {
	open, err := p.benchmark.Edition("open")
	if err != nil {
		return nil, err
	}
	e := &dataset.Edition{ID: filepath.Base(dir), Name: filepath.Base(dir), Dir: dir,
		Manifest: filepath.Join(dir, "FREEZE_MANIFEST.txt")}
	m, err := p.loadManifest(e)
	if err != nil {
		return nil, err
	}
	for _, s := range open.Splits {
		if f, ok := m.Lookup(s.Path); ok && f.Counted {
			e.Splits = append(e.Splits, s)
		}
	}
	return e, nil
}

// loadManifest reads the manifest of an edition, which must not be that of another one.
func (p *project) loadManifest(e *dataset.Edition) (*manifest.Manifest, error) {
	path := e.Manifest
	if !filepath.IsAbs(path) {
		path = p.path(path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Integrity, "edition %s: cannot read its manifest: %w", e.ID, err).
			WithCure("restore the file; the edition is frozen by it")
	}
	m, err := manifest.Parse(e.Manifest, data)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(e.Manifest) && (m.Edition != "" && m.Edition != e.ID || m.Folder != "" && m.Folder != e.Dir) {
		return nil, fault.New(fault.Integrity, "%s: freezes edition %q in %q, expected %q in %q", e.Manifest, m.Edition, m.Folder,
			e.ID, e.Dir).WithCure("restore the manifest of the edition")
	}
	for _, s := range e.Splits {
		if f, ok := m.Lookup(s.Path); !ok || !f.Counted {
			return nil, fault.New(fault.Integrity, "%s does not freeze %s, which is split %s of the edition", e.Manifest, s.Path,
				s.Name).WithCure("restore the manifest of the edition")
		}
	}
	return m, nil
}

// withBuildCure tells how to get the data when the whole folder is absent.
func withBuildCure(e *dataset.Edition, dir string, err error) error {
	if notBuilt(e, dir) {
		return fault.New(fault.Integrity, "the data of edition %s is not here (%s is missing)", e.ID, e.Dir).
			WithCure("run `make data`, or `pidsbench data build`")
	}
	return err
}

func notBuilt(e *dataset.Edition, dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist) && e.Dir != ""
}

// openOwn reads the user's own files. Thresholds come from --val, or from the val scores of the edition.
func (p *project) openOwn(st *State, o *dataOptions, e *dataset.Edition) (*frame, error) {
	own, notes, err := dataset.OpenOwn(st.abs(o.data), o.mapping())
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		st.note("note: %s", n)
	}
	f := &frame{edition: ownEdition, name: "your own files", textColumn: o.textColumn}
	for _, s := range own {
		f.splits = append(f.splits, results.Split{Spec: dataset.SplitSpec{Name: s.Name, Axis: dataset.Custom}, Data: s})
	}
	if o.val == "" {
		f.valEdition, f.borrowed = e.ID, true
		if f.val, f.noVal, err = p.editionVal(e); err != nil {
			f.noVal = fmt.Sprintf("the val split of edition %s cannot be used: %v", e.ID, err)
		}
		return f, nil
	}
	f.valEdition = ownValEdition
	if f.val, err = dataset.ReadFile(st.abs(o.val), o.valMapping()); err != nil {
		return nil, err
	}
	for _, s := range own {
		if s.SHA256 == f.val.SHA256 {
			return nil, fault.New(fault.Usage, "--val and --data hold the same file: a threshold may not be chosen on the rows it is "+
				"measured on").WithCure("name other rows with --val")
		}
	}
	return f, nil
}

// editionVal reads the val split of an edition for the sake of thresholds, or says that it is not here. A val that is
// here and is not as frozen is an error.
func (p *project) editionVal(e *dataset.Edition) (*dataset.Split, string, error) {
	spec, ok := e.Split("val")
	dir := e.Dir
	if !filepath.IsAbs(dir) {
		dir = p.path(dir)
	}
	if !ok || e.Dir == "" || notBuilt(e, dir) {
		return nil, "your file has no val and the edition's val is not here; name one with --val FILE", nil
	}
	m, err := p.loadManifest(e)
	if err != nil {
		return nil, "", err
	}
	loaded, err := manifest.Load(m, dir, spec.Path)
	if err != nil {
		return nil, "", err
	}
	loaded[0].Name = "val"
	return loaded[0], "", nil
}

// abs resolves a path of the command line against the working folder.
func (st *State) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(st.Dir, path)
}
