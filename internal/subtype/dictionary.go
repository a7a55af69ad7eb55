package subtype

import (
	"strings"
	"unicode/utf8"
)

// term is one alternative of a class: words that follow each other in one clause.
type term struct {
	class int
	words []termWord
	cased string // the words as written when their capitals count
}

type termWord struct {
	fold string
	stem bool // the word may go on
}

// dictionary finds the terms of all classes that begin at a word.
type dictionary struct {
	classes []string           // the source of each class, for equal ones to be shared
	words   map[string][]term  // by the first word
	stems   map[[3]byte][]term // by the first three bytes of the first word, when that is a stem
	lexicon lexicon
}

func newDictionary() *dictionary {
	return &dictionary{words: map[string][]term{}, stems: map[[3]byte][]term{}, lexicon: newLexicon()}
}

func (d *dictionary) add(t term) {
	if first := t.words[0]; first.stem {
		key := [3]byte([]byte(first.fold))
		d.stems[key] = append(d.stems[key], t)
	} else {
		d.words[first.fold] = append(d.words[first.fold], t)
	}
	for _, w := range t.words {
		if len(w.fold) >= 4 {
			d.lexicon.add(w.fold)
		}
	}
}

// lookup records the terms that begin at word i, under its folded form or, where that is unknown and mixes letters with
// digits, under what the digits stand for.
func (d *dictionary) lookup(v *view, i int) {
	if d.under(v, i, v.words[i].fold) || !mixesDigits(v.words[i].fold) {
		return
	}
	plain := unleet(v.words[i].fold, 'i')
	if d.under(v, i, plain) || !strings.Contains(v.words[i].fold, "1") {
		return
	}
	d.under(v, i, unleet(v.words[i].fold, 'l'))
}

func (d *dictionary) under(v *view, i int, fold string) (found bool) {
	for _, t := range d.words[fold] {
		found = d.record(v, i, t) || found
	}
	if len(fold) < 3 {
		return found
	}
	for _, t := range d.stems[[3]byte([]byte(fold[:3]))] {
		if strings.HasPrefix(fold, t.words[0].fold) {
			found = d.record(v, i, t) || found
		}
	}
	return found
}

func (d *dictionary) record(v *view, i int, t term) bool {
	end := i + len(t.words)
	if end > len(v.words) {
		return false
	}
	for k, w := range t.words[1:] {
		at := v.words[i+1+k]
		if at.clause != v.words[i].clause || !w.accepts(at.fold) {
			return false
		}
	}
	if t.cased != "" && !equalCased(v, i, end, t.cased) {
		return false
	}
	same := v.byClass[t.class]
	if n := len(same); n > 0 && same[n-1] == (span{i, end}) {
		return true
	}
	if len(same) == 0 {
		v.touched = append(v.touched, t.class)
	}
	v.byClass[t.class] = append(same, span{i, end})
	return true
}

func (w termWord) accepts(fold string) bool {
	return fold == w.fold || w.stem && strings.HasPrefix(fold, w.fold)
}

// equalCased reports whether the words stand in the text with the capitals of the rule.
func equalCased(v *view, from, to int, want string) bool {
	for i, w := range strings.Fields(want) {
		have := v.text[v.words[from+i].start:v.words[from+i].end]
		if stem, ok := strings.CutSuffix(w, "*"); ok && strings.HasPrefix(have, stem) {
			continue
		}
		if have != w {
			return false
		}
	}
	return to-from == len(strings.Fields(want))
}

// mixesDigits reports whether a folded word holds both letters and digits.
func mixesDigits(s string) bool {
	digit, letter := false, false
	for i := range len(s) {
		if c := s[i]; '0' <= c && c <= '9' {
			digit = true
		} else if 'a' <= c && c <= 'z' || c >= utf8.RuneSelf {
			letter = true
		}
	}
	return digit && letter
}

// unleet replaces digits by the letters they stand for; one is what 1 stands for.
func unleet(s string, one byte) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1':
			return rune(one)
		case '3':
			return 'e'
		case '4':
			return 'a'
		case '5':
			return 's'
		case '7':
			return 't'
		case '8':
			return 'b'
		case '9':
			return 'g'
		}
		return r
	}, s)
}
