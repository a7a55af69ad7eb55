package cli

import (
	"io"
	"os"
	"path/filepath"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
	"pidsbench/internal/figures"
)

// writeFigures writes figures into a folder, each as NAME.svg and NAME.png.
func writeFigures(st *State, dir string, all []*figures.Figure) error {
	if len(all) == 0 {
		return nil
	}
	dir = st.abs(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault.New(fault.Failed, "the folder for figures cannot be made: %v",
			err).WithCure("name another with --figures DIR")
	}
	for _, f := range all {
		for ending, write := range map[string]func(io.Writer) error{".svg": f.SVG, ".png": f.PNG} {
			if err := atomicfile.Write(filepath.Join(dir, f.Name+ending), 0o666, write); err != nil {
				return fault.New(fault.Failed, "the figure %s cannot be written: %v", f.Name+ending, err).
					WithCure("name another folder with --figures DIR")
			}
		}
	}
	st.note("%d figures, each as SVG and PNG, are in %s", len(all), dir)
	return nil
}
