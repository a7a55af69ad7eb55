// Package authored reads the texts of our own that were written one by one, and the documents that stand clean and with
// an injection in them. Sentence frames are package grammar's.
package authored

import (
	"regexp"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/subtype"
)

// Authorships are the values of the column authorship.
var Authorships = []string{"human", "llm", "template", "unknown"}

var (
	nameForm     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	languageForm = regexp.MustCompile(`^[a-z]{2}$`)
)

// Description is what a file says of a text or a frame.
type Description struct {
	Label      string // benign or injection
	Subtype    string // one of the six attack types; none for benign
	Domain     string // what the text is about, in small letters, digits and _
	Language   string // ISO 639-1
	Authorship string // one of Authorships
}

// Or fills empty fields with those of the file.
func (d Description) Or(file Description) Description {
	for _, f := range []struct{ own, file *string }{
		{&d.Label, &file.Label}, {&d.Subtype, &file.Subtype}, {&d.Domain, &file.Domain}, {&d.Language, &file.Language},
		{&d.Authorship, &file.Authorship},
	} {
		if *f.own == "" {
			*f.own = *f.file
		}
	}
	return d
}

// Mistake returns the first field that holds what it must not and what was expected, or "" for none.
func (d Description) Mistake() (field, found, expected string) {
	switch {
	case d.Label != "benign" && d.Label != "injection":
		return "label", d.Label, "benign or injection"
	case d.Label == "benign" && d.Subtype != "none":
		return "subtype", d.Subtype, "none for a benign text"
	case d.Label == "injection" && !slices.Contains(subtype.Types(), d.Subtype):
		return "subtype", d.Subtype, "one of " + strings.Join(subtype.Types(), ", ")
	case !nameForm.MatchString(d.Domain):
		return "domain", d.Domain, "a name of small letters"
	case !languageForm.MatchString(d.Language):
		return "language", d.Language, "two small letters"
	case !slices.Contains(Authorships, d.Authorship):
		return "authorship", d.Authorship, "one of " + strings.Join(Authorships, ", ")
	}
	return "", "", ""
}

// Class is the label as a class.
func (d Description) Class() dataset.Label {
	if d.Label == "injection" {
		return dataset.Injection
	}
	return dataset.Benign
}

// failAt makes an error about a line of a file.
type failAt func(line int, format string, args ...any) *fault.Error

// ids refuses a malformed or repeated name.
type ids map[string]int

func (seen ids) add(fail failAt, line int, id string) error {
	if !nameForm.MatchString(id) {
		return fail(line, "field id holds %s, expected small letters, digits and _", fault.Quote(id))
	}
	if at := seen[id]; at > 0 {
		return fail(line, "field id holds %s, which stands on line %d already, expected each id once", fault.Quote(id), at)
	}
	seen[id] = line
	return nil
}
