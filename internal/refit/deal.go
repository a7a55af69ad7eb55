package refit

import (
	"cmp"
	"slices"

	"pidsbench/internal/draw"
)

// size is the number of rows of each class, benign and injection.
type size [2]int

func (s size) rows() int { return s[0] + s[1] }

// family is the rows of one family, by their places.
type family struct {
	name string
	rows []int
	size size
}

func familiesOf(rows []row) []family {
	var out []family
	index := map[string]int{}
	for i, r := range rows {
		at, known := index[r.family]
		if !known {
			at = len(out)
			index[r.family] = at
			out = append(out, family{name: r.family})
		}
		out[at].rows = append(out[at].rows, i)
		out[at].size[r.label]++
	}
	return out
}

// deal deals families out to parts of the sizes due, and returns the part of each row. The families come by falling
// size, those of one size in an order drawn for the deal. Each goes to one of the parts in which both of its classes
// still find room, drawn in proportion to the room left for them; so a part is as likely to get a family of whatever
// size as it is large, and the parts get exactly what is due as long as small families are left to fill them. A family
// that finds no room anywhere goes to the part with the most room.
func deal(rows []row, due []size, number int) []int {
	families := familiesOf(rows)
	draw.Order(families, int64(number), "refit order", func(f family) string { return f.name })
	slices.SortStableFunc(families, func(a, b family) int { return cmp.Compare(len(b.rows), len(a.rows)) })
	room := slices.Clone(due)
	part := make([]int, len(rows))
	for _, f := range families {
		to := f.choose(room, number)
		for _, i := range f.rows {
			part[i] = to
		}
		for class, n := range f.size {
			room[to][class] -= n
		}
	}
	return part
}

// choose draws the part of a family.
func (f family) choose(room []size, number int) int {
	weights := make([]int, len(room))
	total, widest := 0, 0
	for p, left := range room {
		if left.rows() > room[widest].rows() {
			widest = p
		}
		if left[0] < f.size[0] || left[1] < f.size[1] {
			continue
		}
		for class, n := range f.size {
			if n > 0 {
				weights[p] += left[class]
			}
		}
		total += weights[p]
	}
	if total == 0 {
		return widest
	}
	at := draw.New(int64(number), "refit part", f.name).Below(total)
	for p, w := range weights {
		if at -= w; at < 0 {
			return p
		}
	}
	panic("refit: a number is not below its bound")
}
