package subtype

import (
	"regexp"
	"slices"
	"strings"
)

// kind is what an item of a pattern asks for.
type kind int

const (
	class kind = iota // one of the terms of a class
	shape             // a single word of a shape, with its capitals
	sign              // a sign between two words
	opens             // the start of a clause
	ends              // the end of a clause
)

// item is one part of a pattern.
type item struct {
	kind     kind
	optional bool
	class    int
	shape    *regexp.Regexp
	sign     string
	gap      int  // words that may stand before it
	across   bool // the gap may leave the clause
}

// pattern is a sequence of items.
type pattern struct{ items []item }

// find returns the words of the match that ends first. States are spans: where the match began, and the next word.
func (p *pattern) find(v *view) (from, to int, ok bool) {
	for _, it := range p.items {
		if it.kind == class && !it.optional && len(v.byClass[it.class]) == 0 {
			return 0, 0, false
		}
	}
	cur, next := v.a[:0], v.b[:0]
	defer func() { v.a, v.b = cur, next }()
	first := 0 // items before the first words are conditions on where those begin
	for p.items[first].kind != class && p.items[first].kind != shape {
		first++
	}
	for k := first; k < len(p.items); k++ {
		it := &p.items[k]
		next = next[:0]
		switch {
		case it.kind == sign || it.kind == ends || it.kind == opens:
			next = it.conditions(v, cur, next)
		case k == first && it.kind == class:
			for _, s := range v.byClass[it.class] {
				if p.begins(v, first, s.from) {
					next = append(next, s)
				}
			}
		case k == first:
			for i := range v.words {
				if p.begins(v, first, i) && it.fits(v, i) {
					next = append(next, span{i, i + 1})
				}
			}
		case it.kind == class:
			next = it.join(v, cur, next)
		default:
			next = it.shapes(v, cur, next)
		}
		if it.optional {
			next = union(next, cur)
		}
		cur, next = next, cur
		if len(cur) == 0 {
			return 0, 0, false
		}
	}
	return cur[0].from, cur[0].to, true
}

func (p *pattern) begins(v *view, first, at int) bool {
	for k := range first {
		if !p.items[k].holds(v, at) {
			return false
		}
	}
	return true
}

// holds reports whether a condition holds before word i.
func (it *item) holds(v *view, i int) bool {
	switch it.kind {
	case opens:
		return v.opens(i)
	case ends:
		return v.ends(i)
	}
	return strings.Contains(v.gap(i), it.sign)
}

// join continues states by the terms of a class. For each occurrence the nearest state before it serves: when that is
// too far or in another clause, so are all others. Both lists are sorted, so the time is linear.
func (it *item) join(v *view, states, next []span) []span {
	i := 0
	for _, o := range v.byClass[it.class] {
		for i < len(states) && states[i].to <= o.from {
			i++
		}
		if i == 0 {
			continue
		}
		if s := states[i-1]; o.from-s.to <= it.gap && it.reaches(v, s.to, o.from) {
			next = append(next, span{s.from, o.to})
		}
	}
	return ordered(next)
}

// conditions continues states to the places within the gap where a condition holds.
func (it *item) conditions(v *view, states, next []span) []span {
	done := 0
	for _, s := range states {
		for i := max(s.to, done); i <= len(v.words) && i-s.to <= it.gap; i++ {
			if i > s.to && !it.reaches(v, s.to, i-1) {
				break
			}
			if it.holds(v, i) {
				next = append(next, span{s.from, i})
			}
			done = i + 1
		}
	}
	return ordered(next)
}

// shapes continues states by words of a shape, within the gap.
func (it *item) shapes(v *view, states, next []span) []span {
	done := 0
	for _, s := range states {
		for i := max(s.to, done); i < len(v.words) && i-s.to <= it.gap && it.reaches(v, s.to, i); i++ {
			if it.fits(v, i) {
				next = append(next, span{s.from, i + 1})
			}
			done = i + 1
		}
	}
	return ordered(next)
}

// maxShape bounds the bytes of a word that a shape looks at.
const maxShape = 256

// fits reports whether word i has the shape.
func (it *item) fits(v *view, i int) bool {
	w := v.text[v.words[i].start:v.words[i].end]
	return len(w) <= maxShape && it.shape.MatchString(w)
}

// reaches reports whether word i may follow the words before word at.
func (it *item) reaches(v *view, at, i int) bool {
	return it.across || v.words[at-1].clause == v.words[i].clause
}

// ordered sorts states by where they go on, which they nearly are already, and keeps one a place.
func ordered(s []span) []span {
	if !slices.IsSortedFunc(s, byEnd) {
		slices.SortFunc(s, byEnd)
	}
	return slices.CompactFunc(s, func(a, b span) bool { return a.to == b.to })
}

func union(a, b []span) []span { return ordered(append(a, b...)) }

func byEnd(a, b span) int {
	if a.to != b.to {
		return a.to - b.to
	}
	return b.from - a.from // the nearer start first
}
