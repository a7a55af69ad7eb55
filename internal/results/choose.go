package results

import (
	"cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/threshold"
)

// choice is a threshold and the val rows it should have rested on but could not.
type choice struct {
	threshold.Choice
	lacking int
}

// choose applies a policy to what a seed saw of val.
func choose(in Input, d Detector, s Seed, p threshold.Policy) choice {
	switch {
	case !p.NeedsVal():
		return choice{Choice: p.Choose(nil, nil, d.Native)}
	case in.Val == nil:
		return choice{Choice: threshold.Choice{Reason: in.NoVal}}
	case s.Val == nil:
		c := choice{Choice: threshold.Choice{Reason: cmp.Or(s.NoVal, "val is not scored")}}
		if in.ValPromised {
			c.lacking = len(in.Val.Rows)
		}
		return c
	}
	scores := make([]float64, 0, len(s.Val))
	labels := make([]dataset.Label, 0, len(s.Val))
	lacking := 0
	for i, o := range s.Val {
		switch o.State {
		case Scored:
			scores = append(scores, o.Score)
			labels = append(labels, in.Val.Rows[i].Label)
		case NotAsked:
		default:
			lacking++
		}
	}
	return choice{p.Choose(scores, labels, d.Native), lacking}
}
