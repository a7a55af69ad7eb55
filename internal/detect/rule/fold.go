package rule

import "unicode"

// fold maps every rune of the text to one ASCII byte, so that Go's ASCII-only \b, \w and \s mean what their Unicode
// counterparts mean on the original: letters that fold to an ASCII letter become that letter in lower case, other word
// characters '0', white space ' ' and everything else '!'. No pattern holds a digit or an exclamation mark, so the
// stand-ins never match a literal.
func fold(text string) string {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		switch {
		case 'A' <= r && r <= 'Z':
			out = append(out, byte(r)+'a'-'A')
		case r == '\v' || 0x1c <= r && r <= 0x1f: // white space in Unicode-aware matching, but not in RE2's \s
			out = append(out, ' ')
		case r < 0x80:
			out = append(out, byte(r))
		case r == 'ſ':
			out = append(out, 's')
		case r == '\u212a': // Kelvin sign
			out = append(out, 'k')
		case r == 'İ' || r == 'ı':
			out = append(out, 'i')
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			out = append(out, '0')
		case unicode.IsSpace(r):
			out = append(out, ' ')
		default:
			out = append(out, '!')
		}
	}
	return string(out)
}
