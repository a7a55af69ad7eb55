package manifest

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// droppings are files that tools and file managers leave in any folder; the manifest itself may lie there too.
var droppings = []string{".gitignore", ".gitkeep", ".DS_Store", "Thumbs.db", "desktop.ini", "FREEZE_MANIFEST.txt"}

// Verify compares every file of the manifest with the folder dir, and the folder with the manifest. The report is there
// whenever the folder can be opened; the error is the report's Err. Links are never followed and nothing outside the
// folder is touched.
func Verify(m *Manifest, dir string) (*Report, error) {
	root, err := m.open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := &Report{Dir: dir, name: m.title(), Results: m.check(root, dir, m.inFolder())}
	r.Results = append(r.Results, m.extras(root, dir)...)
	slices.SortStableFunc(r.Results, func(a, b Result) int { return cmp.Compare(a.Path, b.Path) })
	return r, r.Err()
}

// Load verifies the files at the given paths and returns their rows in that order, parsed from the same bytes that
// were hashed. Other files of the folder are not looked at. A path that the manifest does not freeze with counts is an
// integrity error, as is every difference; all are listed.
func Load(m *Manifest, dir string, paths ...string) ([]*dataset.Split, error) {
	r, err := Examine(m, dir, paths...)
	if err != nil {
		return nil, err
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	splits := make([]*dataset.Split, len(paths))
	for i := range splits {
		splits[i] = r.Results[i].split
	}
	return splits, nil
}

// Examine compares the files at the given paths, which the manifest has to freeze with counts, as Verify does all
// files. The report lists them in that order; the error is only of a folder that cannot be opened.
func Examine(m *Manifest, dir string, paths ...string) (*Report, error) {
	files, err := m.counted(paths)
	if err != nil {
		return nil, err
	}
	root, err := m.open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return &Report{Dir: dir, name: m.title(), Results: m.check(root, dir, files)}, nil
}

// inFolder returns the files that lie in the edition's folder.
func (m *Manifest) inFolder() []File {
	return slices.DeleteFunc(slices.Clone(m.Files), File.IsOutput)
}

// counted returns the entries of files that are frozen with counts.
func (m *Manifest) counted(paths []string) ([]File, error) {
	files := make([]File, len(paths))
	for i, p := range paths {
		f, ok := m.Lookup(p)
		if !ok || !f.Counted {
			return nil, fault.New(fault.Integrity, "%s does not freeze %s with its counts", m.title(), fault.Name(p)).
				WithCure("use the manifest that belongs to this edition")
		}
		files[i] = f
	}
	return files, nil
}

func (m *Manifest) title() string {
	if m.name == "" {
		return "the manifest"
	}
	return m.name
}

// cure tells how to get the frozen bytes back: an edition with a folder of its own is built here.
func (m *Manifest) cure() string {
	if m.Folder != "" {
		return "build the data again with `pidsbench data build`"
	}
	return "copy it again from its source"
}

func (m *Manifest) open(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err == nil {
		return root, nil
	}
	what := "cannot be opened: " + reason(err).Error()
	if errors.Is(err, fs.ErrNotExist) {
		what = "does not exist"
	} else if info, serr := os.Stat(dir); serr == nil && !info.IsDir() {
		what = "is no folder"
	}
	cure := m.cure()
	if m.Folder == "" {
		cure = "name the right folder with --data"
	}
	return nil, fault.New(fault.Integrity, "the folder %s of the files that %s freezes %s", fault.Name(dir), m.title(),
		what).WithCure("%s", cure)
}

// check examines files in parallel; the results stand in the order of the files.
func (m *Manifest) check(root *os.Root, dir string, files []File) []Result {
	results := make([]Result, len(files))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, f := range files {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = m.examine(root, dir, f)
		})
	}
	wg.Wait()
	return results
}

// extras finds what lies in the folder and is not frozen.
func (m *Manifest) extras(root *os.Root, dir string) []Result {
	var out []Result
	add := func(name string, status Status, cure, format string, args ...any) {
		r := Result{Path: name}.problem(dir, status, cure, format, args...)
		if status == Extra && m.Folder == "" { // the user's own folder may hold what it likes: nothing else is read
			r.Problem = nil
		}
		out = append(out, r)
	}
	err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			add(name, Unreadable, "make it readable", "cannot be read: %v", reason(err))
			return nil
		}
		if _, frozen := m.Lookup(name); frozen {
			if e.IsDir() { // reported as being in the place of a file
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case e.IsDir():
		case slices.Contains(droppings, path.Base(name)):
		case e.Type()&fs.ModeSymlink != 0:
			if !m.holds(name) { // else reported with each file below it
				add(name, Extra, "move it out of the folder", "is a link that %s does not freeze", m.title())
			}
		default:
			if !m.holds(name) {
				add(name, Extra, "move it out of the folder", "is not frozen by %s", m.title())
			}
		}
		return nil
	})
	if err != nil {
		add(".", Unreadable, "make it readable", "cannot be read: %v", reason(err))
	}
	return out
}

// holds reports whether frozen files lie below a path.
func (m *Manifest) holds(name string) bool {
	return slices.ContainsFunc(m.Files, func(f File) bool { return strings.HasPrefix(f.Path, name+"/") })
}
