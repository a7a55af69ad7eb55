package results

import (
	"strconv"

	"pidsbench/internal/stats"
)

// Grouping says which rows of a split are no independent observations: the name of the group of each row, empty for a
// row of its own.
type Grouping struct {
	Name string
	Of   func(s Split) []string
}

// Families groups rows by the column family_id, or in the original edition, which has none, by the seed that a text was
// made from (with its label in structural_ood, as the original's own family analysis does). A split without either has
// rows of their own.
var Families = Grouping{"family", func(s Split) []string {
	if names, ok := s.Data.Column("family_id"); ok {
		return names
	}
	if seeds, ok := s.Data.Column("original_seed_idx"); ok {
		names := make([]string, len(seeds))
		for i, seed := range seeds {
			if seed != "" {
				names[i] = strconv.Itoa(int(s.Data.Rows[i].Label)) + ":" + seed
			}
		}
		return names
	}
	if names, ok := s.Data.Column("parent_seed_id"); ok {
		return names
	}
	return make([]string, len(s.Data.Rows))
}}

// Draw draws the samples of a split's groups. All that rests on a split is drawn so, and is therefore paired.
func (g Grouping) Draw(s Split) *stats.Draws {
	return stats.NewGroups(g.Of(s)).Draw(s.Spec.Name + " by " + g.Name)
}
