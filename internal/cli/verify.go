package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
	"pidsbench/internal/render"
)

func newVerifyCmd(st *State) *cobra.Command {
	var opts dataOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check every frozen file against the manifest",
		Long: `Recomputes the SHA-256, the number of rows and the class counts of every file of an edition and compares them
with its freeze manifest. Every problem has a line of its own; any problem ends with exit status 3.`,
		Example: `  pidsbench verify
  pidsbench verify --edition v3 --data ~/pids_bench_v3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runVerify(st, cmd, &opts) },
	}
	cmd.Flags().StringVar(&opts.edition, "edition", "open", "edition to check: open, v3, or the path of a folder with a FREEZE_MANIFEST.txt")
	cmd.Flags().StringVar(&opts.data, "data", "", "with --edition v3: the folder it lies in")
	return cmd
}

func runVerify(st *State, cmd *cobra.Command, opts *dataOptions) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	e, dir, own, err := p.edition(st, opts)
	if err != nil {
		return err
	}
	if own {
		return fault.New(fault.Usage, "edition %s lies where it is built, --data is for one that is not shipped", e.ID).
			WithCure("leave out --data, or give the folder as --edition PATH")
	}
	m, err := p.loadManifest(e)
	if err != nil {
		return err
	}
	report, err := manifest.Verify(m, dir)
	if report == nil {
		return withBuildCure(e, dir, err)
	}
	files, rows, benign, injection := 0, 0, 0, 0
	for _, f := range report.Results {
		fmt.Fprintf(st.Stdout, "%-10s  %-40s %6d rows %6d benign %6d injection\n", f.Status, render.Printable(f.Path), f.Rows, f.Benign,
			f.Injection)
		files, rows, benign, injection = files+1, rows+f.Rows, benign+f.Benign, injection+f.Injection
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(st.Stdout, "edition %s: %d files, %d rows (%d benign, %d injection) as frozen; manifest %s\n",
		e.ID, files, rows, benign, injection, m.Hash())
	return nil
}
