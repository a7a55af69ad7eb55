package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"pidsbench/internal/results"
)

type scoreCmdOptions struct {
	data  dataOptions
	score scoreOptions
}

func newScoreCmd(st *State) *cobra.Command {
	var opts scoreCmdOptions
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Verify the data and score what is not yet scored, without tables",
		Long: `Writes score files below --out, one for each detector, seed and split, val included. A run that was interrupted or
killed goes on where it stopped.`,
		Example: "  pidsbench score --detector deberta\n  pidsbench score --detector all --out scores\n" +
			"  pidsbench score --detector gpt-4o-mini --split hard_benign_test",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(opts.data.check(), opts.score.check(cmd)); err != nil {
				return firstFault(err)
			}
			return runScore(cmd.Context(), st, cmd, &opts)
		},
	}
	opts.data.register(cmd)
	opts.data.registerSplits(cmd, "; val is one of them")
	opts.score.register(st, cmd)
	return cmd
}

func runScore(ctx context.Context, st *State, cmd *cobra.Command, opts *scoreCmdOptions) error {
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	if err := f.only(opts.data.splits, true); err != nil {
		return err
	}
	s := &scorer{st: st, p: p, frame: f, opts: &opts.score}
	val := len(f.chosen) == 0 || slices.Contains(f.chosen, "val")
	detectors, err := s.scoreAll(ctx, chosen, val)
	if err != nil {
		return err
	}
	return verdict(results.Build(*f.input(&opts.score, &tableOptions{}, nil, detectors)), retry)
}
