package builder

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"pidsbench/internal/draw"
)

const stageSplit = "split"

// The parts of the pool, in the order in which ties are broken.
const (
	trainPart = iota
	valPart
	testPart
	parts
)

// Split parts the pool by family into train, val and test. Families are taken by falling size, then in hash order, and
// each goes to the part that lacks its rows most: the part with the greatest Webster (Sainte-Laguë) quotient
// (2·due − 2·held − size)/share, summed over the strata (class, source) of the family's rows. So each stratum is
// parted in the given ratio as nearly as its families allow, and the outcome does not depend on the order of the rows.
func Split(in []Record, ratio SplitRatio, seed int64) [parts][]Record {
	share := [parts]int64{int64(ratio.Train), int64(ratio.Val), int64(ratio.Test)}
	type stratum struct {
		label  string
		source string
	}
	of := func(r Record) stratum { return stratum{labelName(r.Label), r.Source} }
	total := map[stratum]int64{}
	for _, r := range in {
		total[of(r)]++
	}
	held := map[stratum]*[parts]int64{}
	for s := range total {
		held[s] = new([parts]int64)
	}

	names, members := byFamily(in)
	key := map[string][sha256.Size]byte{}
	for _, n := range names {
		key[n] = draw.Key(seed, stageSplit, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		ka, kb := key[a], key[b]
		return cmp.Or(cmp.Compare(len(members[b]), len(members[a])), slices.Compare(ka[:], kb[:]))
	})

	var out [parts][]Record
	for _, name := range names {
		counts := map[stratum]int64{}
		for _, i := range members[name] {
			counts[of(in[i])]++
		}
		var quotient [parts]int64 // times the share, in thousandths of rows
		for p := range parts {
			for s, n := range counts {
				quotient[p] += n * (2*total[s]*share[p] - 2000*held[s][p] - 1000*n)
			}
		}
		best := trainPart
		for p := valPart; p < parts; p++ {
			if quotient[p]*share[best] > quotient[best]*share[p] {
				best = p
			}
		}
		for s, n := range counts {
			held[s][best] += n
		}
		for _, i := range members[name] {
			out[best] = append(out[best], in[i])
		}
	}
	for p := range out {
		canonical(out[p])
	}
	return out
}
