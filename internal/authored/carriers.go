package authored

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// carriersSchema names the form of a file of documents.
const carriersSchema = "pidsbench-carriers/1"

// DocumentSlot is where a document stands in a request.
const DocumentSlot = "{document}"

// Carriers is a file of documents, read and checked.
type Carriers struct {
	Documents  []Document
	Injections []Text    // for documents of others
	Requests   []Request // what a user says around a document of others
}

// Document is a text that stands clean, and with each of its injections.
type Document struct {
	Text
	Injections []Text // named after the document, with a number from 1
}

// Request is a benign text with so many places for a document.
type Request struct {
	ID        string
	Text      string
	Documents int
	Line      int
}

type carriersYAML struct {
	Schema     string          `yaml:"schema"`
	Domain     string          `yaml:"domain"`
	Language   string          `yaml:"language"`
	Authorship string          `yaml:"authorship"`
	Documents  []documentYAML  `yaml:"documents"`
	Injections []injectionYAML `yaml:"injections"`
	Requests   []requestYAML   `yaml:"requests"`
}

type documentYAML struct {
	ID         string          `yaml:"id"`
	Domain     string          `yaml:"domain"`
	Language   string          `yaml:"language"`
	Text       string          `yaml:"text"`
	Injections []injectionYAML `yaml:"injections"`
}

type injectionYAML struct {
	ID       string `yaml:"id"`
	Subtype  string `yaml:"subtype"`
	Language string `yaml:"language"`
	Text     string `yaml:"text"`
}

type requestYAML struct {
	ID   string `yaml:"id"`
	Text string `yaml:"text"`
}

// LoadCarriers reads a file of documents, named by its path below root with slashes. A mistake is an error of kind
// Integrity that names file and line.
func LoadCarriers(root, name string) (*Carriers, error) {
	var f carriersYAML
	src, err := load(root, name, &f)
	if err != nil {
		return nil, err
	}
	if f.Schema != carriersSchema {
		return nil, src.Fail(src.Line("schema"), "field schema holds %s, expected %q", fault.Quote(f.Schema), carriersSchema)
	}
	if len(f.Documents)+len(f.Injections)+len(f.Requests) == 0 {
		return nil, src.Fail(1, "the file holds no documents, injections or requests, expected some of them")
	}
	benign := Description{"benign", "none", f.Domain, f.Language, f.Authorship}
	out, seen := &Carriers{}, ids{}
	for i, d := range f.Documents {
		doc := Document{Text: Text{d.ID, strings.TrimSpace(d.Text), src.Line("documents", i),
			Description{Domain: d.Domain, Language: d.Language}.Or(benign)}}
		if err := doc.check(src.Fail, seen); err != nil {
			return nil, err
		}
		if !HasMiddle(doc.Text.Text) {
			return nil, src.Fail(doc.Line, "%s: field text holds a text without paragraphs, lines or sentences, expected "+
				"one with a start, a middle and an end", doc.ID)
		}
		if len(d.Injections) == 0 {
			return nil, src.Fail(doc.Line, "%s: field injections is empty, expected at least one", doc.ID)
		}
		for j, in := range d.Injections {
			in.ID = doc.ID + "_" + strconv.Itoa(j+1)
			t := in.text(doc.Description, src.Line("documents", i, "injections", j))
			if err := t.check(src.Fail, seen); err != nil {
				return nil, err
			}
			if slices.ContainsFunc(doc.Injections, func(o Text) bool { return o.Text == t.Text }) {
				return nil, src.Fail(t.Line, "%s: field text holds %s a second time, expected each injection of a document once",
					t.ID, fault.Quote(t.Text))
			}
			doc.Injections = append(doc.Injections, t)
		}
		out.Documents = append(out.Documents, doc)
	}
	for i, in := range f.Injections {
		t := in.text(benign, src.Line("injections", i))
		if err := t.check(src.Fail, seen); err != nil {
			return nil, err
		}
		out.Injections = append(out.Injections, t)
	}
	for i, r := range f.Requests {
		req := Request{r.ID, strings.TrimSpace(r.Text), strings.Count(r.Text, DocumentSlot), src.Line("requests", i)}
		if err := seen.add(src.Fail, req.Line, req.ID); err != nil {
			return nil, err
		}
		if req.Documents == 0 {
			return nil, src.Fail(req.Line, "%s: field text holds no %s, expected a place for the document", req.ID,
				DocumentSlot)
		}
		out.Requests = append(out.Requests, req)
	}
	return out, nil
}

func (in injectionYAML) text(around Description, line int) Text {
	around.Label, around.Subtype = "injection", in.Subtype
	return Text{in.ID, strings.TrimSpace(in.Text), line, Description{Language: in.Language}.Or(around)}
}

// Fill puts documents into the places of a request, in order.
func (r Request) Fill(documents ...string) string {
	var b strings.Builder
	for i, part := range strings.Split(r.Text, DocumentSlot) {
		if i > 0 {
			b.WriteString(documents[i-1])
		}
		b.WriteString(part)
	}
	return b.String()
}

// Position is where an injection stands in a document.
type Position int

// The positions.
const (
	Start Position = iota
	Middle
	End
)

// Positions lists them in order.
var Positions = []Position{Start, Middle, End}

func (p Position) String() string { return [...]string{"start", "middle", "end"}[p] }

// between are the kinds of gaps between the parts of a document, and what is put between an injection and a part.
var between = []struct {
	gap  *regexp.Regexp
	join string
}{
	{regexp.MustCompile(`\n[ \t]*\n\s*`), "\n\n"},        // paragraphs
	{regexp.MustCompile(`\n`), "\n"},                     // lines
	{regexp.MustCompile(`[.!?…。？！]["')\]»”’]*\s+`), " "}, // sentences
}

// parts returns the byte offsets between the parts of a document, its beginning and end included, and what joins the
// parts. They are paragraphs, or lines where there are fewer than three paragraphs, or sentences where there are fewer
// than three lines.
func parts(document string) (gaps []int, join string) {
	for _, kind := range between {
		gaps = []int{0}
		for _, at := range kind.gap.FindAllStringIndex(document, -1) {
			if at[1] < len(document) {
				gaps = append(gaps, at[1])
			}
		}
		if gaps = append(gaps, len(document)); len(gaps) >= 4 {
			return gaps, kind.join
		}
	}
	return []int{0, len(document)}, " "
}

// HasMiddle reports whether a document has three parts or more, so that an injection stands apart at each position.
func HasMiddle(document string) bool {
	gaps, _ := parts(document)
	return len(gaps) >= 4
}

// Place puts an injection before the first part of a document, after the last one, or into the gap that is nearest to
// its middle, with the separator that stands between the parts. A document without parts has no middle: then the
// injection stands at the end.
func Place(document, injection string, at Position) string {
	gaps, join := parts(document)
	i := 0
	switch at {
	case Middle:
		i = nearest(gaps, len(document)/2)
	case End:
		i = len(gaps) - 1
	}
	if before, after := document[:gaps[i]], document[gaps[i]:]; after != "" {
		return before + injection + join + after
	}
	return document + join + injection
}

// nearest is the position of the inner gap that is nearest to an offset, the last one where there is none.
func nearest(gaps []int, to int) int {
	best := len(gaps) - 1
	for i := 1; i < len(gaps)-1; i++ {
		if best == len(gaps)-1 || abs(gaps[i]-to) < abs(gaps[best]-to) {
			best = i
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }
