// Package atomicfile writes files that a reader meets whole or not at all, whenever the process or the machine stops.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular says that a folder, a device or a pipe stands where a file is to be written, or a link to one.
var ErrNotRegular = errors.New("it is no regular file")

// Write puts what the function writes in the place of the file at path in one step: into a new file of the same folder
// first, which is brought to disk and renamed. The permissions are those of a new file, less the process's umask. On an
// error, the function's own or one of the file system's, the file at path is as it was before. Only a regular file, or
// nothing, is replaced: anything else is an ErrNotRegular, and the function is not called.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) error {
	p, err := Prepare(path, perm, write)
	if err != nil {
		return err
	}
	return p.Commit()
}

// Pending is a file that is written and on disk, but not in its place yet. Either Commit or Discard ends it.
type Pending struct{ temp, path string }

// Prepare does all of Write but the last step, so that several files can be written before the first is replaced.
func Prepare(path string, perm fs.FileMode, write func(io.Writer) error) (*Pending, error) {
	if err := replaceable(path); err != nil {
		return nil, err
	}
	temp, err := create(filepath.Dir(path), perm)
	if err != nil {
		return nil, err
	}
	if err = write(temp); err == nil {
		err = temp.Sync()
	}
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return nil, err
	}
	return &Pending{temp.Name(), path}, nil
}

// Commit puts the file in its place. On an error the old one stays and the new one is gone.
func (p *Pending) Commit() error {
	err := replaceable(p.path) // which may have changed
	if err == nil {
		err = os.Rename(p.temp, p.path)
	}
	if err != nil {
		p.Discard()
		return err
	}
	syncFolder(filepath.Dir(p.path))
	return nil
}

// Discard removes the new file; the old one stays.
func (p *Pending) Discard() { _ = os.Remove(p.temp) }

// replaceable refuses what a renaming must not replace.
func replaceable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: ErrNotRegular}
	}
	return nil
}

// create makes a new file under a name that no other process has. The names begin with a dot, so that what a killed
// process leaves is not taken for data.
func create(dir string, perm fs.FileMode) (*os.File, error) {
	for n := 0; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf(".new-%d-%d", os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) || n >= 10_000 {
			return f, err
		}
	}
}

// syncFolder brings the renaming to disk. Some file systems cannot; the file stands all the same.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
