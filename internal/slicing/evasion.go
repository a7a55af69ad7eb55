package slicing

import (
	"math"

	"pidsbench/internal/dataset"
	"pidsbench/internal/stats"
)

// Estimate is a number with its 95 % interval, whose ends are NaN where there is none.
type Estimate struct{ Value, Lo, Hi float64 }

// Tries are the rows of a split by the text that they were made of: the tries at getting one attack through.
type Tries struct {
	Rows  [][]int // of each text, in the order of their first rows
	Plain [][]int // rows of the split of plain texts that those rows were made of, one for each of Rows; nil without such
}

// TriesOf puts the rows of a class together that have the same value in the column parent. plain may be nil; its rows
// are found by the column link, in which a row and the text that it was made of have the same value (and class). Rows
// in out count nowhere. Without the column parent there are no tries.
func TriesOf(s *dataset.Split, class dataset.Label, parent string, out map[int]bool, plain *dataset.Split,
	link string) (t Tries) {
	parents, ok := s.Column(parent)
	if !ok {
		return t
	}
	links, linked := s.Column(link)
	made := byLink(plain, class, link)
	at := map[string]int{}
	for i, r := range s.Rows {
		if r.Label != class || out[i] || parents[i] == "" {
			continue
		}
		k, known := at[parents[i]]
		if !known {
			k = len(t.Rows)
			at[parents[i]] = k
			t.Rows, t.Plain = append(t.Rows, nil), append(t.Plain, nil)
		}
		t.Rows[k] = append(t.Rows[k], i)
		if linked {
			if p, ok := made[links[i]]; ok {
				t.Plain[k] = append(t.Plain[k], p)
			}
		}
	}
	for k := range t.Rows {
		if len(t.Plain[k]) != len(t.Rows[k]) {
			t.Plain = nil
			break
		}
	}
	return t
}

// byLink returns the rows of a class by their value of a column.
func byLink(s *dataset.Split, class dataset.Label, column string) map[string]int {
	out := map[string]int{}
	if s == nil {
		return out
	}
	if values, ok := s.Column(column); ok {
		for i, r := range s.Rows {
			if r.Label == class && values[i] != "" {
				out[values[i]] = i
			}
		}
	}
	return out
}

// Evasion says how often an attack gets through when it is tried in several disguises.
type Evasion struct {
	Attacks  int // whose tries all have a score of every seed
	Of       int // attacks there are
	Groups   int // families among them
	Tries    int // of these attacks
	One, Any Estimate
	Plain    *Estimate // tried as often without disguise, any of the tries; nil without plain texts
	More     *Estimate // Any less Plain, on the same resamples
}

// Evade returns how often a detector misses a try, and how often an attack: a seed misses it when it passes one of the
// tries. Resamples are of the families of the split with the disguised rows. It reports false when no attack is left.
func Evade(s *dataset.Split, draws *stats.Draws, t Tries, v, plain *Verdicts) (e Evasion, ok bool) {
	group := numbered(families(s))
	seen := map[int]bool{}
	here, missed, bare := make([]int, len(s.Rows)), make([]int, len(s.Rows)), make([]int, len(s.Rows))
	tries, misses := make([]int, len(s.Rows)), make([]int, len(s.Rows))
	withPlain := t.Plain != nil && plain != nil
	e.Of = len(t.Rows)
	for k, rows := range t.Rows {
		if !all(v.Scored, rows) || withPlain && !all(plain.Scored, t.Plain[k]) {
			continue
		}
		e.Attacks++
		first := rows[0]
		seen[group[first]] = true
		here[first] = 1
		for _, row := range rows {
			tries[row], misses[row] = 1, v.Errors(row, dataset.Injection)
		}
		missed[first] = v.passed(rows)
		if withPlain {
			bare[first] = plain.passed(t.Plain[k])
		}
	}
	if e.Attacks == 0 {
		return e, false
	}
	e.Groups = len(seen)
	drawn := draws.Totals(here, missed, bare, tries, misses)
	seeds := float64(v.Seeds)
	for b := range drawn[0] {
		drawn[1][b] /= drawn[0][b] * seeds
		drawn[2][b] /= drawn[0][b] * seeds
		drawn[4][b] /= drawn[3][b] * seeds
	}
	n := float64(e.Attacks) * seeds
	more := stats.Minus(drawn[1], drawn[2])
	e.Tries = sum(tries)
	e.One = rate(float64(sum(misses))/(float64(e.Tries)*seeds), drawn[4], e.Groups)
	e.Any = rate(float64(sum(missed))/n, drawn[1], e.Groups)
	if withPlain {
		e.Plain = new(rate(float64(sum(bare))/n, drawn[2], e.Groups))
		e.More = new(difference(e.Any.Value-e.Plain.Value, more))
	}
	return e, true
}

// passed returns the number of seeds that pass one of the rows.
func (v *Verdicts) passed(rows []int) (seeds int) {
	for k := range v.Seeds {
		for _, row := range rows {
			if !v.by[k][row] {
				seeds++
				break
			}
		}
	}
	return seeds
}

// rate takes the interval of a share from those resamples that have a number. Where all agree, as for 0 and 1, it is
// that of Wilson for so many groups.
func rate(value float64, drawn []float64, groups int) Estimate {
	e := difference(value, drawn)
	if math.IsNaN(e.Lo) {
		e.Lo, e.Hi = wilson(value, groups, 1)
	}
	return e
}

// difference takes the interval of a number from those resamples that have one. Where all agree there is none.
func difference(value float64, drawn []float64) Estimate {
	kept := drawn[:0]
	for _, v := range drawn {
		if !math.IsNaN(v) {
			kept = append(kept, v)
		}
	}
	e := Estimate{Value: value, Lo: math.NaN(), Hi: math.NaN()}
	if len(kept) > 0 {
		if lo, hi := stats.Percentile(kept); hi-lo > 1e-12 { // what rounding leaves
			e.Lo, e.Hi = lo, hi
		}
	}
	return e
}

func all(scored []bool, rows []int) bool {
	for _, row := range rows {
		if !scored[row] {
			return false
		}
	}
	return true
}

func sum(values []int) (n int) {
	for _, v := range values {
		n += v
	}
	return n
}
