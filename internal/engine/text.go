package engine

import (
	"slices"
	"strings"
)

// text is one distinct text and what is known about it so far. Between tokenising and its result a text belongs to the
// run's lock.
type text struct {
	text  string // without NUL bytes
	rows  []occurrence
	alone bool
	begun bool

	tokens  int        // of the whole text, special tokens counted once; 0 for detectors without tokens
	seen    int        // the part of them that the windows hold
	windows [][]uint32 // the windows that count, without special tokens
	left    int        // windows that have no score yet
	score   float64    // largest so far
	failed  int        // the first window that failed, if err is set
	err     error
}

// occurrence is a row that holds the text.
type occurrence struct {
	row  int
	nuls int // NUL bytes that the row's own text had
}

// distinct groups the items by their text without NUL bytes, in order of first appearance. A text is alone when one of
// its rows is.
func distinct(items []Item) []*text {
	texts := make([]*text, 0, len(items))
	known := make(map[string]*text, len(items))
	for _, it := range items {
		nuls := strings.Count(it.Text, "\x00")
		clean := it.Text
		if nuls > 0 {
			clean = strings.ReplaceAll(clean, "\x00", "")
		}
		t := known[clean]
		if t == nil {
			t = &text{text: clean}
			known[clean] = t
			texts = append(texts, t)
		}
		t.rows = append(t.rows, occurrence{it.Row, nuls})
		t.alone = t.alone || it.Alone
	}
	return texts
}

// rowsOf lists the rows of the texts in ascending order.
func rowsOf(texts []*text) []int {
	var rows []int
	for _, t := range texts {
		for _, o := range t.rows {
			rows = append(rows, o.row)
		}
	}
	slices.Sort(rows)
	return rows
}

// pool takes in the score or the error of the text's window i. The error kept is that of the first failing window,
// whichever fails first in time.
func (t *text) pool(i int, score float64, err error) {
	t.left--
	switch {
	case err != nil:
		if t.err == nil || i < t.failed {
			t.err, t.failed = err, i
		}
	default:
		t.score = max(t.score, score)
	}
}
