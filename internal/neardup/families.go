package neardup

// Families is a partition of rows into families: rows that may never be parted. It starts with every row by itself.
type Families struct{ parent []int }

// NewFamilies returns n families of one row each.
func NewFamilies(n int) *Families {
	f := &Families{parent: make([]int, n)}
	for i := range f.parent {
		f.parent[i] = i
	}
	return f
}

// Join puts the families of rows i and j together.
func (f *Families) Join(i, j int) {
	a, b := f.root(i), f.root(j)
	// The smaller row leads, so that the result does not depend on the order of the calls.
	f.parent[max(a, b)] = min(a, b)
}

// JoinPairs joins the two rows of every pair.
func (f *Families) JoinPairs(pairs []Pair) {
	for _, p := range pairs {
		f.Join(p.I, p.J)
	}
}

// Roots returns for every row the smallest row of its family.
func (f *Families) Roots() []int {
	roots := make([]int, len(f.parent))
	for i := range roots {
		roots[i] = f.root(i)
	}
	return roots
}

func (f *Families) root(i int) int {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}
