package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

type evalOptions struct {
	data  dataOptions
	score scoreOptions
	table tableOptions
}

func newEvalCmd(st *State) *cobra.Command {
	var opts evalOptions
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Verify the data, score what is not yet scored, print the tables",
		Long: `Verifies the edition against its freeze manifest, scores every row that has no score yet, chooses thresholds on val
and prints the main table, hard-benign false alarms by provenance, and the confusion counts. Rule and trivial
baselines are always shown below the line. Run again, it scores nothing and prints the same tables.

` + sectionHelp(),
		Example: `  pidsbench eval --detector deberta
  pidsbench eval --detector all --format markdown
  pidsbench eval --detector rule,tfidf --threshold val_fpr:0.01
  pidsbench eval --detector deberta --split hard_benign_test,ordinary_benign
  pidsbench eval --detector tfidf --data prompts.csv --text-column prompt --label-column is_attack`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(opts.data.check(), opts.score.check(cmd), opts.table.check(), opts.table.checkPage(cmd)); err != nil {
				return firstFault(err)
			}
			return runEval(cmd.Context(), st, cmd, &opts)
		},
	}
	opts.data.register(cmd)
	opts.data.registerSplits(cmd, "; val is scored too where a threshold rests on it")
	opts.score.register(st, cmd)
	opts.table.register(cmd)
	opts.table.registerPage(cmd)
	return cmd
}

// firstFault returns the first of joined errors: one sentence at a time is easier to mend.
func firstFault(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) > 0 {
		return joined.Unwrap()[0]
	}
	return err
}

func runEval(ctx context.Context, st *State, cmd *cobra.Command, opts *evalOptions) error {
	if slices.Contains(opts.table.tables, windowsTable) {
		return fault.New(fault.Usage, "--tables %s sets the two window modes beside each other, and eval scores one of them",
			windowsTable).WithCure("run `pidsbench score` with --windows max and with --windows truncate, then `pidsbench report`")
	}
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	if err := f.only(opts.data.splits, false); err != nil {
		return err
	}
	policies, err := opts.table.policies(chosen)
	if err != nil {
		return err
	}
	s := &scorer{st: st, p: p, frame: f, opts: &opts.score}
	detectors, err := s.scoreAll(ctx, chosen, needsVal(policies) || opts.table.needsVal())
	if err != nil {
		return err
	}
	in := f.input(&opts.score, &opts.table, policies, detectors)
	r := results.Build(*in)
	r.Run = runRecord(st)
	if err := opts.table.show(st, in, r); err != nil {
		return err
	}
	return verdict(r, retry)
}

// prepare finds the project and what the options select in it.
func prepare(st *State, cmd *cobra.Command, data *dataOptions, score *scoreOptions) (*project, []selected, *frame, error) {
	p, err := openProject(st, cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	if score.from != nil {
		e, _, own, err := p.edition(st, data)
		if err != nil {
			return nil, nil, nil, err
		}
		if !own {
			p.addImported(score.from(p), e.ID)
		}
	}
	chosen, err := selectDetectors(p, score)
	if err != nil {
		return nil, nil, nil, err
	}
	f, err := p.openFrame(st, data)
	return p, chosen, f, err
}

func needsVal(policies []threshold.Policy) bool {
	for _, p := range policies {
		if p.NeedsVal() {
			return true
		}
	}
	return false
}

// input puts together what results are built from.
func (f *frame) input(o *scoreOptions, t *tableOptions, policies []threshold.Policy, detectors []results.Detector) *results.Input {
	return &results.Input{
		Edition: f.edition, EditionName: f.name, ManifestSHA256: f.manifestSHA, WindowMode: o.windows,
		Splits: f.splits, Val: f.val, NoVal: f.noVal, ValPromised: !f.borrowed, Detectors: detectors, Policies: policies, Limit: o.limit,
		Chosen: f.chosen, Absent: f.absent, PublicSubset: f.publicSubset, Undisputed: t.undisputed,
	}
}

const retry = "run again to retry them, with --fresh where a row ended the process twice; the score files say why each " +
	"failed"

// verdict is the error that says the results are incomplete and how to complete them, or nil.
func verdict(r *results.Results, cure string) error {
	var absent []string
	for _, d := range r.Detectors {
		if d.Unavailable != "" && d.Required {
			absent = append(absent, d.ID+" ("+d.Unavailable+")")
		}
	}
	if len(absent) > 0 {
		return fault.New(fault.Incomplete, "the results are incomplete: not run: %s", strings.Join(absent, "; "))
	}
	if len(r.Absent) > 0 {
		return fault.New(fault.Incomplete, "the results are incomplete: edition %s is not here as a whole: %s", r.Edition,
			strings.Join(r.Absent, "; ")).WithCure("put what is missing into the folder")
	}
	for i := range r.Cells {
		if c := &r.Cells[i]; c.State == results.StateIncomplete && r.Lacking(c) > 0 {
			return fault.New(fault.Incomplete, "the results are incomplete: %s lacks %d of %d rows of %s", c.Detector,
				r.Lacking(c), c.Total(), c.Split).WithCure("%s", cure)
		}
	}
	if r.Incomplete() {
		return fault.New(fault.Incomplete, "the results are incomplete: thresholds do not rest on all val rows").
			WithCure("%s", cure)
	}
	return nil
}
