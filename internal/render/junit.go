package render

import (
	"encoding/xml"
	"io"
	"strings"

	"pidsbench/internal/gate"
)

type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitFault `xml:"failure"`
	Error   *junitFault `xml:"error"`
	Skipped *junitFault `xml:"skipped"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitFault struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// GateJUnit writes a report as JUnit XML: a test case a limit. A broken or undecided limit is a failure, one without
// data an error, an undecided one that may pass is skipped. There are no times in it.
func GateJUnit(w io.Writer, r *gate.Report) error {
	s := junitSuite{Name: "pidsbench gate", Tests: len(r.Limits), Properties: []junitProperty{
		{"config", Printable(r.Config)}, {"edition", Printable(r.Edition)}, {"manifest_sha256", r.ManifestSHA256},
		{"windows", r.WindowMode}}}
	for i := range r.Limits {
		it := &r.Limits[i]
		c := junitCase{Class: "pidsbench.gate." + Printable(it.Detector),
			Name: it.ID + ": " + gateNumber(it) + " " + gateBound(it), Out: strings.Join(gateFacts(it), "\n")}
		f := &junitFault{Type: it.Verdict.String(), Message: Printable(it.Why), Text: c.Out}
		switch {
		case it.Verdict == gate.NoData:
			c.Error, c.Out = f, ""
			s.Errors++
		case it.Fails:
			c.Failure, c.Out = f, ""
			s.Failures++
		case it.Verdict == gate.Undecided:
			c.Skipped = &junitFault{Message: f.Message}
			s.Skipped++
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	err := enc.Encode(junitSuites{Name: "pidsbench gate", Tests: s.Tests, Failures: s.Failures, Errors: s.Errors,
		Skipped: s.Skipped, Suite: s})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// gateFacts are the lines that say what a limit rests on.
func gateFacts(it *gate.Item) []string {
	facts := []string{
		"threshold: " + gatePolicy(it),
		"value: " + gateValue(it).String(),
		"95 % interval: " + gateInterval(it).String(),
		"bound: " + gateBound(it),
		"rows: " + gateRows(it).String(),
	}
	for _, line := range append(flipLines(it), it.Doubts...) {
		facts = append(facts, Printable(strings.TrimPrefix(line, it.ID+": ")))
	}
	return facts
}
