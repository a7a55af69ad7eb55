package grammar

import (
	"strconv"
	"strings"
	"unicode"

	"pidsbench/internal/codec"
)

// kind says what a part of a text is.
type kind int

const (
	literal   kind = iota
	group          // alternatives
	slotRef        // {name}, {name#2}, {name:form}
	encodeRef      // {encode:scheme:name}
	schemeRef      // {scheme}: what the frame's encoding is called
	article        // {a}: a or an
	capital        // {cap}: the next letter is a capital
)

// node is one part of a text.
type node struct {
	kind    kind
	text    string // of a literal
	options []option
	name    string        // of the slot
	nth     int           // which of the different values of the slot, from 1
	forms   []string      // of the slot's value
	scheme  *codec.Scheme // of an encoding; nil when the frame's choice is meant
	path    string        // of a group: where in the frame it is
	line    int
}

// option is one alternative, or one value of a slot.
type option struct {
	nodes  []node
	weight int
}

// show writes nodes in the notation, for comparing and for messages.
func show(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		switch n.kind {
		case literal:
			b.WriteString(n.text)
		case group:
			b.WriteByte('(')
			for i, o := range n.options {
				if i > 0 {
					b.WriteByte('|')
				}
				b.WriteString(show(o.nodes))
			}
			b.WriteByte(')')
		case article:
			b.WriteString("{a}")
		case capital:
			b.WriteString("{cap}")
		case schemeRef:
			b.WriteString("{scheme}")
		default:
			b.WriteByte('{')
			if n.kind == encodeRef {
				b.WriteString("encode:")
				if n.scheme == nil {
					b.WriteString("$scheme:")
				} else {
					b.WriteString(n.scheme.Name + ":")
				}
			}
			b.WriteString(n.name)
			if n.nth > 1 {
				b.WriteString("#" + strconv.Itoa(n.nth))
			}
			for _, f := range n.forms {
				b.WriteString(":" + f)
			}
			b.WriteByte('}')
		}
	}
	return b.String()
}

// plainText reports whether nodes hold no choice, and what they say.
func plainText(nodes []node) (string, bool) {
	var b strings.Builder
	for _, n := range nodes {
		if n.kind != literal {
			return "", false
		}
		b.WriteString(n.text)
	}
	return b.String(), true
}

func capitalise(s string) string {
	for i, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return s[:i] + string(unicode.ToUpper(r)) + s[i+len(string(r)):]
		}
	}
	return s
}
