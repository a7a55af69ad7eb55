package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
)

// folds is the number of parts of which each is predicted from the others.
const folds = 5

// Identification says how well the source of rows can be told from their words.
type Identification struct {
	Rows     []int     // of the split, that were predicted
	Own      []float64 // probability of the true source of each, by models that did not see its family
	Sources  []string  // that were told apart
	Families int
	LeftOut  int // rows of sources with fewer than five families

	Accuracy, Balanced             float64 // by the words: share of rows, and mean over the sources of the share of theirs
	LengthAccuracy, LengthBalanced float64 // the same by length alone
	Majority                       float64 // share of the most frequent source
}

// Identify predicts the source of rows of one class of a split in five-fold cross-validation: one TF-IDF model a
// source against the others (the parameters of the baseline), the highest score wins, scores are normed to sum to 1. A
// suffix _ai_adjacent of a source does not count. Families are dealt out to the folds whole, those of each source in
// turn, so that every model has seen every source; the deal depends on the names of the families alone. Where that
// cannot be done, it says why.
func Identify(ctx context.Context, s *dataset.Split, rows []int, workers int) (
	id *Identification, reason string, err error) {
	sources, ok := s.Column("source")
	if !ok {
		return nil, "the split has no column source", nil
	}
	family, ok := s.Column("family_id")
	if !ok {
		family = make([]string, len(s.Rows))
	}
	order := slices.Clone(rows) // by contents, so that sums of a fit do not depend on the order of the file
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(s.Rows[a].Text, s.Rows[b].Text), strings.Compare(family[a], family[b]),
			strings.Compare(sources[a], sources[b]), cmp.Compare(a, b))
	})
	var all []row
	var at []int // number of the row
	for _, i := range order {
		r := row{text: s.Rows[i].Text, family: family[i], source: strings.TrimSuffix(sources[i], "_ai_adjacent")}
		if s.Rows[i].Missing || r.source == "" {
			continue
		}
		if r.family == "" {
			r.family = fmt.Sprintf("row %d", i)
		}
		all, at = append(all, r), append(at, i)
	}
	id = &Identification{}
	fold := id.deal(all)
	var kept []row
	for i, r := range all {
		if _, dealt := fold[r.family]; dealt && slices.Contains(id.Sources, r.source) {
			kept, id.Rows = append(kept, r), append(id.Rows, at[i])
		}
	}
	id.LeftOut = len(all) - len(kept)
	all = kept
	if len(id.Sources) < 2 {
		return nil, fmt.Sprintf("fewer than two sources have %d families or more", folds), nil
	}
	id.Families = len(families(all))
	p := &prober{ctx: ctx, data: Data{Workers: workers}}
	words, length := make([][]float64, len(all)), make([][]float64, len(all))
	for f := range folds {
		var train, held []row
		var places []int
		for i, r := range all {
			if fold[r.family] == f {
				held, places = append(held, r), append(places, i)
			} else {
				train = append(train, r)
			}
		}
		for _, source := range id.Sources {
			m, err := p.fit("source "+source, train, func(r row) bool { return r.source == source })
			var na *notMeasured
			switch {
			case errors.As(err, &na):
				return nil, na.reason, nil
			case err != nil:
				return nil, "", err
			}
			byLength := lengthOf(train, source)
			for k, score := range m.scores(held) {
				words[places[k]] = append(words[places[k]], score)
				length[places[k]] = append(length[places[k]], byLength(held[k]))
			}
		}
	}
	id.weigh(all, words, length)
	return id, "", nil
}

// deal sets the sources with enough families, and returns the fold of each of these. A family belongs to the source of
// its first row.
func (id *Identification) deal(rows []row) map[string]int {
	by, of := map[string][]string{}, map[string]string{}
	for _, r := range rows {
		if _, known := of[r.family]; !known {
			of[r.family] = r.source
			by[r.source] = append(by[r.source], r.family)
		}
	}
	fold := map[string]int{}
	next := 0
	names, _ := valuesOf(rows, func(r row) string { return r.source })
	for _, source := range names {
		if len(by[source]) < folds {
			continue
		}
		id.Sources = append(id.Sources, source)
		draw.Order(by[source], 0, "probe identify", func(f string) string { return f })
		for _, f := range by[source] {
			fold[f] = next % folds
			next++
		}
	}
	return fold
}

// lengthOf fits the length probe to one source against the others, and shifts it as if both were equally frequent (King
// and Zeng 2001, "Logistic regression in rare events data", prior correction), as the baseline weighs its classes.
func lengthOf(train []row, source string) func(row) float64 {
	x, y := make([][]float64, len(train)), make([]int8, len(train))
	is := 0
	for i, r := range train {
		x[i] = lengths(r.text)
		if r.source == source {
			y[i] = 1
			is++
		}
	}
	m := fitLogistic(x, y)
	m.weight[len(m.weight)-1] -= math.Log(float64(is) / float64(len(train)-is))
	return func(r row) float64 { return m.probability(lengths(r.text)) }
}

// weigh sets the numbers from the scores of each row, one a source.
func (id *Identification) weigh(rows []row, words, length [][]float64) {
	most := 0
	for _, source := range id.Sources {
		n, right, rightByLength := 0, 0, 0
		for i, r := range rows {
			if r.source != source {
				continue
			}
			n++
			if id.Sources[highest(words[i])] == source {
				right++
			}
			if id.Sources[highest(length[i])] == source {
				rightByLength++
			}
		}
		most = max(most, n)
		all, of := float64(len(rows)), float64(n*len(id.Sources))
		id.Accuracy += float64(right) / all
		id.LengthAccuracy += float64(rightByLength) / all
		id.Balanced += float64(right) / of
		id.LengthBalanced += float64(rightByLength) / of
	}
	id.Majority = float64(most) / float64(len(rows))
	for i, r := range rows {
		total, own := 0.0, 0.0
		for k, score := range words[i] {
			total += score
			if id.Sources[k] == r.source {
				own = score
			}
		}
		id.Own = append(id.Own, own/total)
	}
}

// highest returns the place of the highest score, of equal ones the first.
func highest(scores []float64) int {
	at := 0
	for i, s := range scores {
		if s > scores[at] {
			at = i
		}
	}
	return at
}
