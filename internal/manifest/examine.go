package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

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
	s, err := dataset.ReadBytes(r.file(dir), data, dataset.Mapping{})
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
			return nil, m.missing(r.problem(dir, Missing, m.cure(), "is missing, %s freezes it", m.title())), false
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
			return nil, m.missing(r.problem(dir, Missing, m.cure(), "is missing: %s is a file, expected a folder",
				fault.Name(part))), false
		}
	}
	panic("unreachable: a path has a last part")
}

// missing softens the problem where the user put the edition's folder together: what is not there can do no harm.
func (m *Manifest) missing(r Result) Result {
	if m.Folder == "" {
		r.Problem.Kind = fault.Incomplete
	}
	return r
}

// link describes a symbolic link in the way of a file.
func (m *Manifest) link(root *os.Root, dir, part string, r Result) Result {
	what := "is a link"
	if part != r.Path {
		what = "cannot be trusted: " + fault.Name(part) + " is a link"
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
