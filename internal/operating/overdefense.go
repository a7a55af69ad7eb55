package operating

import (
	"cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Excess is over-defense: the FPR on hard-benign rows less that on ordinary ones, both means over the seeds, with the 95 %
// percentile interval of a bootstrap over families. The two splits share no row, so each is drawn by itself; seeds are
// averaged inside.
type Excess struct {
	Value, Lo, Hi *float64 // nil where Reason says why
	Reason        string
	N, Lacking    int // hard-benign and ordinary rows that every seed scored, and those that some seed lacks
}

// Undecided is the verdict where the interval holds 0.
const Undecided = "not distinguishable"

// Verdict says in words what the interval allows to say.
func (e Excess) Verdict() string {
	switch {
	case e.Value == nil:
		return "n/a"
	case *e.Lo > 0:
		return "over-defense"
	case *e.Hi < 0:
		return "below ordinary"
	}
	return Undecided
}

// Families says what an interval rests on.
type Families struct {
	Split        string
	Rows, Groups int
	Effective    float64
}

// OverDefense returns the excess of each detector on each set of hard-benign rows, which are of one split, at the
// thresholds of each policy of the results: [policy][detector][set]. Without an ordinary split there is none, and no families.
func OverDefense(in *results.Input, r *results.Results, sets []Set) (excess [][][]Excess, families []Families) {
	ordinary := First(in, dataset.OrdinaryBenign)
	if ordinary == nil || len(sets) == 0 {
		return nil, nil
	}
	hard, control := newTally(sets[0].Split), newTally(*ordinary)
	all := append([]Set{SetOf(in, *ordinary, "Ordinary", "", "")}, sets...)
	type index struct{ alarms, rows, seeds int }
	at := make([][][]index, len(r.Policies)) // of the series of each set; the first is the control's
	excess = make([][][]Excess, len(r.Policies))
	for p, policy := range r.Policies {
		at[p], excess[p] = make([][]index, len(in.Detectors)), make([][]Excess, len(in.Detectors))
		for d, det := range in.Detectors {
			taus, reason := Taus(det, r.Detectors[d], policy)
			at[p][d], excess[p][d] = make([]index, len(all)), make([]Excess, len(sets))
			rows := make([]alarms, len(all))
			for s, set := range all {
				t := hard
				if s == 0 {
					t = control
				}
				rows[s] = falseAlarms(det, set, taus, reason)
				at[p][d][s] = index{t.add(rows[s].flagged), t.add(rows[s].scored), len(det.Seeds)}
			}
			for s := range sets {
				e := &excess[p][d][s]
				a, b := rows[s+1], rows[0]
				e.Reason = cmp.Or(a.reason, b.reason)
				e.N, e.Lacking = a.n+b.n, a.lacking+b.lacking
				if e.Reason == "" {
					e.Value = new(a.rate(len(det.Seeds)) - b.rate(len(det.Seeds)))
				}
			}
		}
	}
	hard.draw()
	control.draw()
	for p := range excess {
		for d := range excess[p] {
			for s := range excess[p][d] {
				e := &excess[p][d][s]
				if e.Value == nil {
					continue
				}
				a, b := at[p][d][s+1], at[p][d][0]
				diff := stats.Minus(hard.rates(a.alarms, a.rows, a.seeds), control.rates(b.alarms, b.rows, b.seeds))
				defined, ok := stats.Defined(diff)
				if !ok {
					e.Value, e.Reason = nil, "too many resamples have none of these rows: they are of too few families"
					continue
				}
				lo, hi := stats.Percentile(defined)
				e.Lo, e.Hi = &lo, &hi
			}
		}
	}
	return excess, []Families{hard.families(), control.families()}
}

// alarms are the false alarms on a set.
type alarms struct {
	flagged []int // of each row of the split: the seeds that flag it
	scored  []int // of each row of the split: 1 when it is in the set and every seed scored it
	reason  string

	n, total, lacking int
}

func (a *alarms) rate(seeds int) float64 { return float64(a.total) / (float64(a.n) * float64(seeds)) }

func falseAlarms(d results.Detector, set Set, taus []float64, reason string) alarms {
	name := set.Split.Spec.Name
	a := alarms{flagged: make([]int, len(set.Split.Data.Rows)), scored: make([]int, len(set.Split.Data.Rows)), reason: reason}
	for _, seed := range d.Seeds {
		if seed.Outcomes[name] == nil {
			a.reason = cmp.Or(a.reason, set.Split.Absent, seed.Missing[name], name+" is not scored")
		}
	}
	if a.reason = cmp.Or(a.reason, set.Split.Absent); a.reason != "" || len(taus) == 0 {
		a.reason = cmp.Or(a.reason, "there are no scores")
		return a
	}
rows:
	for _, row := range set.Rows {
		if set.Split.Data.Rows[row].Label != dataset.Benign {
			continue
		}
		for _, seed := range d.Seeds {
			switch seed.Outcomes[name][row].State {
			case results.Scored:
			case results.NotAsked:
				continue rows
			default:
				a.lacking++
				continue rows
			}
		}
		a.n++
		a.scored[row] = 1
		for s, seed := range d.Seeds {
			if seed.Outcomes[name][row].Score >= taus[s] {
				a.flagged[row]++
				a.total++
			}
		}
	}
	if a.n == 0 {
		a.reason = metrics.NoBenign
	}
	return a
}
