package subtype

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxGap bounds the words that a gap may skip, so that evidence stays together.
const maxGap = 20

var gapToken = regexp.MustCompile(`^(\.\.\.?)(\d{1,2})$`)

// compiler turns the patterns of a data file into items.
type compiler struct {
	dict *dictionary
	sets map[string][]string
	used map[string]bool
	ids  map[string]int // class by its source
}

// pattern compiles one pattern:
//
//	word  word*      a word, a stem that may go on
//	(a|b c|d*)       one of several terms
//	@name            a term of a named set
//	x?               may be absent
//	..n  ...n        at most n words may stand between, inside the clause or beyond it
//	/re/             one word of that shape, capitals counting
//	:  `  \(         these signs stand between the neighbouring words; a stroke before one only quotes it
//	^  $             here a clause (or a part behind a sign such as a colon) begins, a clause ends
func (c *compiler) pattern(src string, cased bool) (pattern, error) {
	var p pattern
	var literal []string // neighbouring plain words become one term
	gap, across, pending := 0, false, false
	put := func(it item) {
		it.gap, it.across = gap, across
		gap, across, pending = 0, false, false
		p.items = append(p.items, it)
	}
	flush := func() error {
		if len(literal) == 0 {
			return nil
		}
		id, err := c.class([]string{strings.Join(literal, " ")}, cased)
		literal = nil
		if err == nil {
			put(item{kind: class, class: id})
		}
		return err
	}
	tokens, err := cut(src)
	if err != nil {
		return p, err
	}
	for _, tok := range tokens {
		body, optional := strings.CutSuffix(tok, "?")
		optional = optional && body != ""
		if !optional {
			body = tok
		}
		plain := !optional && strings.IndexFunc(body, isWord) >= 0 && !strings.ContainsAny(body, "@(/.")
		if plain {
			literal = append(literal, body)
			continue
		}
		if err := flush(); err != nil {
			return p, err
		}
		if pending && optional {
			return p, fmt.Errorf("%q may be absent right behind a gap", tok)
		}
		switch m := gapToken.FindStringSubmatch(body); {
		case m != nil:
			n, _ := strconv.Atoi(m[2])
			if n > maxGap || n == 0 && m[1] == ".." || pending || len(p.items) == 0 || optional {
				return p, fmt.Errorf("gap %q is misplaced or not within 1 to %d", tok, maxGap)
			}
			gap, across, pending = n, m[1] == "...", true
		case body == "^" || body == "$" || !isShape(body) && strings.IndexFunc(body, isWord) < 0:
			if optional {
				return p, fmt.Errorf("%q is marked as optional", tok)
			}
			put(item{kind: signKind(body), sign: strings.TrimPrefix(body, `\`)})
		case isShape(body):
			re, err := regexp.Compile("^(?:" + body[1:len(body)-1] + ")$")
			if err != nil {
				return p, fmt.Errorf("shape %q does not parse", tok)
			}
			put(item{kind: shape, shape: re, optional: optional})
		default:
			terms := []string{body}
			if name, ok := strings.CutPrefix(body, "@"); ok {
				if terms = c.sets[name]; terms == nil {
					return p, fmt.Errorf("there is no set %q", name)
				}
				c.used[name] = true
			} else if body[0] == '(' {
				terms = strings.Split(strings.Trim(body, "()"), "|")
			}
			id, err := c.class(terms, cased)
			if err != nil {
				return p, err
			}
			put(item{kind: class, class: id, optional: optional})
		}
	}
	if err := flush(); err != nil {
		return p, err
	}
	if pending {
		return p, fmt.Errorf("a gap stands at the end")
	}
	first := slices.IndexFunc(p.items, func(it item) bool { return it.kind == class || it.kind == shape })
	if first < 0 || p.items[first].optional {
		return p, fmt.Errorf("it must begin with a word that is not optional")
	}
	return p, nil
}

func isShape(tok string) bool { return len(tok) > 2 && tok[0] == '/' && tok[len(tok)-1] == '/' }

func signKind(tok string) kind {
	switch tok {
	case "^":
		return opens
	case "$":
		return ends
	}
	return sign
}

// class returns the class of the terms. Equal classes are one. A term that an earlier one covers could never decide
// anything and is an error.
func (c *compiler) class(terms []string, cased bool) (int, error) {
	key := strconv.FormatBool(cased) + "\x00" + strings.Join(terms, "|")
	if id, ok := c.ids[key]; ok {
		return id, nil
	}
	id := len(c.dict.classes)
	var all []term
	for _, src := range terms {
		t := term{class: id}
		if cased {
			t.cased = src
		}
		for _, w := range strings.FieldsFunc(src, func(r rune) bool { return !isWord(r) && r != '*' }) {
			fold, stem := strings.CutSuffix(w, "*")
			if fold = foldWord(fold); fold == "" || strings.Contains(fold, "*") || stem && utf8.RuneCountInString(fold) < 3 {
				return 0, fmt.Errorf("term %q holds no word, or a stem of less than three letters", src)
			}
			t.words = append(t.words, termWord{fold, stem})
		}
		if len(t.words) == 0 {
			return 0, fmt.Errorf("term %q holds no word", src)
		}
		for i, other := range all {
			if !cased && (t.covers(other) || other.covers(t)) {
				return 0, fmt.Errorf("terms %q and %q match the same, one is dead", src, terms[i])
			}
		}
		all = append(all, t)
	}
	for _, t := range all {
		c.dict.add(t)
	}
	c.dict.classes = append(c.dict.classes, key)
	c.ids[key] = id
	return id, nil
}

// covers reports whether every text that other matches, t matches too.
func (t term) covers(other term) bool {
	if len(t.words) != len(other.words) {
		return false
	}
	for i, w := range t.words {
		if o := other.words[i]; !w.accepts(o.fold) || o.stem && !w.stem {
			return false
		}
	}
	return true
}

// cut splits a pattern at white space outside brackets and shapes.
func cut(src string) ([]string, error) {
	var out []string
	for src = strings.TrimSpace(src); src != ""; src = strings.TrimSpace(src) {
		end := strings.IndexByte(src, ' ')
		switch {
		case src[0] == '(':
			end = strings.IndexByte(src, ')') + 1
		case src[0] == '/' && len(src) > 1 && src[1] != ' ':
			end = strings.IndexByte(src[1:], '/') + 2
			if end == 1 {
				end = 0
			}
		case end < 0:
			end = len(src)
		}
		if end <= 0 {
			return nil, fmt.Errorf("%q is not closed", src)
		}
		if strings.HasPrefix(src[end:], "?") {
			end++
		}
		out = append(out, src[:end])
		src = src[end:]
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	return out, nil
}
