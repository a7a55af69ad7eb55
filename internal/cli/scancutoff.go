package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// cutoff is the threshold of a scan and where it comes from.
type cutoff struct {
	tau    float64
	policy threshold.Policy
	why    string // it is not another one, or rests on less than it should
}

// cutoff settles the threshold: by the policy asked for, or the detector's own, or that of its val scores, or 0.5.
func (p *project) cutoff(st *State, c *candidate, o *scanOptions) (cutoff, error) {
	if o.threshold != "" {
		policy, err := threshold.Parse(o.threshold)
		if err != nil {
			return cutoff{}, err
		}
		cut, reason := p.choose(st, c, o.windows, policy)
		if reason != "" {
			return cutoff{}, fault.New(fault.Incomplete, "threshold %s gives none for %s: %s", policy, runName(c.entry, c.seed),
				reason)
		}
		return cut, nil
	}
	if c.entry.Native != nil {
		return cutoff{tau: *c.entry.Native, policy: threshold.Policy{Kind: threshold.Native}}, nil
	}
	cut, reason := p.choose(st, c, o.windows, threshold.Policy{Kind: threshold.ValF1})
	if reason != "" {
		cut = cutoff{tau: 0.5, policy: threshold.Policy{Kind: threshold.Fixed, Value: 0.5}, why: reason}
	}
	return cut, nil
}

// choose applies a policy, or returns the reason why it gives no threshold.
func (p *project) choose(st *State, c *candidate, windows string, policy threshold.Policy) (cutoff, string) {
	cut := cutoff{policy: policy}
	var found []float64
	var labels []dataset.Label
	if policy.NeedsVal() {
		val, run, reason := p.valRun(st, c, windows)
		if reason != "" {
			return cut, reason
		}
		for i, o := range run {
			if o.State == results.Scored {
				found, labels = append(found, o.Score), append(labels, val.Rows[i].Label)
			}
		}
		if len(found) < len(run) {
			cut.why = fmt.Sprintf("resting on %d of %d val rows", len(found), len(run))
		}
	}
	choice := policy.Choose(found, labels, c.entry.Native)
	cut.tau = choice.Tau
	return cut, choice.Reason
}

// valRun returns what became of the val rows of the open edition, scored by this very detector, or the reason why that
// is not known.
func (p *project) valRun(st *State, c *candidate, windows string) (*dataset.Split, []results.Outcome, string) {
	e, err := p.benchmark.Edition("open")
	if err != nil {
		return nil, nil, "there is no edition open"
	}
	val, absent, err := p.editionVal(e)
	switch {
	case err != nil:
		return nil, nil, "the val split cannot be used: " + err.Error()
	case val == nil || absent != "":
		return nil, nil, "the val split of edition open is not here"
	}
	f := &frame{valEdition: e.ID, val: val}
	dirs := []string{st.abs("out"), p.path("out"), p.path(publishedFolder)}
	file, err := f.find(dirs, e.ID, val, c.entry, c.seed, windows)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, "there are no val scores; run `" + evalRun(c.entry, c.seed, windows) + "` for them"
	}
	if err == nil {
		err = file.Check(c.stamp(f.identity(e.ID, val, c.entry, c.seed, windows), file.Header.Identity))
	}
	if err != nil {
		return nil, nil, "the val scores cannot be used: " + err.Error()
	}
	return val, outcomes(file.Lines, len(val.Rows), 0), ""
}
