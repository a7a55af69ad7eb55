package gate

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"pidsbench/internal/comparison"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Measure is what is known of the number that a limit is on: of a cell, or for a regression of how much worse the
// number is than the baseline's.
type Measure struct {
	Value      *float64 // nil where Reason says why
	Reason     string
	Incomplete string // why no limit can be kept by it, though there may be a value

	Lo, Hi     *float64 // 95 % interval for other rows, as the results give it; nil where NoInterval says why
	NoInterval string
	Method     string
	Seeds      float64 // half width of the 95 % interval for other seeds; 0 for one seed
	Groups     int     // families of the rows
	Effective  float64 // groups of equal size that would weigh as much
	N, Total   int     // rows that count: scored, and all
	Doubts     []string

	plain  bool     // a share of rows, or a difference of two
	change *change  // of a difference of two shares of rows
	now    *float64 // the number itself, beside how much worse it is
	then   *float64 // the baseline's
}

// change is the shares of rows that only the baseline, and only the run at hand, has right.
type change struct{ worse, better float64 }

// FromCell takes what a cell says. agreed is whether the user agreed to go without the rows that lack a score.
func (l *Limit) FromCell(c *results.Cell, agreed bool) Measure {
	m, _ := metricNamed(l.Metric)
	out := Measure{Value: c.Value, Reason: c.Reason, Lo: c.Lo, Hi: c.Hi, Method: c.Interval, Groups: c.Groups,
		Effective: c.GroupsEffective, Total: c.Total(), plain: m.plain}
	switch {
	case !m.attacks:
		out.N = c.NBenign
	case !m.benign:
		out.N = c.NInjection
	default:
		out.N = c.N
	}
	out.Total += out.N - c.N // rows without a score may be of either class
	if c.Value == nil {
		out.Reason = cmp.Or(out.Reason, "the number is undefined")
	}
	out.Incomplete = Lacking(c, agreed)
	if c.Lo == nil {
		out.NoInterval = "none was computed"
		if len(c.Doubts) > 0 {
			out.NoInterval = strings.TrimPrefix(c.Doubts[0], "no interval: ")
		}
	} else {
		out.Doubts = c.Doubts
	}
	if c.SD != nil {
		out.Seeds = stats.TQuantile(c.NSeeds-1) * *c.SD / math.Sqrt(float64(c.NSeeds))
	}
	return out
}

// Lacking says why nothing can be kept by a cell that lacks rows, "" when it lacks none, or none but those agreed on.
func Lacking(c *results.Cell, agreed bool) string {
	switch {
	case c.State != results.StateIncomplete || agreed:
		return ""
	case c.Total() > c.N:
		return fmt.Sprintf("%d of %d rows have a score", c.N, c.Total())
	}
	return "not all rows that its threshold rests on have a score"
}

// FromComparison takes how much worse a run is than the baseline, A the run and B the baseline. Whether rows lack a
// score is for their cells to say.
func (l *Limit) FromComparison(c *comparison.Result) Measure {
	m, _ := metricNamed(l.Metric)
	out := Measure{Reason: c.Reason, N: c.N, Total: c.Total, Groups: c.Groups, Effective: c.Effective, plain: m.plain,
		now: c.ValueA, then: c.ValueB, NoInterval: c.NoInterval, Method: "paired percentile bootstrap over families"}
	if c.Diff == nil {
		return out
	}
	worse := func(diff float64) *float64 {
		if !m.lower && diff != 0 {
			diff = -diff
		}
		return &diff
	}
	out.Value = worse(*c.Diff)
	if in := c.Interval; in != nil {
		out.Lo, out.Hi = worse(in.Lo), worse(in.Hi)
		if !m.lower {
			out.Lo, out.Hi = out.Hi, out.Lo
		}
		if c.SE != nil && *c.SE == 0 {
			out.Lo, out.Hi = nil, nil
			out.NoInterval = "no row changed that would change it, and so none does in any resample; " +
				"`on: value` compares the numbers"
		}
	}
	if c.SeedSD != nil {
		out.Seeds = stats.TQuantile(len(c.Runs)-1) * *c.SeedSD / math.Sqrt(float64(len(c.Runs)))
	}
	if m.plain && c.N > 0 {
		out.change = &change{}
		for _, run := range c.Runs {
			out.change.worse += float64(run.McNemar.OnlyB) / float64(c.N*len(c.Runs))
			out.change.better += float64(run.McNemar.OnlyA) / float64(c.N*len(c.Runs))
		}
	}
	return out
}
