package render

import (
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
)

// Page is what an HTML report shows: one document that needs nothing else, neither a network nor files beside it.
type Page struct {
	Title    string
	Warnings []string // stand first: what is incomplete or to be doubted
	Verdict  []string // what the numbers say, a sentence each
	Tables   []Table
	Figures  []Picture
	Errors   []Table // rows that detectors get wrong, with their texts; only when the user asked for them
	Run      []Fact  // versions, hashes, commands
}

// Picture is a figure for a page.
type Picture struct {
	Title  string
	Note   string
	SVG    string // a whole document of our own making, which is not escaped
	Detail bool   // folded away at first
}

// Fact is a line of the run record.
type Fact struct{ Name, Value string }

var (
	//go:embed html/page.html
	pageHTML string
	//go:embed html/page.css
	pageCSS string
	//go:embed html/page.js
	pageJS string
)

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"printable": Printable,
	"hyphens":   func(s string) string { return strings.ReplaceAll(s, "_", "-") },
}).Parse(pageHTML))

// HTML writes the page. All names and texts are escaped; the page may run and show nothing but what stands in it. Equal
// pages have equal bytes.
func HTML(w io.Writer, page Page) error {
	v := pageView{Page: page, CSS: template.CSS(pageCSS), JS: template.JS(pageJS), Policy: policyHTML()}
	names := newNumbering()
	for _, t := range page.Tables {
		if t.ID == confusion && len(page.Tables) > 1 {
			v.Counts = append(v.Counts, newPageTable(t, names))
		} else {
			v.Main = append(v.Main, newPageTable(t, names))
		}
	}
	for _, t := range page.Errors {
		v.Wrong = append(v.Wrong, newPageTable(t, names))
	}
	for _, f := range page.Figures {
		d := pageFigure{Picture: f, SVG: template.HTML(f.SVG)}
		if f.Detail {
			v.Details = append(v.Details, d)
		} else {
			v.Drawings = append(v.Drawings, d)
		}
	}
	v.Detectors, v.Axes = pageChoices(slices.Concat(v.Main, v.Counts), v.Wrong)
	return pageTemplate.Execute(w, v)
}

// policyHTML is the content security policy: the style and the script of the page, known by their hashes, nothing else.
func policyHTML() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{"default-src 'none'", "style-src " + hash(pageCSS), "script-src " + hash(pageJS),
		"base-uri 'none'",
		"form-action 'none'"}, "; ")
}
