package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/comparison"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

const primaryList = "configs/primary.yaml"

// primary reads the list of primary comparisons; its error wraps fs.ErrNotExist when there is none.
func (p *project) primary() ([]comparison.Listed, error) {
	path := p.path(primaryList)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Usage, "there is no %s: %w", primaryList, fs.ErrNotExist).
			WithCure("restore the file from the repository")
	}
	return comparison.LoadPrimary(path)
}

// runPrimary prints the listed comparisons. Each rests on all seeds that the list names, or else its detectors.
func runPrimary(st *State, cmd *cobra.Command, opts *compareOptions) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	listed, err := p.primary()
	if err != nil {
		return err
	}
	opts.data.external = []string{"none"}
	f, err := p.openFrame(st, &opts.data)
	if err != nil {
		return err
	}
	p.addImported(opts.score.from(p), f.edition)
	specs := make([]comparison.Spec, len(listed))
	var policies []threshold.Policy
	for i := range listed {
		specs[i] = listed[i].Spec()
		if policy, err := threshold.Parse(specs[i].Policy); err == nil && !slices.Contains(policies, policy) {
			policies = append(policies, policy)
		}
	}
	f.keep(specs)
	of := make([]comparison.Result, len(listed))
	var detectors []results.Detector
	for _, l := range listed {
		for _, id := range []string{l.A, l.B} {
			if slices.ContainsFunc(detectors, func(d results.Detector) bool { return d.ID == id }) {
				continue
			}
			d, err := f.readListed(p, opts, id, l.Seeds, needsVal(policies))
			if err != nil {
				return err
			}
			detectors = append(detectors, d)
		}
	}
	r := results.Build(*f.input(&opts.score, &opts.table, policies, detectors))
	r.Run = runRecord(st)
	side := func(id string) comparison.Side {
		at := slices.IndexFunc(detectors, func(d results.Detector) bool { return d.ID == id })
		return comparison.NewSide(detectors[at], r, single(p.entryOf(id)))
	}
	data := comparison.NewData(f.splits, false)
	for i, l := range listed {
		pair := comparison.Match(side(l.A), side(l.B))
		pair.Reason = cmp.Or(pair.Reason, strings.Join(pair.Gone, "; "))
		of[i] = data.Compare(pair, specs[i])
		of[i].ID, of[i].Question = l.ID, l.Question
	}
	comparison.Confirm(of)
	err = opts.show(st, r, of, nil, func() []render.Table { return render.PrimaryComparisons(r, of) })
	if err != nil {
		return err
	}
	return verdict(r, "run `pidsbench eval` to score what is missing")
}

// entryOf returns the entry of a detector, one with its id alone when there is none.
func (p *project) entryOf(id string) detect.Entry {
	at := slices.IndexFunc(p.detectors.Detectors, func(e detect.Entry) bool { return e.ID == id })
	if at < 0 {
		return detect.Entry{ID: id, Name: id}
	}
	return p.detectors.Detectors[at]
}

// readListed reads the scores of a detector that the list names; it may be one that is not configured yet.
func (f *frame) readListed(p *project, opts *compareOptions, id string, seeds []int, val bool) (results.Detector, error) {
	if !p.configured(id) {
		const unknown = "configs/detectors.yaml has no such detector"
		return results.Detector{ID: id, Name: id, Required: true, Unavailable: unknown}, nil
	}
	e := p.entryOf(id)
	lacking := slices.DeleteFunc(slices.Clone(seeds), func(n int) bool { return slices.Contains(e.Seeds, n) })
	if len(e.Seeds) > 0 && len(lacking) > 0 {
		reason := "it has no seed " + joinInts(lacking) + ", on which the comparison rests too"
		return results.Detector{ID: id, Name: e.Name, Required: true, Unavailable: reason}, nil
	}
	s, err := selectSeeds(e, opts.score.seeds, true)
	if err != nil {
		return results.Detector{}, err
	}
	return f.read(opts.score.from(p), s, opts.score.windows, "", val)
}
