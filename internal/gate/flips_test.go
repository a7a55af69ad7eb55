package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

func TestFlipsAreListedInBothDirectionsAmongTheRowsThatCount(t *testing.T) {
	s := place(t, "s", dataset.IID, "text,label,kind\na,0,x\nb,0,x\nc,1,x\nd,1,x\ne,0,y\nf,0,x\ng,1,x\nh,0,x\n",
		map[string]string{"kind": "kind"})
	run := func(tau float64, scores ...float64) Run {
		r := Run{Threshold: tau}
		for _, v := range scores {
			r.Outcomes = append(r.Outcomes, results.Outcome{Score: v})
		}
		return r
	}
	was := run(0.5, 0.1, 0.5, 0.9, 0.4, 0.1, 0.1, 0.2, 0.9)
	now := run(0.3, 0.3, 0.2, 0.2, 0.3, 0.9, 0.2, 0.2, 0.1)
	now.Outcomes[7].State = results.Failed
	limit := func(fields string) *Limit {
		return &config(t, "limits:\n  - {id: a, detector: d, axis: iid, policy: val_f1, regression: 0, "+fields+"}\n").Limits[0]
	}
	for fields, want := range map[string]Flips{
		"metric: fpr, slice: {kind: x}": {Worse: 1, Better: 1,
			Rows: []Flip{{7, 0, 0, Worse, 0.1, 0.3}, {7, 1, 0, Better, 0.5, 0.2}}},
		"metric: recall": {Worse: 1, Better: 1,
			Rows: []Flip{{7, 2, 1, Worse, 0.9, 0.2}, {7, 3, 1, Better, 0.4, 0.3}}},
		"metric: f1, slice: {kind: y}": {Worse: 1, Rows: []Flip{{7, 4, 0, Worse, 0.1, 0.9}}},
	} {
		var got Flips
		got.Add(limit(fields), &s, 7, was, now)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", fields, diff)
		}
	}
}
