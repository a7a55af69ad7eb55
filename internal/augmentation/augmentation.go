// Package augmentation measures what benign rows added to training do to false alarms: each arm of a design (the same
// detector trained with other additions) on each set of benign texts, with paired differences from the design itself.
package augmentation

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Arm is a detector that was trained with an addition; the first arm of a table is the design without one.
type Arm struct {
	Name     string // none, curated, …
	Detector string // id
	Seeds    []results.Seed
	Tau      []float64 // threshold of each seed
	Reason   string    // why there are no thresholds; empty when there are
}

// Set is a set of benign rows of one split.
type Set struct {
	Name   string
	Split  string
	Rows   []int    // row numbers of the split
	Groups []string // family of each row: rows of one are no independent observations; empty for a row of its own

	External bool // not frozen
}

// Cell is the share of false alarms of an arm on a set: the mean over its seeds, with the interval of a bootstrap over
// groups in which seeds are averaged (Wilson's at 0 and 1), and its difference from the first arm, on the same samples.
type Cell struct {
	Arm       string    `json:"arm"`
	Detector  string    `json:"detector"`
	Set       string    `json:"set"`
	Rows      int       `json:"n"`
	Groups    int       `json:"groups"`
	Effective float64   `json:"groups_effective"`
	Seeds     int       `json:"n_seeds"`
	FPR       *Estimate `json:"fpr"`                     // nil where Reason says why
	SeedSD    *float64  `json:"seed_sd"`                 // of the FPR over the seeds (ddof 1); nil for fewer than two
	Diff      *Estimate `json:"difference"`              // nil where NoDiff says why, and for the first arm
	Reason    string    `json:"reason,omitempty"`        // why there is no number
	NoDiff    string    `json:"no_difference,omitempty"` // why there is no difference, though there is a number
}

// Estimate is a number with its 95 % interval.
type Estimate struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// Compute returns a cell for each set and arm, sets outermost. A set on which an arm has no complete scores gives a cell
// without a number; the others keep theirs.
func Compute(arms []Arm, sets ...Set) []Cell {
	var cells []Cell
	for _, set := range sets {
		groups := stats.NewGroups(set.Groups)
		of := make([]Cell, len(arms))
		var series [][]int
		var at []int // arm of each series
		for i, arm := range arms {
			of[i] = Cell{Arm: arm.Name, Detector: arm.Detector, Set: set.Name, Rows: len(set.Rows), Groups: groups.Len(),
				Effective: groups.Effective(), Seeds: len(arm.Seeds)}
			values, rates, reason := flagged(arm, set)
			if reason != "" {
				of[i].Reason = reason
				continue
			}
			of[i].FPR = &Estimate{Value: stat.Mean(rates, nil)}
			if len(rates) > 1 {
				of[i].SeedSD = new(stat.StdDev(rates, nil))
			}
			series, at = append(series, values), append(at, i)
		}
		if len(series) > 0 {
			draws := groups.Draw(set.Split + " by family")
			drawn := draws.Totals(series...)
			for s, i := range at {
				for b, rows := range draws.Rows {
					drawn[s][b] /= rows * float64(len(arms[i].Seeds))
				}
			}
			for s, i := range at {
				of[i].FPR.Lo, of[i].FPR.Hi = stats.Percentile(drawn[s])
				if lo, hi, ok := stats.AtBoundary(of[i].FPR.Value, groups.Effective()); ok {
					of[i].FPR.Lo, of[i].FPR.Hi = lo, hi
				}
				switch {
				case i == 0:
				case of[0].Reason != "":
					of[i].NoDiff = of[0].Reason
				default:
					of[i].Diff = &Estimate{Value: of[i].FPR.Value - of[0].FPR.Value}
					of[i].Diff.Lo, of[i].Diff.Hi = stats.Percentile(stats.Minus(drawn[s], drawn[0]))
				}
			}
		}
		cells = append(cells, of...)
	}
	return cells
}

// flagged returns for each row of the set how many seeds flag it, and the FPR of each seed.
func flagged(arm Arm, set Set) (values []int, rates []float64, reason string) {
	switch {
	case arm.Reason != "":
		return nil, nil, arm.Reason
	case len(arm.Seeds) == 0 || len(set.Rows) == 0:
		return nil, nil, "there are no scores"
	}
	values = make([]int, len(set.Rows))
	for s, seed := range arm.Seeds {
		outcomes, ok := seed.Outcomes[set.Split]
		if !ok {
			return nil, nil, fmt.Sprintf("seed %d has no scores of %s", seed.Seed, set.Split)
		}
		hits := 0
		for i, row := range set.Rows {
			o := outcomes[row]
			if o.State != results.Scored {
				return nil, nil, fmt.Sprintf("seed %d has no score of row %d of %s", seed.Seed, row, set.Split)
			}
			if o.Score >= arm.Tau[s] {
				hits++
				values[i]++
			}
		}
		rates = append(rates, float64(hits)/float64(len(set.Rows)))
	}
	return values, rates, ""
}
