package survey

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"pidsbench/internal/breakdown"
	"pidsbench/internal/metrics"
	"pidsbench/internal/probe"
	"pidsbench/internal/render"
)

// columns of the CSV form. A line is a group of rows (table groups) or a number of a probe (table probe); the columns
// of the other kind are empty.
var columns = []string{"table", "edition", "manifest_sha256",
	"split", "by", "value", "class", "rows", "share", "families", "frames", "carriers", "effective_n", "largest_family",
	"probe", "case", "train_rows", "on", "metric", "number", "k", "n", "lo", "hi", "reason"}

// CSV writes the survey as one table. An undefined number is empty, with its reason in the last column.
func (s *Survey) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	line := func(fields map[string]string) error {
		record := make([]string, len(columns))
		fields["edition"], fields["manifest_sha256"] = s.Edition, s.ManifestSHA256
		for i, c := range columns {
			record[i] = render.Printable(fields[c])
		}
		return out.Write(record)
	}
	if err := out.Write(columns); err != nil {
		return err
	}
	for _, t := range s.Splits {
		for _, g := range t.Groups {
			if err := line(map[string]string{"table": "groups", "split": t.Split, "by": g.By, "value": g.Value,
				"class": g.Label, "rows": strconv.Itoa(g.Rows), "share": exact(g.Share), "families": field(g.Families),
				"frames": field(g.Frames), "carriers": field(g.Carriers), "effective_n": field(g.EffectiveN),
				"largest_family": field(g.LargestFamily), "reason": reasons(g.Families, g.Frames, g.Carriers)}); err != nil {
				return err
			}
		}
	}
	for _, p := range s.Probes {
		if p.Reason != "" {
			if err := line(map[string]string{"table": "probe", "probe": p.Name, "reason": p.Reason}); err != nil {
				return err
			}
		}
		for _, r := range p.Rows {
			for _, n := range r.Numbers {
				f := map[string]string{"table": "probe", "probe": p.Name, "case": r.Case, "on": n.On, "metric": n.Metric,
					"number": field(n.Value), "reason": reasons(n.Value)}
				if r.Train > 0 {
					f["train_rows"] = strconv.Itoa(r.Train)
				}
				if n.N > 0 {
					f["n"] = strconv.Itoa(n.N)
				}
				if n.IsProportion() {
					f["k"] = strconv.Itoa(n.K)
				}
				if n.Interval != nil {
					f["lo"], f["hi"] = exact(n.Interval.Lo), exact(n.Interval.Hi)
				}
				if err := line(f); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func field(v metrics.Value) string {
	if !v.OK {
		return ""
	}
	return exact(v.V)
}

type (
	jsonSurvey struct {
		Schema   string      `json:"schema"`
		Edition  string      `json:"edition"`
		Manifest *string     `json:"manifest_sha256"`
		Splits   []jsonSplit `json:"splits"`
		Probes   []jsonProbe `json:"probes"`
	}
	jsonSplit struct {
		Split     string      `json:"split"`
		SHA256    string      `json:"sha256"`
		Rows      int         `json:"rows"`
		Benign    int         `json:"benign"`
		Injection int         `json:"injection"`
		Missing   int         `json:"missing"`
		Lacking   []string    `json:"lacking"` // breakdowns it has no column for
		Groups    []jsonGroup `json:"groups"`
	}
	jsonGroup struct {
		By            string   `json:"by"`
		Value         string   `json:"value"`
		Other         int      `json:"other_values,omitempty"`
		Class         string   `json:"class"`
		Rows          int      `json:"rows"`
		Share         float64  `json:"share"`
		Families      *float64 `json:"families"`
		Frames        *float64 `json:"frames"`
		Carriers      *float64 `json:"carriers"`
		EffectiveN    *float64 `json:"effective_n"`
		LargestFamily *float64 `json:"largest_family"`
		Reason        string   `json:"reason,omitempty"`
	}
	jsonProbe struct {
		Probe     string    `json:"probe"`
		Title     string    `json:"title"`
		Threshold float64   `json:"threshold"`
		Seed      int64     `json:"seed"`
		Reason    string    `json:"reason,omitempty"`
		Rows      []jsonRow `json:"rows"`
		Notes     []string  `json:"notes"`
	}
	jsonRow struct {
		Case    string       `json:"case"`
		Train   *int         `json:"train_rows"`
		Numbers []jsonNumber `json:"numbers"`
	}
	jsonNumber struct {
		On       string   `json:"on,omitempty"`
		Metric   string   `json:"metric"`
		Value    *float64 `json:"value"`
		Reason   string   `json:"reason,omitempty"`
		K        *int     `json:"k,omitempty"`
		N        *int     `json:"n,omitempty"`
		Lo       *float64 `json:"lo,omitempty"`
		Hi       *float64 `json:"hi,omitempty"`
		Interval string   `json:"interval,omitempty"`
	}
)

// JSON writes the survey as {"schema":"pidsbench-stats/1", …}; undefined numbers are null with their reason.
func (s *Survey) JSON(w io.Writer) error {
	out := jsonSurvey{Schema: "pidsbench-stats/1", Edition: s.Edition, Splits: []jsonSplit{}, Probes: []jsonProbe{}}
	if s.ManifestSHA256 != "" {
		out.Manifest = &s.ManifestSHA256
	}
	for _, t := range s.Splits {
		out.Splits = append(out.Splits, jsonOfSplit(t))
	}
	for _, p := range s.Probes {
		out.Probes = append(out.Probes, s.jsonOfProbe(p))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func jsonOfSplit(t breakdown.Table) jsonSplit {
	j := jsonSplit{t.Split, t.SHA256, t.Rows, t.Benign, t.Injection, t.Missing, append([]string{}, t.Lacking...),
		[]jsonGroup{}}
	for _, g := range t.Groups {
		j.Groups = append(j.Groups, jsonGroup{g.By, g.Value, g.Other, g.Label, g.Rows, g.Share, null(g.Families),
			null(g.Frames), null(g.Carriers), null(g.EffectiveN), null(g.LargestFamily),
			reasons(g.Families, g.Frames, g.Carriers)})
	}
	return j
}

func (s *Survey) jsonOfProbe(p probe.Result) jsonProbe {
	j := jsonProbe{p.Name, p.Title, probe.Threshold, s.Seed, p.Reason, []jsonRow{}, append([]string{}, p.Notes...)}
	for _, r := range p.Rows {
		row := jsonRow{Case: r.Case, Numbers: []jsonNumber{}}
		if r.Train > 0 {
			row.Train = &r.Train
		}
		for _, n := range r.Numbers {
			x := jsonNumber{On: n.On, Metric: n.Metric, Value: null(n.Value), Reason: reasons(n.Value)}
			if n.N > 0 {
				x.N = &n.N
			}
			if n.IsProportion() {
				x.K = &n.K
			}
			if n.Interval != nil {
				x.Lo, x.Hi, x.Interval = &n.Interval.Lo, &n.Interval.Hi, "wilson95_by_row"
			}
			row.Numbers = append(row.Numbers, x)
		}
		j.Rows = append(j.Rows, row)
	}
	return j
}

func null(v metrics.Value) *float64 {
	if !v.OK {
		return nil
	}
	return &v.V
}
