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

// Write puts what the function writes in the place of the file at path in one step: into a new file of the same folder
// first, which is brought to disk and renamed. The permissions are those of a new file, less the process's umask. On an
// error, the function's own or one of the file system's, the file at path is as it was before.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) error {
	temp, err := create(filepath.Dir(path), perm)
	if err != nil {
		return err
	}
	if err = write(temp); err == nil {
		err = temp.Sync()
	}
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return err
	}
	syncFolder(filepath.Dir(path))
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
