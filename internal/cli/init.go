package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
)

// starter holds the files that init writes.
//
//go:embed starter
var starter embed.FS

func newInitCmd(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a folder to begin with: detectors of your own, with an example that runs",
		Long: `Writes ` + ownFile + ` with an example of each kind of detector, the program behind the first one, limits for a gate and
a page with the next commands into DIR, or into the working folder. DIR is made when it is not there; when one of the
files is, nothing is written.

In that folder and below it, detectors of ` + ownFile + ` are known beside those that come with pidsbench.`,
		Example: "  pidsbench init my-evaluation\n  pidsbench init",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return runInit(st, dir)
		},
	}
}

func runInit(st *State, name string) error {
	if name == "" {
		return fault.New(fault.Usage, "the name of the folder is empty").WithCure("name one, or leave it out for this one")
	}
	dir := st.abs(name)
	files, err := starter.ReadDir("starter")
	if err != nil {
		return err
	}
	for _, f := range files {
		switch _, err := os.Lstat(filepath.Join(dir, f.Name())); {
		case err == nil:
			return fault.New(fault.Usage, "%s is there already, and nothing was written", fault.Name(filepath.Join(name, f.Name()))).
				WithCure("name another folder, or move it away")
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range files {
		data, err := starter.ReadFile("starter/" + f.Name())
		if err != nil {
			return err
		}
		if err := writeNew(filepath.Join(dir, f.Name()), data); err != nil {
			return err
		}
		fmt.Fprintln(st.Stdout, printableLines(filepath.Join(name, f.Name())))
	}
	where := ""
	if dir != st.Dir {
		where = ", in that folder"
	}
	st.note("next%s: `pidsbench detectors check mine`; then fill in %s", where, ownFile)
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(path string, data []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(data)
	return err
}
