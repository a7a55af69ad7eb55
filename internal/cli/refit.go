package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/refit"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
)

type refitOptions struct {
	data   dataOptions
	score  scoreOptions
	table  tableOptions
	scores []string
}

func newRefitCmd(st *State) *cobra.Command {
	var opts refitOptions
	cmd := &cobra.Command{
		Use:   "refit",
		Short: "Fit TF-IDF without each source and on other splits",
		Long: fmt.Sprintf(`A number on test may rest on texts of the same source in train, and on the one
way in which rows were split. refit fits the TF-IDF baseline on train without the families of each source in turn, and
on the train of %d other splits of the same families, and prints what that changes. Beside it stand, from score files
alone, F1 of other detectors within a source, and their spread over seeds. Nothing is stored.`, refit.Deals),
		Example: `  pidsbench refit
  pidsbench refit --detector deberta --format markdown`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(opts.score.seeds) == 0 {
				opts.score.seeds = []string{"all"}
			}
			opts.data.external = []string{"none"}
			_, err := opts.score.mode()
			if err := errors.Join(opts.data.check(), err, opts.table.check()); err != nil {
				return firstFault(err)
			}
			return runRefit(cmd.Context(), st, cmd, &opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.data.edition, "edition", "open", "edition: open, v3, or the path of a folder with a "+
		"FREEZE_MANIFEST.txt")
	f.StringVar(&opts.data.data, "data", "", "with --edition v3: the folder of that edition")
	opts.score.registerSelection(cmd)
	f.Lookup("detector").Usage = "detectors by id, separated by commas, whose scores stand beside (default: those with " +
		"several seeds that have scores, without their arms)"
	f.Lookup("seeds").Usage = "seeds by number (default: all)"
	f.StringVar(&opts.table.format, "format", "table", "table, markdown, csv, latex or json")
	f.StringArrayVar(&opts.scores, "scores", nil, "folder with score files, repeatable (default: out, then results)")
	f.BoolVar(&st.Quiet, "quiet", false, "no progress and no notes on stderr")
	return cmd
}

func runRefit(ctx context.Context, st *State, cmd *cobra.Command, opts *refitOptions) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	dirs := scoreDirs(st, p, opts.scores)
	f, train, err := p.openRefit(st, opts, dirs)
	if err != nil {
		return err
	}
	chosen, err := p.beside(&opts.score)
	if err != nil {
		return err
	}
	var beside []results.Detector
	for _, c := range chosen {
		d, err := f.read(dirs, c, opts.score.windows, "", true)
		if err != nil {
			return err
		}
		if d.Unavailable == "" || c.named {
			beside = append(beside, d)
		}
	}
	opts.table.thresholds = []string{"fixed:0.5", "val_f1"}
	policies, err := opts.table.policies(nil)
	if err != nil {
		return err
	}
	test := f.splits[0].Data
	report, err := fitAgain(ctx, st, refit.Data{Train: train, Val: f.val, Test: test})
	if err != nil {
		return err
	}
	detectors := report.Sources.Detectors(test.Name)
	pairs, of, err := f.withoutSources(dirs, p.detectors.Detectors, opts.score.windows)
	if err != nil {
		return err
	}
	in := f.input(&opts.score, &opts.table, policies, slices.Concat(detectors, of, beside))
	r := results.Build(*in)
	r.Run = runRecord(st)
	r.Resample(in, func(c *results.Cell) bool { return slices.Contains([]string{"f1", "recall", "fpr"}, c.Metric) })
	if err := showRefit(st, opts.table.format, render.Refit(in, r, report, pairs...), r, report); err != nil {
		return err
	}
	return verdict(r, "run `pidsbench eval` to score what is missing")
}

func showRefit(st *State, format string, tables []render.Table, r *results.Results, report *refit.Report) error {
	switch format {
	case "json":
		return render.RefitJSON(st.Stdout, r, append(tables, render.RefitSplits(r, report)))
	case "csv":
		return render.LongCSV(st.Stdout, append(tables, render.RefitSplits(r, report)))
	}
	return renderers[format](st.Stdout, tables)
}

// openRefit reads the edition and leaves of its splits train, val, and test with the breakdown by source.
func (p *project) openRefit(st *State, opts *refitOptions, dirs []string) (*frame, *dataset.Split, error) {
	e, dir, own, err := p.edition(st, &opts.data)
	if err != nil {
		return nil, nil, err
	}
	if own {
		return nil, nil, fault.New(fault.Usage, "refit needs an edition with the splits train, val and test, and --data names "+
			"files of your own").WithCure("leave out --data, or name the folder of an edition with --edition DIR")
	}
	p.addImported(dirs, e.ID)
	f, err := p.openFrame(st, &opts.data)
	if err != nil {
		return nil, nil, err
	}
	f.splits = slices.DeleteFunc(f.here(), func(s results.Split) bool { return s.Spec.Axis != dataset.IID })
	spec, ok := e.Split("train")
	if !ok || f.val == nil || len(f.splits) == 0 {
		return nil, nil, fault.New(fault.Incomplete, "edition %s lacks one of the splits train, val and test here", e.ID).
			WithCure("take an edition that has all three")
	}
	s := &f.splits[0]
	s.Spec.Slices = map[string]string{}
	if _, ok := s.Data.Column("source"); ok {
		s.Spec.Slices["source"] = "source"
	}
	if column, _ := refit.Disguise(s.Data); column != "" {
		s.Spec.Slices["disguise"] = column
	}
	f.splits, f.absent = f.splits[:1], nil
	m, err := p.loadManifest(e)
	if err != nil {
		return nil, nil, err
	}
	train, absent, err := loadSplits(e, m, dir, []string{spec.Name})
	if err != nil {
		return nil, nil, err
	}
	if len(absent) > 0 {
		return nil, nil, fault.New(fault.Incomplete, "edition %s is not here as a whole: %s", e.ID, absent[0]).
			WithCure("put it into the folder")
	}
	return f, train[0], nil
}

// beside returns the detectors that the user named, or those with several seeds, without arms of others.
func (p *project) beside(o *scoreOptions) (chosen []selected, err error) {
	ids := o.detectors
	named := len(ids) > 0
	if !named {
		for _, e := range p.detectors.Detectors {
			if len(e.Seeds) > 1 && e.ArmOf == "" && !e.Foreign() {
				ids = append(ids, e.ID)
			}
		}
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		e, err := p.entry(id)
		if err != nil {
			return nil, err
		}
		s, err := selectSeeds(e, o.seeds, named)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, s)
	}
	return chosen, nil
}

// fitAgain runs the fits and shows on a terminal how far they have come.
func fitAgain(ctx context.Context, st *State, d refit.Data) (*refit.Report, error) {
	start := time.Now()
	var bar *progressbar.ProgressBar
	if st.StderrTTY && !st.Quiet {
		d.Step = func(done, n int) {
			if bar == nil {
				bar = progressbar.NewOptions(n, progressbar.OptionSetWriter(st.Stderr), progressbar.OptionShowCount(),
					progressbar.OptionSetDescription("fits"), progressbar.OptionSetPredictTime(true),
					progressbar.OptionClearOnFinish())
			}
			bar.Set(done) //nolint:errcheck // a bar that cannot be drawn stops nothing
		}
	}
	report, err := refit.Run(ctx, d)
	if bar != nil {
		bar.Clear() //nolint:errcheck // see above
	}
	if errors.Is(err, context.Canceled) {
		return nil, fault.New(fault.Interrupted, "interrupted; refit stores nothing, so it begins anew the next time")
	}
	if err == nil {
		st.note("refit: %d models fitted in %.1f s", report.Fits, time.Since(start).Seconds())
	}
	return report, err
}
