package slicing

import (
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/stats"
)

// Pairs are rows of a split and the plain texts that they were made of.
type Pairs struct{ Rows, Plain []int }

// PairsOf returns, by value of the column kind, the rows of a class whose plain text is in another split, found by the
// column link; under "" those of all kinds. Rows in out count nowhere.
func PairsOf(s, plain *dataset.Split, class dataset.Label, kind, link string, out map[int]bool) map[string]Pairs {
	kinds, ok := s.Column(kind)
	links, linked := s.Column(link)
	if !ok || !linked {
		return nil
	}
	made, pairs := byLink(plain, class, link), map[string]Pairs{}
	for i, r := range s.Rows {
		p, found := made[links[i]]
		if r.Label != class || out[i] || !found {
			continue
		}
		for _, k := range []string{"", kinds[i]} {
			of := pairs[k]
			pairs[k] = Pairs{append(of.Rows, i), append(of.Plain, p)}
		}
	}
	return pairs
}

// Kinds returns the kinds among pairs, "" for all of them first.
func Kinds(pairs ...map[string]Pairs) []string {
	var out []string
	for _, of := range pairs {
		for k := range of { // sorted below
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

// Change is what the same texts get as they are and when they are changed: shares of rows that are flagged, the mean
// over the seeds.
type Change struct {
	Rows  int // with a score of every seed on both sides
	Of    int
	Plain Estimate
	Here  Estimate
	More  Estimate // Here less Plain, on the same resamples
}

// Compare returns what the change does to the share of flagged rows. Resamples are of the families of the split with
// the changed rows. It reports false when no pair is left.
func Compare(s *dataset.Split, draws *stats.Draws, p Pairs, v, plain *Verdicts) (c Change, ok bool) {
	n := len(s.Rows)
	group, seen := numbered(families(s)), map[int]bool{}
	here, flags, bare := make([]int, n), make([]int, n), make([]int, n)
	c.Of = len(p.Rows)
	for k, row := range p.Rows {
		if !v.Scored[row] || !plain.Scored[p.Plain[k]] {
			continue
		}
		c.Rows++
		seen[group[row]] = true
		here[row], flags[row], bare[row] = 1, v.Flags[row], plain.Flags[p.Plain[k]]
	}
	if c.Rows == 0 {
		return c, false
	}
	drawn := draws.Totals(here, flags, bare)
	for b, rows := range drawn[0] {
		drawn[1][b] /= rows * float64(v.Seeds)
		drawn[2][b] /= rows * float64(v.Seeds)
	}
	all := float64(c.Rows * v.Seeds)
	more := stats.Minus(drawn[1], drawn[2])
	c.Here = rate(float64(sum(flags))/all, drawn[1], len(seen))
	c.Plain = rate(float64(sum(bare))/all, drawn[2], len(seen))
	c.More = difference(c.Here.Value-c.Plain.Value, more)
	return c, true
}
