package grammar

import (
	"slices"
	"strings"

	"pidsbench/internal/codec"
	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// check looks over the slots and encodings that a frame uses.
func (f *Frame) check(src *strictyaml.File, y frameYAML) error {
	c := &frameCheck{f: f, src: src, state: map[string]int{}, most: map[string]int{}, instances: map[string]bool{}}
	if err := c.nodes(f.body, max(y.Text.line, f.Line)); err != nil {
		return err
	}
	for _, name := range sortedKeys(y.Slots) {
		if c.state[name] == 0 {
			return src.Fail(f.slots[name].line, "frame %s never uses its slot %s, expected {%s} in the text", f.ID, name, name)
		}
	}
	if c.chosen && len(f.schemes) == 0 {
		return src.Fail(f.Line, "frame %s uses $scheme, expected a list of encodings in its field schemes", f.ID)
	}
	if len(y.Schemes) > 0 && !c.chosen {
		return src.Fail(y.Schemes[0].line, "frame %s has a list of schemes and no {encode:$scheme:…}, expected one", f.ID)
	}
	if c.named {
		switch {
		case c.chosen && len(c.fixed) > 0 || len(c.fixed) > 1:
			return src.Fail(f.Line, "frame %s has several encodings, expected one where {scheme} names it", f.ID)
		case !c.chosen && len(c.fixed) == 0:
			return src.Fail(f.Line, "frame %s says {scheme} and encodes nothing, expected {encode:…} in the text", f.ID)
		}
	}
	if len(c.fixed) == 1 && !c.chosen {
		fixed := f.called(c.fixed[0])
		f.fixed = &fixed
	}
	if n := len(c.instances); n > 30 { // Count keeps them in the bits of a number
		return src.Fail(f.Line, "frame %s uses %d slots, each {name#2} counted, expected at most 30", f.ID, n)
	}
	for _, name := range sortedKeys(c.most) {
		if most := c.most[name]; most > 1 {
			if len(f.slots[name].items) < most {
				return src.Fail(f.Line, "frame %s wants %d different values of slot %s, which has %d", f.ID, most, name,
					len(f.slots[name].items))
			}
			for _, it := range f.slots[name].items {
				if _, plain := plainText(it.nodes); !plain {
					return src.Fail(f.slots[name].line, "slot %s is used as {%s#2}, expected values without slots or brackets in "+
						"them", name, name)
				}
			}
		}
	}
	return c.encodings()
}

// frameCheck walks the texts that a frame can reach.
type frameCheck struct {
	f         *Frame
	src       *strictyaml.File
	state     map[string]int // of a slot: 1 while its values are being walked, 2 when they were
	most      map[string]int // the highest {name#n}
	instances map[string]bool
	fixed     []codec.Scheme
	chosen    bool // {encode:$scheme:…} occurs
	named     bool // {scheme} occurs
	refs      []node
}

func (c *frameCheck) nodes(nodes []node, line int) error {
	for _, n := range nodes {
		switch n.kind {
		case group:
			for _, o := range n.options {
				if err := c.nodes(o.nodes, n.line); err != nil {
					return err
				}
			}
		case schemeRef:
			c.named = true
		case article:
			if c.f.Language != "en" {
				return c.src.Fail(n.line, "frame %s uses {a}, which is English, and its language is %s", c.f.ID, c.f.Language)
			}
		case slotRef, encodeRef:
			if n.kind == encodeRef {
				c.refs = append(c.refs, n)
				if n.scheme == nil {
					c.chosen = true
				} else if !slices.ContainsFunc(c.fixed, func(s codec.Scheme) bool { return s.Name == n.scheme.Name }) {
					c.fixed = append(c.fixed, *n.scheme)
				}
			}
			if err := c.slot(n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *frameCheck) slot(n node) error {
	s, ok := c.f.slots[n.name]
	if !ok {
		return c.src.Fail(n.line, "frame %s uses the slot %s, which is not there, expected one of %s", c.f.ID, n.name,
			list(sortedKeys(c.f.slots)))
	}
	for _, form := range n.forms {
		if c.f.Language != "en" && slices.Contains([]string{"ing", "ed", "s", "plural"}, form) {
			return c.src.Fail(n.line, "frame %s uses the form %s, which is English, and its language is %s", c.f.ID, form,
				c.f.Language)
		}
	}
	c.most[n.name] = max(c.most[n.name], n.nth)
	c.instances[instance(n)] = true
	switch c.state[n.name] {
	case 1:
		return c.src.Fail(s.line, "slot %s holds itself, directly or through others", n.name)
	case 2:
		return nil
	}
	c.state[n.name] = 1
	for _, it := range s.items {
		if encodes(it.nodes) {
			return c.src.Fail(s.line, "slot %s holds an encoding, expected it in the text of a frame", n.name)
		}
		if err := c.nodes(it.nodes, s.line); err != nil {
			return err
		}
	}
	c.state[n.name] = 2
	return nil
}

// encodes reports whether an encoding or its name is among nodes, in brackets too.
func encodes(nodes []node) bool {
	return slices.ContainsFunc(nodes, func(n node) bool {
		return n.kind == encodeRef || n.kind == schemeRef ||
			slices.ContainsFunc(n.options, func(o option) bool { return encodes(o.nodes) })
	})
}

// encodings checks that every plain value of an encoded slot can be written in every scheme it may meet.
func (c *frameCheck) encodings() error {
	for _, n := range c.refs {
		schemes := c.f.schemes
		if n.scheme != nil {
			schemes = []codec.Scheme{*n.scheme}
		}
		for _, it := range c.f.slots[n.name].items {
			value, plain := plainText(it.nodes)
			if !plain {
				continue
			}
			for _, s := range schemes {
				if _, err := s.Encode(c.f.words.inflect(value, n.forms)); err != nil {
					return c.src.Fail(n.line, "frame %s: %s", c.f.ID, err).
						WithCure("leave %s out of the schemes or change the value; it takes %s", s.Name, s.Takes)
				}
			}
		}
	}
	return nil
}

// list names up to eight things.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) > 8 {
		names = append(slices.Clone(names[:8]), "…")
	}
	for i, n := range names {
		names[i] = fault.Name(n)
	}
	return strings.Join(names, ", ")
}
