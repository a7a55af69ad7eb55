package authored

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// textsSchema names the form of a file of texts.
const textsSchema = "pidsbench-texts/1"

// Text is a text that was written by itself.
type Text struct {
	ID   string
	Text string
	Line int // where it begins in its file
	Description
}

type textsYAML struct {
	Schema     string     `yaml:"schema"`
	Label      string     `yaml:"label"`
	Subtype    string     `yaml:"subtype"`
	Domain     string     `yaml:"domain"`
	Language   string     `yaml:"language"`
	Authorship string     `yaml:"authorship"`
	Texts      []textYAML `yaml:"texts"`
}

type textYAML struct {
	ID         string `yaml:"id"`
	Label      string `yaml:"label"`
	Subtype    string `yaml:"subtype"`
	Domain     string `yaml:"domain"`
	Language   string `yaml:"language"`
	Authorship string `yaml:"authorship"`
	Text       string `yaml:"text"`
}

// LoadTexts reads a file of texts, named by its path below root with slashes. Spaces around a text are no part of it. A
// mistake is an error of kind Integrity that names file and line.
func LoadTexts(root, name string) ([]Text, error) {
	var f textsYAML
	src, err := load(root, name, &f)
	if err != nil {
		return nil, err
	}
	if f.Schema != textsSchema {
		return nil, src.Fail(src.Line("schema"), "field schema holds %s, expected %q", fault.Quote(f.Schema), textsSchema)
	}
	if len(f.Texts) == 0 {
		return nil, src.Fail(1, "field texts is empty, expected at least one text")
	}
	whole := Description{f.Label, f.Subtype, f.Domain, f.Language, f.Authorship}
	out := make([]Text, len(f.Texts))
	seen := ids{}
	for i, t := range f.Texts {
		out[i] = Text{t.ID, strings.TrimSpace(t.Text), src.Line("texts", i),
			Description{t.Label, t.Subtype, t.Domain, t.Language, t.Authorship}.Or(whole)}
		if err := out[i].check(src.Fail, seen); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (t Text) check(fail failAt, seen ids) error {
	if err := seen.add(fail, t.Line, t.ID); err != nil {
		return err
	}
	if t.Text == "" {
		return fail(t.Line, "%s: field text is empty, expected a text", t.ID)
	}
	if c := Unfit(t.Text); c != "" {
		return fail(t.Line, "%s: field text holds %s, expected no such character", t.ID, c)
	}
	if field, found, expected := t.Mistake(); field != "" {
		return fail(t.Line, "%s: field %s holds %s, expected %s", t.ID, field, fault.Quote(found), expected)
	}
	return nil
}

// Unfit names the first character of a text that no text of ours may hold: a control or format character but tab, line
// feed and the joiners that scripts and emoji need, or bytes that are no UTF-8. It is "" for none.
func Unfit(text string) string {
	for _, r := range text {
		switch {
		case r == utf8.RuneError:
			return "bytes that are no UTF-8, or U+FFFD in their place"
		case r == '\t' || r == '\n' || r == '\u200c' || r == '\u200d':
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return fmt.Sprintf("the character %U", r)
		}
	}
	return ""
}

func load(root, name string, into any) (*strictyaml.File, error) {
	src := &strictyaml.File{Name: name, Kind: fault.Integrity, Cure: "correct the file of texts"}
	return src, src.Load(filepath.Join(root, filepath.FromSlash(name)), into)
}
