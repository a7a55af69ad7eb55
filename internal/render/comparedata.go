package render

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"pidsbench/internal/comparison"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// CompareJSON writes comparisons with all their numbers.
func CompareJSON(w io.Writer, r *results.Results, of []comparison.Result, leftOut []string) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema      string              `json:"schema"`
		Edition     string              `json:"edition"`
		Manifest    string              `json:"manifest_sha256,omitempty"`
		WindowMode  string              `json:"window_mode"`
		Undisputed  bool                `json:"undisputed,omitempty"`
		Resamples   int                 `json:"resamples"`
		LeftOut     []string            `json:"left_out,omitempty"` // runs
		Comparisons []comparison.Result `json:"comparisons"`
		Run         map[string]string   `json:"run,omitempty"`
	}{"pidsbench-compare/1", r.Edition, r.ManifestSHA256, r.WindowMode, r.Undisputed, stats.Resamples, leftOut, of, r.Run})
}

// CompareCSV writes a line for each comparison, with empty fields where a number is undefined. McNemar's numbers are
// those of the first pair of runs.
func CompareCSV(w io.Writer, r *results.Results, of []comparison.Result) error {
	records := [][]string{{"id", "status", "a", "b", "number", "split", "slice", "metric", "policy", "value_a", "value_b",
		"difference", "lo", "hi", "joint_lo", "joint_hi", "se", "mde", "p_bootstrap", "p_holm", "n_runs", "seed_sd", "t_p",
		"mcnemar_only_a", "mcnemar_only_b", "mcnemar_p", "n", "n_total", "groups", "groups_effective", "verdict", "outcome",
		"reason", "edition", "manifest_sha256", "windows"}}
	for _, c := range of {
		policy := ""
		if c.Policy != nil {
			policy = *c.Policy
		}
		record := []string{c.ID, c.Status, c.A, c.B, c.Name, c.Split, c.Slice, c.Metric, policy, number(c.ValueA),
			number(c.ValueB), number(c.Diff)}
		record = append(append(record, ends(c.Interval)...), ends(c.Joint)...)
		record = append(record, number(c.SE), number(c.MDE), number(c.P), number(c.PHolm), strconv.Itoa(len(c.Runs)),
			number(c.SeedSD))
		t, mcnemar := "", []string{"", "", ""}
		if c.T != nil {
			t = number(&c.T.P)
		}
		if len(c.Runs) > 0 && c.Runs[0].McNemar != nil {
			m := c.Runs[0].McNemar
			mcnemar = []string{strconv.Itoa(m.OnlyA), strconv.Itoa(m.OnlyB), number(&m.P)}
		}
		record = append(append(record, t), mcnemar...)
		records = append(records, append(record, strconv.Itoa(c.N), strconv.Itoa(c.Total), strconv.Itoa(c.Groups),
			number(&c.Effective), string(c.Verdict), string(c.Outcome), c.Reason, r.Edition, r.ManifestSHA256, r.WindowMode))
	}
	return csv.NewWriter(w).WriteAll(records)
}

func ends(in *comparison.Interval) []string {
	if in == nil {
		return []string{"", ""}
	}
	return []string{number(&in.Lo), number(&in.Hi)}
}
