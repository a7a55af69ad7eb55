package cli

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

type reportOptions struct {
	data   dataOptions
	score  scoreOptions
	table  tableOptions
	scores []string
}

func newReportCmd(st *State) *cobra.Command {
	var opts reportOptions
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Print the tables from score files, without any model",
		Example: `  pidsbench report --detector deberta
  pidsbench report --detector all --scores published --format latex`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(opts.data.check(), opts.score.check(cmd), opts.table.check()); err != nil {
				return firstFault(err)
			}
			return runReport(st, cmd, &opts)
		},
	}
	opts.data.register(cmd)
	opts.score.registerSelection(cmd)
	opts.table.register(cmd)
	cmd.Flags().StringArrayVar(&opts.scores, "scores", nil, "folder with score files, repeatable (default: out, then results)")
	return cmd
}

func runReport(st *State, cmd *cobra.Command, opts *reportOptions) error {
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	policies, err := opts.table.policies(chosen)
	if err != nil {
		return err
	}
	dirs := []string{st.abs("out"), p.path("results")}
	if len(opts.scores) > 0 {
		dirs = nil
		for _, d := range opts.scores {
			dirs = append(dirs, st.abs(d))
		}
	}
	var detectors []results.Detector
	for _, c := range chosen {
		d, err := f.read(dirs, c, opts.score.windows, opts.data.data, needsVal(policies))
		if err != nil {
			return err
		}
		detectors = append(detectors, d)
	}
	r := f.results(&opts.score, policies, detectors)
	r.Run = runRecord(st)
	if err := opts.table.show(st, r); err != nil {
		return err
	}
	return verdict(r, "run `pidsbench eval` to score what is missing")
}

// read takes a detector's outcomes from score files. Without any file the detector is unavailable; a single absent file
// makes its cells incomplete.
func (f *frame) read(dirs []string, c selected, windows, data string, val bool) (results.Detector, error) {
	d := c.result()
	found := false
	for _, seed := range c.seeds {
		run := results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{}, Missing: map[string]string{}}
		get := func(edition string, split *dataset.Split) (out []results.Outcome, absent string, err error) {
			file, err := f.find(dirs, edition, split, c.entry, seed, windows)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, err.Error(), nil
			}
			if err != nil {
				return nil, "", err
			}
			found = true
			f.doubt(&d, file.Header.Info.TrainSHA256)
			return outcomes(file.Lines, len(split.Rows), 0), "", nil
		}
		for _, s := range f.splits {
			out, absent, err := get(f.edition, s.Data)
			if err != nil {
				return d, err
			}
			if absent != "" {
				run.Missing[s.Spec.Name] = absent
			} else {
				run.Outcomes[s.Spec.Name] = out
			}
		}
		if val && f.val != nil {
			var err error
			if run.Val, run.NoVal, err = get(f.valEdition, f.val); err != nil {
				return d, err
			}
		}
		d.Seeds = append(d.Seeds, run)
	}
	if !found && d.Unavailable == "" {
		d.Unavailable, d.Seeds = "there are no score files; run `"+evalCommand(d.ID, windows, data)+"`", nil
	}
	return d, nil
}
