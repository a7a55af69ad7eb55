package cli

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"pidsbench/internal/comparison"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

type compareOptions struct {
	data    dataOptions
	score   scoreOptions
	table   tableOptions
	scores  []string
	primary bool
}

func newCompareCmd(st *State) *cobra.Command {
	var opts compareOptions
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two detectors on the same rows",
		Long: `From score files alone, compare prints for each axis the difference of detector A from detector B, with the
95 % interval of a paired bootstrap over families in which seeds are averaged, the interval that adds the spread of
the seeds, exact McNemar and paired t, the smallest difference that could have been found, and in words whether A is
better, worse, or not distinguishable from B at this n.

--primary prints the comparisons that ` + primaryList + ` lists, which were named before there were scores; their
p-values are corrected together. All others are exploratory.`,
		Example: `  pidsbench compare deberta-hn deberta
  pidsbench compare deberta tfidf --threshold val_f1 --split test
  pidsbench compare --primary --format markdown`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(opts.score.seeds) == 0 {
				opts.score.seeds = []string{"all"}
			}
			opts.score.detectors = args
			opts.score.from = func(p *project) []string { return scoreDirs(st, p, opts.scores) }
			if err := opts.check(cmd, args); err != nil {
				return err
			}
			if opts.primary {
				return runPrimary(st, cmd, &opts)
			}
			return runCompare(st, cmd, &opts)
		},
	}
	opts.data.register(cmd)
	opts.data.registerSplits(cmd, "")
	f := cmd.Flags()
	f.StringSliceVar(&opts.score.seeds, "seeds", nil, "seeds by number (default: all that both have)")
	f.StringVar(&opts.score.windows, "windows", "max", "window mode of the scores: max or truncate")
	f.StringVar(&opts.table.format, "format", "table", "table, markdown, csv, latex or json")
	f.StringArrayVar(&opts.table.thresholds, "threshold", nil, "threshold policy, repeatable: fixed:0.5, val_f1, val_f1:high, "+
		"val_fpr:0.01, native (default: fixed:0.5 and val_f1)")
	f.BoolVar(&opts.table.undisputed, "undisputed", false, "leave out the rows whose label readers doubt (column disputed); "+
		"thresholds rest on all of val")
	f.StringArrayVar(&opts.scores, "scores", nil, "folder with score files, repeatable (default: out, then results)")
	f.BoolVar(&opts.primary, "primary", false, "the comparisons of "+primaryList+", p-values corrected together; with "+
		"--scores and --format alone")
	return cmd
}

// check refuses what cannot be meant.
func (o *compareOptions) check(cmd *cobra.Command, args []string) error {
	if o.primary {
		for _, name := range []string{"seeds", "windows", "threshold", "undisputed", "split", "edition", "data", "val",
			"text-column", "label-column", "positive", "negative", "label", "public-subset", "external"} {
			if cmd.Flags().Changed(name) {
				return fault.New(fault.Usage, "--%s changes what is compared, and --primary stands for the comparisons of %s as "+
					"they were named", name, primaryList).WithCure("leave out one of the two")
			}
		}
		if len(args) > 0 {
			return fault.New(fault.Usage, "--primary stands for the comparisons of %s, and detectors are named as well",
				primaryList).WithCure("leave out one of the two")
		}
		return o.table.check()
	}
	_, err := o.score.mode()
	switch {
	case len(args) != 2:
		return fault.New(fault.Usage, "%d detectors are named, expected two to be compared", len(args)).
			WithCure("name them: `pidsbench compare A B`, or give --primary (see `pidsbench detectors list`)")
	case args[0] == args[1]:
		return fault.New(fault.Usage, "detector %s is named twice: it does not differ from itself", fault.Quote(args[0])).
			WithCure("name another one")
	case slices.Contains(args, "all"):
		return fault.New(fault.Usage, "all is no detector: two are compared").WithCure("name them by id")
	}
	return firstFault(errors.Join(o.data.check(), err, o.table.check()))
}

func runCompare(st *State, cmd *cobra.Command, opts *compareOptions) error {
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	if err := f.only(opts.data.splits, false); err != nil {
		return err
	}
	policies, err := opts.table.policies(nil)
	if err != nil {
		return err
	}
	chosen = chosen[:2] // named ones come first
	if err := shareSeeds(chosen); err != nil {
		return err
	}
	specs := comparison.Axes(f.splits, policyNames(policies), len(opts.data.splits) > 0)
	if len(specs) == 0 {
		return fault.New(fault.Usage, "the splits hold no rows that two detectors could be compared on").
			WithCure("choose others")
	}
	f.keep(specs)
	own := opts.data.data
	if own != "" && f.edition != ownEdition {
		own += " --edition " + opts.data.edition
	}
	var detectors []results.Detector
	for _, c := range chosen {
		d, err := f.read(opts.score.from(p), c, opts.score.windows, own, needsVal(policies))
		if err != nil {
			return err
		}
		detectors = append(detectors, d)
	}
	r := results.Build(*f.input(&opts.score, &opts.table, policies, detectors))
	r.Run = runRecord(st)
	pair := comparison.Match(comparison.NewSide(detectors[0], r, single(chosen[0].entry)),
		comparison.NewSide(detectors[1], r, single(chosen[1].entry)))
	data := comparison.NewData(f.splits, opts.table.undisputed)
	listed, err := p.primary()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	standard := len(pair.Gone) == 0 &&
		!slices.ContainsFunc([]string{"seeds", "windows", "undisputed", "edition", "data"}, cmd.Flags().Changed)
	of := []comparison.Result{}
	for _, s := range specs {
		if f.unasked(s.Split) && !pair.Scored(s.Split) {
			continue
		}
		c := data.Compare(pair, s)
		if at := slices.IndexFunc(listed, func(l comparison.Listed) bool { return l.Is(c.A, c.B, s) }); at >= 0 && standard {
			c.ID, c.Question, c.Status = listed[at].ID, listed[at].Question, comparison.Primary
		}
		of = append(of, c)
	}
	err = opts.show(st, r, of, pair.Gone, func() []render.Table { return render.Comparison(r, &pair, of) })
	if err != nil {
		return err
	}
	return verdict(r, "run `pidsbench eval` to score what is missing")
}

// policyNames returns policies as results name them.
func policyNames(policies []threshold.Policy) (names []string) {
	for _, p := range policies {
		names = append(names, p.String())
	}
	return names
}

// single reports whether a detector has one run that stands beside every seed of another.
func single(e detect.Entry) bool {
	return len(e.Seeds) == 0 || e.Kind == importedKind && len(e.Seeds) == 1
}

// shareSeeds leaves those seeds that both detectors have, or says that there is none.
func shareSeeds(chosen []selected) error {
	a, b := &chosen[0], &chosen[1]
	if single(a.entry) || single(b.entry) {
		return nil
	}
	var common []int
	for _, seed := range a.seeds {
		if slices.Contains(b.seeds, seed) {
			common = append(common, seed)
		}
	}
	if len(common) == 0 {
		return fault.New(fault.Usage, "%s and %s have no seed in common: they have %s and %s", a.entry.ID, b.entry.ID,
			joinInts(a.seeds), joinInts(b.seeds)).WithCure("give --seeds that both have, or train the same")
	}
	a.seeds, b.seeds = common, common
	return nil
}

// keep leaves the splits that comparisons rest on: no others are read.
func (f *frame) keep(specs []comparison.Spec) {
	f.splits = slices.DeleteFunc(f.splits, func(s results.Split) bool {
		return !slices.ContainsFunc(specs, func(c comparison.Spec) bool { return c.Split == s.Spec.Name })
	})
}

// unasked reports whether a split is an external set that the user did not name.
func (f *frame) unasked(split string) bool {
	return slices.ContainsFunc(f.splits, func(s results.Split) bool {
		return s.Spec.Name == split && s.External && !s.Asked
	})
}

func (o *compareOptions) show(st *State, r *results.Results, of []comparison.Result, leftOut []string,
	tables func() []render.Table) error {
	switch o.table.format {
	case "json":
		return render.CompareJSON(st.Stdout, r, of, leftOut)
	case "csv":
		return render.CompareCSV(st.Stdout, r, of)
	}
	return renderers[o.table.format](st.Stdout, tables())
}
