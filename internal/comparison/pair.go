package comparison

import (
	"fmt"
	"slices"
	"strconv"

	"pidsbench/internal/results"
)

// Side is one of two detectors that are compared.
type Side struct {
	ID     string
	Name   string // what tables show
	Single bool   // it is run once, without seeds
	Seeds  []results.Seed
	Tau    map[string]map[string]float64 // policy → seed → threshold
	NoTau  map[string]string             // policy → why it gives no threshold
	Reason string                        // why there are no scores; empty when there are
}

// NewSide takes the outcomes of a detector, and its thresholds from results that were built from them.
func NewSide(d results.Detector, r *results.Results, single bool) Side {
	s := Side{ID: d.ID, Name: d.Name, Single: single, Seeds: d.Seeds, Reason: d.Unavailable}
	for _, sum := range r.Detectors {
		if sum.ID == d.ID {
			s.Tau, s.NoTau = sum.Tau, sum.NoTau
		}
	}
	return s
}

// Pair is two detectors with the runs that are compared: the same seeds on both sides, or a single run against all.
type Pair struct {
	A, B   Side
	Reason string   // why they cannot be compared
	Gone   []string // runs that are left out, with the reason
}

// Match pairs the runs of two detectors by their seeds, in the order of A. A detector that is run once stands beside all
// runs of the other. A seed of which one of the two has no score at all is left out and noted.
func Match(a, b Side) Pair {
	p := Pair{A: a, B: b}
	for _, s := range []*Side{&p.A, &p.B} {
		if s.Reason != "" {
			p.Reason = s.ID + ": " + s.Reason
			return p
		}
		s.Seeds = slices.DeleteFunc(slices.Clone(s.Seeds), func(run results.Seed) bool {
			if len(run.Outcomes) > 0 {
				return false
			}
			p.Gone = append(p.Gone, fmt.Sprintf("%s has no scores of seed %d", s.ID, run.Seed))
			return true
		})
	}
	if !a.Single && !b.Single {
		a, b := p.A.Seeds, p.B.Seeds
		p.A.Seeds, p.B.Seeds = nil, nil
		for _, x := range a {
			for _, y := range b {
				if x.Seed == y.Seed {
					p.A.Seeds, p.B.Seeds = append(p.A.Seeds, x), append(p.B.Seeds, y)
				}
			}
		}
	}
	if len(p.A.Seeds) == 0 || len(p.B.Seeds) == 0 {
		p.Reason = "there is no seed of which both have scores"
	}
	return p
}

// Scored reports whether every run of both has scores of a split.
func (p *Pair) Scored(split string) bool {
	for _, run := range slices.Concat(p.A.Seeds, p.B.Seeds) {
		if _, ok := run.Outcomes[split]; !ok {
			return false
		}
	}
	return true
}

// run is one run on one split at its threshold.
type run struct {
	seed     int
	outcomes []results.Outcome
	tau      float64
}

func (r *run) flags(row int) bool { return r.outcomes[row].Score >= r.tau }

// runs returns the runs of A and then those of B, or why one cannot be used.
func (p *Pair) runs(s Spec) (runs []*run, reason string) {
	for _, side := range []*Side{&p.A, &p.B} {
		for _, seed := range side.Seeds {
			outcomes, ok := seed.Outcomes[s.Split]
			if !ok {
				return nil, fmt.Sprintf("%s has no scores of %s at seed %d", side.ID, s.Split, seed.Seed)
			}
			r := &run{seed: seed.Seed, outcomes: outcomes}
			if s.Policy != "" {
				if r.tau, ok = side.Tau[s.Policy][strconv.Itoa(seed.Seed)]; !ok {
					why := side.NoTau[s.Policy]
					if why == "" {
						why = "there is no threshold"
					}
					return nil, fmt.Sprintf("%s at seed %d: %s", side.ID, seed.Seed, why)
				}
			}
			runs = append(runs, r)
		}
	}
	return runs, ""
}
