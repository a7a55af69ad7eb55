package paper

import (
	"strconv"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
)

// complement makes the share of missed injections of a recall.
func complement(c *results.Cell) *results.Cell {
	out := *c
	out.Metric = "fnr"
	if c.Value != nil {
		out.Value = new(1 - *c.Value)
	}
	if c.Lo != nil && c.Hi != nil {
		out.Lo, out.Hi = new(1-*c.Hi), new(1-*c.Lo)
	}
	return &out
}

// rows makes the number of rows that a cell rests on.
func rows(c *results.Cell, metric string) *results.Cell {
	out := *c
	out.Metric, out.Policy, out.SD, out.Lo, out.Hi = metric, nil, nil, nil, nil
	switch {
	case c.Value == nil:
	case metric == "n":
		out.Value = new(float64(c.N))
	default:
		out.Value = new(float64(c.NInjection))
	}
	return &out
}

// weighted makes the mean of two F1, weighted by their injections.
func weighted(a, b *results.Cell) *results.Cell {
	out := *a
	out.Slice, out.Metric, out.Value, out.SD, out.Lo, out.Hi = "all", "weighted_f1", nil, nil, nil, nil
	switch {
	case a.Value == nil:
	case b.Value == nil:
		out.Reason = b.Reason
	default:
		n, m := float64(a.NInjection), float64(b.NInjection)
		out.Value = new((n**a.Value + m**b.Value) / (n + m))
		out.N, out.NBenign, out.NInjection = a.N+b.N, a.NBenign+b.NBenign, a.NInjection+b.NInjection
	}
	return &out
}

// difference makes a cell of one cell less another.
func difference(a, b *results.Cell) *results.Cell {
	out := *a
	out.Metric, out.Value, out.SD, out.Lo, out.Hi = a.Metric+" - "+b.Metric, nil, nil, nil, nil
	switch {
	case a.Value == nil:
	case b.Value == nil:
		out.Reason = b.Reason
	default:
		out.Value = new(*a.Value - *b.Value)
	}
	return &out
}

// family makes an F1 or FPR in which each family counts once.
func (s *source) family(use Use, col Column, policy string, ref results.SeedRef) *results.Cell {
	metric := "f1"
	if col.Metric == "family_fpr" {
		metric = "fpr"
	}
	out := *s.find(use.Detector, col.Split, col.Slice, metric, policy, ref) // the counts and the state of its rows
	out.Metric, out.Value, out.SD, out.Lo, out.Hi = col.Metric, nil, nil, nil, nil
	split := s.split(col.Split)
	if out.Reason != "" || split == nil || split.Absent != "" {
		return &out
	}
	names := results.Families.Of(*split)
	var values []float64
	for _, d := range s.in.Detectors {
		if d.ID != use.Detector {
			continue
		}
		for _, seed := range d.Seeds {
			tau, ok := s.tau(use.Detector, policy, seed.Seed)
			if !ref.Mean && ref.Seed != seed.Seed || !ok {
				continue
			}
			scores, labels := collapse(s.counted(split, seed.Outcomes[col.Split]), names)
			v := metrics.Count(scores, labels, tau).F1()
			if metric == "fpr" {
				v = metrics.Count(scores, labels, tau).FPR()
			}
			if !v.OK {
				out.Reason = v.Reason
				return &out
			}
			values = append(values, v.V)
		}
	}
	if len(values) > 0 {
		out.Value = new(stat.Mean(values, nil))
	}
	if len(values) > 1 {
		out.SD = new(stat.StdDev(values, nil))
	}
	return &out
}

// tau returns the threshold of a detector's seed.
func (s *source) tau(detector, policy string, seed int) (float64, bool) {
	for _, d := range s.r.Detectors {
		if d.ID == detector {
			tau, ok := d.Tau[policy][strconv.Itoa(seed)]
			return tau, ok
		}
	}
	return 0, false
}

// scoredRow is a row that counts, with its score.
type scoredRow struct {
	row   int
	label dataset.Label
	score float64
}

// counted returns the rows of a split that a seed scored and that are not left out.
func (s *source) counted(split *results.Split, outcomes []results.Outcome) []scoredRow {
	var out []scoredRow
	var disputed map[int]bool
	if s.in.Undisputed {
		disputed = results.Disputed(split.Data)
	}
	for i, o := range outcomes {
		if o.State == results.Scored && !disputed[i] {
			out = append(out, scoredRow{i, split.Data.Rows[i].Label, o.Score})
		}
	}
	return out
}

// collapse makes one row of each family: its first label and its mean score, in the order of first rows. A row without a
// family is one of its own.
func collapse(counted []scoredRow, families []string) (scores []float64, labels []dataset.Label) {
	at := map[string]int{}
	var n []float64
	for _, r := range counted {
		name := families[r.row]
		i, known := at[name]
		if !known || name == "" {
			i = len(scores)
			at[name] = i
			scores, labels, n = append(scores, 0), append(labels, r.label), append(n, 0)
		}
		scores[i] += r.score
		n[i]++
	}
	for i := range scores {
		scores[i] /= n[i]
	}
	return scores, labels
}
