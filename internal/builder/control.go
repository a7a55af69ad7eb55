package builder

import "pidsbench/internal/draw"

const stageControl = "control"

// Ordinary draws the control: of each control source the first rows in hash order, up to its quota. Rows that are near
// another split are not among the records it is given, so the next ones in order have taken their places.
func Ordinary(control []Record, lock *Lock, seed int64) (kept []Record, removed []Removal) {
	for rank := range lock.Sources {
		var rows []Record
		for _, r := range control {
			if r.Rank == rank {
				rows = append(rows, r)
			}
		}
		draw.Order(rows, seed, stageControl, byID)
		quota := lock.Sources[rank].Select.Max
		for i, r := range rows {
			if quota > 0 && i >= quota {
				removed = append(removed, r.remove(stageControl, "beyond the quota"))
			} else {
				kept = append(kept, r)
			}
		}
	}
	canonical(kept)
	return kept, removed
}
