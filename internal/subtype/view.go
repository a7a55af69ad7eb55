package subtype

import (
	"strings"
	"unicode/utf8"
)

// word is a maximal run of letters, digits and marks; invisible characters inside do not end it.
type word struct {
	start, end int    // bytes of the text
	fold       string // folded form
	clause     int    // number of the clause it stands in
	known      bool   // the lexicon has it
}

// span is a run of words: from the first to before the last.
type span struct{ from, to int }

// view is a text cut into words, with the places where the words of the rules stand.
type view struct {
	text    string
	words   []word
	byClass [][]span // by class of the dictionary: occurrences in the order of their start
	touched []int
	buf     []byte
	lexicon lexicon
	a, b    []span // states of a pattern
}

func (v *view) read(text string, d *dictionary) {
	for _, c := range v.touched {
		v.byClass[c] = v.byClass[c][:0]
	}
	v.text, v.words, v.touched, v.lexicon = text, v.words[:0], v.touched[:0], d.lexicon
	v.split()
	v.mend()
	for i := range v.words {
		v.words[i].known = d.lexicon.plain[v.words[i].fold]
		d.lookup(v, i)
	}
}

// split finds the words and numbers the clauses. A clause ends at a line end, and at . ! ? … and their kin unless a
// letter or digit follows at once, so that evil.example and os.system stay whole.
func (v *view) split() {
	text, clause := v.text, 0
	stop := false
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		if !isWord(r) {
			switch r {
			case '\n', '\r', '\u2028', '\u2029', '。', '！', '？', '।':
				clause++
				stop = false
			case '.', '!', '?', '…':
				stop = true
				i += n
				continue
			}
			if stop {
				clause++
				stop = false
			}
			i += n
			continue
		}
		stop = false
		start := i
		v.buf = v.buf[:0]
		ascii := true
		for i < len(text) {
			c := text[i]
			if c < utf8.RuneSelf {
				if !isWord(rune(c)) {
					break
				}
				if 'A' <= c && c <= 'Z' {
					c += 'a' - 'A'
					ascii = false // not as it stands
				}
				v.buf = append(v.buf, c)
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(text[i:])
			if !isWord(r) && !isInvisible(r) {
				break
			}
			ascii = false
			v.buf = appendFold(v.buf, r)
			i += n
		}
		w := word{start: start, end: i, clause: clause}
		if ascii {
			w.fold = text[start:i]
		} else {
			w.fold = string(v.buf)
		}
		if w.fold != "" {
			v.words = append(v.words, w)
		}
	}
}

// mend joins two pieces of an English word that one sign parts, as in ig-nore; one piece at least is no word itself.
func (v *view) mend() {
	kept := 0
	for i := 0; i < len(v.words); i++ {
		w := v.words[i]
		if i+1 < len(v.words) {
			next := v.words[i+1]
			if next.start-w.end == 1 && strings.IndexByte("-_+.*~", v.text[w.end]) >= 0 && w.clause == next.clause &&
				len(w.fold) >= 2 && len(next.fold) >= 2 && len(w.fold)+len(next.fold) <= 16 &&
				!(v.lexicon.plain[w.fold] && v.lexicon.plain[next.fold]) {
				v.buf = append(append(v.buf[:0], w.fold...), next.fold...)
				if v.lexicon.english[string(v.buf)] {
					w.fold, w.end = string(v.buf), next.end
					i++
				}
			}
		}
		v.words[kept] = w
		kept++
	}
	v.words = v.words[:kept]
}

// gap returns the text between word i-1 and word i; i may be 0 and the number of words.
func (v *view) gap(i int) string {
	from, to := 0, len(v.text)
	if i > 0 {
		from = v.words[i-1].end
	}
	if i < len(v.words) {
		to = v.words[i].start
	}
	return v.text[from:to]
}

// opens reports whether word i is the first of its clause, or behind a sign that parts a sentence.
func (v *view) opens(i int) bool {
	if i == 0 || i < len(v.words) && v.words[i].clause != v.words[i-1].clause {
		return true
	}
	return strings.ContainsAny(v.gap(i), ":;([{<>\"`|*#=,")
}

// ends reports whether no word of the same clause follows word i-1.
func (v *view) ends(i int) bool {
	return i == len(v.words) || i > 0 && v.words[i].clause != v.words[i-1].clause
}
