package gate

import (
	"fmt"
	"math"
)

// Needed is how much evidence would decide a limit if the number stayed as it is.
type Needed struct {
	Verdict Verdict `json:"verdict"` // that it would come to
	Groups  int     `json:"groups"`  // of equal size, or rows that stand for themselves
	Rows    int     `json:"rows"`    // with families like those there are
}

// mostGroups bounds what is looked for: more will never be there.
const mostGroups = 1e9

// needed returns the fewest groups that decide, or why no number of them does. The interval of a number that stays as
// it is narrows as groups are added, see Measure.at, so that they are found by halving.
func (b bound) needed(m *Measure) (*Needed, string) {
	v := *m.Value
	if math.Abs(v-b.At) <= rounding {
		return nil, "no number of rows decides: the number is the bound itself"
	}
	decides := func(n float64) bool {
		in, ok := m.at(n)
		return ok && b.edge(in) == b.on(v)
	}
	if _, ok := m.at(m.Effective); !ok {
		return nil, "there is no interval: " + m.NoInterval
	}
	if !decides(mostGroups) {
		return nil, "no number of rows decides: the seeds alone spread further than to the bound"
	}
	low, high := 0.0, mostGroups // low does not decide, high does
	for high-low > 1 {
		if middle := math.Floor((low + high) / 2); decides(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	rows := high * float64(m.N) / m.Effective
	return &Needed{b.on(v), int(high), int(math.Ceil(rows * (1 - rounding)))}, ""
}

// say puts into words what would decide, beside the rows that there are.
func (n *Needed) say(m *Measure, rows string) string {
	shows := "that it holds"
	if n.Verdict == Broken {
		shows = "that it is broken"
	}
	if m.Effective == float64(m.N) {
		return fmt.Sprintf("%d %s with the same result would show %s, here are %d", n.Rows, rows, shows, m.N)
	}
	return fmt.Sprintf("%d %s like these, worth %d groups of equal size, with the same result would show %s; here are %d, "+
		"worth %.0f", n.Rows, rows, n.Groups, shows, m.N, m.Effective)
}
