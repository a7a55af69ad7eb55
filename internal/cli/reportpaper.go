package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
	"pidsbench/internal/paper"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

const paperFile = "configs/paper.yaml"

// registerPaper adds the flag that asks for the paper's tables.
func (o *reportOptions) registerPaper(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.paper, "paper", false, "the tables of the original's paper and README: what was published beside "+
		"what is here, and whether each of its claims holds here; needs no --detector")
}

// checkPaper refuses flags that would choose what the paper has chosen.
func (o *reportOptions) checkPaper(cmd *cobra.Command) error {
	for _, name := range []string{"detector", "threshold", "tables", "split", "external", "figures", "errors", "cost-ratio",
		"prevalence"} {
		if cmd.Flags().Changed(name) {
			return fault.New(fault.Usage, "--%s cannot be given with --paper, whose tables have their own", name).
				WithCure("leave out one of the two")
		}
	}
	if o.table.format == pageFormat {
		return fault.New(fault.Usage, "--paper has no page").WithCure("choose --format table, markdown, csv, latex or json")
	}
	if o.data.data != "" && o.data.edition == "open" {
		return fault.New(fault.Usage, "--paper speaks of an edition, and --data names your own files").
			WithCure("leave out --data, or add --edition v3 for the original edition in that folder")
	}
	if len(o.score.seeds) == 0 {
		o.score.seeds = []string{"all"}
	}
	o.score.detectors = []string{"all"} // of these, those that stand for one of the paper
	o.data.external = []string{"none"}
	return firstFault(errors.Join(o.data.check(), o.score.check(cmd), o.table.check()))
}

func runReportPaper(st *State, cmd *cobra.Command, opts *reportOptions) error {
	if err := opts.checkPaper(cmd); err != nil {
		return err
	}
	opts.score.from = func(p *project) []string { return scoreDirs(st, p, opts.scores) }
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	c, err := paper.Load(p.path(paperFile), paperFile)
	if err != nil {
		return err
	}
	splits := c.Splits()
	f.splits = slices.DeleteFunc(f.splits, func(s results.Split) bool { return !splits[s.Spec.Name] })
	if len(f.splits) == 0 {
		return fault.New(fault.Usage, "edition %s has none of the paper's splits", f.edition).WithCure("choose another --edition")
	}
	uses, detectors, err := f.paperDesigns(c, chosen, opts, opts.score.from(p))
	if err != nil {
		return err
	}
	policies, err := paperPolicies(c, uses)
	if err != nil {
		return err
	}
	in := f.input(&opts.score, &opts.table, policies, detectors)
	r := results.Build(*in)
	r.Run = runRecord(st)
	if err := showPaper(st, opts.table.format, paper.Build(c, in, r, uses), r); err != nil {
		return err
	}
	return verdict(r, "run `pidsbench eval` to score what is missing")
}

// paperDesigns reads the scores of the detectors that stand for those of the paper: of each design the first that has
// any.
func (f *frame) paperDesigns(c *paper.Config, chosen []selected, opts *reportOptions, dirs []string) ([]paper.Use,
	[]results.Detector, error) {
	byID := map[string]selected{}
	for _, s := range chosen {
		byID[s.entry.ID] = s
	}
	data := opts.data.data
	if data != "" {
		data += " --edition " + opts.data.edition
	}
	var uses []paper.Use
	var detectors []results.Detector
	for _, design := range c.Designs {
		use := paper.Use{Design: design.ID, Name: design.Name, Seeds: []int{},
			Reason: "no detector here stands for it"}
		for _, id := range design.Here {
			s, ok := byID[id]
			if !ok {
				continue
			}
			d, err := f.read(dirs, s, opts.score.windows, data, true)
			if err != nil {
				return nil, nil, err
			}
			if d.Unavailable != "" {
				use.Reason = "no score files with windows " + opts.score.windows
				continue
			}
			use = paper.Use{Design: design.ID, Name: design.Name, Detector: id, Shown: d.Name, Baseline: d.Baseline, Seeds: s.seeds}
			detectors = append(detectors, d)
			break
		}
		uses = append(uses, use)
	}
	if len(detectors) == 0 {
		return nil, nil, fault.New(fault.Incomplete, "no detector that stands for one of the paper is scored on edition %s", f.edition).
			WithCure("run `pidsbench eval --detector deberta`, or name the folder of score files with --scores")
	}
	return uses, detectors, nil
}

// paperPolicies returns the threshold policies that rows of detectors that are here and claims need.
func paperPolicies(c *paper.Config, uses []paper.Use) ([]threshold.Policy, error) {
	var out []threshold.Policy
	for _, name := range c.Policies(uses) {
		p, err := threshold.Parse(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func showPaper(st *State, format string, p *paper.Report, r *results.Results) error {
	switch format {
	case "json":
		return render.PaperJSON(st.Stdout, p)
	case "csv":
		return render.LongCSV(st.Stdout, render.Paper(p, r))
	case "table":
		return render.Text(st.Stdout, render.Paper(p, r))
	}
	return renderers[format](st.Stdout, render.PaperWide(p, r))
}
