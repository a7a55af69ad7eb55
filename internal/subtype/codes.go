package subtype

import "strings"

// charCodes finds numbers that are the codes of letters, signs and blanks, five or more, decimal or hexadecimal, parted
// only by commas, blanks, plus signs, brackets and a repeated call such as chr(…).
func charCodes(v *view) (start, end int, ok bool) {
	var b []byte
	first, last := 0, 0
	done := func() bool { return len(b) >= 5 && readable(b) }
	for i, w := range v.words {
		r, isCode := code(v.text[w.start:w.end])
		if len(b) > 0 && strings.Trim(v.gap(i), " ,;+()[]._\t") == "" {
			if isCode {
				b, last = append(b, byte(r)), w.end
			}
			if isCode || w.fold == "chr" || w.fold == "char" || w.fold == "string" || w.fold == "fromcharcode" {
				continue
			}
		}
		if done() {
			return first, last, true
		}
		b = b[:0]
		if isCode {
			first, last = w.start, w.end
			b = append(b, byte(r))
		}
	}
	return first, last, done()
}

// code reads a decimal or 0x code of a printable ASCII character.
func code(s string) (rune, bool) {
	var r rune
	var n int
	if hex, ok := strings.CutPrefix(s, "0x"); ok && len(hex) == 2 {
		r, n = number(hex, 16, 1)
	} else if len(s) == 2 || len(s) == 3 {
		r, n = number(s, 10, 1)
	}
	return r, n > 0 && r >= 32 && r < 127
}

var morseCode = func() map[string]byte {
	m := map[string]byte{}
	for i, s := range strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - " +
		"..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.") {
		m[s] = "abcdefghijklmnopqrstuvwxyz0123456789"[i]
	}
	return m
}()

var morseSigns = strings.NewReplacer("·", ".", "•", ".", "–", "-", "—", "-", "−", "-", "_", "-")

// morse finds Morse code: eight signs or more that all are letters, parted by blanks and strokes, not all the same.
func morse(v *view) (start, end int, ok bool) {
	if strings.Count(v.text, "-")+strings.Count(v.text, ".")+strings.Count(v.text, "–")+strings.Count(v.text, "—")+
		strings.Count(v.text, "·")+strings.Count(v.text, "•")+strings.Count(v.text, "_") < 16 {
		return 0, 0, false
	}
	n, kinds := 0, map[byte]bool{}
	at := 0
	for i := 0; i < len(v.text); {
		for i < len(v.text) && (v.text[i] == ' ' || v.text[i] == '/' || v.text[i] == '|' || v.text[i] == '\n') {
			i++
		}
		from := i
		for i < len(v.text) && v.text[i] != ' ' && v.text[i] != '/' && v.text[i] != '|' && v.text[i] != '\n' {
			i++
		}
		tok := v.text[from:i]
		c := byte(0)
		if len(tok) <= 24 {
			c = morseCode[morseSigns.Replace(strings.Trim(tok, "\"'`,:()"))]
		}
		switch {
		case c != 0:
			if n == 0 {
				start = from
			}
			n, at, kinds[c] = n+1, i, true
		case tok != "":
			if n >= 8 && len(kinds) >= 4 {
				return start, at, true
			}
			n = 0
			clear(kinds)
		}
	}
	return start, at, n >= 8 && len(kinds) >= 4
}
