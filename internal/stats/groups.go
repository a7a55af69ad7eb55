package stats

// Groups says which rows are drawn together: rows of one family are no independent observations.
type Groups struct {
	rows []float64 // of each group
	of   []int     // group of each row
}

// NewGroups puts rows of equal names into one group; a row with an empty name is a group of its own.
func NewGroups(names []string) *Groups {
	g := &Groups{of: make([]int, len(names))}
	index := map[string]int{}
	for i, name := range names {
		at, known := index[name]
		if !known || name == "" {
			at = len(g.rows)
			g.rows = append(g.rows, 0)
			index[name] = at
		}
		g.of[i] = at
		g.rows[at]++
	}
	return g
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.rows) }

// Effective returns the number of groups of equal size that would weigh as much: (Σ n)² / Σ n², n the rows of a group
// (Kish 1965, "Survey Sampling").
func (g *Groups) Effective() float64 {
	var sum, squares float64
	for _, n := range g.rows {
		sum += n
		squares += n * n
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}
