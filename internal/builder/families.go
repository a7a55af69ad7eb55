package builder

import (
	"crypto/sha256"
	"encoding/hex"

	"pidsbench/internal/neardup"
	"pidsbench/internal/textnorm"
)

const (
	stageNear     = "near"
	stageFamilies = "families"
)

// Kin are the IDs of two records that are one family.
type Kin [2]string

// Families joins rows that may never be parted: equal exact, skeleton or plain form or letters, one carrier, one frame,
// one seed, a near pair, or kin, closed under chains. Near pairs go by the positions of in. A family is named after its
// smallest member ID. Kin that name an absent record join nothing.
func Families(in []Record, near []neardup.Pair, kin []Kin) []Record {
	sets := neardup.NewFamilies(len(in))
	join := func(by map[string]int, key string, i int) {
		if key == "" {
			return
		}
		if first, ok := by[key]; ok {
			sets.Join(first, i)
		} else {
			by[key] = i
		}
	}
	for _, form := range []func(string) string{textnorm.Exact, textnorm.Skeleton, textnorm.Plain, textnorm.Letters} {
		byForm := map[string]int{}
		for i, key := range forms(in, form) {
			join(byForm, key, i)
		}
	}
	carriers, frames, seeds := map[string]int{}, map[string]int{}, map[string]int{}
	for i, r := range in {
		join(carriers, r.Carrier, i)
		join(frames, r.Frame, i)
		join(seeds, r.ID, i)
		join(seeds, r.Parent, i)
	}
	sets.JoinPairs(near)
	at := make(map[string]int, len(in))
	for i, r := range in {
		at[r.ID] = i
	}
	for _, k := range kin {
		i, iok := at[k[0]]
		j, jok := at[k[1]]
		if iok && jok {
			sets.Join(i, j)
		}
	}
	smallest := make([]string, len(in))
	roots := sets.Roots()
	for i, r := range in {
		root := roots[i]
		if smallest[root] == "" || r.ID < smallest[root] {
			smallest[root] = r.ID
		}
	}
	out := make([]Record, len(in))
	for i, r := range in {
		sum := sha256.Sum256([]byte(smallest[roots[i]]))
		r.Family = "f_" + hex.EncodeToString(sum[:8])
		out[i] = r
	}
	return out
}

// byFamily groups the positions of records by family; families in the order of their first record.
func byFamily(records []Record) (names []string, members map[string][]int) {
	members = map[string][]int{}
	for i, r := range records {
		if members[r.Family] == nil {
			names = append(names, r.Family)
		}
		members[r.Family] = append(members[r.Family], i)
	}
	return names, members
}

// nearPairs returns the pairs of rows whose cosine is at least threshold, as they are written or in their plain form.
func nearPairs(records []Record, threshold float64) []neardup.Pair {
	plain := make(chan []neardup.Pair)
	go func() { plain <- neardup.Pairs(forms(records, textnorm.Plain), threshold, 0) }()
	pairs := append([]neardup.Pair{}, neardup.Pairs(texts(records), threshold, 0)...)
	return append(pairs, <-plain...)
}
