package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
)

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

// editionAt returns the edition that lies in a folder with a manifest of its own: the splits of the open edition that
// it freezes.
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
		return nil, fault.New(fault.Integrity, "%s: freezes edition %q in %q, expected %q in %q", e.Manifest, m.Edition,
			m.Folder, e.ID, e.Dir).WithCure("restore the manifest of the edition")
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
