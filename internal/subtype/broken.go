package subtype

// stretch finds words that mostly are hits: three of them, between which misses, and typical words twice, do not
// outweigh the hits.
func (v *view) stretch(hit func(w *word) bool) (start, end int, ok bool) {
	from, to, hits, balance := 0, 0, 0, 0
	for i := range v.words {
		w := &v.words[i]
		if len(w.fold) < 3 {
			continue
		}
		h := !w.known && hit(w)
		switch {
		case h && hits == 0:
			from, to, hits, balance = i, i+1, 1, 2
		case h:
			to, hits, balance = i+1, hits+1, min(balance+1, 4)
		case hits > 0 && w.known:
			balance -= 2
		case hits > 0:
			balance--
		}
		if hits >= 3 {
			return v.words[from].start, v.words[min(to, len(v.words))-1].end, true
		}
		if hits > 0 && balance < 0 {
			hits = 0
		}
	}
	return 0, 0, false
}

// rot13 finds text shifted by 13 letters: three typical words close together after shifting back.
func rot13(v *view) (start, end int, ok bool) {
	return v.stretch(func(w *word) bool { return v.lexicon.shifted[w.fold] })
}

// reversed finds text written backwards: three typical words close together that read from right to left.
func reversed(v *view) (start, end int, ok bool) {
	return v.stretch(func(w *word) bool { return v.lexicon.mirrored[w.fold] })
}

// spaced finds words broken up by blanks or signs: letter by letter, or in pieces that only together are words.
func spaced(v *view) (start, end int, ok bool) {
	first, run := 0, 0 // single letters, or digits for letters, close together
	for i := 0; i <= len(v.words); i++ {
		single := i < len(v.words) && len(v.words[i].fold) == 1
		if single && run > 0 && v.words[i].start-v.words[i-1].end <= 8 {
			run++
			continue
		}
		if run >= 5 && v.spells(first, first+run) {
			return v.words[first].start, v.words[first+run-1].end, true
		}
		if run = 0; single {
			first, run = i, 1
		}
	}
	pieces := 0 // short and no words
	for i := range v.words {
		if !v.words[i].known && len(v.words[i].fold) <= 5 {
			pieces++
		}
	}
	if pieces < 2 || 6*pieces < len(v.words) {
		return 0, 0, false
	}
	joined, n := 0, 0
	for i := 0; i < len(v.words); {
		n++
		if k := v.joins(i); k > 1 {
			if joined == 0 {
				start = v.words[i].start
			}
			joined++
			end = v.words[i+k-1].end
			i += k
			continue
		}
		i++
	}
	return start, end, (joined >= 2 || joined == 1 && 2*pieces >= len(v.words)) && 3*joined >= n
}

// spells reports whether single letters, read on, hold a typical word of five letters or more.
func (v *view) spells(from, to int) bool {
	var b []byte
	for _, w := range v.words[from:to] {
		b = append(b, w.fold...)
	}
	s := unleet(string(b), 'i')
	for i := range s {
		for n := 5; n <= 12 && i+n <= len(s); n++ {
			if v.lexicon.plain[s[i:i+n]] {
				return true
			}
		}
	}
	return false
}

// joins returns how many pieces from word i on make up a typical word of six letters or more; at least one of them must
// be no word itself.
func (v *view) joins(i int) int {
	v.buf = v.buf[:0]
	broken := false
	for k := i; k < min(i+6, len(v.words)); k++ {
		w := v.words[k].fold
		if len(w) > 8 {
			return 0
		}
		broken = broken || !v.words[k].known
		v.buf = append(v.buf, w...)
		if k > i && broken && len(v.buf) >= 6 && v.lexicon.plain[string(v.buf)] {
			return k - i + 1
		}
	}
	return 0
}
