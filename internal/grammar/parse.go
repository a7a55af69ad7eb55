package grammar

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/codec"
	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// forms are the inflections of a slot's value.
var forms = []string{"ing", "ed", "s", "plural", "cap", "lower", "upper"}

var (
	weightMark = regexp.MustCompile(`\^([2-9]|[1-9][0-9])$`)
	reference  = regexp.MustCompile(`^([a-z][a-z0-9_]*)(?:#([1-9]))?((?::[a-z]+)*)$`)
	encoding   = regexp.MustCompile(`^encode:(\$scheme|[a-z0-9]+(?::[0-9]{1,2})?):([a-z][a-z0-9_#:]*)$`)
)

// parser reads one text by recursive descent.
type parser struct {
	in     text
	src    *strictyaml.File
	prefix string // of the paths of the groups
	at     int
	group  int // numbers the groups of the text
}

// line returns the line of the place p.at.
func (p *parser) line() int {
	if !p.in.lines {
		return p.in.line
	}
	return p.in.line + strings.Count(p.in.s[:min(p.at, len(p.in.s))], "\n")
}

func (p *parser) fail(cure, format string, args ...any) error {
	err := p.src.Fail(p.line(), format, args...)
	if cure != "" {
		err = err.WithCure("%s", cure)
	}
	return err
}

// near quotes what stands at an offset.
func (p *parser) near(at int) string { return fault.Quote(p.in.s[at:]) }

// maxDepth bounds groups within groups.
const maxDepth = 20

// branches are the alternatives that are being read.
type branches struct {
	*parser
	depth int
	begin int // of the first
	start int // of the one that is being read
	nodes []node
	text  strings.Builder
	out   []option
}

// alternatives reads up to the end of the text, at depth 0, or to the closing bracket.
func (p *parser) alternatives(depth int) ([]option, error) {
	if depth > maxDepth {
		return nil, p.fail("", "brackets stand in brackets more than %d deep", maxDepth)
	}
	b := &branches{parser: p, depth: depth, begin: p.at, start: p.at}
	for p.at < len(p.in.s) {
		c := p.in.s[p.at]
		switch {
		case c == '\\':
			if err := b.escape(); err != nil {
				return nil, err
			}
		case c == '(':
			if err := b.brackets(); err != nil {
				return nil, err
			}
		case c == ')' && depth > 0:
			b.end()
			p.at++
			return b.out, p.distinct(b.out, b.begin)
		case c == ')':
			return nil, p.fail(`write \) for a bracket in the text`, "a bracket is closed at %s that was never opened",
				p.near(p.at))
		case c == '|' && depth > 0:
			b.end()
			p.at++
			b.start = p.at
		case c == '|':
			return nil, p.fail(`put the alternatives in brackets, or write \| for a stroke in the text`,
				"a stroke stands outside of brackets at %s", p.near(p.at))
		case c == '{' && p.at+1 < len(p.in.s) && (isLower(p.in.s[p.at+1]) || p.in.s[p.at+1] == '$'):
			n, err := p.reference()
			if err != nil {
				return nil, err
			}
			b.add(n)
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7F:
			return nil, p.fail("", "a control character stands at %s", p.near(p.at))
		default:
			b.text.WriteByte(c)
			p.at++
		}
	}
	if depth > 0 {
		p.at = b.begin
		return nil, p.fail(`close it, or write \( for a bracket in the text`, "the bracket before %s is not closed",
			p.near(b.begin))
	}
	b.add()
	return []option{{b.nodes, 1}}, nil
}

// add ends the literal that is being read and puts nodes behind it.
func (b *branches) add(nodes ...node) {
	if b.text.Len() > 0 {
		b.nodes = append(b.nodes, node{kind: literal, text: b.text.String()})
		b.text.Reset()
	}
	b.nodes = append(b.nodes, nodes...)
}

// end ends an alternative and takes its weight off it.
func (b *branches) end() {
	b.add()
	weight := 1
	if n := len(b.nodes); n > 0 && b.nodes[n-1].kind == literal && b.at > b.start {
		if m := weightMark.FindStringSubmatch(b.nodes[n-1].text); m != nil {
			weight, _ = strconv.Atoi(m[1])
			if b.nodes[n-1].text = strings.TrimSuffix(b.nodes[n-1].text, m[0]); b.nodes[n-1].text == "" {
				b.nodes = b.nodes[:n-1]
			}
		}
	}
	b.out = append(b.out, option{b.nodes, weight})
	b.nodes = nil
}

// escape reads a backslash and the sign behind it.
func (b *branches) escape() error {
	b.at++
	if b.at == len(b.in.s) || !strings.ContainsRune(`\(){}|^`, rune(b.in.s[b.at])) {
		return b.fail(`write \\ for a backslash in the text`,
			`a backslash stands before %s, expected one of \ ( ) { } | ^`, b.near(b.at))
	}
	if b.in.s[b.at] == '^' { // kept apart, so that it is no weight
		b.add(node{kind: literal, text: "^"}, node{kind: literal})
	} else {
		b.text.WriteByte(b.in.s[b.at])
	}
	b.at++
	return nil
}

// brackets reads a group; brackets without a choice are text.
func (b *branches) brackets() error {
	b.at++
	line, path := b.line(), b.prefix+strconv.Itoa(b.group)
	b.group++
	options, err := b.alternatives(b.depth + 1)
	switch {
	case err != nil:
		return err
	case len(options) > 1:
		b.add(node{kind: group, options: options, path: path, line: line})
	default:
		b.add(node{kind: literal, text: "("})
		b.add(options[0].nodes...)
		b.add(node{kind: literal, text: closing(options[0].weight)})
	}
	return nil
}

// closing is the bracket behind text, with what was read as a weight before it.
func closing(weight int) string {
	if weight == 1 {
		return ")"
	}
	return "^" + strconv.Itoa(weight) + ")"
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// distinct checks the alternatives of a group: no two are the same, empty ones included.
func (p *parser) distinct(options []option, begin int) error {
	seen := map[string]bool{}
	for _, o := range options {
		s := show(o.nodes)
		if seen[s] {
			return p.fail("", "the brackets before %s hold %s twice, expected each alternative once", p.near(begin),
				fault.Quote(s))
		}
		seen[s] = true
	}
	return nil
}

// reference reads {…}.
func (p *parser) reference() (node, error) {
	open := p.at
	end := strings.IndexByte(p.in.s[open:], '}')
	if end < 0 || strings.ContainsAny(p.in.s[open:open+end], "\n(|") {
		return node{}, p.fail(`close it, or write \{ for a bracket in the text`, "the slot at %s is not closed", p.near(open))
	}
	in := p.in.s[open+1 : open+end]
	n := node{line: p.line(), nth: 1}
	p.at = open + end + 1
	switch in {
	case "a":
		n.kind = article
		return n, nil
	case "cap":
		n.kind = capital
		return n, nil
	case "scheme":
		n.kind = schemeRef
		return n, nil
	}
	n.kind = slotRef
	if strings.HasPrefix(in, "encode:") {
		m := encoding.FindStringSubmatch(in)
		if m == nil {
			return node{}, p.fail("", "%s is no encoding, expected {encode:SCHEME:SLOT} or {encode:$scheme:SLOT}",
				fault.Quote("{"+in+"}"))
		}
		n.kind = encodeRef
		if m[1] != "$scheme" {
			s, ok := codec.ByName(m[1])
			if !ok {
				return node{}, p.fail("", "%s names no encoding, expected base64, hex, rot13, caesar:3, morse or another one",
					fault.Quote("{"+in+"}"))
			}
			n.scheme = &s
		}
		in = m[2]
	}
	m := reference.FindStringSubmatch(in)
	if m == nil || slices.Contains(reserved, m[1]) {
		return node{}, p.fail(`correct it, or write \{ for a bracket in the text`,
			"%s is no slot, expected {name}, {name#2} or {name:form}", fault.Quote("{"+in+"}"))
	}
	n.name = m[1]
	if m[2] != "" {
		n.nth, _ = strconv.Atoi(m[2])
	}
	for _, f := range strings.FieldsFunc(m[3], func(r rune) bool { return r == ':' }) {
		if !slices.Contains(forms, f) {
			return node{}, p.fail("", "{%s} asks for the form %s, expected one of %s", in, fault.Quote(f),
				strings.Join(forms, ", "))
		}
		n.forms = append(n.forms, f)
	}
	return n, nil
}

// weight takes the weight mark off the last literal of a slot's value. It returns the value without it.
func (p *parser) weight(s string, nodes []node) (string, int, error) {
	n := len(nodes)
	if n == 0 || nodes[n-1].kind != literal {
		return s, 1, nil
	}
	m := weightMark.FindStringSubmatch(nodes[n-1].text)
	if m == nil {
		return s, 1, nil
	}
	if nodes[n-1].text = strings.TrimSuffix(nodes[n-1].text, m[0]); nodes[n-1].text == "" && n == 1 {
		return "", 0, p.fail("", "the value %s is only a weight", fault.Quote(s))
	}
	w, _ := strconv.Atoi(m[1])
	return strings.TrimSuffix(s, m[0]), w, nil
}
