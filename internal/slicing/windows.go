package slicing

import (
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// Longer returns the rows of a class of which a detector saw a part alone, at any of its seeds, each as its own plain
// row: Compare then sets two readings of the same texts beside each other. Rows in out count nowhere.
func Longer(s *dataset.Split, truncated results.Detector, class dataset.Label, out map[int]bool) (p Pairs) {
	for i, r := range s.Rows {
		longer := slices.ContainsFunc(truncated.Seeds, func(seed results.Seed) bool {
			of := seed.Outcomes[s.Name]
			return i < len(of) && of[i].Truncated
		})
		if longer && r.Label == class && !out[i] {
			p.Rows, p.Plain = append(p.Rows, i), append(p.Plain, i)
		}
	}
	return p
}
