package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/builder"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
	"pidsbench/internal/threshold"
)

type exposureOptions struct {
	score     scoreOptions
	scores    []string
	split     string
	threshold string
	format    string
}

func newExposureCmd(st *State) *cobra.Command {
	var opts exposureOptions
	cmd := &cobra.Command{
		Use:   "exposure",
		Short: "Compare a detector's recall on public texts with its recall on texts written for this edition",
		Long: `Prints recall on the open edition by source, from score files, and the gap between the sources that are public and our
own texts, which no detector that is older than this edition can have seen. One that was trained on public attacks
finds these more easily; but so it does when they are the easier ones. Read a gap beside that of the rules, which are
trained on nothing.`,
		Example: "  pidsbench detectors exposure --detector tfidf\n" +
			"  pidsbench detectors exposure --detector all --threshold native --format csv",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(opts.score.check(cmd), opts.check()); err != nil {
				return firstFault(err)
			}
			return runExposure(st, cmd, &opts)
		},
	}
	opts.score.registerSelection(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&opts.scores, "scores", nil, "folder with score files, repeatable (default: out, then results)")
	f.StringVar(&opts.split, "split", "test", "the split of the open edition")
	f.StringVar(&opts.threshold, "threshold", "val_fpr:0.05", "threshold policy: fixed:0.5, val_f1, val_f1:high, val_fpr:0.01, native")
	f.StringVar(&opts.format, "format", "table", "table, markdown, csv or json")
	return cmd
}

func (o *exposureOptions) check() error {
	if !slices.Contains([]string{"table", "markdown", "csv", "json"}, o.format) {
		return fault.New(fault.Usage, "--format is %q, expected table, markdown, csv or json", o.format).
			WithCure("give one of these")
	}
	_, err := threshold.Parse(o.threshold)
	return err
}

// exposure is what a detector at a seed finds of each source.
type exposure struct {
	Detector string        `json:"detector"`
	Seed     *int          `json:"seed"` // null for a detector that has no scores at all
	Sources  []sourceFound `json:"sources"`
	Public   *sourceFound  `json:"public"` // null, like the next two, where there is nothing to count
	Own      *sourceFound  `json:"own"`
	Gap      *gap          `json:"gap"`
	Reason   string        `json:"reason,omitempty"` // why there are no numbers

	name string // that people read
}

// sourceFound counts the scored injections of a source that the detector flags; Lo and Hi are Wilson's interval.
type sourceFound struct {
	Source string  `json:"source"`
	Own    bool    `json:"own"`
	N      int     `json:"n"`
	Found  int     `json:"found"`
	Recall float64 `json:"recall"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

// gap is the recall on public texts less that on our own.
type gap struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

func newFound(source string, own bool, found, n int) sourceFound {
	f := sourceFound{Source: source, Own: own, N: n, Found: found, Recall: float64(found) / float64(n)}
	f.Lo, f.Hi = stats.Wilson(found, n)
	return f
}

func runExposure(st *State, cmd *cobra.Command, opts *exposureOptions) error {
	opts.score.from = func(p *project) []string { return scoreDirs(st, p, opts.scores) }
	data := dataOptions{edition: "open", external: []string{"none"}}
	p, chosen, f, err := prepare(st, cmd, &data, &opts.score)
	if err != nil {
		return err
	}
	policy, err := threshold.Parse(opts.threshold)
	if err != nil {
		return err
	}
	if err := f.keepOnly(opts.split); err != nil {
		return err
	}
	var detectors []results.Detector
	dirs := opts.score.from(p)
	for _, c := range chosen {
		if c.entry.Kind == "constant" && !c.named {
			continue
		}
		d, err := f.read(dirs, c, opts.score.windows, "", policy.NeedsVal())
		if err != nil {
			return err
		}
		detectors = append(detectors, d)
	}
	r := results.Build(*f.input(&opts.score, &tableOptions{}, []threshold.Policy{policy}, detectors))
	all := exposures(r)
	if err := showExposure(st, opts.format, r, all); err != nil {
		return err
	}
	return verdict(r, "run `pidsbench eval` to score what is missing")
}

// keepOnly leaves one split in the frame, to be broken down by source.
func (f *frame) keepOnly(name string) error {
	var names []string
	for _, s := range f.splits {
		if s.Spec.Name != name {
			names = append(names, s.Spec.Name)
			continue
		}
		if s.Absent != "" {
			return fault.New(fault.Incomplete, "%s cannot be broken down: %s", name, s.Absent)
		}
		if _, injections := s.Data.Counts(); injections == 0 {
			return fault.New(fault.Usage, "split %s has no injections to find", name).WithCure("name another one with --split")
		}
		s.Spec.Slices = map[string]string{"source": "source"}
		f.splits, f.absent = []results.Split{s}, nil
		return nil
	}
	return fault.New(fault.Usage, "there is no split %q%s", name, suggest(name, names)).
		WithCure("choose from %s", strings.Join(names, ", "))
}

// ownSources are those of the texts that were written for the open edition.
var ownSources = []string{builder.TemplateSource, builder.WrittenSource, builder.CarrierSource}

// exposures reads the counts of each source, detector and seed out of the cells.
func exposures(r *results.Results) []exposure {
	all := []exposure{}
	for _, d := range r.Detectors {
		for _, seed := range d.Seeds {
			e := exposure{Detector: d.ID, Seed: &seed, Sources: []sourceFound{}, name: render.Printable(d.Name)}
			if len(d.Seeds) > 1 {
				e.name += fmt.Sprintf(" seed %d", seed)
			}
			e.read(r)
			all = append(all, e)
		}
		if d.Unavailable != "" {
			all = append(all, exposure{Detector: d.ID, Sources: []sourceFound{}, Reason: d.Unavailable,
				name: render.Printable(d.Name)})
		}
	}
	return all
}

func (e *exposure) read(r *results.Results) {
	found, n := map[bool]int{}, map[bool]int{}
	for i := range r.Cells {
		c := &r.Cells[i]
		source, ok := strings.CutPrefix(c.Slice, "source=")
		if !ok || c.Detector != e.Detector || c.Metric != "tp" || c.Seed != (results.SeedRef{Seed: *e.Seed}) {
			continue
		}
		switch {
		case c.Value == nil:
			e.Reason = c.Reason
		case c.NInjection > 0:
			own := slices.Contains(ownSources, source)
			f := newFound(source, own, int(*c.Value), c.NInjection)
			e.Sources = append(e.Sources, f)
			found[own] += f.Found
			n[own] += f.N
		}
	}
	if n[false] > 0 {
		e.Public = new(newFound("public", false, found[false], n[false]))
	}
	if n[true] > 0 {
		e.Own = new(newFound("own", true, found[true], n[true]))
	}
	if e.Public != nil && e.Own != nil {
		lo, hi := stats.Newcombe(found[false], n[false], found[true], n[true])
		e.Gap = &gap{e.Public.Recall - e.Own.Recall, lo, hi}
	}
}
