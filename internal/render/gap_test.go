package render

import (
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

func TestOneReasonIsOneNote(t *testing.T) {
	failed := make([]results.Outcome, 2)
	for i := range failed {
		failed[i].State = results.Failed
	}
	for _, tt := range []struct {
		name, rows string
		want       []string
	}{
		{"no row has a score", "text,label\na,0\nb,1\n", []string{"n/a: Broken: no rows"}},
		{"one class", "text,label\na,0\nb,0\n",
			[]string{"n/a: Broken: no rows", "n/a: F1, Precision, Recall, ROC-AUC: no injection rows"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mine := read(t, "mine", tt.rows)
			detector := func(id, name string, out []results.Outcome) results.Detector {
				return results.Detector{ID: id, Name: name, Seeds: []results.Seed{{Outcomes: map[string][]results.Outcome{"mine": out}}}}
			}
			r := results.Build(results.Input{
				Edition: "custom", WindowMode: "max", Policies: []threshold.Policy{{Kind: threshold.Fixed, Value: 0.5}},
				Splits: []results.Split{{Spec: dataset.SplitSpec{Name: "mine", Axis: dataset.Custom}, Data: mine}},
				Detectors: []results.Detector{detector("broken", "Broken", failed), detector("one", "One", scored(0.1, 0.9)),
					detector("two", "Two", scored(0.2, 0.8))},
			})
			var got []string
			for _, n := range Layout(r, false)[0].Notes {
				if strings.HasPrefix(n, "n/a") {
					got = append(got, n)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
