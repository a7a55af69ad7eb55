package subtype

// lexicon holds ordinary and typical words in folded form, to recognise decoded texts; those of four letters or more
// also with common endings. The same words shifted by 13 letters and written backwards are kept beside them, and those
// that are English.
type lexicon struct{ plain, shifted, mirrored, english map[string]bool }

func newLexicon() lexicon {
	return lexicon{plain: map[string]bool{}, shifted: map[string]bool{}, mirrored: map[string]bool{},
		english: map[string]bool{}}
}

func (l lexicon) add(w string) {
	if len(w) < 3 || l.plain[w] {
		return
	}
	forms := []string{w}
	if len(w) >= 4 {
		forms = append(forms, w+"s", w+"ed", w+"d", w+"ing", w+"es")
	}
	for _, f := range forms {
		l.plain[f] = true
		l.shifted[shift13(f)] = true
		if len(f) >= 4 {
			l.mirrored[mirror(f)] = true
		}
	}
}

// shift13 shifts the letters of a folded word by 13.
func shift13(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = 'a' + (c-'a'+13)%26
		}
	}
	return string(b)
}

// mirror writes the bytes of a word backwards.
func mirror(s string) string {
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	return string(b)
}
