package dataset

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// maxDepth is how deep the values of an object may be nested.
const maxDepth = 200

// jsonScanner reads JSON values (RFC 8259) strictly: no duplicate names in a row, no lone surrogates, no control
// characters inside strings. The source is valid UTF-8.
type jsonScanner struct {
	file string // for messages
	src  string // may end before the file does: at the end of the line
	pos  int
	row  string // "element 3: " inside a list, for messages
}

// value reads the next value. A string comes decoded, null empty, and everything else as it is written.
func (j *jsonScanner) value(depth int) (string, kind, error) {
	if j.pos == len(j.src) {
		return "", absent, j.ends("a value")
	}
	start := j.pos
	switch c := j.src[j.pos]; {
	case c == '"':
		s, err := j.str()
		return s, stringKind, err
	case c == '-' || c >= '0' && c <= '9':
		err := j.number()
		return j.src[start:j.pos], numberKind, err
	case c == '{' || c == '[':
		if depth == maxDepth {
			return "", absent, j.fail(start, "values are nested more than %d deep", maxDepth)
		}
		k := objectKind
		if c == '[' {
			k = listKind
		}
		err := j.container(depth + 1)
		return j.src[start:j.pos], k, err
	case j.take("true"), j.take("false"):
		return j.src[start:j.pos], boolKind, nil
	case j.take("null"):
		return "", nullKind, nil
	}
	return "", absent, j.fail(start, "%s stands where a value should", fault.Quote(j.word()))
}

// object reads an object and hands each member to the callback.
func (j *jsonScanner) object(depth int, member func(name, value string, k kind, start int) error) error {
	j.pos++ // {
	for first := true; ; first = false {
		j.space()
		if first && j.take("}") {
			return nil
		}
		if j.pos == len(j.src) {
			return j.ends("a name")
		}
		start := j.pos
		if j.src[j.pos] != '"' {
			return j.fail(start, "%s stands where a name in quotes should", fault.Quote(j.word()))
		}
		name, err := j.str()
		if err != nil {
			return err
		}
		j.space()
		if !j.take(":") {
			return j.missing("a colon", start)
		}
		j.space()
		value, k, err := j.value(depth)
		if err != nil {
			return err
		}
		if err := member(name, value, k, start); err != nil {
			return err
		}
		j.space()
		if j.take("}") {
			return nil
		}
		if !j.take(",") {
			return j.missing("a comma or }", start)
		}
	}
}

// container skips an object or a list.
func (j *jsonScanner) container(depth int) error {
	if j.src[j.pos] == '{' {
		return j.object(depth, func(string, string, kind, int) error { return nil })
	}
	start := j.pos
	j.pos++ // [
	for first := true; ; first = false {
		j.space()
		if first && j.take("]") {
			return nil
		}
		if _, _, err := j.value(depth); err != nil {
			return err
		}
		j.space()
		if j.take("]") {
			return nil
		}
		if !j.take(",") {
			return j.missing("a comma or ]", start)
		}
	}
}

// str reads a string; pos is at its opening quote.
func (j *jsonScanner) str() (string, error) {
	open := j.pos
	start := open + 1
	var b strings.Builder
	for i := start; i < len(j.src); i++ {
		switch c := j.src[i]; {
		case c == '"':
			j.pos = i + 1
			if b.Len() == 0 {
				return j.src[start:i], nil
			}
			b.WriteString(j.src[start:i])
			return b.String(), nil
		case c < 0x20:
			return "", j.fail(i, "a string holds the control character U+%04X as it is, expected an escape", c).
				WithCure("write it as \\u%04x", c)
		case c == '\\':
			b.WriteString(j.src[start:i])
			n, r, err := j.escape(i)
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			i += n - 1
			start = i + 1
		}
	}
	j.pos = len(j.src)
	return "", j.ends("the closing quote of a string")
}

// escape decodes the escape sequence at an offset and returns its length.
func (j *jsonScanner) escape(i int) (int, rune, error) {
	if i+1 == len(j.src) {
		j.pos = len(j.src)
		return 0, 0, j.ends("the rest of an escape")
	}
	const plain, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := j.src[i+1]
	if at := strings.IndexByte(plain, c); at >= 0 {
		return 2, rune(means[at]), nil
	}
	if c != 'u' {
		_, n := utf8.DecodeRuneInString(j.src[i+1:])
		return 0, 0, j.fail(i, "a string holds the escape %s, which JSON does not know", fault.Quote(j.src[i:i+1+n]))
	}
	r, ok := hex4(j.src[i+2:])
	if !ok {
		return 0, 0, j.fail(i, `a string holds \u without four hexadecimal digits`)
	}
	if !utf16.IsSurrogate(r) {
		return 6, r, nil
	}
	if rest := j.src[i+6:]; strings.HasPrefix(rest, `\u`) {
		if low, ok := hex4(rest[2:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return 12, pair, nil
			}
		}
	}
	return 0, 0, j.fail(i, `a string holds half a surrogate pair (\u%04x), which is no character`, r).
		WithCure("write the text again from its source, or drop the escape")
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for i := range 4 {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// number reads a number and checks its grammar.
func (j *jsonScanner) number() error {
	start := j.pos
	word := j.word()
	s := strings.TrimPrefix(word, "-")
	digits := func() bool {
		n := len(s) - len(strings.TrimLeft(s, "0123456789"))
		s = s[n:]
		return n > 0
	}
	zero := strings.HasPrefix(s, "0")
	before := len(s)
	ok := digits() && !(zero && before-len(s) > 1)
	if ok && strings.HasPrefix(s, ".") {
		s = s[1:]
		ok = digits()
	}
	if ok && s != "" && s[0]|0x20 == 'e' {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		ok = digits()
	}
	if !ok || s != "" {
		return j.fail(start, "%s is no number", fault.Quote(word))
	}
	j.pos += len(word)
	return nil
}

// word returns what stands at pos up to the next delimiter.
func (j *jsonScanner) word() string {
	rest := j.src[j.pos:]
	if n := strings.IndexAny(rest, " \t\r\n,:[]{}\""); n > 0 {
		return rest[:n]
	} else if n == 0 {
		return rest[:1]
	}
	return rest
}

func (j *jsonScanner) space() {
	for j.pos < len(j.src) && strings.IndexByte(" \t\r\n", j.src[j.pos]) >= 0 {
		j.pos++
	}
}

func (j *jsonScanner) take(s string) bool {
	if strings.HasPrefix(j.src[j.pos:], s) {
		j.pos += len(s)
		return true
	}
	return false
}

// missing reports what should stand at pos.
func (j *jsonScanner) missing(what string, start int) error {
	if j.pos == len(j.src) {
		return j.ends(what)
	}
	return j.fail(j.pos, "%s stands where %s should", fault.Quote(j.word()), what)
}

// endError reports that the source ended inside a value. The caller knows what that means and adds the cure.
type endError struct{ fault *fault.Error }

func (e *endError) Error() string { return e.fault.Error() }

func (j *jsonScanner) ends(what string) error {
	line := at(j.file, lineOf(j.src, max(0, len(j.src)-1)))
	return &endError{fail(line, "%sthe text ends where %s should stand", j.row, what)}
}

func (j *jsonScanner) fail(offset int, format string, args ...any) *fault.Error {
	return fail(at(j.file, lineOf(j.src, offset)), "%s"+format, append([]any{j.row}, args...)...)
}
