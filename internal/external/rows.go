package external

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/textnorm"
)

// Why a row of a file is no row of the set.
const (
	reasonEmpty     = "empty"
	reasonUTF8      = "invalid UTF-8"
	reasonNUL       = "NUL"
	reasonText      = "not a text"
	reasonLabel     = "unknown label"
	reasonLanguage  = "unknown language"
	reasonSelection = "not selected"
	reasonWords     = "number of words"
	reasonNoMail    = "not a mail"
	reasonNoPlain   = "no plain text"
	reasonCount     = "no list to count"
	reasonRepeat    = "repeat"
	reasonBoth      = "both classes"
)

// mostValues bounds the different values of a slice: a column with more is no breakdown.
const mostValues = 200

// row is one text of the set. Its name and place depend on content alone.
type row struct {
	id       string
	text     string
	label    dataset.Label
	language string
	slices   map[string]string

	file string
	at   int // 0-based in the file
}

// reject says which row of which file is left out and why. It holds no text.
type reject struct {
	File   string `json:"file"`
	Row    int    `json:"row"` // 0-based
	Reason string `json:"reason"`
}

// collection gathers the rows of files by a mapping.
type collection struct {
	name    string // of the set
	mapping *Mapping
	rows    []row
	rejects []reject
	slices  []string // names, in the order of the rules; known once finished
	used    []*Rule
	unknown string // a spelling of a label that no class has, for messages
}

// add reads a file and returns how many rows it has, taken or not.
func (c *collection) add(ctx context.Context, path, name string, data []byte) (int, error) {
	r := c.mapping.rule(path)
	if r == nil {
		return 0, fault.New(fault.Usage, "mapping %s has no rule for %s, it knows %s", c.mapping.Name, fault.Name(name),
			c.mapping.patterns()).WithCure("leave the file out, or say with --text and --label what its columns are")
	}
	if !slices.Contains(c.used, r) {
		c.used = append(c.used, r)
	}
	if r.Layout == LayoutMail {
		text, reason := mailText(data)
		get := func(string) (string, dataset.Kind) { return "", dataset.KindAbsent }
		c.take(r, name, 0, text, reason, get)
		return 1, nil
	}
	cells, err := dataset.ReadCells(name, data, r.Layout)
	if err != nil {
		return 0, err
	}
	columns, err := r.locate(cells, name, c.mapping.Name)
	if err != nil {
		return 0, err
	}
	for i := range cells.Rows {
		if i%4096 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		get := func(column string) (string, dataset.Kind) { return cells.Value(columns[column], i) }
		text, kind := get(cmp.Or(r.Text, "text"))
		if !r.Each {
			reason := ""
			if kind != dataset.KindString {
				reason = reasonText
			}
			if kind == dataset.KindNull || kind == dataset.KindAbsent {
				reason = reasonEmpty
			}
			c.take(r, name, i, text, reason, get)
			continue
		}
		texts, ok := dataset.Strings(text)
		switch {
		case kind != dataset.KindList || !ok:
			c.reject(name, i, reasonText)
		case len(texts) == 0:
			c.reject(name, i, reasonEmpty)
		}
		for _, t := range texts {
			c.take(r, name, i, t, "", get)
		}
	}
	return cells.Rows, nil
}

// column is the name of a column and the field of the rule that names it.
type column struct{ field, name string }

// columns are those that the rule reads.
func (r *Rule) columns() []column {
	all := []column{{"text", cmp.Or(r.Text, "text")}}
	if r.Label.Column != "" {
		all = append(all, column{"label", r.Label.Column})
	}
	for _, w := range r.Where {
		all = append(all, column{"where", w.Column})
	}
	if r.Languages != nil {
		all = append(all, column{"languages", r.Languages.Column})
	}
	for _, s := range r.Slices {
		if s.Column != "" {
			all = append(all, column{"slices", s.Column})
		}
	}
	return all
}

// locate returns the positions of the columns that the rule reads.
func (r *Rule) locate(cells *dataset.Cells, file, mapping string) (map[string]int, error) {
	at := map[string]int{}
	for _, c := range r.columns() {
		name := c.name
		i := slices.Index(cells.Columns, name)
		if i < 0 {
			var have []string
			for _, c := range cells.Columns[:min(len(cells.Columns), 12)] {
				have = append(have, fault.Quote(c))
			}
			if mapping != "" {
				return nil, fault.New(fault.Integrity, "%s: there is no column %s among %s, which mapping %s expects",
					fault.Name(file), fault.Quote(name), strings.Join(have, ", "), mapping).
					WithCure("leave out --mapping and say with --text and --label what the columns are")
			}
			return nil, fault.New(fault.Usage, "%s: there is no column %s among %s", fault.Name(file), fault.Quote(name),
				strings.Join(have, ", ")).WithCure("name one of these")
		}
		at[name] = i
	}
	return at, nil
}

func (c *collection) reject(file string, at int, reason string) {
	c.rejects = append(c.rejects, reject{file, at, reason})
}

// take makes a row of a text, or notes why it cannot. Reason is why the text itself could not be had, or "".
func (c *collection) take(r *Rule, file string, at int, text, reason string, get func(string) (string, dataset.Kind)) {
	for _, w := range r.Where {
		if v, _ := get(w.Column); v != w.Equals {
			c.reject(file, at, reasonSelection)
			return
		}
	}
	n := row{text: text, file: file, at: at, slices: map[string]string{}}
	if reason == "" {
		reason = c.fill(&n, r, get)
	}
	if reason != "" {
		c.reject(file, at, reason)
		return
	}
	n.id = rowID(c.name, n.label, text)
	c.rows = append(c.rows, n)
}

// fill sets class, language and slices of a row and returns why it cannot be used, or "".
func (c *collection) fill(n *row, r *Rule, get func(string) (string, dataset.Kind)) string {
	label, known := r.Label.class(get)
	if !known {
		if v, _ := get(r.Label.Column); c.unknown == "" {
			c.unknown = v
		}
		return reasonLabel
	}
	n.label = label
	n.language = cmp.Or(r.Language, c.mapping.Language)
	if r.Languages != nil {
		v, _ := get(r.Languages.Column)
		if n.language = r.Languages.Tags[v]; n.language == "" {
			return reasonLanguage
		}
	}
	for _, s := range r.Slices {
		v := s.Value
		if s.Column != "" {
			var k dataset.Kind
			v, k = get(s.Column)
			if s.Count {
				list, ok := dataset.Strings(v)
				if k != dataset.KindList || !ok {
					return reasonCount
				}
				v = strconv.Itoa(len(list))
			}
		}
		if !utf8.ValidString(v) {
			return reasonUTF8
		}
		n.slices[s.Name] = v
	}
	switch {
	case !utf8.ValidString(n.text):
		return reasonUTF8
	case strings.IndexByte(n.text, 0) >= 0:
		return reasonNUL
	case textnorm.Fingerprint(n.text) == "":
		return reasonEmpty
	}
	if w := r.Words; len(w) == 2 {
		if n := len(strings.Fields(n.text)); n < w[0] || n > w[1] {
			return reasonWords
		}
	}
	return ""
}

// class returns the class of a row and whether the rule knows it.
func (l *LabelRule) class(get func(string) (string, dataset.Kind)) (dataset.Label, bool) {
	if l.All != "" {
		return labelOf(l.All), true
	}
	v, k := get(l.Column)
	switch {
	case k != dataset.KindString && k != dataset.KindNumber && k != dataset.KindBool:
		return 0, false
	case slices.Contains(l.Injection, v):
		return dataset.Injection, true
	}
	return dataset.Benign, slices.Contains(l.Benign, v)
}

func labelOf(name string) dataset.Label {
	if name == "injection" {
		return dataset.Injection
	}
	return dataset.Benign
}

// rowID is the name of a text within a set: the set, "_", and 16 hex digits over set, class and text.
func rowID(set string, label dataset.Label, text string) string {
	name := "benign"
	if label == dataset.Injection {
		name = "injection"
	}
	h := sha256.New()
	for _, s := range []string{set, name, text} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return set + "_" + hex.EncodeToString(h.Sum(nil)[:8])
}
