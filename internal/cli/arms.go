package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"pidsbench/internal/augmentation"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
)

type armsOptions struct {
	data   dataOptions
	score  scoreOptions
	table  tableOptions
	scores []string
}

func newArmsCmd(st *State) *cobra.Command {
	var opts armsOptions
	cmd := &cobra.Command{
		Use:   "arms",
		Short: "Compare a detector with its arms: what hard negatives in training do to false alarms",
		Long: `An arm is the same detector trained with rows added: hard negatives of our own (curated), third-party ones, or
ordinary rows as a placebo. From score files alone, arms prints the false alarms of each arm on each set of benign
texts, the mean over the seeds, and its paired difference from the detector without additions, both with the 95 %
interval of a bootstrap over families in which seeds are averaged.`,
		Example: `  pidsbench arms --detector tfidf
  pidsbench arms --detector all --threshold val_f1 --format markdown`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(opts.score.seeds) == 0 {
				opts.score.seeds = []string{"all"}
			}
			if err := errors.Join(opts.data.check(), opts.score.check(cmd), opts.table.check()); err != nil {
				return firstFault(err)
			}
			return runArms(st, cmd, &opts)
		},
	}
	opts.data.register(cmd)
	opts.score.registerSelection(cmd)
	cmd.Flags().Lookup("seeds").Usage = "seeds by number (default: all)"
	opts.table.register(cmd)
	cmd.Flags().Lookup("threshold").Usage = "threshold policy, repeatable: fixed:0.5, val_f1, val_f1:high, val_fpr:0.01, native " +
		"(default: fixed:0.5)"
	cmd.Flags().StringArrayVar(&opts.scores, "scores", nil, "folder with score files, repeatable (default: out, then results)")
	return cmd
}

func runArms(st *State, cmd *cobra.Command, opts *armsOptions) error {
	opts.score.from = func(p *project) []string { return scoreDirs(st, p, opts.scores) }
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	if len(opts.table.thresholds) == 0 {
		opts.table.thresholds = []string{"fixed:0.5"}
	}
	policies, err := opts.table.policies(chosen)
	if err != nil {
		return err
	}
	sets := augmentation.Sets(f.here(), opts.table.undisputed)
	if len(sets) == 0 {
		return fault.New(fault.Usage, "there is none of the sets of benign texts that arms are compared on in %s", f.name).
			WithCure("leave out --data and --edition, or import a set with benign rows")
	}
	var designs []augmentation.Design
	var built []*results.Results
	passed := 0
	for _, c := range chosen {
		entries := p.armsOf(c.entry)
		if len(entries) == 1 && !c.named {
			continue
		}
		if len(entries) == 1 {
			return fault.New(fault.Usage, "detector %s has no arms", c.entry.ID).
				WithCure("name one of which configs/detectors.yaml has arms (field arm_of)")
		}
		d, err := f.design(p, opts, entries, needsVal(policies))
		if err != nil {
			return err
		}
		if !c.named && d.Detectors[0].Unavailable != "" {
			st.note("note: %s is passed over: %s", c.entry.ID, d.Detectors[0].Unavailable)
			passed++
			continue
		}
		designs = append(designs, *d)
		r := results.Build(*f.input(&opts.score, &opts.table, policies, d.Detectors))
		r.Run = runRecord(st)
		built = append(built, r)
	}
	if len(designs) == 0 && passed > 0 {
		return fault.New(fault.Incomplete, "no detector that has arms is scored").WithCure("run `pidsbench eval` with one of them")
	}
	if len(designs) == 0 {
		return fault.New(fault.Usage, "no detector has arms").WithCure("give some in configs/detectors.yaml (field arm_of)")
	}
	var tables []render.Table
	var reports []render.ArmsReport
	for _, policy := range policies {
		for i, d := range designs {
			cells := augmentation.Compute(d.Arms(built[i], policy.String()), sets...)
			reports = append(reports, render.ArmsReport{Design: d.Detectors[0].ID, Policy: policy.String(), Cells: cells})
			tables = append(tables, render.Arms(built[i], d.Name, policy.String(), cells, sets)...)
		}
	}
	if err := showArms(st, opts.table.format, f, tables, reports); err != nil {
		return err
	}
	for _, r := range built {
		if err := verdict(r, "run `pidsbench eval` to score what is missing"); err != nil {
			return err
		}
	}
	return nil
}

func showArms(st *State, format string, f *frame, tables []render.Table, reports []render.ArmsReport) error {
	switch format {
	case "json":
		return render.ArmsJSON(st.Stdout, f.edition, f.manifestSHA, reports, runRecord(st))
	case "csv":
		return render.ArmsCSV(st.Stdout, f.edition, f.manifestSHA, reports)
	}
	return renderers[format](st.Stdout, tables)
}

// armsOf returns a detector and its arms, the detector itself first.
func (p *project) armsOf(e detect.Entry) []detect.Entry {
	entries := []detect.Entry{e}
	for _, other := range p.detectors.Detectors {
		if other.ArmOf == e.ID {
			entries = append(entries, other)
		}
	}
	return entries
}

// design reads the scores of a detector and of its arms.
func (f *frame) design(p *project, opts *armsOptions, entries []detect.Entry, val bool) (*augmentation.Design, error) {
	d := &augmentation.Design{Name: entries[0].Name}
	for i, e := range entries {
		s, err := selectSeeds(e, opts.score.seeds, true)
		if err != nil {
			return nil, err
		}
		read, err := f.read(opts.score.from(p), s, opts.score.windows, opts.data.data, val)
		if err != nil {
			return nil, err
		}
		name := e.Arm
		if i == 0 {
			name = "none"
		}
		d.Names, d.Detectors = append(d.Names, name), append(d.Detectors, read)
	}
	return d, nil
}
