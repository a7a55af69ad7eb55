package builder

import "pidsbench/internal/draw"

const stageSelect = "select"

// Select cuts each pool source to its quota, in hash order. The rows after the quota become filler where the lock asks
// for it. Control sources keep all their rows, and so do authored files: their quota is drawn at the end, from rows
// that are near no other split.
func Select(in []Record, lock *Lock, seed int64) (kept []Record, removed []Removal) {
	bySource := make([][]Record, len(lock.Sources))
	for _, r := range in {
		if r.Own {
			kept = append(kept, r)
		} else {
			bySource[r.Rank] = append(bySource[r.Rank], r)
		}
	}
	for i, rows := range bySource {
		s := &lock.Sources[i]
		if s.Role == Control || s.Select.Max == 0 {
			kept = append(kept, rows...)
			continue
		}
		draw.Order(rows, seed, stageSelect, byID)
		for k, r := range rows {
			switch {
			case k < s.Select.Max:
				kept = append(kept, r)
			case k < s.Select.Max+s.Select.Filler:
				r.Role = Filler
				kept = append(kept, r)
			default:
				removed = append(removed, r.remove(stageSelect, "beyond the quota"))
			}
		}
	}
	canonical(kept)
	return kept, removed
}
