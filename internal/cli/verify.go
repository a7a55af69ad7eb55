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
with its freeze manifest. Every problem has a line of its own. What is there and is not as frozen ends with exit
status 3; in an edition that you put there yourself, what is missing alone ends with exit status 4: files, and texts
that the public form of a file withholds (with --public-subset they are no fault). Auxiliary files that the manifest
lists without counts may be absent. A file rebuilt with data restrict counts as the frozen one: its column of
fingerprints is left aside in the comparison, and checked.`,
		Example: `  pidsbench verify
  pidsbench verify --edition v3 --data ~/pids_bench_v3
  pidsbench verify --edition v3 --data ~/pids_bench_v3 --public-subset`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runVerify(st, cmd, &opts) },
	}
	cmd.Flags().StringVar(&opts.edition, "edition", "open", "edition: open, v3, or the path of a folder with a "+
		"FREEZE_MANIFEST.txt")
	cmd.Flags().StringVar(&opts.data, "data", "", "with --edition v3: the folder of that edition")
	opts.registerPublicSubset(cmd)
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
	var accepted []manifest.Status
	if opts.publicSubset {
		if err := needsPublicForm(e, m); err != nil {
			return err
		}
		accepted = append(accepted, manifest.Public)
	}
	files, rows, benign, injection, withheld := 0, 0, 0, 0, 0
	for _, f := range report.Results {
		fmt.Fprintf(st.Stdout, "%-10s  %-40s %6d rows %6d benign %6d injection%s\n", f.Status, render.Printable(f.Path),
			f.Rows,
			f.Benign, f.Injection, remark(f))
		if f.Split() != nil || f.Status == manifest.OK {
			files++
		}
		rows, benign, injection, withheld = rows+f.Rows, benign+f.Benign, injection+f.Injection, withheld+f.Withheld
	}
	if err := report.Err(accepted...); err != nil {
		return err
	}
	but := ""
	if withheld > 0 {
		but = fmt.Sprintf(" but for %d texts withheld", withheld)
	}
	fmt.Fprintf(st.Stdout, "edition %s: %d files, %d rows (%d benign, %d injection) as frozen%s; manifest %s\n",
		e.ID, files, rows, benign, injection, but, m.Hash())
	return nil
}

// remark says what a line of verify has to add.
func remark(f manifest.Result) string {
	switch {
	case f.Withheld > 0:
		return fmt.Sprintf(", %d texts withheld", f.Withheld)
	case f.Fingerprints:
		return ", with fingerprints"
	case f.Status == manifest.Extra && f.Problem == nil:
		return ", not frozen and not read"
	}
	return ""
}
