// Package slicing measures detectors on slices of a split: which slice is the worst, how sure that is when one has
// looked at many, whether an attack gets through in any of its disguises, and what disguise does to attacks and to
// harmless texts alike.
package slicing

import (
	"cmp"
	"strconv"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Verdicts are what the seeds of a detector say of the rows of a split.
type Verdicts struct {
	Seeds  int
	Flags  []int     // seeds that flag the row
	by     [][]bool  // of each seed: it flags the row
	Scores []float64 // mean over the seeds
	Scored []bool    // by every seed; the other rows count nowhere
}

// Read returns the verdicts of the i-th detector on a split at the thresholds of a policy, or the reason why there are
// none.
func Read(in *results.Input, r *results.Results, i int, policy, split string) (v Verdicts, reason string) {
	d, sum := &in.Detectors[i], &r.Detectors[i]
	if d.Unavailable != "" || len(d.Seeds) == 0 {
		return v, cmp.Or(d.Unavailable, "there are no scores")
	}
	v.Seeds = len(d.Seeds)
	for k, seed := range d.Seeds {
		outcomes, ok := seed.Outcomes[split]
		if !ok {
			return v, cmp.Or(seed.Missing[split], split+" is not scored")
		}
		tau, ok := sum.Tau[policy][strconv.Itoa(seed.Seed)]
		if !ok {
			return v, cmp.Or(sum.NoTau[policy], "there is no threshold")
		}
		if k == 0 {
			v.Flags, v.Scores, v.Scored = make([]int, len(outcomes)), make([]float64, len(outcomes)), make([]bool, len(outcomes))
			for row := range v.Scored {
				v.Scored[row] = true
			}
		}
		v.by = append(v.by, make([]bool, len(outcomes)))
		for row, o := range outcomes {
			if o.State != results.Scored {
				v.Scored[row] = false
				continue
			}
			v.Scores[row] += o.Score / float64(v.Seeds)
			if o.Score >= tau {
				v.Flags[row]++
				v.by[k][row] = true
			}
		}
	}
	return v, ""
}

// Errors returns how many seeds err on a row of the class.
func (v *Verdicts) Errors(row int, class dataset.Label) int {
	if class == dataset.Injection {
		return v.Seeds - v.Flags[row]
	}
	return v.Flags[row]
}

// Draw draws the samples of a split's families.
func Draw(s *dataset.Split) *stats.Draws { return results.Families.Draw(named(s)) }

// families returns the family of each row, empty for a row that is its own.
func families(s *dataset.Split) []string { return results.Families.Of(named(s)) }

func named(s *dataset.Split) results.Split {
	return results.Split{Spec: dataset.SplitSpec{Name: s.Name}, Data: s}
}
