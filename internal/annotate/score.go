package annotate

import (
	"maps"
	"slices"

	"pidsbench/internal/agreement"
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Comparison is the agreement of two sides on one question.
type Comparison struct {
	Question string             `json:"question"`
	A        string             `json:"a"`       // a sheet
	B        string             `json:"b"`       // another, or "label" for the label in the key
	N        int                `json:"n"`       // items that both answered
	Skipped  int                `json:"skipped"` // items that either skipped
	Table    agreement.Table    `json:"table"`   // counts by A's answer, then B's; no, yes
	Percent  agreement.Estimate `json:"percent"`
	Kappa    agreement.Estimate `json:"kappa"`
	Band     string             `json:"kappa_band,omitempty"`
	AC1      agreement.Estimate `json:"ac1"`
	AC1Band  string             `json:"ac1_band,omitempty"`
	OnNo     agreement.Estimate `json:"agreement_on_no"`
	OnYes    agreement.Estimate `json:"agreement_on_yes"`
}

// Disagreement is an item that two annotators or more answered differently.
type Disagreement struct {
	Question string   `json:"question"`
	Item     string   `json:"item_id"`
	Split    string   `json:"split"`
	Row      string   `json:"row"`
	Answers  []string `json:"answers"` // in the order of the sheets
}

// Report is what Score found.
type Report struct {
	Schema        string         `json:"schema"` // pidsbench-agreement/1
	Items         int            `json:"items"`
	Sheets        []string       `json:"sheets"`
	Changed       []int          `json:"texts_changed"` // of each sheet, items whose text is not as written
	Agreement     []Comparison   `json:"agreement"`     // by question, then every two sheets
	WithLabel     []Comparison   `json:"with_label"`    // every sheet with the key, where a question asks for the class
	Disagreements []Disagreement `json:"disagreements"`
}

// LabelQuestions are the questions that ask for the class, with the class that yes stands for.
var LabelQuestions = map[string]dataset.Label{"is_benign": dataset.Benign, "is_injection": dataset.Injection}

// Score compares filled sheets, two or more, pair by pair. All must have the same questions.
func Score(key map[string]KeyItem, sheets []*Filled) (*Report, error) {
	if len(sheets) < 2 {
		return nil, fault.New(fault.Usage, "there is %d sheet, expected two or more", len(sheets)).
			WithCure("name the sheets behind the key")
	}
	questions := sheets[0].Questions
	r := &Report{Schema: "pidsbench-agreement/1", Items: len(key), Agreement: []Comparison{}, WithLabel: []Comparison{},
		Disagreements: []Disagreement{}}
	for _, s := range sheets {
		if !slices.Equal(slices.Sorted(slices.Values(s.Questions)), slices.Sorted(slices.Values(questions))) {
			return nil, fault.New(fault.Integrity, "%s asks %q, expected %q as in %s", fault.Name(s.File), s.Questions,
				questions,
				fault.Name(sheets[0].File)).WithCure("name sheets that were written together")
		}
		r.Sheets = append(r.Sheets, s.File)
		r.Changed = append(r.Changed, s.Changed)
	}
	items := slices.Sorted(maps.Keys(key))
	for _, q := range questions {
		for i, a := range sheets {
			for _, b := range sheets[i+1:] {
				r.Agreement = append(r.Agreement, compare(q, a.File, b.File, items, a.Answers[q], b.Answers[q]))
			}
		}
		if yes, ok := LabelQuestions[q]; ok {
			labels := map[string]Answer{}
			for id, it := range key {
				labels[id] = No
				if it.Label == yes {
					labels[id] = Yes
				}
			}
			for _, s := range sheets {
				r.WithLabel = append(r.WithLabel, compare(q, s.File, "label", items, s.Answers[q], labels))
			}
		}
		for _, id := range items {
			if d := (Disagreement{Question: q, Item: id, Split: key[id].Split, Row: key[id].Row}); d.found(q, sheets) {
				r.Disagreements = append(r.Disagreements, d)
			}
		}
	}
	return r, nil
}

// found fills in the answers and reports whether both yes and no are among them.
func (d *Disagreement) found(q string, sheets []*Filled) bool {
	var given [3]bool
	for _, s := range sheets {
		a := s.Answers[q][d.Item]
		given[a] = true
		d.Answers = append(d.Answers, a.String())
	}
	return given[No] && given[Yes]
}

// compare sets one side's answers against another's.
func compare(q, a, b string, items []string, answersA, answersB map[string]Answer) Comparison {
	c := Comparison{Question: q, A: a, B: b, Table: agreement.NewTable(2)}
	for _, id := range items {
		x, y := answersA[id], answersB[id]
		if x == Skip || y == Skip {
			c.Skipped++
			continue
		}
		c.N++
		c.Table[x][y]++
	}
	c.Percent, c.Kappa, c.AC1 = c.Table.Percent(), c.Table.Kappa(), c.Table.AC1()
	c.OnNo, c.OnYes = c.Table.Specific(int(No)), c.Table.Specific(int(Yes))
	if c.Kappa.Value != nil {
		c.Band = agreement.Band(*c.Kappa.Value)
	}
	if c.AC1.Value != nil {
		c.AC1Band = agreement.Band(*c.AC1.Value)
	}
	return c
}
