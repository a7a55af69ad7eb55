package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/scores"
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
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	chosen, err := selectDetectors(p, &opts.score)
	if err != nil {
		return err
	}
	policies, err := opts.table.policies()
	if err != nil {
		return err
	}
	f, err := p.openFrame(st, &opts.data)
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
		d, err := f.read(dirs, c, opts.score.windows, needsVal(policies))
		if err != nil {
			return err
		}
		detectors = append(detectors, d)
	}
	r := f.results(&opts.score, policies, detectors)
	r.Run = runRecord(st, p)
	if err := opts.table.show(st, r); err != nil {
		return err
	}
	return verdict(r, chosen)
}

// read takes a detector's outcomes from score files. Without any file the detector is unavailable; a single absent file
// makes its cells incomplete.
func (f *frame) read(dirs []string, c selected, windows string, val bool) (results.Detector, error) {
	d := results.Detector{ID: c.entry.ID, Name: c.entry.Name, Baseline: c.entry.Baseline, Native: c.entry.Native}
	for _, seed := range c.seeds {
		run := results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{}, Missing: map[string]string{}}
		splits := f.splitsToScore(false)
		if val && f.val != nil {
			splits = append(splits, f.val)
		}
		for _, s := range splits {
			o, err := f.readSplit(dirs, c.entry, seed, windows, s)
			if err != nil && fault.ExitCode(err) != int(fault.Incomplete) {
				return d, err
			}
			if err != nil {
				run.Missing[s.Name] = err.Error()
				continue
			}
			run.Outcomes[s.Name] = o
		}
		if len(run.Outcomes) > 0 {
			d.Seeds = append(d.Seeds, run)
		}
	}
	if len(d.Seeds) == 0 {
		d.Unavailable = "there are no score files; run `pidsbench eval --detector " + d.ID + "`"
	}
	return d, nil
}

func (f *frame) readSplit(dirs []string, e detect.Entry, seed int, windows string, s *dataset.Split) ([]results.Outcome, error) {
	edition := f.edition
	if s == f.val {
		edition = f.valEdition
	}
	path, err := scores.Find(dirs, edition, e.ID, seed, engine.Mode(windows), s.Name)
	if err != nil {
		return nil, err
	}
	file, err := scores.Read(path)
	if err != nil {
		return nil, err
	}
	if file.Header.SplitSHA256 != s.SHA256 {
		return nil, fault.New(fault.Integrity, "%s: holds scores of another %s: split_sha256 is %.12s, expected %.12s", path,
			s.Name, file.Header.SplitSHA256, s.SHA256).WithCure("score again with `pidsbench eval --fresh`, or name another --scores")
	}
	return outcomes(file.Lines, len(s.Rows), 0), nil
}
