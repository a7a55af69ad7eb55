package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
)

// Main runs the command line and returns the exit status. Errors go to stderr as one sentence, once.
func Main(ctx context.Context, st *State) int {
	ran := false
	out := &stickyWriter{w: st.Stdout, columns: st.Columns}
	st.Stdout = out
	root := newRootCmd(st)
	root.PersistentPreRun = func(*cobra.Command, []string) { ran = true }
	root.SetArgs(st.Args)
	root.SetOut(st.Stdout)
	root.SetErr(st.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil && out.err != nil {
		err = fault.New(fault.Failed, "the output could not be written: %w", out.err)
	}
	if err == nil {
		return 0
	}
	var f *fault.Error
	if !ran && !errors.As(err, &f) { // cobra's own complaints about commands, flags and arguments
		said := strings.ReplaceAll(strings.Join(strings.Fields(err.Error()), " "), " Did you mean this? ", "; did you mean ")
		err = fault.New(fault.Usage, "%s", said).
			WithCure("see `%s --help`", cmd.CommandPath())
	}
	if errors.Is(err, context.Canceled) && !errors.As(err, &f) {
		err = fault.New(fault.Interrupted, "interrupted; finished work is kept")
	}
	st.logError(err)
	return fault.ExitCode(err)
}

func newRootCmd(st *State) *cobra.Command {
	root := &cobra.Command{
		Use:   "pidsbench",
		Short: "Measure prompt-injection detectors on frozen splits",
		Long: `pidsbench measures a prompt-injection detector on frozen splits along several axes: in-distribution,
hard-benign by provenance, obfuscation, domain and structural shift. The threshold is chosen on validation
data alone, and every table can be made again from score files.

Exit status: 0 done; 1 failed; 2 wrong usage; 3 data or model files are not what was frozen; 4 results are
incomplete; 5 a gate is broken; 130 interrupted.`,
		Example: `  pidsbench eval --detector deberta
  pidsbench eval --detector rule,tfidf --data my-prompts.csv
  pidsbench doctor`,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().String("root", "", "the project's folder (default: PIDSBENCH_ROOT, the working folder or "+
		"one above it, the folder of the executable or one above it)")
	root.PersistentFlags().BoolVar(&st.NoColour, "no-color", false, "no colours, as with the variable NO_COLOR")
	root.AddCommand(
		newEvalCmd(st), newScoreCmd(st), newReportCmd(st), newArmsCmd(st), newVerifyCmd(st), newDataCmd(st), newDetectorsCmd(st),
		newModelsCmd(st), newTrainCmd(st), newRefitCmd(st), newDoctorCmd(st), newCompareCmd(st),
		newScoresCmd(st), newScanCmd(st), newGateCmd(st), newReproduceCmd(st),
		newInitCmd(st), newManCmd(st),
	)
	root.SetFlagErrorFunc(flagError)
	addCompletions(st, root)
	return root
}

// group makes a command that only holds others: alone it shows its help, with anything else it is a usage error.
func group(cmd *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subcommands...)
	var names []string
	for _, s := range subcommands {
		names = append(names, s.Name())
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return fault.New(fault.Usage, "%s has no command %q%s", cmd.CommandPath(), args[0], suggest(args[0], names)).
			WithCure("choose from %s", strings.Join(names, ", "))
	}
	return cmd
}
