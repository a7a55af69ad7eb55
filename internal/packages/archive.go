package packages

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"strings"

	"pidsbench/internal/fault"
)

// Archive is an open wheel: a zip file whose member names are safe and unique. Nothing is unpacked from it; callers
// take the members they name. Its methods are safe for concurrent use.
type Archive struct {
	path    string
	zip     *zip.ReadCloser
	members map[string]*zip.File // regular files by name
}

// Open opens a wheel and looks through its table of contents. It refuses, with an Integrity error, a file that is no
// zip, a member whose name is absolute, leads out of the archive or holds a backslash, a name that stands twice, a link
// or another thing that is no regular file, and an encrypted member.
func Open(path string) (*Archive, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	f.Close()
	z, err := zip.OpenReader(path)
	if err != nil {
		var open *fs.PathError
		if errors.As(err, &open) {
			return nil, fault.New(fault.Failed, "cannot open the package: %w", err)
		}
		return nil, fault.New(fault.Integrity, "%s: not a readable zip archive: %w", path, err).
			WithCure("delete the file and fetch it again")
	}
	a := &Archive{path: path, zip: z, members: make(map[string]*zip.File, len(z.File))}
	if err := a.index(); err != nil {
		z.Close()
		return nil, err
	}
	return a, nil
}

func (a *Archive) index() error {
	seen := make(map[string]bool, len(a.zip.File))
	for _, f := range a.zip.File {
		name := strings.TrimSuffix(f.Name, "/")
		switch mode := f.Mode(); {
		case !plainPath(name):
			return a.refuse(f.Name, "has a name that is not a plain relative path")
		case seen[name]:
			return a.refuse(f.Name, "stands twice")
		case f.Flags&1 != 0:
			return a.refuse(f.Name, "is encrypted")
		case mode&fs.ModeSymlink != 0:
			return a.refuse(f.Name, "is a link")
		case name != f.Name: // a folder
			if !mode.IsDir() {
				return a.refuse(f.Name, "is named as a folder but is none")
			}
		case !mode.IsRegular():
			return a.refuse(f.Name, "is not a regular file")
		default:
			a.members[name] = f
		}
		seen[name] = true
	}
	return nil
}

// plainPath reports whether a name stays inside the archive's folder on every system.
func plainPath(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, "\\\x00")
}

func (a *Archive) refuse(name, why string) error {
	return fault.New(fault.Integrity, "%s: member %.80q %s, expected only plain files", a.path, name, why).
		WithCure("do not use this file; fetch the package again")
}

// Close closes the wheel's file.
func (a *Archive) Close() error { return a.zip.Close() }

// Member returns the bytes of one file. It reads at most limit bytes, whatever the archive's table says about the size:
// a longer file, a missing one, and one whose data is damaged are Integrity errors.
func (a *Archive) Member(name string, limit int64) ([]byte, error) {
	f := a.members[name]
	if f == nil {
		return nil, fault.New(fault.Integrity, "%s: no member %.80q", a.path, name).
			WithCure("correct the path or pin the version of the package that holds it")
	}
	r, err := f.Open()
	if err != nil {
		return nil, a.damaged(name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, a.damaged(name, err)
	}
	if int64(len(data)) > limit {
		return nil, fault.New(fault.Integrity, "%s: member %.80q is longer than %d bytes, the most that is read of it",
			a.path, name, limit).WithCure("do not use this file; fetch the package again")
	}
	return data, nil
}

func (a *Archive) damaged(name string, err error) error {
	return fault.New(fault.Integrity, "%s: member %.80q cannot be unpacked: %w", a.path, name, err).
		WithCure("delete the file and fetch it again")
}
