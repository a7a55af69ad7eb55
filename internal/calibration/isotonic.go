package calibration

import (
	"cmp"
	"slices"

	"pidsbench/internal/dataset"
)

// Steps is a rising curve through points, flat beyond its ends and straight between them.
type Steps struct{ X, Y []float64 } // X rising, Y in [0,1] and not falling

// Isotonic fits the curve that does not fall and has the least squared error, by pooling neighbours that do (Ayer et al.
// 1955, "An empirical distribution function for sampling with incomplete information"; scikit-learn's
// IsotonicRegression). Without both classes there is no fit and a reason.
func Isotonic(scores []float64, labels []dataset.Label) (s Steps, reason string) {
	if len(scores) != len(labels) {
		panic("calibration: scores and labels differ in length")
	}
	type block struct {
		lo, hi       float64 // scores
		n, injection int
	}
	order := make([]int, len(scores))
	injection := 0
	for i := range order {
		order[i] = i
		if labels[i] == dataset.Injection {
			injection++
		}
	}
	if reason := lacks(len(scores), injection); reason != "" {
		return Steps{}, reason
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var blocks []block
	for k := 0; k < len(order); {
		b := block{lo: scores[order[k]], hi: scores[order[k]]}
		for ; k < len(order) && scores[order[k]] == b.hi; k++ {
			b.n++
			if labels[order[k]] == dataset.Injection {
				b.injection++
			}
		}
		for len(blocks) > 0 { // shares are compared as fractions: a tie is a tie
			last := blocks[len(blocks)-1]
			if last.injection*b.n < b.injection*last.n {
				break
			}
			b = block{last.lo, b.hi, last.n + b.n, last.injection + b.injection}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		y := float64(b.injection) / float64(b.n)
		s.X, s.Y = append(s.X, b.lo), append(s.Y, y)
		if b.hi > b.lo {
			s.X, s.Y = append(s.X, b.hi), append(s.Y, y)
		}
	}
	return s, ""
}

// At returns the curve's value: a Map.
func (s Steps) At(score float64) float64 {
	i, found := slices.BinarySearch(s.X, score)
	switch {
	case found:
		return s.Y[i]
	case i == 0:
		return s.Y[0]
	case i == len(s.X):
		return s.Y[i-1]
	}
	part := (score - s.X[i-1]) / (s.X[i] - s.X[i-1])
	return s.Y[i-1] + float64(part*(s.Y[i]-s.Y[i-1]))
}
