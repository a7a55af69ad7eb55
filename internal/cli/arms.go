package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"pidsbench/internal/augmentation"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
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
		Example: `  pidsbench arms --detector deberta
  pidsbench arms --detector deberta,tfidf --threshold val_f1 --format markdown`,
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
	opts.table.register(cmd)
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
	var designs []augmentation.Design
	for _, c := range chosen {
		if c.entry.Baseline || !c.named {
			continue
		}
		d, err := f.design(p, opts, c, needsVal(policies))
		if err != nil {
			return err
		}
		designs = append(designs, *d)
	}
	sets := augmentation.Sets(f.here())
	var tables []render.Table
	var reports []render.ArmsReport
	for _, policy := range policies {
		for _, d := range designs {
			r := f.results(&opts.score, &opts.table, policies, d.Detectors)
			cells, err := augmentation.Compute(d.Arms(r, policy.String()), sets)
			if err != nil {
				return err
			}
			reports = append(reports, render.ArmsReport{Design: d.Detectors[0].ID, Policy: policy.String(), Cells: cells})
			tables = append(tables, render.Arms(r, d.Name, policy.String(), cells, sets)...)
		}
	}
	if opts.table.format == "json" {
		return render.ArmsJSON(st.Stdout, f.edition, f.manifestSHA, reports)
	}
	return renderers[opts.table.format](st.Stdout, tables)
}

// design reads the scores of a detector and of its arms.
func (f *frame) design(p *project, opts *armsOptions, c selected, val bool) (*augmentation.Design, error) {
	d := &augmentation.Design{Name: c.entry.Name}
	entries := []detect.Entry{c.entry}
	for _, e := range p.detectors.Detectors {
		if e.ArmOf == c.entry.ID {
			entries = append(entries, e)
		}
	}
	if len(entries) == 1 {
		return nil, fault.New(fault.Usage, "detector %s has no arms", c.entry.ID).
			WithCure("name one of which configs/detectors.yaml has arms (field arm_of)")
	}
	for _, e := range entries {
		s, err := selectSeeds(e, opts.score.seeds, true)
		if err != nil {
			return nil, err
		}
		read, err := f.read(opts.score.from(p), s, opts.score.windows, opts.data.data, val)
		if err != nil {
			return nil, err
		}
		name := e.Arm
		if e.ID == c.entry.ID {
			name = "none"
		}
		d.Names, d.Detectors = append(d.Names, name), append(d.Detectors, read)
	}
	return d, nil
}
