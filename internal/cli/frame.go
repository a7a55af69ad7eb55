package cli

import (
	"fmt"
	"path/filepath"
	"slices"

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

	publicSubset bool              // rows whose texts are withheld are left out by the user's wish
	chosen       []string          // splits that the user chose; empty for all
	absent       []string          // what the edition promises and is not here, a sentence each
	complete     map[string]string // split in its public form → SHA-256 of the complete one
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
		if len(o.external) > 0 {
			return nil, fault.New(fault.Usage, "--external lists imported sets beside an edition, and --data names your own "+
				"files").WithCure("leave out one of the two")
		}
		return p.openOwn(st, o, e)
	}
	if err := o.checkEdition(e); err != nil {
		return nil, err
	}
	m, err := p.loadManifest(e)
	if err != nil {
		return nil, err
	}
	report, err := examineEdition(e, m, dir)
	if err != nil {
		return nil, err
	}
	f := &frame{edition: e.ID, name: e.Name, manifestSHA: m.Hash(), valEdition: e.ID, publicSubset: o.publicSubset,
		noVal: "the edition has no val split", complete: map[string]string{}}
	if o.publicSubset {
		if err := needsPublicForm(e, m); err != nil {
			return nil, err
		}
	}
	here := 0
	for _, spec := range e.Splits {
		s, absent, err := f.take(m, report, spec)
		if err != nil {
			return nil, err
		}
		if absent == "" {
			here++
		}
		switch {
		case spec.Axis != "" && absent != "":
			f.splits = append(f.splits, results.Split{Spec: spec, Data: &dataset.Split{Name: spec.Name}, Absent: absent})
		case spec.Axis != "":
			f.splits = append(f.splits, results.Split{Spec: spec, Data: s})
		case spec.Name == "val" && absent != "":
			f.noVal = "val: " + absent
		case spec.Name == "val":
			f.val = s
		case spec.Name == "train":
			frozen, _ := m.Lookup(spec.Path)
			f.train = frozen.SHA256
		}
	}
	if here == 0 {
		return nil, fault.New(fault.Incomplete, "%s holds none of the %d splits of edition %s", fault.Name(dir),
			len(e.Splits), e.ID).WithCure("name the folder that holds %s", e.Splits[0].Path)
	}
	return f, p.addExternal(f, o)
}

// examineEdition compares the splits of an edition with its manifest. What was built here has to be there whole, and
// nothing else beside it; in a folder of the user's only its splits are looked at, and they may be absent.
func examineEdition(e *dataset.Edition, m *manifest.Manifest, dir string) (*manifest.Report, error) {
	if e.Dir != "" {
		report, err := manifest.Verify(m, dir)
		if err != nil {
			return nil, withBuildCure(e, dir, err)
		}
		return report, nil
	}
	paths := make([]string, len(e.Splits))
	for i, s := range e.Splits {
		paths[i] = s.Path
	}
	report, err := manifest.Examine(m, dir, paths...)
	if err != nil {
		return nil, err
	}
	return report, report.Changed()
}

// take returns the rows of a split, or a sentence why they are not here; the frame then lists it as absent.
func (f *frame) take(m *manifest.Manifest, report *manifest.Report, spec dataset.SplitSpec) (
	s *dataset.Split, absent string, err error) {
	found, _ := report.Result(spec.Path)
	s = found.Split()
	switch {
	case found.Status == manifest.OK && s != nil:
	case found.Status == manifest.Public && f.publicSubset:
		frozen, _ := m.Lookup(spec.Path)
		f.complete[spec.Name] = frozen.SHA256
	case found.Status == manifest.Public:
		why := fmt.Sprintf("%s is in its public form, which withholds %d of %d texts (--public-subset scores the others, "+
			"`pidsbench data restrict rebuild` fills them in)", spec.Path, found.Withheld, found.Rows)
		f.absent = append(f.absent, why)
		return nil, why, nil
	case found.Status == manifest.Missing:
		why := spec.Path + " is not here"
		f.absent = append(f.absent, why)
		return nil, why, nil
	default:
		return nil, "", fault.New(fault.Integrity, "%s could not be read as split %s", spec.Path, spec.Name)
	}
	s.Name = spec.Name
	return s, "", nil
}

// needsPublicForm refuses --public-subset where there is nothing it could mean.
func needsPublicForm(e *dataset.Edition, m *manifest.Manifest) error {
	if slices.ContainsFunc(m.Files, func(f manifest.File) bool { return f.Withheld > 0 }) {
		return nil
	}
	return fault.New(fault.Usage, "--public-subset is for an edition with a form for the public, which %s has not", e.ID).
		WithCure("leave it out")
}

// here returns the evaluation splits that have rows.
func (f *frame) here() []results.Split {
	return slices.DeleteFunc(slices.Clone(f.splits), func(s results.Split) bool { return s.Absent != "" })
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
			return nil, fault.New(fault.Usage, "--val and --data hold the same file: a threshold may not be chosen on the rows "+
				"it is measured on").WithCure("name other rows with --val")
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
