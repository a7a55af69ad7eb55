// Package grammar reads files of sentence frames and expands each into many texts: alternatives, slots with inflection,
// and payloads in a named encoding. docs/data.md describes the notation.
package grammar

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/authored"
	"pidsbench/internal/codec"
	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// schema names the form of a grammar file.
const schema = "pidsbench-grammar/1"

// File is a grammar file, read and checked.
type File struct{ Frames []*Frame }

// Frame is a text with choices in it.
type Frame struct {
	ID   string
	Line int // where it begins in its file
	authored.Description

	file    string // as messages name it
	body    []node
	slots   map[string]*slot
	words   *wordForms
	schemes []codec.Scheme      // that {encode:$scheme:…} chooses from
	fixed   *codec.Scheme       // the only one the frame names
	names   map[string][]string // what the file calls an encoding, by its name
}

// slot is a list of values.
type slot struct {
	name  string
	items []option
	line  int
}

// Load reads a grammar file, named by its path below root with slashes, and what it includes from its folder. A mistake
// is an error of kind Integrity that names file and line.
func Load(root, name string) (*File, error) {
	l := &loader{root: root, slots: map[string]*slot{}, words: newWordForms()}
	f, src, err := l.read(name)
	if err != nil {
		return nil, err
	}
	for i, inc := range f.Include {
		if inc.s != path.Base(inc.s) || !strings.HasSuffix(inc.s, ".yaml") {
			return nil, src.Fail(inc.line, "field include holds %s, expected the name of a .yaml file of the same folder",
				fault.Quote(inc.s))
		}
		shared, from, err := l.read(path.Join(path.Dir(name), inc.s))
		if err != nil {
			return nil, err
		}
		if len(shared.Frames)+len(shared.Include) > 0 {
			return nil, src.Fail(src.Line("include", i), "field include holds %s, which has frames or includes of its own",
				fault.Quote(inc.s))
		}
		if err := l.share(shared, from); err != nil {
			return nil, err
		}
	}
	if err := l.share(f, src); err != nil {
		return nil, err
	}
	if l.names, err = schemeNames(f, src); err != nil {
		return nil, err
	}
	out := &File{}
	seen := map[string]int{}
	for i, fr := range f.Frames {
		frame, err := l.frame(f, fr, src, src.Line("frames", i))
		if err != nil {
			return nil, err
		}
		if at := seen[frame.ID]; at > 0 {
			return nil, src.Fail(frame.Line, "frame %s stands on line %d already, expected each id once", frame.ID, at)
		}
		seen[frame.ID] = frame.Line
		out.Frames = append(out.Frames, frame)
	}
	if len(out.Frames) == 0 {
		return nil, src.Fail(1, "field frames is empty, expected at least one frame")
	}
	return out, nil
}

// loader gathers what the frames of a file share.
type loader struct {
	root  string
	slots map[string]*slot
	names map[string][]string
	words *wordForms
}

func (l *loader) read(name string) (*fileYAML, *strictyaml.File, error) {
	src := &strictyaml.File{Name: name, Kind: fault.Integrity, Cure: "correct the frame file"}
	var f fileYAML
	if err := src.Load(filepath.Join(l.root, filepath.FromSlash(name)), &f); err != nil {
		return nil, nil, err
	}
	if f.Schema.s != schema {
		return nil, nil, src.Fail(max(f.Schema.line, 1), "field schema holds %s, expected %q", fault.Quote(f.Schema.s),
			schema)
	}
	return &f, src, nil
}

// share takes the slots and word forms of a file.
func (l *loader) share(f *fileYAML, src *strictyaml.File) error {
	for _, name := range sortedKeys(f.Slots) {
		if s, ok := l.slots[name]; ok {
			return src.Fail(src.Line("slots", name),
				"slot %s stands on line %d of an included file already, expected each name "+
					"once", fault.Name(name), s.line)
		}
		s, err := newSlot(name, f.Slots[name], src, src.Line("slots", name))
		if err != nil {
			return err
		}
		l.slots[name] = s
	}
	return l.words.add(f.Words, src)
}

func newSlot(name string, items []text, src *strictyaml.File, line int) (*slot, error) {
	switch {
	case !slotName.MatchString(name):
		return nil, src.Fail(line, "a slot is named %s, expected small letters, digits and _", fault.Quote(name))
	case slices.Contains(reserved, name):
		return nil, src.Fail(line, "a slot is named %s, which has a meaning of its own", fault.Quote(name))
	case len(items) == 0:
		return nil, src.Fail(line, "slot %s is empty, expected at least one value", name)
	}
	s := &slot{name: name, line: line}
	seen := map[string]bool{}
	for i, it := range items {
		if strings.TrimSpace(it.s) != it.s || it.s == "" {
			return nil, src.Fail(it.line, "slot %s holds %s, expected a text without space around it", name, fault.Quote(it.s))
		}
		p := &parser{in: it, src: src, prefix: fmt.Sprintf("%s.%d.", name, i)}
		alts, err := p.alternatives(0)
		if err != nil {
			return nil, err
		}
		value, weight, err := p.weight(it.s, alts[0].nodes)
		if err != nil {
			return nil, err
		}
		if seen[value] {
			return nil, src.Fail(it.line, "slot %s holds %s a second time, expected each value once", name, fault.Quote(value))
		}
		seen[value] = true
		alts[0].weight = weight
		s.items = append(s.items, alts[0])
	}
	return s, nil
}

// schemeNames reads what a file calls encodings: other languages have other names for them.
func schemeNames(f *fileYAML, src *strictyaml.File) (map[string][]string, error) {
	out := map[string][]string{}
	for _, name := range sortedKeys(f.Names) {
		line := src.Line("scheme_names", name)
		if _, ok := codec.ByName(name); !ok || len(f.Names[name]) == 0 {
			return nil, src.Fail(line, "field scheme_names holds %s, expected the name of an encoding and what it is called",
				fault.Quote(name))
		}
		for _, t := range f.Names[name] {
			if strings.TrimSpace(t.s) != t.s || t.s == "" || slices.Contains(out[name], t.s) {
				return nil, src.Fail(t.line, "field scheme_names holds %s, expected different words without space around them",
					fault.Quote(t.s))
			}
			out[name] = append(out[name], t.s)
		}
	}
	return out, nil
}

// called gives an encoding the names of the file.
func (f *Frame) called(s codec.Scheme) codec.Scheme {
	if names := f.names[s.Name]; len(names) > 0 {
		s.Names = names
	}
	return s
}

// failure makes an error about a field of a frame, or about the frame where the field does not stand in the file.
type failure func(t text, format string, args ...any) error

// frame checks one frame and parses its text.
func (l *loader) frame(f *fileYAML, y frameYAML, src *strictyaml.File, line int) (*Frame, error) {
	fr := &Frame{ID: y.ID.s, Line: line, file: src.Name, words: l.words, names: l.names}
	fail := func(t text, format string, args ...any) error {
		at := line
		if t.line > 0 {
			at = t.line
		}
		return src.Fail(at, "frame %s: "+format, append([]any{fault.Name(fr.ID)}, args...)...)
	}
	if !frameID.MatchString(fr.ID) {
		return nil, src.Fail(max(y.ID.line, line), "field id holds %s, expected small letters, digits and _",
			fault.Quote(fr.ID))
	}
	if err := fr.describe(f, y, fail); err != nil {
		return nil, err
	}
	schemes := y.Schemes
	if len(schemes) == 0 {
		schemes = f.Schemes
	}
	if err := fr.choose(schemes, fail); err != nil {
		return nil, err
	}
	fr.slots = maps.Clone(l.slots)
	for _, name := range sortedKeys(y.Slots) {
		if s, ok := l.slots[name]; ok {
			return nil, fail(text{}, "slot %s is shared from line %d, expected another name", fault.Name(name), s.line)
		}
		at := line
		if len(y.Slots[name]) > 0 {
			at = y.Slots[name][0].line
		}
		s, err := newSlot(name, y.Slots[name], src, at)
		if err != nil {
			return nil, err
		}
		fr.slots[name] = s
	}
	if strings.TrimSpace(y.Text.s) == "" {
		return nil, fail(y.Text, "field text is empty, expected a text")
	}
	p := &parser{in: y.Text, src: src}
	p.in.s = strings.TrimSpace(y.Text.s)
	alts, err := p.alternatives(0)
	if err != nil {
		return nil, err
	}
	fr.body = alts[0].nodes
	return fr, fr.check(src, y)
}

// describe takes what the frame, or else the file, says of its texts.
func (f *Frame) describe(file *fileYAML, y frameYAML, fail failure) error {
	or := func(own, file text) text {
		if own.line > 0 {
			return own
		}
		return file
	}
	of := func(t fileYAML) authored.Description {
		return authored.Description{Label: t.Label.s, Subtype: t.Subtype.s, Domain: t.Domain.s, Language: t.Language.s,
			Authorship: t.Authorship.s}
	}
	f.Description = of(fileYAML{Label: y.Label, Subtype: y.Subtype, Domain: y.Domain, Language: y.Language,
		Authorship: y.Authorship}).Or(of(*file))
	field, found, expected := f.Mistake()
	if field == "" {
		return nil
	}
	at := map[string]text{"label": or(y.Label, file.Label), "subtype": or(y.Subtype, file.Subtype),
		"domain": or(y.Domain, file.Domain), "language": or(y.Language, file.Language),
		"authorship": or(y.Authorship, file.Authorship)}[field]
	return fail(at, "field %s holds %s, expected %s", field, fault.Quote(found), expected)
}

// choose takes the encodings that {encode:$scheme:…} chooses from.
func (f *Frame) choose(schemes []text, fail failure) error {
	for _, name := range schemes {
		s, ok := codec.ByName(name.s)
		if !ok {
			return fail(name, "field schemes holds %s, expected the name of an encoding", fault.Quote(name.s))
		}
		if slices.ContainsFunc(f.schemes, func(o codec.Scheme) bool { return o.Name == s.Name }) {
			return fail(name, "field schemes holds %s a second time, expected each once", name.s)
		}
		f.schemes = append(f.schemes, f.called(s))
	}
	return nil
}
