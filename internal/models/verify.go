package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
)

// Verify checks a model folder against its lock and returns the lock. Each locked file must be there as a regular file,
// reached through no link, with the locked size and SHA-256; beside them the folder may hold README.md and the lock
// only. A difference is an Integrity error of one sentence; several are one error that lists them.
func Verify(dir string) (*Lock, error) {
	lock, err := ReadLock(dir)
	if err != nil {
		return nil, err
	}
	locked := map[string]bool{LockName: true, "README.md": true}
	var problems []error
	for _, f := range lock.Files {
		locked[f.Path] = true
		if err := f.verify(dir); err != nil {
			problems = append(problems, err)
		}
	}
	problems = append(problems, strangers(dir, locked)...)
	switch len(problems) {
	case 0:
		return lock, nil
	case 1:
		return nil, problems[0]
	}
	var list strings.Builder
	for _, p := range problems {
		list.WriteString("\n  " + p.Error())
	}
	return nil, fault.New(fault.Integrity, "%s does not match %s in %d places:%s", dir, LockName, len(problems), &list)
}

func (f File) verify(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Integrity, "%s: %s", path, fmt.Sprintf(format, args...)).
			WithCure(Restore)
	}
	parts := strings.Split(f.Path, "/")
	for i := range parts { // a link anywhere on the way leads somewhere else
		info, err := os.Lstat(filepath.Join(dir, filepath.Join(parts[:i+1]...)))
		last := i == len(parts)-1
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return wrong("the model's file is missing, expected %d bytes", f.Bytes)
		case err != nil:
			return fault.New(fault.Failed, "cannot check a model's file: %w", err)
		case info.Mode()&fs.ModeSymlink != 0:
			return wrong("%s is a link, expected a plain file of the model folder", fault.Name(parts[i]))
		case last && !info.Mode().IsRegular(), !last && !info.IsDir():
			return wrong("%s is not a regular file", fault.Name(parts[i]))
		case last && info.Size() != f.Bytes:
			if head, _ := readHead(path); isPointer(head) {
				return pointer(path)
			}
			return wrong("the file has %d bytes, expected %d as in %s: the file was changed", info.Size(), f.Bytes, LockName)
		}
	}
	sum, err := packages.HashFile(path)
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		return wrong("SHA-256 is %s, expected %s as in %s: the file was changed", sum, f.SHA256, LockName)
	}
	return nil
}

// strangers names, in the order of their paths, what lies in dir and is not in locked.
func strangers(dir string, locked map[string]bool) []error {
	var errs []error
	top, err := filepath.EvalSymlinks(dir) // the folder itself may be a link its user made
	if err != nil {
		return []error{fault.New(fault.Failed, "cannot look through the model folder: %w", err)}
	}
	err = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err == nil && !locked[filepath.ToSlash(rel)] {
			errs = append(errs, fault.New(fault.Integrity, "%s: the file %s is not in %s", dir, fault.Name(rel), LockName).
				WithCure("remove it from the model folder"))
		}
		return err
	})
	if err != nil {
		errs = append(errs, fault.New(fault.Failed, "cannot look through the model folder: %w", err))
	}
	return errs
}

// isPointer says whether data is what Git leaves in place of a file that Git LFS did not fetch.
func isPointer(data []byte) bool { return bytes.HasPrefix(data, []byte("version https://git-lfs")) }

func pointer(path string) error {
	return fault.New(fault.Integrity, "%s: a Git LFS pointer, expected the file itself", path).
		WithCure("run `git lfs pull`")
}

func readHead(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 64))
}
