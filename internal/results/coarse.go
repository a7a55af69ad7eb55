package results

import (
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/neardup"
	"pidsbench/internal/textnorm"
)

// What joins rows beyond their families: a TF-IDF cosine, and as many equal words at the beginning.
const (
	coarseCosine  = 0.6
	openingPhrase = 5
)

// Cosine joins families further: rows of a cosine of 0.6 are in one group, and all that hangs together.
var Cosine = Grouping{"cosine", func(s Split) []string {
	sets := neardup.NewFamilies(len(s.Data.Rows))
	first := map[string]int{}
	for i, name := range Families.Of(s) {
		if at, known := first[name]; known && name != "" {
			sets.Join(at, i)
		} else {
			first[name] = i
		}
	}
	sets.JoinPairs(neardup.Pairs(plainTexts(s), coarseCosine, 0))
	out := make([]string, len(s.Data.Rows))
	for i, root := range sets.Roots() {
		out[i] = strconv.Itoa(root)
	}
	return out
}}

// Opening puts rows with the same first words into one group, whatever their families. Joined with families it would put
// most rows of a split into one group, since families hold rows in many surroundings.
var Opening = Grouping{"opening", func(s Split) []string {
	out := make([]string, len(s.Data.Rows))
	for i, text := range plainTexts(s) {
		if words := strings.Fields(text); len(words) >= openingPhrase {
			out[i] = strings.Join(words[:openingPhrase], " ")
		}
	}
	return out
}}

func plainTexts(s Split) []string {
	texts := make([]string, len(s.Data.Rows))
	for i, row := range s.Data.Rows {
		texts[i] = textnorm.Plain(row.Text)
	}
	return texts
}

// Coarse are the groupings that are coarser than families, or cut across them.
var Coarse = []Grouping{Cosine, Opening}

// Intervals returns the intervals of mean cells of r, which was built from in, by another grouping; nil where a cell has
// none.
func Intervals(in *Input, r *Results, g Grouping, cells []*Cell) []*Interval {
	out := make([]*Interval, len(cells))
	for _, s := range in.Splits {
		var b *bands
		var parts []part
		for i, c := range cells {
			if c.Split != s.Spec.Name || c.Value == nil {
				continue
			}
			if b == nil {
				b = newBands(s, g)
				parts, _ = partition(s, in.Undisputed)
			}
			p := parts[slices.IndexFunc(parts, func(p part) bool { return p.name == c.Slice })]
			d := in.Detectors[slices.IndexFunc(in.Detectors, func(d Detector) bool { return d.ID == c.Detector })]
			out[i] = b.cell(r, d, p, c)
		}
	}
	return out
}

// cell returns the interval of one mean cell.
func (b *bands) cell(r *Results, d Detector, p part, c *Cell) *Interval {
	all, bases, ok := b.seeAll(d, p)
	switch {
	case !ok:
		return nil
	case c.Policy == nil:
		return b.auc(*c.Value, all)
	}
	wrong := b.mistakes(all, r.taus(d, []string{*c.Policy}))[0]
	for m := range resampled {
		if resampled[m].name == c.Metric {
			return b.of(m, *c.Value, all, bases, wrong)
		}
	}
	return nil
}
