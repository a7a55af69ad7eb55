package render

import (
	"strings"
	"testing"

	"pidsbench/internal/results"
	"pidsbench/internal/scores"
)

func TestTheLastLineSaysWhatMadeTheNumbers(t *testing.T) {
	by := func(tool, runtime string) []scores.Setup {
		return []scores.Setup{{Tool: tool, Runtime: runtime, CPU: "amd64"}}
	}
	one := []results.DetectorSummary{{ID: "a", Made: map[string]results.Made{
		"1": {By: by("pidsbench 1", "onnxruntime 2")}, "2": {By: by("pidsbench 1", "onnxruntime 2")}}},
		{ID: "b", Made: map[string]results.Made{"0": {By: by("pidsbench 1", "")}}}}
	for name, tt := range map[string]struct {
		r    results.Results
		want string
	}{
		"each once": {results.Results{Run: map[string]string{"pidsbench": "3", "commit": "0123456789abcdef"}, Detectors: one},
			"Tables by pidsbench 3 (commit 0123456789ab); scores by pidsbench 1; pidsbench 1, onnxruntime 2."},
		"no scores":     {results.Results{Run: map[string]string{"pidsbench": "3"}}, "Tables by pidsbench 3."},
		"no run record": {results.Results{Detectors: one}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(closing(&tt.r), "|"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
