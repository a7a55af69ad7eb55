package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
)

// writeWhole writes a file that the user named, whole or not at all.
func (st *State) writeWhole(name string, write func(io.Writer) error) error {
	if err := atomicfile.Write(st.abs(name), 0o666, write); err != nil {
		if errors.Is(err, atomicfile.ErrNotRegular) {
			return notRegular(name)
		}
		return fault.New(fault.Failed, "%s cannot be written: %w", fault.Name(name), bare(err)).
			WithCure("check the path, the permissions of its folder and the space left")
	}
	return nil
}

// notRegular says that a name to be written or read is that of a folder, a device or a pipe.
func notRegular(name string) error {
	return fault.New(fault.Usage, "%s is no regular file", fault.Name(name)).WithCure("name another one")
}

// checkOut refuses, before any work, a file to be written that is one of those that are read, or is there and no
// regular file.
func (st *State) checkOut(flag, name string, read []string) error {
	if info, err := os.Stat(st.abs(name)); err == nil && !info.Mode().IsRegular() {
		return notRegular(name)
	}
	for _, in := range read {
		if sameFile(st.abs(name), st.abs(in)) {
			return fault.New(fault.Usage, "--%s %s is a file that is read", flag, fault.Name(name)).
				WithCure("name another one")
		}
	}
	return nil
}

// readRegular reads a file that the user named.
func (st *State) readRegular(name string) ([]byte, error) {
	info, err := os.Stat(st.abs(name))
	if err == nil && !info.Mode().IsRegular() { // a pipe would be waited for, a device read for ever
		return nil, notRegular(name)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(st.abs(name))
	}
	if err != nil {
		return nil, fault.New(fault.Usage, "%s cannot be read: %w", fault.Name(name), bare(err)).
			WithCure("check the path")
	}
	return data, nil
}

// bare takes the paths off an error of the file system: the sentence around it names the file as the user did.
func bare(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
