package builder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

const stageBalance = "balance"

// slack is how much more than its quotas a stratum keeps before the split, in parts of 1,000 and at least minSlack
// rows: families go to one split whole, so some rows more are needed to fill every quota to the row.
const (
	slack    = 60
	minSlack = 40
)

// Balance narrows the pool to what the quotas ask for, in hash order of the families, those with matched carriers first
// and those with texts of frames last. A stratum ends slack beyond its quotas; benign rows of one source where its
// share of all benign rows would pass cfg.MaxSource, and rows of one frame at cfg.MaxFrame of the smallest split.
// Nothing is drawn twice, and nothing is drawn from another stratum: a stratum that cannot fill its quotas ends the
// build after Split.
func Balance(in []Record, quotas Quotas, cfg BalanceConfig, seed int64) (pool []Record, removed []Removal) {
	want := quotas.total()
	limit := map[string]int{}
	for s, n := range want {
		limit[s] = n + max(n*slack/1000, minSlack)
	}
	held := map[string]int{}
	benignBySource := map[string]int{}
	sourceLimit := (want["benign"] + want[ownPrefix+"benign"]) * cfg.MaxSource / 1000
	byFrame := map[string]int{}
	// A frame stands in one split whole, whichever that is.
	frameLimit := min(quotas.Train.rows(), quotas.Val.rows(), quotas.Test.rows()) * cfg.MaxFrame / 1000
	names, members := familyOrder(in, seed, stageBalance)
	first := precedence(in)
	rank := map[string]int{} // of a family: that of its last row
	for _, r := range in {
		rank[r.Family] = max(rank[r.Family], first(r))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
	for _, name := range names {
		for _, i := range members[name] {
			r := in[i]
			switch s := r.stratum(); {
			case held[s] >= limit[s]:
				removed = append(removed, r.remove(stageBalance, "beyond the quotas of "+s))
			case r.Label == dataset.Benign && cfg.MaxSource > 0 && benignBySource[r.Source] >= sourceLimit:
				removed = append(removed, r.remove(stageBalance, "beyond the share of its source"))
			case r.Frame != "" && cfg.MaxFrame > 0 && byFrame[r.Frame] >= frameLimit:
				removed = append(removed, r.remove(stageBalance, "beyond the share of its frame"))
			default:
				held[s]++
				byFrame[r.Frame]++
				if r.Label == dataset.Benign {
					benignBySource[r.Source]++
				}
				pool = append(pool, r)
			}
		}
	}
	canonical(pool)
	return pool, removed
}

// rows adds the quotas of all strata.
func (q Quota) rows() (n int) {
	for _, k := range q {
		n += k
	}
	return n
}

// total adds the quotas of the three splits by stratum.
func (q Quotas) total() Quota {
	t := Quota{}
	for _, part := range []Quota{q.Train, q.Val, q.Test} {
		for s, n := range part {
			t[s] += n
		}
	}
	return t
}

// checkShares asserts the shares of a finished split: every stratum as its quota says, no benign source and no frame
// above their limits. All that is wrong is named in one sentence.
func checkShares(name string, rows []Record, quota Quota, cfg BalanceConfig) error {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	strata, sources, frames := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range rows {
		strata[r.stratum()]++
		if r.Label == dataset.Benign {
			sources[r.Source]++
		}
		if r.Frame != "" {
			frames[r.Frame]++
		}
	}
	for s, n := range quota {
		if strata[s] != n {
			say("%s %d, expected %d", s, strata[s], n)
		}
	}
	for s, n := range strata {
		if _, ok := quota[s]; !ok {
			say("%s %d, expected none", s, n)
		}
	}
	over := func(what string, counts map[string]int, of, limit int) {
		for name, n := range counts {
			if limit > 0 && n*1000 > limit*of {
				say("%s %s has %d of %d rows, expected at most %d in 1000", what, name, n, of, limit)
			}
		}
	}
	over("source", sources, strata["benign"]+strata[ownPrefix+"benign"], cfg.MaxSource)
	over("frame", frames, len(rows), cfg.MaxFrame)
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return fault.New(fault.Integrity, "%s: field quotas: %s misses its shares (%s)", ConfigPath, name,
		strings.Join(wrong, "; ")).WithCure("lower the quota, or add sources")
}
