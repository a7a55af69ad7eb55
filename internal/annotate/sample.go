// Package annotate makes blind sheets for annotators and the key that belongs to them, and reads them back.
package annotate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

// Item is a row to be annotated.
type Item struct {
	ID      string // 12 hex digits that say nothing about the row
	Text    string
	Split   string
	Row     int    // from 0
	SHA256  string // of the text's UTF-8 bytes
	Label   dataset.Label
	Source  string // column source, or ""
	Stratum string
}

// Stratum is how many rows of a kind there are and how many were drawn.
type Stratum struct {
	Name        string
	Rows, Drawn int
}

const (
	stageSample = "annotate sample"
	stageItem   = "annotate item"
	stageOrder  = "annotate order"
)

// Sample draws n rows of the splits, stratified by a column (label and split serve too; "" for one stratum). Each
// stratum gets its share of n by the method of largest remainders, ties to the first name; within a stratum rows go by
// hash order keyed by seed, split and text, so a row's luck depends on no other row. Withheld texts are left out. A
// column that a split lacks and more rows than there are are usage errors.
func Sample(splits []*dataset.Split, column string, n int, seed int64) ([]Item, []Stratum, error) {
	strata := map[string][]Item{}
	total := 0
	for _, s := range splits {
		values, err := stratumValues(s, column)
		if err != nil {
			return nil, nil, err
		}
		sources, _ := s.Column("source")
		seen := map[string]int{}
		for i, r := range s.Rows {
			if r.Missing {
				continue
			}
			sum := sha256.Sum256([]byte(r.Text))
			it := Item{Text: r.Text, Split: s.Name, Row: i, SHA256: hex.EncodeToString(sum[:]), Label: r.Label,
				Stratum: values[i]}
			if sources != nil {
				it.Source = sources[i]
			}
			key := draw.Key(seed, stageItem, it.name()+"\x00"+strconv.Itoa(seen[it.SHA256]))
			it.ID = hex.EncodeToString(key[:6])
			seen[it.SHA256]++
			strata[values[i]] = append(strata[values[i]], it)
			total++
		}
	}
	if n < 1 || n > total {
		return nil, nil, fault.New(fault.Usage, "%d rows are to be drawn, expected a number from 1 to %d, which is how "+
			"many rows have a text", n, total).WithCure("choose such a number with --n")
	}
	var items []Item
	var counts []Stratum
	for _, name := range slices.Sorted(maps.Keys(strata)) {
		counts = append(counts, Stratum{Name: name, Rows: len(strata[name])})
	}
	allocate(counts, n, total)
	ids := map[string]bool{}
	for _, c := range counts {
		rows := strata[c.Name]
		draw.Order(rows, seed, stageSample, func(it Item) string { return it.name() })
		for _, it := range rows[:c.Drawn] {
			if ids[it.ID] {
				return nil, nil, fault.New(fault.Failed, "two rows get the item id %s", it.ID).WithCure("take another --seed")
			}
			ids[it.ID] = true
			items = append(items, it)
		}
	}
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.ID, b.ID) })
	return items, counts, nil
}

// name identifies the row by what it holds, not by where it stands.
func (it Item) name() string { return it.Split + "\x00" + it.SHA256 }

// stratumValues returns the stratum of each row of a split.
func stratumValues(s *dataset.Split, column string) ([]string, error) {
	values := make([]string, len(s.Rows))
	switch column {
	case "":
	case "label":
		for i, r := range s.Rows {
			values[i] = r.Label.Name()
		}
	case "split":
		for i := range values {
			values[i] = s.Name
		}
	default:
		v, ok := s.Column(column)
		if !ok {
			return nil, fault.New(fault.Usage, "%s has no column %s to stratify by", fault.Name(s.File), fault.Quote(column)).
				WithCure("name one of its columns, label or split with --stratify")
		}
		return v, nil
	}
	return values, nil
}

// allocate shares n among the strata in proportion to their rows: whole parts first, then one each by the largest
// remainders, ties to the first.
func allocate(strata []Stratum, n, total int) {
	left := n
	byRemainder := make([]int, len(strata))
	for i := range strata {
		byRemainder[i] = i
		strata[i].Drawn = n * strata[i].Rows / total
		left -= strata[i].Drawn
	}
	slices.SortStableFunc(byRemainder, func(a, b int) int {
		return cmp.Compare(n*strata[b].Rows%total, n*strata[a].Rows%total)
	})
	for _, i := range byRemainder[:left] {
		strata[i].Drawn++
	}
}
