package builder

import (
	"cmp"
	"math/big"
	"slices"

	"pidsbench/internal/draw"
)

const stageSplit = "split"

// The parts of the pool, in the order in which ties are broken. The spare part is what no quota asks for; its rows are
// removed.
const (
	trainPart = iota
	valPart
	testPart
	sparePart
	parts
)

// Split parts the pool by family. Families are taken by falling size, then in hash order, and each goes to the part
// that lacks its rows most: the part with the greatest Webster (Sainte-Laguë) quotient (2·due − 2·held − size)/share,
// summed over the strata of the family's rows. A stratum is (benign or attack type, source); what is due to a part is
// its share of the quotas. So each part gets its quotas, and every source's proportion of each, as nearly as families
// allow.
//
// Then whole families move from the spare part to parts that still lack rows, and rows beyond a quota are removed, in
// hash order, the texts of matched carriers last and those of frames first. What a quota still lacks then, checkShares
// says.
func Split(in []Record, quotas Quotas, seed int64) (out [testPart + 1][]Record, removed []Removal) {
	want := [parts]Quota{quotas.Train, quotas.Val, quotas.Test, Quota{}}
	total := map[string]int64{}
	for _, r := range in {
		total[r.stratum()]++
	}
	for s, n := range total {
		want[sparePart][s] = max(0, int(n)-want[trainPart][s]-want[valPart][s]-want[testPart][s])
	}
	assigned := assign(in, want, seed)
	fill(in, assigned, want, seed)
	for p := trainPart; p <= testPart; p++ {
		var rows []Record
		for i, r := range in {
			if assigned[i] == p {
				rows = append(rows, r)
			}
		}
		held := Quota{}
		rows = inHashOrder(rows, seed, stageSplit+" trim")
		first := precedence(rows)
		slices.SortStableFunc(rows, func(a, b Record) int { return cmp.Compare(first(a), first(b)) })
		for _, r := range rows {
			if held[r.stratum()] < want[p][r.stratum()] {
				held[r.stratum()]++
				out[p] = append(out[p], r)
			} else {
				removed = append(removed, r.remove(stageSplit, "beyond the quota"))
			}
		}
		canonical(out[p])
	}
	for i, r := range in {
		if assigned[i] == sparePart {
			removed = append(removed, r.remove(stageSplit, "no quota needs it"))
		}
	}
	return out, removed
}

// assign returns the part of each row.
func assign(in []Record, want [parts]Quota, seed int64) []int {
	type stratum struct{ kind, source string }
	of := func(r Record) stratum { return stratum{r.stratum(), r.Source} }
	total := map[stratum]int64{}
	all := map[string]int64{}
	for _, r := range in {
		total[of(r)]++
		all[r.stratum()]++
	}
	held := map[stratum]*[parts]int64{}
	for s := range total {
		held[s] = new([parts]int64)
	}
	names, members := familyOrder(in, seed, stageSplit)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(members[b]), len(members[a])) })

	part := make([]int, len(in))
	for _, name := range names {
		counts := map[stratum]int64{}
		for _, i := range members[name] {
			counts[of(in[i])]++
		}
		best := -1
		var bestValue *big.Rat
		for p := range parts {
			value, share := new(big.Rat), new(big.Rat)
			for s, n := range counts {
				due := big.NewRat(total[s]*int64(want[p][s.kind]), all[s.kind])
				lack := due.Mul(due, big.NewRat(2, 1)).Sub(due, big.NewRat(2*held[s][p]+n, 1))
				value.Add(value, lack.Mul(lack, big.NewRat(n, 1)))
				share.Add(share, big.NewRat(n*int64(want[p][s.kind]), all[s.kind]))
			}
			if share.Sign() == 0 {
				continue
			}
			if value.Quo(value, share); best < 0 || value.Cmp(bestValue) > 0 {
				best, bestValue = p, value
			}
		}
		if best < 0 {
			best = sparePart
		}
		for s, n := range counts {
			held[s][best] += n
		}
		for _, i := range members[name] {
			part[i] = best
		}
	}
	return part
}

// fill moves spare families to parts that lack rows of their strata, smallest families first, so that little is moved
// beyond a quota.
func fill(in []Record, part []int, want [parts]Quota, seed int64) {
	held := [parts]Quota{}
	for p := range held {
		held[p] = Quota{}
	}
	for i, r := range in {
		held[part[i]][r.stratum()]++
	}
	names, members := familyOrder(in, seed, stageSplit+" fill")
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(members[a]), len(members[b])) })
	for _, name := range names {
		if part[members[name][0]] != sparePart {
			continue
		}
		for _, p := range []int{testPart, valPart, trainPart} {
			lacks := false
			for _, i := range members[name] {
				s := in[i].stratum()
				lacks = lacks || held[p][s] < want[p][s]
			}
			if !lacks {
				continue
			}
			for _, i := range members[name] {
				part[i] = p
				held[p][in[i].stratum()]++
			}
			break
		}
	}
}

// familyOrder returns the names of the families in hash order, and the positions of their members.
func familyOrder(in []Record, seed int64, purpose string) (names []string, members map[string][]int) {
	names, members = byFamily(in)
	draw.Order(names, seed, purpose, func(n string) string { return n })
	return names, members
}
