package external

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// LayoutMail is the layout of a file that is one electronic mail (RFC 5322): its plain text is one row.
const LayoutMail dataset.Layout = "mail"

// Mapping says how the files of a known collection give rows. It is configs/mappings/NAME.yaml, or made of flags.
type Mapping struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Package     string `yaml:"package"`    // where the files come from when none is named: npm:NAME@VERSION#SHA256
	Provenance  string `yaml:"provenance"` // hard-benign, or "" for an axis of its own
	Language    string `yaml:"language"`   // BCP 47; mul for several
	Licence     string `yaml:"licence"`    // SPDX where there is one
	Class       string `yaml:"licence_class"`
	Citation    string `yaml:"citation"`
	Files       []Rule `yaml:"files"` // the first rule that knows a file's name holds for it
}

// Rule says how the rows of some files are read.
type Rule struct {
	// Names are patterns with * and ?, matched against as many last parts of the path as they have.
	Names     []string        `yaml:"names"`
	Layout    dataset.Layout  `yaml:"layout"`
	Text      string          `yaml:"text"` // the column
	Each      bool            `yaml:"each"` // the column holds lists of texts: each element is a row
	Label     LabelRule       `yaml:"label"`
	Where     []Where         `yaml:"where"`
	Words     []int           `yaml:"words"` // least and greatest number of words; none for no bound
	Language  string          `yaml:"language"`
	Languages *LanguageColumn `yaml:"languages"`
	Slices    []Slice         `yaml:"slices"`
}

// LabelRule gives rows their class: one for all, or by the spelling in a column.
type LabelRule struct {
	All       string   `yaml:"all"` // benign or injection
	Column    string   `yaml:"column"`
	Benign    []string `yaml:"benign"`
	Injection []string `yaml:"injection"`
}

// Where keeps the rows whose column holds the value.
type Where struct {
	Column string `yaml:"column"`
	Equals string `yaml:"equals"`
}

// LanguageColumn takes a row's language from a column, by its spelling there.
type LanguageColumn struct {
	Column string            `yaml:"column"`
	Tags   map[string]string `yaml:"tags"` // spelling → BCP 47
}

// Slice is a breakdown: its value is that of a column, the number of elements of a column's lists, or constant.
type Slice struct {
	Name   string `yaml:"name"`
	Column string `yaml:"column"`
	Count  bool   `yaml:"count"`
	Value  string `yaml:"value"`
}

// ownColumns are those of the layouts that say themselves where the text is.
var ownColumns = map[dataset.Layout][]string{
	dataset.LayoutStrings: {"text"}, dataset.LayoutCategories: {"text", "category"}, LayoutMail: {"text"},
}

// reserved are the columns of rows.csv that no slice may take.
var reserved = []string{"id", "text", "label", "source", "language", "license", "provenance"}

// LoadMapping reads the mapping of a name from a folder of mappings. An unknown name and a mistake in the file are
// usage errors; the latter names the line.
func LoadMapping(dir, name string) (*Mapping, error) {
	names, err := Mappings(dir)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, fault.New(fault.Usage, "there is no mapping %s", fault.Quote(name)).
			WithCure("choose %s, or say with --text and --label what the columns are", strings.Join(names, ", "))
	}
	m := &Mapping{}
	f := &strictyaml.File{Name: "configs/mappings/" + name + ".yaml", Kind: fault.Usage, Cure: "correct it"}
	if err := f.Load(filepath.Join(dir, name+".yaml"), m); err != nil {
		return nil, err
	}
	return m, m.check(name, func(field, problem string, at ...any) error {
		return f.Fail(f.Line(at...), "field %s %s", field, problem)
	})
}

// Mappings returns the names of the mappings in a folder, sorted.
func Mappings(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Failed, "cannot list the mappings: %w", err)
	}
	var names []string
	for _, e := range entries { // sorted by their names with the extension
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// check looks at every field; bad reports a problem of a field at a place of the document.
func (m *Mapping) check(name string, bad func(field, problem string, at ...any) error) error {
	words := func(s, expected string) string { return "holds " + fault.Quote(s) + ", expected " + expected }
	switch {
	case m.Name != name:
		return bad("name", words(m.Name, "the name of the file"), "name")
	case m.Description == "" || m.Citation == "" || m.Licence == "":
		return bad("description, citation or licence", "is empty, expected words")
	case !slices.Contains(LicenceClasses, m.Class):
		return bad("licence_class", words(m.Class, strings.Join(LicenceClasses, ", ")), "licence_class")
	case m.Provenance != "" && m.Provenance != HardBenign:
		return bad("provenance", words(m.Provenance, HardBenign+" or nothing"), "provenance")
	case len(m.Files) == 0:
		return bad("files", "is empty, expected at least one rule", "files")
	}
	if m.Package != "" {
		if _, err := ParsePin(m.Package); err != nil {
			return bad("package", words(m.Package, "CLIENT:NAME, version and #SHA256"), "package")
		}
	}
	for i := range m.Files {
		field, problem := m.Files[i].check()
		if field != "" {
			return bad(field, problem, "files", i, field)
		}
	}
	return nil
}

// check returns the field that is wrong and what is wrong with it.
func (r *Rule) check() (field, problem string) {
	for _, n := range r.Names {
		if _, err := path.Match(n, "x"); err != nil || strings.HasPrefix(n, "/") {
			return "names", "holds " + fault.Quote(n) + ", expected a relative pattern with * and ?"
		}
	}
	own, fixed := ownColumns[r.Layout]
	switch {
	case len(r.Names) == 0:
		return "names", "is empty, expected at least one pattern"
	case r.Layout != "" && !fixed && !slices.Contains(dataset.Layouts, r.Layout):
		return "layout", "holds " + fault.Quote(string(r.Layout)) + ", expected csv, tsv, json, jsonl, parquet, strings, " +
			"categories or mail"
	case fixed && r.Text != "" && r.Text != "text":
		return "text", "holds " + fault.Quote(r.Text) + ", expected nothing: the layout says where the text is"
	case !fixed && r.Text == "":
		return "text", "is empty, expected a column"
	case r.Label.All != "" && r.Label.All != "benign" && r.Label.All != "injection":
		return "label", "holds the class " + fault.Quote(r.Label.All) + ", expected benign or injection"
	case (r.Label.All == "") == (r.Label.Column == ""):
		return "label", "needs either one class for all rows or a column"
	case r.Label.Column != "" && len(r.Label.Benign)+len(r.Label.Injection) == 0:
		return "label", "has a column and no spelling of a class"
	case len(r.Words) != 0 && (len(r.Words) != 2 || r.Words[0] > r.Words[1]):
		return "words", "expects the least and the greatest number"
	}
	for _, s := range r.Label.Benign {
		if slices.Contains(r.Label.Injection, s) {
			return "label", "gives the spelling " + fault.Quote(s) + " for both classes"
		}
	}
	seen := map[string]bool{}
	for _, s := range r.Slices {
		if p := s.check(); p != "" {
			return "slices", p
		}
		if seen[s.Name] {
			return "slices", "holds " + fault.Quote(s.Name) + " twice"
		}
		seen[s.Name] = true
	}
	for _, c := range r.columns() {
		if fixed && !slices.Contains(own, c.name) {
			return c.field, "names the column " + fault.Quote(c.name) + ", which the layout " + string(r.Layout) +
				" does not have"
		}
	}
	return "", ""
}

func (s Slice) check() string {
	switch {
	case s.Name == "" || strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "":
		return "holds the name " + fault.Quote(s.Name) + ", expected lower-case letters, digits, dashes and underscores"
	case slices.Contains(reserved, s.Name):
		return "holds the name " + s.Name + ", which is a column of every set"
	case (s.Column == "") == (s.Value == ""):
		return "needs either a column or a value for " + s.Name
	}
	return ""
}

// rule returns the rule for a file, or nil.
func (m *Mapping) rule(file string) *Rule {
	file = filepath.ToSlash(file)
	for i := range m.Files {
		for _, pattern := range m.Files[i].Names {
			if matches(pattern, file) {
				return &m.Files[i]
			}
		}
	}
	return nil
}

// matches compares a pattern with as many last parts of a path as the pattern has.
func matches(pattern, file string) bool {
	parts := strings.Split(file, "/")
	n := strings.Count(pattern, "/") + 1
	if n > len(parts) {
		return false
	}
	ok, err := path.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return err == nil && ok
}

// patterns lists what the mapping is for, for messages.
func (m *Mapping) patterns() string {
	var all []string
	for _, r := range m.Files {
		all = append(all, r.Names...)
	}
	return strings.Join(all, ", ")
}

// Plain returns the mapping of files that no collection is known for: one rule for all of them. A mistake in the rule
// is a Usage error.
func Plain(r Rule) (*Mapping, error) {
	if field, problem := r.check(); field != "" {
		return nil, fault.New(fault.Usage, "the flag for %s %s", field, problem).WithCure("correct it")
	}
	return &Mapping{Language: "und", Class: "unknown", Files: []Rule{r}}, nil
}
