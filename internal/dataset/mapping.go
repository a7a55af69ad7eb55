package dataset

import (
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// Mapping says how a file's columns give texts and labels. The zero value means the documented form: columns text and
// label, labels 0, 1, benign or injection (in JSON also true and false).
type Mapping struct {
	Text     string   // column of the text; "" means text
	Label    string   // column of the label; "" means label
	Positive []string // further spellings of injection, matched exactly
	Negative []string // further spellings of benign
	All      *Label   // every row has this class; no label column is read
}

// Names of columns that often hold what is asked for, in the order in which they are suggested.
var (
	likelyText = []string{"prompt", "user_input", "mutated_prompt", "input", "instruction", "question", "query", "message",
		"content", "sentence", "context", "goal"}
	likelyLabel = []string{"labels", "class", "is_injection", "injection", "is_attack", "is_malicious", "malicious",
		"is_jailbreak", "jailbreak"}
)

// pairs are the documented spellings, benign first. A mapping that gives one of a pair the other meaning (labels that
// count the other way round) replaces that pair, so that its twin is never read in the old sense.
var pairs = [][2]string{{"0", "1"}, {"benign", "injection"}}

func (m Mapping) check() error {
	for _, p := range m.Positive {
		if slices.Contains(m.Negative, p) {
			return fault.New(fault.Usage, "the spelling %s is given for both classes", fault.Quote(p)).
				WithCure("give it for one of them")
		}
	}
	if slices.Contains(append(slices.Clone(m.Positive), m.Negative...), "") {
		return fault.New(fault.Usage, "an empty spelling is given for a class, expected at least a character")
	}
	switch {
	case m.All != nil && *m.All != Benign && *m.All != Injection:
		return fault.New(fault.Usage, "the class of all rows is %d, expected 0 or 1", *m.All)
	case m.All != nil && (m.Label != "" || len(m.Positive)+len(m.Negative) > 0):
		return fault.New(fault.Usage, "all rows are said to be of one class and a label column or spelling is given as well").
			WithCure("give one of the two")
	case m.Text != "" && m.Text == m.Label:
		return fault.New(fault.Usage, "column %s is named for both text and label", fault.Quote(m.Text)).
			WithCure("name two columns")
	}
	return nil
}

// spellings returns the class of each accepted spelling, and the spellings in the order in which messages list them.
func (m Mapping) spellings(pairs [][2]string) (map[string]Label, []string) {
	class := map[string]Label{}
	var order []string
	add := func(s string, l Label) {
		if _, ok := class[s]; !ok {
			class[s] = l
			order = append(order, s)
		}
	}
	for _, p := range pairs {
		if !slices.Contains(m.Positive, p[0]) && !slices.Contains(m.Negative, p[1]) {
			add(p[0], Benign)
			add(p[1], Injection)
		}
	}
	for _, s := range m.Negative {
		add(s, Benign)
	}
	for _, s := range m.Positive {
		add(s, Injection)
	}
	return class, order
}

// split gives the cells of a table their meaning.
func (t *table) split(m Mapping) (*Split, error) {
	text, label, err := t.locate(m)
	if err != nil {
		return nil, err
	}
	if t.rows == 0 {
		return nil, fault.New(fault.Integrity, "%s holds a header and no rows, expected at least one row", t.file)
	}
	s := &Split{Columns: t.columns, Rows: make([]Row, t.rows), values: map[string][]string{}}
	for c, name := range t.columns {
		if c != text && c != label {
			s.values[name] = t.cells[c]
		}
	}
	labels := t.labels(m, label)
	for i := range s.Rows {
		if s.Rows[i].Text, s.Rows[i].Missing, err = t.text(text, i); err != nil {
			return nil, err
		}
		if s.Rows[i].Label, err = labels(i); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// text returns the text of a row. An empty one is an error unless the row is a restricted one, which carries the
// SHA-256 of its text instead.
func (t *table) text(column, row int) (text string, missing bool, err error) {
	name := fault.Quote(t.columns[column])
	if k := t.kind(column, row); k != stringKind {
		err := fail(t.where(row), "field %s holds %s, expected a string", name, k)
		if k == absent {
			err = fail(t.where(row), "field %s is missing", name)
		}
		return "", false, err.WithCure("give every row a text, or name another column with --text-column")
	}
	if text = t.cells[column][row]; text != "" {
		return text, false, nil
	}
	sum := ""
	if c := slices.Index(t.columns, "text_sha256"); c >= 0 && c != column {
		sum = t.cells[c][row]
	}
	if sum == "" {
		return "", false, fail(t.where(row), "column %s is empty, expected a text", name).
			WithCure("fill it in or delete the row (a withheld text needs its hash in column text_sha256)")
	}
	if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
		return "", false, fail(t.where(row), `column "text_sha256" holds %s, expected 64 lower-case hexadecimal digits`,
			fault.Quote(sum))
	}
	return "", true, nil
}

// labels returns the function that gives a row's class.
func (t *table) labels(m Mapping, column int) func(row int) (Label, error) {
	if m.All != nil {
		return func(int) (Label, error) { return *m.All, nil }
	}
	words, expected := m.spellings(pairs)
	booleans, _ := m.spellings([][2]string{{"false", "true"}})
	return func(row int) (Label, error) {
		value := t.cells[column][row]
		var l Label
		var ok bool
		k := t.kind(column, row)
		switch k {
		case stringKind, numberKind:
			l, ok = words[value]
		case boolKind:
			l, ok = booleans[value]
		}
		if ok {
			return l, nil
		}
		name := fault.Quote(t.columns[column])
		found := "holds " + fault.Quote(value)
		switch {
		case k == absent:
			found = "is missing"
		case k == stringKind && value == "":
			found = "is empty"
		case k == nullKind, k == listKind, k == objectKind:
			found = "holds " + k.String()
		}
		err := fail(t.where(row), "column %s %s, expected %s", name, found, orList(expected))
		for _, s := range expected {
			if value != "" && s == strings.ToLower(strings.TrimSpace(value)) {
				return 0, err.WithCure("write it as %s", s)
			}
		}
		if value == "" || k == listKind || k == objectKind {
			return 0, err.WithCure("give every row a label")
		}
		return 0, err.WithCure("tell which class it is with --positive or --negative")
	}
}

// locate finds the columns of text and label; label is -1 when all rows are of one class.
func (t *table) locate(m Mapping) (text, label int, err error) {
	type wanted struct {
		name, flag string
		given      bool
		likely     []string
		at         int
	}
	want := []wanted{{name: m.Text, flag: "--text-column", likely: likelyText}}
	if m.All == nil {
		want = append(want, wanted{name: m.Label, flag: "--label-column", likely: likelyLabel})
	}
	var lost []wanted
	for i := range want {
		w := &want[i]
		if w.given = w.name != ""; !w.given {
			w.name = []string{"text", "label"}[i]
		}
		if w.at = slices.Index(t.columns, w.name); w.at < 0 {
			lost = append(lost, *w)
		}
	}
	if len(lost) == 0 {
		if m.All != nil {
			return want[0].at, -1, nil
		}
		if want[0].at == want[1].at {
			return 0, 0, fault.New(fault.Usage, "column %s is used for both text and label", fault.Quote(want[0].name)).
				WithCure("name two columns with --text-column and --label-column")
		}
		return want[0].at, want[1].at, nil
	}
	// A name given by a flag is the user's slip; a file without the documented columns is malformed.
	kind := fault.Integrity
	missing := make([]string, len(lost))
	cures := make([]string, len(lost))
	for i, w := range lost {
		if w.given {
			kind = fault.Usage
		}
		missing[i] = fault.Quote(w.name)
		cures[i] = w.flag
		if name := t.suggest(w.name, w.likely); name != "" {
			cures[i] += " (perhaps " + fault.Name(name) + ")"
		}
		if w.flag == "--label-column" {
			cures[i] += ", or say that all rows are of one class with --label benign|injection"
		}
	}
	e := fault.New(kind, "%s: there is no column %s among %s", t.first, strings.Join(missing, " and no column "),
		showList(t.columns))
	if len(t.columns) == 1 && strings.ContainsAny(t.columns[0], ";\t") {
		return 0, 0, e.WithCure("separate the columns by commas")
	}
	return 0, 0, e.WithCure("name it with %s", strings.Join(cures, " and "))
}

// suggest returns a column that may be meant: one that differs in case or spaces only, or one of the likely names.
func (t *table) suggest(name string, likely []string) string {
	for _, l := range append([]string{name}, likely...) {
		for _, c := range t.columns {
			if strings.EqualFold(strings.Trim(c, " \ufeff"), l) {
				return c
			}
		}
	}
	return ""
}
