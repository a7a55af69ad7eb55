package tfidf

import (
	"math"
	"math/bits"
	"slices"
)

// Pool returns, in ascending order, the places of size rows (of all when there are no more): of each category in
// proportion, at least one and the rest at random. The rows are always the same, and the same that `--pool` of
// tools/train takes (draw in hardneg.py, whose steps these are), so that sweeps of all detectors add the same rows.
// size is at least 1.
func Pool(categories []string, size int) []int {
	n := len(categories)
	members := map[string][]int{}
	all := make([]int, n)
	for i, c := range categories {
		members[c] = append(members[c], i)
		all[i] = i
	}
	if size >= n {
		return all
	}
	rng := sweep()
	var chosen []int
	for _, c := range slices.Compact(slices.Sorted(slices.Values(categories))) {
		rows := rng.permutation(members[c])
		want := max(1, int(math.RoundToEven(float64(len(rows)*size)/float64(n))))
		chosen = append(chosen, rows[:min(want, len(rows))]...)
	}
	if len(chosen) > size {
		chosen = rng.permutation(chosen)[:size]
	}
	left := slices.DeleteFunc(all, func(i int) bool { return slices.Contains(chosen, i) })
	chosen = append(chosen, rng.permutation(left)[:size-len(chosen)]...)
	slices.Sort(chosen)
	return chosen
}

// numpy is numpy.random.Generator over PCG64: a linear congruential generator of 128 bits whose output is a rotated
// exclusive or of its halves (M. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms
// for Random Number Generation, 2014, §6.3.3, XSL RR 128/64).
type numpy struct {
	hi, lo   uint64
	half     uint32 // of the last output
	halfLeft bool
}

// sweep is numpy.random.default_rng(42), in the state that NumPy derives from this seed.
func sweep() *numpy { return &numpy{hi: 0xcea44f6798798f2a, lo: 0xacbc7c9d68860ac8} }

// The increment that NumPy derives from the seed 42, and the generator's multiplier.
const (
	stepHi, stepLo   = 0xfa505436c9a8416e, 0x66caf2e28d25abff
	timesHi, timesLo = 0x2360ed051fc65da4, 0x4385df649fccf645
)

func (g *numpy) next() uint64 {
	hi, lo := bits.Mul64(g.lo, timesLo)
	hi += g.hi*timesLo + g.lo*timesHi
	var carry uint64
	g.lo, carry = bits.Add64(lo, stepLo, 0)
	g.hi, _ = bits.Add64(hi, stepHi, carry)
	return bits.RotateLeft64(g.hi^g.lo, -int(g.hi>>58))
}

// next32 returns half of an output, the lower one first.
func (g *numpy) next32() uint32 {
	if g.halfLeft {
		g.halfLeft = false
		return g.half
	}
	v := g.next()
	g.half, g.halfLeft = uint32(v>>32), true
	return uint32(v)
}

// upTo returns a number in [0, most]: the first whose lowest bits, as many as most has, are not above it.
func (g *numpy) upTo(most uint32) int {
	mask := uint32(1)<<bits.Len32(most) - 1
	for {
		if v := g.next32() & mask; v <= most {
			return int(v)
		}
	}
}

// permutation returns the values in another order (Fisher and Yates, from the end).
func (g *numpy) permutation(values []int) []int {
	out := slices.Clone(values)
	for i := len(out) - 1; i > 0; i-- {
		j := g.upTo(uint32(i))
		out[i], out[j] = out[j], out[i]
	}
	return out
}
