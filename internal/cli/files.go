package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file through a temporary one in the same folder, so that it is whole or as it was.
func writeFile(path string, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	if err = errors.Join(write(tmp), tmp.Chmod(0o644), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
