package pidsv3

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
	"pidsbench/internal/restrict"
	"pidsbench/internal/textnorm"
)

// Prediction is one file: a score for every row of a split, in its order.
type Prediction struct {
	Path      string
	Split     string
	SHA256    string
	Texts     []string // nil when the file holds none
	Labels    []dataset.Label
	Scores    []Score
	Decisions bool // the scores are decisions, 0 or 1
}

// Score is P(injection) in [0,1], or the reason why the row has none.
type Score struct {
	Value  float64
	Reason string
}

// scoreColumns hold a score; those from decisions on only what was decided.
var (
	scoreColumns = []string{"probability_score", "inj_prob", "external_pred", "llm_pred"}
	decisions    = 2
)

// read reads a file of a split. Unless it is sure to be a prediction file, one without a column of scores is none: nil.
func read(path, split string, sure bool) (*Prediction, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Failed, "%s cannot be read: %w", fault.Name(path), err)
	}
	header, records, err := dataset.ReadCSV(path, data)
	if err != nil {
		if !sure {
			return nil, nil
		}
		return nil, err
	}
	score, kind := first(header, scoreColumns...)
	label, _ := first(header, "true_label", "label")
	if score < 0 && !sure {
		return nil, nil
	}
	if score < 0 || label < 0 {
		return nil, fault.New(fault.Integrity, "%s: there is no column %s among %.200q", fault.Name(path),
			map[bool]string{true: `"probability_score"`, false: `"true_label"`}[score < 0], header).
			WithCure("move it out of the folder")
	}
	sum := sha256.Sum256(data)
	p := &Prediction{Path: path, Split: split, SHA256: hex.EncodeToString(sum[:]), Decisions: kind >= decisions}
	text := slices.Index(header, "text")
	for i, r := range records {
		l, err := parseLabel(r[label])
		if err == nil {
			var s Score
			if s, err = parseScore(r[score], header[score], p.Decisions); err == nil {
				p.Labels, p.Scores = append(p.Labels, l), append(p.Scores, s)
			}
		}
		if err != nil {
			return nil, fault.New(fault.Integrity, "%s: row %d: %w", fault.Name(path), i, err).WithCure("restore the file")
		}
		if text >= 0 {
			p.Texts = append(p.Texts, r[text])
		}
	}
	return p, nil
}

// first returns the position in the header of the first name that is there, and which name it is; -1 for none.
func first(header []string, names ...string) (at, which int) {
	for i, name := range names {
		if at := slices.Index(header, name); at >= 0 {
			return at, i
		}
	}
	return -1, -1
}

func parseLabel(s string) (dataset.Label, error) {
	switch s {
	case "0", "0.0":
		return dataset.Benign, nil
	case "1", "1.0":
		return dataset.Injection, nil
	}
	return 0, fmt.Errorf("the label is %s, expected 0 or 1", fault.Quote(s))
}

// parseScore reads a cell of the column. An empty one, as after a failed call, is no score.
func parseScore(s, column string, decision bool) (Score, error) {
	v, err := strconv.ParseFloat(s, 64)
	if strings.ContainsAny(s, "xX") { // hexadecimal, which no program of the original writes
		err = strconv.ErrSyntax
	}
	switch {
	case s == "" || err == nil && math.IsNaN(v):
		return Score{Reason: "the original has no score for this row"}, nil
	case err != nil || !(v >= 0 && v <= 1):
		return Score{}, fmt.Errorf("column %q holds %s, expected a number from 0 to 1", column, fault.Quote(s))
	case decision && v != 0 && v != 1:
		return Score{}, fmt.Errorf("column %q holds %s, expected 0 or 1", column, fault.Quote(s))
	}
	return Score{Value: v + 0}, nil // -0 is 0
}

// differs returns the first row in which two files of a split differ, -1 when they say the same.
func (p *Prediction) differs(q *Prediction) int {
	for i := range min(len(p.Scores), len(q.Scores)) {
		if p.Scores[i] != q.Scores[i] || p.Labels[i] != q.Labels[i] {
			return i
		}
	}
	if len(p.Scores) != len(q.Scores) {
		return min(len(p.Scores), len(q.Scores))
	}
	return -1
}

// Check matches the rows with those of the edition: as many rows and labels of each class as frozen and, where the
// split is at hand (rows may be nil), the same label and the same text in every row. A text that is withheld must have
// the fingerprint beside it. Texts may differ in white space, which pandas does not keep everywhere, and a text that it
// reads as a missing value was scored, and stands in the file, as the word nan.
func (p *Prediction) Check(frozen manifest.File, rows *dataset.Split) error {
	fail := func(format string, args ...any) error {
		return fault.New(fault.Integrity, "%s: "+format, append([]any{fault.Name(p.Path)}, args...)...).
			WithCure("import only runs on the edition as frozen")
	}
	benign := 0
	for _, l := range p.Labels {
		if l == dataset.Benign {
			benign++
		}
	}
	if n := len(p.Scores); n != frozen.Rows || benign != frozen.Benign {
		return fail("holds %d rows, %d benign and %d injection, expected the %d rows of %s, %d and %d", n, benign, n-benign,
			frozen.Rows, p.Split, frozen.Benign, frozen.Injection)
	}
	if rows == nil {
		return nil
	}
	sums, _ := rows.Column(restrict.HashColumn)
	for i, r := range rows.Rows {
		if p.Labels[i] != r.Label {
			return fail("row %d has label %d, expected %d as in %s", i, p.Labels[i], r.Label, p.Split)
		}
		if p.Texts == nil {
			continue
		}
		text := p.Texts[i]
		switch {
		case r.Missing && restrict.Hash(text) != sums[i]:
			return fail("row %d has the text %s, expected the one with the fingerprint %s", i, fault.Quote(text),
				fault.Quote(sums[i]))
		case !r.Missing && pandasMissing(r.Text) && (text == "nan" || text == ""):
		case !r.Missing && text != r.Text && textnorm.Fingerprint(text) != textnorm.Fingerprint(r.Text):
			return fail("row %d has the text %s, expected %s as in %s", i, fault.Quote(text), fault.Quote(r.Text), p.Split)
		}
	}
	return nil
}

// pandasMissing reports whether pandas reads a cell that holds the text as a missing value.
func pandasMissing(text string) bool {
	switch text {
	case "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None",
		"1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN":
		return true
	}
	return false
}

// Trim drops the last n rows when the file has just that many more than the split and all of them are benign: runs with
// hard negatives scored those of validation behind val. It reports whether it did.
func (p *Prediction) Trim(rows, n int) bool {
	if n == 0 || len(p.Scores) != rows+n || slices.Contains(p.Labels[rows:], dataset.Injection) {
		return false
	}
	p.Labels, p.Scores = p.Labels[:rows], p.Scores[:rows]
	if p.Texts != nil {
		p.Texts = p.Texts[:rows]
	}
	return true
}

// Failed returns how many rows have no score.
func (p *Prediction) Failed() int {
	n := 0
	for _, s := range p.Scores {
		if s.Reason != "" {
			n++
		}
	}
	return n
}

// String names the file for people.
func (p *Prediction) String() string {
	parts := strings.Split(strings.ReplaceAll(p.Path, `\`, "/"), "/")
	return fault.Name(strings.Join(parts[max(0, len(parts)-2):], "/"))
}
