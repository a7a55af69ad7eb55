package operating

import (
	"slices"

	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// tally sums series of counts, one a row of a split, in resamples of the split's families.
type tally struct {
	split  results.Split
	groups *stats.Groups
	series [][]int
	totals [][]float64
}

func newTally(s results.Split) *tally {
	return &tally{split: s, groups: stats.NewGroups(results.Families.Of(s))}
}

// add returns the number of the series; one that is there already is not summed twice.
func (t *tally) add(values []int) int {
	for i, s := range t.series {
		if slices.Equal(s, values) {
			return i
		}
	}
	t.series = append(t.series, values)
	return len(t.series) - 1
}

func (t *tally) draw() {
	t.totals = results.Families.Draw(t.split).Totals(t.series...)
}

// rates returns the mean over the seeds of the share of rows that are flagged, in each resample.
func (t *tally) rates(flagged, rows, seeds int) []float64 {
	out := stats.Shares(t.totals[flagged], t.totals[rows])
	for i := range out {
		out[i] /= float64(seeds)
	}
	return out
}

func (t *tally) families() Families {
	return Families{t.split.Spec.Name, len(t.split.Data.Rows), t.groups.Len(), t.groups.Effective()}
}
