package probe

import (
	"math"
	"testing"
)

func TestTreesLearnAStep(t *testing.T) {
	var x [][]float64
	var y []int8
	for i := range 400 {
		v := float64(i % 200)
		class := int8(0)
		if v >= 70 && v < 130 {
			class = 1
		}
		x, y = append(x, []float64{5, v}), append(y, class)
	}
	b := fitBooster(x, y)
	for _, v := range []float64{-10, 0, 69, 130, 199, 1000} {
		if p := b.probability([]float64{5, v}); p > 0.01 {
			t.Errorf("P(1) at %v is %v outside the step", v, p)
		}
	}
	for _, v := range []float64{70, 100, 129} {
		if p := b.probability([]float64{5, v}); p < 0.99 {
			t.Errorf("P(1) at %v is %v on the step", v, p)
		}
	}
}

func TestTreesWithoutASplitGiveTheBaseRate(t *testing.T) {
	x := [][]float64{}
	y := []int8{}
	for i := range 39 { // a split would leave less than 20 rows on one side
		x, y = append(x, []float64{float64(i), 1}), append(y, int8(i%3/2))
	}
	if p := fitBooster(x, y).probability([]float64{3, 1}); math.Abs(p-13.0/39) > 1e-9 {
		t.Errorf("P(1) is %v, expected the share 1/3", p)
	}
}

func TestLeavesHoldTwentyRowsAndTreesThirtyOneLeaves(t *testing.T) {
	x, y := made(2000, 0)
	b := fitBooster(x, y)
	if len(b.trees) != boostRounds {
		t.Fatalf("%d trees", len(b.trees))
	}
	for k, tree := range b.trees {
		rows := make([]int, len(tree))
		leaves := 0
		for i := range x {
			n := 0
			for tree[n].left > 0 {
				if binOf(b.cuts[tree[n].feature], x[i][tree[n].feature]) <= tree[n].bin {
					n = tree[n].left
				} else {
					n = tree[n].right
				}
			}
			rows[n]++
		}
		for n := range tree {
			if tree[n].left == 0 {
				leaves++
				if rows[n] < boostLeafRows {
					t.Fatalf("tree %d: a leaf holds %d rows", k, rows[n])
				}
			}
		}
		if leaves > boostLeaves {
			t.Fatalf("tree %d has %d leaves", k, leaves)
		}
	}
}

func TestRegressionIsAtItsMinimum(t *testing.T) {
	x, y := made(700, 40)
	l := fitLogistic(x, y)
	row := make([]float64, len(x[0])+1)
	least := l.loss(x, y, row)
	for f := range l.weight {
		for _, d := range []float64{-1e-3, 1e-3} {
			l.weight[f] += d
			if loss := l.loss(x, y, row); loss < least {
				t.Errorf("weight %d: moving it by %v lowers the loss by %v", f, d, least-loss)
			}
			l.weight[f] -= d
		}
	}
}

func TestRegressionConvergesOnSeparableAndConstantFeatures(t *testing.T) {
	var x [][]float64
	var y []int8
	for i := range 100 {
		x, y = append(x, []float64{float64(i), 3}), append(y, int8(i/50))
	}
	l := fitLogistic(x, y)
	if lo, hi := l.probability([]float64{0, 3}), l.probability([]float64{99, 3}); !(lo < 0.05 && hi > 0.95) {
		t.Errorf("P(1) runs from %v to %v", lo, hi)
	}
	if math.Abs(l.weight[1]) > 1e-12 {
		t.Errorf("a constant feature weighs %v", l.weight[1])
	}
}

func TestMeanAndStandardDeviation(t *testing.T) {
	if mean, sd := meanSD([]float64{1, 2, 3, 6}); math.Abs(mean-3) > 1e-12 || math.Abs(sd-math.Sqrt(14.0/3)) > 1e-12 {
		t.Errorf("mean %v, standard deviation %v", mean, sd)
	}
}
