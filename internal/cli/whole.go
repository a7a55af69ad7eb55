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
		return fault.New(fault.Failed, "%s cannot be written: %w", fault.Name(name), bare(err)).
			WithCure("check the path, the permissions of its folder and the space left")
	}
	return nil
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
