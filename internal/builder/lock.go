package builder

import (
	"regexp"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/language"
	"pidsbench/internal/packages"
)

// Lock is data/sources.lock.yaml: the pinned packages and the sources inside them.
type Lock struct {
	Packages []PackageEntry `yaml:"packages"`
	Sources  []Source       `yaml:"sources"`
}

// PackageEntry pins one registry package.
type PackageEntry struct {
	ID      string `yaml:"id"`
	Name    string `yaml:"name"`
	Version string `yaml:"version"`
	SHA256  string `yaml:"sha256"`
	Licence string `yaml:"licence"` // of the package, not of what lies in it
}

// Source is one inner collection of a package, with how to read it and where its texts come from.
type Source struct {
	ID        string    `yaml:"id"`
	Package   string    `yaml:"package"`
	Paths     []string  `yaml:"paths"`  // * stands for any name, ** for any number of folders too
	Format    string    `yaml:"format"` // see formats
	SkipLines int       `yaml:"skip_lines"`
	Where     *Where    `yaml:"where"`
	Text      []string  `yaml:"text"` // columns, joined by an empty line; a.b is column b of the object in a
	Unescape  bool      `yaml:"unescape"`
	Carrier   string    `yaml:"carrier"` // the column that names the document; of transcripts the source of the turns
	Label     LabelRule `yaml:"label"`
	Role      Role      `yaml:"role"`
	Language  string    `yaml:"language"` // BCP 47; mul when each row has its own
	Languages Languages `yaml:"languages"`
	Slots     Slots     `yaml:"slots"`
	Select    Selection `yaml:"select"`
	Frames    []Frame   `yaml:"frames"`
	// HardBenign marks a source of prompts: its security-adjacent benign rows become hard-benign ones.
	HardBenign bool `yaml:"hard_benign"`

	Authorship       string `yaml:"authorship"`        // human, llm, template or unknown
	AuthorshipBenign string `yaml:"authorship_benign"` // where the benign rows differ
	AuthorshipWhy    string `yaml:"authorship_evidence"`
	Licence          string `yaml:"licence"` // SPDX, or unknown
	LicenceWhy       string `yaml:"licence_evidence"`
	Attribution      string `yaml:"attribution"`
	Citation         string `yaml:"citation"`
}

// Where keeps the rows whose column holds one value.
type Where struct {
	Column string `yaml:"column"`
	Equals string `yaml:"equals"`
}

// LabelRule gives each row its class: one class for all, or by the value of a column.
type LabelRule struct {
	Constant  string   `yaml:"constant"`
	Column    string   `yaml:"column"`
	Benign    []string `yaml:"benign"`
	Injection []string `yaml:"injection"`
}

// constant is the one class of all rows.
func (r LabelRule) constant() dataset.Label {
	if r.Constant == "injection" {
		return dataset.Injection
	}
	return dataset.Benign
}

// Languages says where the language of a row of a source comes from, when the rows differ. One field is set.
type Languages struct {
	Detect []string          `yaml:"detect"` // detected; BCP 47 tags to choose from
	Column string            `yaml:"column"` // stands in a column; a row without it has the language of the source
	Folder map[string]string `yaml:"folder"` // by the folder the file lies in; files in other folders are left out
}

// Selection narrows a source. Rows are chosen in hash order, so a choice does not depend on the order of the source.
type Selection struct {
	Words         []int `yaml:"words"` // least and greatest number of words
	Chars         []int `yaml:"chars"` // least and greatest number of characters
	Latin         bool  `yaml:"latin"` // no East Asian characters
	OnePerCarrier bool  `yaml:"one_per_carrier"`
	PerLanguage   int   `yaml:"per_language"` // at most so many rows of each language
	Max           int   `yaml:"max"`
	Filler        int   `yaml:"filler"` // so many more for padding
}

// Frame is a sentence with slots that many rows of a class fill.
type Frame struct {
	ID      string `yaml:"id"`
	Label   string `yaml:"label"`
	Pattern string `yaml:"pattern"`

	label dataset.Label
	re    *regexp.Regexp
}

var (
	// csv, parquet and jsonl hold rows; json an array of objects, or of texts as column "text"; yaml one object a file;
	// conversations and transcripts an object of lists of turns, each of which is a row, or the lines of one; dialogues
	// lists of lines said in turn, of which the first speaker's are rows.
	formats     = []string{"csv", "parquet", "json", "jsonl", "yaml", "conversations", "transcripts", "dialogues"}
	authorships = []string{"human", "llm", "template", "unknown"}
)

// LoadLock reads data/sources.lock.yaml below root and checks every field that the pipeline relies on.
func LoadLock(root string) (*Lock, error) {
	var l Lock
	if err := readYAML(root, LockPath, &l); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	return &l, nil
}

func (l *Lock) check() error {
	known := map[string]bool{}
	for _, p := range l.Packages {
		if len(p.SHA256) != 64 || p.Name == "" || p.Version == "" {
			return fault.New(fault.Usage, "%s: package %q lacks a name, a version or a SHA-256 of 64 hex digits",
				LockPath, p.ID).WithCure("pin it")
		}
		known[p.ID] = true
	}
	seen := map[string]bool{}
	for i := range l.Sources {
		s := &l.Sources[i]
		bad := func(field string, found any, expected string) error {
			return fault.New(fault.Usage, "%s: source %q: field %s holds %q, expected %s", LockPath, s.ID, field, found,
				expected).WithCure("correct it")
		}
		switch {
		case s.ID == "" || seen[s.ID]:
			return bad("id", s.ID, "a name of its own")
		case !known[s.Package]:
			return bad("package", s.Package, "the id of a package above")
		case len(s.Paths) == 0:
			return bad("paths", "", "at least one path")
		case !slices.Contains(formats, s.Format):
			return bad("format", s.Format, strings.Join(formats, ", "))
		case len(s.Text) == 0 && !s.spoken():
			return bad("text", "", "at least one column")
		case s.Role != Pool && s.Role != Control:
			return bad("role", s.Role, "pool or control")
		case !slices.Contains(authorships, s.Authorship):
			return bad("authorship", s.Authorship, strings.Join(authorships, ", "))
		case s.AuthorshipBenign != "" && !slices.Contains(authorships, s.AuthorshipBenign):
			return bad("authorship_benign", s.AuthorshipBenign, strings.Join(authorships, ", "))
		case s.Licence == "" || s.LicenceWhy == "" || s.AuthorshipWhy == "" || s.Citation == "" || s.Attribution == "":
			return bad("licence, attribution, citation or an evidence", "", "words")
		case s.Language == "":
			return bad("language", "", "a language tag")
		case s.Label.Constant != "" && s.Label.Constant != "benign" && s.Label.Constant != "injection":
			return bad("label.constant", s.Label.Constant, "benign or injection")
		case s.Label.Constant == "" && s.Label.Column == "":
			return bad("label", "", "a constant or a column")
		case s.Format == "transcripts" && s.Carrier == "":
			return bad("carrier", "", "the source that holds the turns")
		case s.Label.Constant == "" && s.spoken():
			return bad("label.constant", "", "one class for all turns")
		case len(s.Select.Words) != 0 && len(s.Select.Words) != 2:
			return bad("select.words", "", "two numbers")
		case min(s.SkipLines, s.Select.PerLanguage, s.Select.Max, s.Select.Filler) < 0:
			return bad("skip_lines or select", "a number below 0", "counts")
		case len(s.Select.Chars) != 0 && len(s.Select.Chars) != 2:
			return bad("select.chars", "", "two numbers")
		}
		if field, found, expected := s.Languages.check(s.Language); field != "" {
			return bad(field, found, expected)
		}
		seen[s.ID] = true
		var err error
		if err = s.Slots.compile(); err != nil {
			return bad("slots", err.Error(), "regular expressions")
		}
		for j := range s.Frames {
			f := &s.Frames[j]
			if f.re, err = regexp.Compile(f.Pattern); err != nil {
				return bad("frames.pattern", f.Pattern, "a regular expression")
			}
			if f.Label == "injection" {
				f.label = dataset.Injection
			} else if f.Label != "benign" {
				return bad("frames.label", f.Label, "benign or injection")
			}
		}
	}
	return nil
}

// spoken reports whether the rows are turns of conversations, which have no columns.
func (s *Source) spoken() bool {
	return slices.Contains([]string{"conversations", "transcripts", "dialogues"}, s.Format)
}

// check returns the field that is wrong, what it holds and what it should, or "".
func (l Languages) check(tag string) (field, found, expected string) {
	ways := 0
	for _, set := range []bool{len(l.Detect) > 0, l.Column != "", len(l.Folder) > 0} {
		if set {
			ways++
		}
	}
	switch {
	case ways > 1:
		return "languages", "", "one of detect, column and folder"
	case tag == "mul" && ways == 0:
		return "language", tag, "one language, or where that of a row comes from in languages"
	case tag != "mul" && (len(l.Detect) > 0 || len(l.Folder) > 0):
		return "language", tag, "mul"
	}
	for _, one := range l.Detect {
		if !language.Known(one) {
			return "languages.detect", one, "languages that can be told apart"
		}
	}
	return "", "", ""
}

// pin returns the package as the package client takes it.
func (p PackageEntry) pin() packages.Package {
	return packages.Package{Name: p.Name, Version: p.Version, SHA256: p.SHA256}
}
