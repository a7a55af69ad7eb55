package grammar

import (
	"regexp"
	"strconv"
	"strings"

	"pidsbench/internal/codec"
	"pidsbench/internal/fault"
)

// Marks stand in a text that is being derived; no frame can hold them.
const (
	nothing    = "\x00" // an empty alternative
	capMark    = "\x01"
	aMark      = "\x02"
	encodeMark = "\x03" // before what may not be changed
)

// derivation is one text coming into being.
type derivation struct {
	f      *Frame
	c      chooser
	out    strings.Builder
	values map[string]string       // by instance
	taken  map[string]map[int]bool // by slot
	scheme *codec.Scheme
	name   string // of the scheme
	text   Text
}

func (f *Frame) derive(c chooser) (Text, error) {
	d := &derivation{f: f, c: c, values: map[string]string{}, taken: map[string]map[int]bool{}}
	if err := d.nodes(f.body, &d.out); err != nil {
		return Text{}, err
	}
	t := d.text
	t.Text = tidy(d.out.String(), f.words)
	t.Frame, t.Description = f.ID, f.Description
	return t, nil
}

func instance(n node) string { return n.name + "#" + strconv.Itoa(n.nth) }

func (d *derivation) nodes(nodes []node, out *strings.Builder) error {
	for _, n := range nodes {
		switch n.kind {
		case literal:
			out.WriteString(n.text)
		case capital:
			out.WriteString(capMark)
		case article:
			out.WriteString(aMark)
		case group:
			o := n.options[d.c.choose("group "+n.path, weights(n.options), nil)]
			if len(o.nodes) == 0 {
				out.WriteString(nothing)
			} else if err := d.nodes(o.nodes, out); err != nil {
				return err
			}
		case schemeRef:
			s := d.encoding(d.f.fixed)
			if d.name == "" {
				d.name = s.Names[d.c.choose("name "+s.Name, equal(len(s.Names)), nil)]
			}
			out.WriteString(d.name)
		case slotRef:
			v, err := d.value(n)
			if err != nil {
				return err
			}
			out.WriteString(d.f.words.inflect(v, n.forms))
		case encodeRef:
			v, err := d.value(n)
			if err != nil {
				return err
			}
			v = tidy(d.f.words.inflect(v, n.forms), d.f.words)
			s := d.encoding(n.scheme)
			coded, err := s.Encode(v)
			if err != nil {
				return fault.New(fault.Integrity, "%s:%d: frame %s: %w", fault.Name(d.f.file), n.line, d.f.ID, err).
					WithCure("leave %s out of the schemes or change the value; it takes %s", s.Name, s.Takes)
			}
			d.text.Encoded = append(d.text.Encoded, Coded{s.Name, s.Canonical(v), coded})
			out.WriteString(encodeMark + coded)
		}
	}
	return nil
}

// encoding returns the given scheme, or the one of the text, which is chosen when it is first asked for.
func (d *derivation) encoding(fixed *codec.Scheme) *codec.Scheme {
	if fixed != nil {
		return fixed
	}
	if d.scheme == nil {
		d.scheme = &d.f.schemes[d.c.choose("scheme", equal(len(d.f.schemes)), nil)]
	}
	return d.scheme
}

// value returns what a slot holds in this text, its own slots filled.
func (d *derivation) value(n node) (string, error) {
	key := instance(n)
	if v, ok := d.values[key]; ok {
		return v, nil
	}
	s := d.f.slots[n.name]
	if d.taken[n.name] == nil {
		d.taken[n.name] = map[int]bool{}
	}
	i := d.c.choose("slot "+n.name, weights(s.items), d.taken[n.name])
	d.taken[n.name][i] = true
	var b strings.Builder
	if err := d.nodes(s.items[i].nodes, &b); err != nil {
		return "", err
	}
	d.values[key] = b.String()
	return b.String(), nil
}

func weights(options []option) []int {
	out := make([]int, len(options))
	for i, o := range options {
		out[i] = o.weight
	}
	return out
}

func equal(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

var (
	nothingBetween = regexp.MustCompile(`(^|[\s(\[{"'“‘])(?:\x00[ ]?)+`)
	nothingBefore  = regexp.MustCompile(` ?\x00+([.,;:!?)\]}”’\n]|$)`)
)

// tidy takes the marks out of a text: an empty alternative takes one of the spaces around it along, articles agree with
// the word behind them, letters become capitals where {cap} asks for it.
func tidy(s string, words *wordForms) string {
	if strings.Contains(s, nothing) {
		s = nothingBefore.ReplaceAllString(s, "$1")
		s = nothingBetween.ReplaceAllString(s, "$1")
		s = strings.ReplaceAll(s, nothing, "")
	}
	for {
		i := strings.Index(s, aMark)
		if i < 0 {
			break
		}
		rest := s[i+len(aMark):]
		a := "a"
		if words.takesAn(strings.TrimLeft(rest, " \"'“‘`("+capMark)) {
			a = "an"
		}
		s = s[:i] + a + rest
	}
	for {
		i := strings.Index(s, capMark)
		if i < 0 {
			break
		}
		rest := s[i+len(capMark):]
		before, coded, found := strings.Cut(rest, encodeMark)
		s = s[:i] + capitalise(before)
		if found {
			s += encodeMark + coded
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(s, encodeMark, ""))
}
