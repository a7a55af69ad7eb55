package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Status says how a file compares with its entry.
type Status string

// The statuses. OK and Absent are no problems.
const (
	OK         Status = "ok"
	Absent     Status = "absent"     // without counts, so it may be
	Changed    Status = "changed"    // other bytes than frozen
	Converted  Status = "converted"  // the frozen bytes, but for line ends, byte order mark or final line end
	Pointer    Status = "pointer"    // a Git LFS pointer stands in its place
	Miscounted Status = "miscounted" // the frozen bytes, but the manifest's counts are wrong
	Malformed  Status = "malformed"  // the frozen bytes, which the strict reader refuses
	Missing    Status = "missing"
	Unreadable Status = "unreadable"
	Link       Status = "link"     // a symbolic link, which is never followed
	NotAFile   Status = "not_file" // a folder, device or pipe
	Extra      Status = "extra"    // lies in the folder and is not frozen
)

// Result is what was found about one file.
type Result struct {
	Path    string
	Status  Status
	Problem *fault.Error // one sentence with its cure; nil when the status is OK or Absent
	SHA256  string       // of the bytes found; empty when they were not read

	// Counts that were found; all zero when the file was not read as a split.
	Rows, Benign, Injection int
	Withheld                int // rows whose text is not there

	split *dataset.Split
}

// Report is the outcome of Verify.
type Report struct {
	Dir     string
	Results []Result // sorted by path

	name string
}

// Split returns the rows of a file that was found in order, parsed from the same bytes that were hashed.
func (r *Report) Split(path string) (*dataset.Split, bool) {
	for _, f := range r.Results {
		if f.Path == path && f.split != nil && f.Status == OK {
			return f.split, true
		}
	}
	return nil, false
}

// Err returns nil when there is no problem, otherwise one integrity error that lists them all.
func (r *Report) Err() error {
	var problems []string
	for _, f := range r.Results {
		if f.Problem != nil {
			problems = append(problems, f.Problem.Error())
		}
	}
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Integrity, "%s", problems[0])
	}
	return fault.New(fault.Integrity, "%s does not match %s in %d places:\n  %s", dataset.Quote(r.Dir), r.name,
		len(problems), strings.Join(problems, "\n  "))
}

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
	r := &Report{Dir: dir, name: m.title(), Results: m.check(root, dir, m.Files)}
	r.Results = append(r.Results, m.extras(root, dir)...)
	slices.SortStableFunc(r.Results, func(a, b Result) int { return cmp.Compare(a.Path, b.Path) })
	return r, r.Err()
}

// Load verifies the files at the given paths and returns their rows in that order, parsed from the same bytes that
// were hashed. Other files of the folder are not looked at. A path that the manifest does not freeze with counts is an
// integrity error, as is every difference; all are listed.
func Load(m *Manifest, dir string, paths ...string) ([]*dataset.Split, error) {
	files := make([]File, len(paths))
	for i, p := range paths {
		f, ok := m.Lookup(p)
		if !ok || !f.Counted {
			return nil, fault.New(fault.Integrity, "%s does not freeze %s with its counts", m.title(), dataset.Quote(p)).
				WithCure("use the manifest that belongs to this edition")
		}
		files[i] = f
	}
	root, err := m.open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := &Report{Dir: dir, name: m.title(), Results: m.check(root, dir, files)}
	if err := r.Err(); err != nil {
		return nil, err
	}
	splits := make([]*dataset.Split, len(paths))
	for i := range splits {
		splits[i] = r.Results[i].split
	}
	return splits, nil
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
	return nil, fault.New(fault.Integrity, "the folder %s of the files that %s freezes %s", dataset.Quote(dir), m.title(),
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

// problem completes a result with its sentence.
func (r Result) problem(dir string, status Status, cure, format string, args ...any) Result {
	r.Status = status
	r.Problem = fault.New(fault.Integrity, "%s "+format,
		append([]any{dataset.Quote(filepath.Join(dir, filepath.FromSlash(r.Path)))}, args...)...)
	if cure != "" {
		r.Problem.WithCure("%s", cure)
	}
	return r
}

func (m *Manifest) examine(root *os.Root, dir string, f File) Result {
	r := Result{Path: f.Path}
	info, r, ok := m.locate(root, dir, f, r)
	if !ok {
		return r
	}
	data, err := readFile(root, f.Path, info)
	if err != nil {
		return r.problem(dir, Unreadable, "make it readable, or "+m.cure(), "cannot be read: %v", reason(err))
	}
	r.SHA256 = hashOf(data)
	if r.SHA256 != f.SHA256 {
		return m.changed(dir, f, r, data)
	}
	r.Status = OK
	if !f.Counted {
		return r
	}
	name := filepath.Join(dir, filepath.FromSlash(f.Path))
	s, err := dataset.ReadBytes(name, data, dataset.Mapping{})
	if err != nil {
		r.Status = Malformed
		r.Problem = fault.New(fault.Integrity, "%w", err)
		return r
	}
	r.count(s)
	if r.Rows != f.Rows || r.Benign != f.Benign || r.Injection != f.Injection {
		return r.problem(dir, Miscounted, "freeze the edition again", "has the frozen bytes but %d rows, %d benign and "+
			"%d injection; %s says %d, %d and %d", r.Rows, r.Benign, r.Injection, m.title(), f.Rows, f.Benign, f.Injection)
	}
	r.split = s
	return r
}

func (r *Result) count(s *dataset.Split) {
	r.Rows = len(s.Rows)
	r.Benign, r.Injection = s.Counts()
	for _, row := range s.Rows {
		if row.Missing {
			r.Withheld++
		}
	}
}

// locate walks down to a file without following links.
func (m *Manifest) locate(root *os.Root, dir string, f File, r Result) (fs.FileInfo, Result, bool) {
	parts := strings.Split(f.Path, "/")
	for i := range parts {
		part := path.Join(parts[:i+1]...)
		last := i == len(parts)-1
		info, err := root.Lstat(filepath.FromSlash(part))
		switch {
		case errors.Is(err, fs.ErrNotExist) && !f.Counted:
			r.Status = Absent
			return nil, r, false
		case errors.Is(err, fs.ErrNotExist):
			return nil, r.problem(dir, Missing, m.cure(), "is missing, %s freezes it", m.title()), false
		case err != nil:
			return nil, r.problem(dir, Unreadable, "make it readable, or "+m.cure(), "cannot be read: %v", reason(err)), false
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, m.link(root, dir, part, r), false
		case last && info.Mode().IsRegular():
			return info, r, true
		case last && info.IsDir():
			return nil, r.problem(dir, NotAFile, m.cure(), "is a folder, expected a file"), false
		case last:
			return nil, r.problem(dir, NotAFile, m.cure(), "is a device or pipe, expected a file"), false
		case !info.IsDir():
			return nil, r.problem(dir, Missing, m.cure(), "is missing: %s is a file, expected a folder",
				dataset.Quote(part)), false
		}
	}
	panic("unreachable: a path has a last part")
}

// link describes a symbolic link in the way of a file.
func (m *Manifest) link(root *os.Root, dir, part string, r Result) Result {
	what := "is a link"
	if part != r.Path {
		what = "cannot be trusted: " + dataset.Quote(part) + " is a link"
	}
	if _, err := root.Stat(filepath.FromSlash(part)); errors.Is(err, fs.ErrNotExist) {
		what += " to nothing"
	} else if err != nil { // os.Root refuses to follow it
		what += " that leads out of the folder"
	}
	return r.problem(dir, Link, "put the file itself in its place", "%s, expected a file", what)
}

// readFile opens a file that was examined before and reads it whole.
func readFile(root *os.Root, name string, seen fs.FileInfo) ([]byte, error) {
	// Should a pipe have taken the file's place meanwhile, opening it must not wait.
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(info, seen) {
		return nil, errors.New("it was replaced while it was read")
	}
	if info.Size() > dataset.MaxFileSize {
		return nil, fmt.Errorf("it has %d bytes, at most %d (1 GiB) are read", info.Size(), int64(dataset.MaxFileSize))
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(f, dataset.MaxFileSize))
	return b.Bytes(), err
}

// reason strips the path from an error; messages name it themselves.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// extras finds what lies in the folder and is not frozen.
func (m *Manifest) extras(root *os.Root, dir string) []Result {
	var out []Result
	add := func(name string, status Status, cure, format string, args ...any) {
		out = append(out, Result{Path: name}.problem(dir, status, cure, format, args...))
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
