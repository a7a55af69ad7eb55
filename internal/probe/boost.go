package probe

import (
	"math"
	"slices"
)

// The settings of the boosted trees: the defaults of scikit-learn's HistGradientBoostingClassifier without early
// stopping.
const (
	boostRounds   = 100
	boostRate     = 0.1
	boostLeaves   = 31
	boostLeafRows = 20
	boostBins     = 255
	boostHessian  = 1e-3 // least sum of second derivatives in a leaf
)

// booster is a sum of regression trees fitted to the log odds of class 1 (Friedman, Greedy function approximation,
// 2001), each grown leaf by leaf on histograms with second derivatives (Ke et al., LightGBM, 2017).
type booster struct {
	base  float64
	cuts  [][]float64 // by feature, rising: a value lies in the bin of the first cut that is not below it
	trees [][]treeNode
}

// treeNode sends a row to left when its bin of the feature is at most bin; a node without children adds its value.
type treeNode struct {
	feature, bin int
	left, right  int // positions in the tree; 0 in a leaf
	value        float64
}

// fitBooster fits to rows of features and their classes, 0 or 1, of which both must occur. Sums run in the order of the
// rows on one core.
func fitBooster(x [][]float64, y []int8) *booster {
	b := &booster{cuts: make([][]float64, len(x[0]))}
	bins := make([][]uint8, len(b.cuts))
	for f := range b.cuts {
		column := make([]float64, len(x))
		for i := range x {
			column[i] = x[i][f]
		}
		b.cuts[f] = cutsOf(column)
		bins[f] = make([]uint8, len(x))
		for i, v := range column {
			bins[f][i] = uint8(binOf(b.cuts[f], v))
		}
	}
	positive := 0
	for _, c := range y {
		positive += int(c)
	}
	b.base = math.Log(float64(positive) / float64(len(y)-positive))
	g := grower{bins: bins, cuts: b.cuts, gradient: make([]float64, len(x)), hessian: make([]float64, len(x)),
		rows: make([]int, len(x))}
	z := make([]float64, len(x))
	for i := range z {
		z[i] = b.base
	}
	for range boostRounds {
		for i := range z {
			p := sigmoid(z[i])
			g.gradient[i], g.hessian[i] = p-float64(y[i]), p*(1-p)
		}
		b.trees = append(b.trees, g.grow(z))
	}
	return b
}

// probability returns P(class 1) in [0,1].
func (b *booster) probability(x []float64) float64 {
	z := b.base
	bin := make([]int, len(x))
	for f, v := range x {
		bin[f] = binOf(b.cuts[f], v)
	}
	for _, tree := range b.trees {
		n := 0
		for tree[n].left > 0 {
			if bin[tree[n].feature] <= tree[n].bin {
				n = tree[n].left
			} else {
				n = tree[n].right
			}
		}
		z += tree[n].value
	}
	return sigmoid(z)
}

// cutsOf returns at most boostBins-1 cuts: between all neighbouring values when there are so few, otherwise at
// quantiles of the rows.
func cutsOf(column []float64) []float64 {
	column = slices.Sorted(slices.Values(column))
	distinct := slices.Compact(slices.Clone(column))
	var cuts []float64
	if len(distinct) <= boostBins {
		for i := range len(distinct) - 1 {
			cuts = append(cuts, (distinct[i]+distinct[i+1])/2)
		}
		return cuts
	}
	for k := 1; k < boostBins; k++ {
		at := len(column) * k / boostBins
		cut := column[at]
		if len(column)*k%boostBins == 0 { // between two rows
			cut = (column[at-1] + column[at]) / 2
		}
		cuts = append(cuts, cut)
	}
	return slices.Compact(cuts)
}

func binOf(cuts []float64, v float64) int {
	at, _ := slices.BinarySearch(cuts, v)
	return at
}
