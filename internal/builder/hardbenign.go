package builder

const stageHardBenign = "hard_benign"

// HardBenign takes every benign pool row that adjacent recognises out of the pool. No family is parted, so for each
// family that holds such rows one of two things happens, decided by counting its rows in the pool:
//
//   - at least as many rows are security-adjacent as are not: the adjacent ones become hard-benign rows and the others
//     are removed;
//   - fewer are: the adjacent ones are removed and the others stay in the pool, which loses less than it would.
//
// Either way no adjacent row is left in the pool, and no hard-benign family has a row there.
func HardBenign(in []Record, adjacent func(text string) bool) (pool, hard []Record, removed []Removal) {
	names, members := byFamily(in)
	isAdjacent := make([]bool, len(in))
	for i, r := range in {
		isAdjacent[i] = r.benignPool() && adjacent(r.Text)
	}
	for _, name := range names {
		yes, no := 0, 0
		for _, i := range members[name] {
			if isAdjacent[i] {
				yes++
			} else if in[i].Role == Pool {
				no++
			}
		}
		for _, i := range members[name] {
			r := in[i]
			switch {
			case yes == 0 || r.Role != Pool:
				pool = append(pool, r)
			case isAdjacent[i] && yes >= no:
				hard = append(hard, r)
			case isAdjacent[i]:
				removed = append(removed, r.remove(stageHardBenign, "adjacent, in a family that is mostly not"))
			case yes >= no:
				removed = append(removed, r.remove(stageHardBenign, "in a hard-benign family, "+labelName(r.Label)))
			default:
				pool = append(pool, r)
			}
		}
	}
	canonical(pool)
	canonical(hard)
	return pool, hard, removed
}
