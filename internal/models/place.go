package models

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pidsbench/internal/fault"
)

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
