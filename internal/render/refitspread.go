package render

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/refit"
	"pidsbench/internal/results"
)

// spread sets the spread of the other splits beside that of the seeds.
func (t *refitTables) spread() Table {
	out := t.begin("spread", "Spread over other splits, beside that over seeds", "", 5,
		"Detector", "What varies", "Rows", "Number", "Threshold", "Mean", "SD", "Lowest", "Highest", "Frozen split")
	row := func(id, what, slice, metric, policy string, values []float64) {
		if len(values) < 2 {
			return
		}
		mean, sd := stat.MeanStdDev(values, nil)
		decimal := func(v float64) Entry { return Entry{Text: fmt.Sprintf("%.4f", v), Raw: []string{number(&v)}} }
		e := t.entry(id, slice, metric, policy)
		if at := strings.IndexAny(e.Text, "±"); at >= 0 { // the column SD has it
			_, after, _ := strings.Cut(e.Text, " ")
			e.Text = e.Text[:at] + " " + after
		}
		last := &out.Groups[len(out.Groups)-1]
		*last = append(*last, Row{label("%s", Printable(nameOf(t.r, id))), label("%s", what),
			label("%s", map[string]string{"all": "all", plainSlice: "plain"}[slice]),
			label("%s", map[string]string{"f1": "F1", "fpr": "FPR"}[metric]), label("%s", policy), decimal(mean), decimal(sd),
			decimal(slices.Min(values)), decimal(slices.Max(values)), e})
	}
	out.Groups = append(out.Groups, nil)
	each := func(of func(slice, metric, policy string)) {
		for _, slice := range t.parts() {
			for _, metric := range []string{"f1", "fpr"} {
				for _, policy := range t.r.Policies {
					of(slice, metric, policy)
				}
			}
		}
	}
	each(func(slice, metric, policy string) {
		values, reason := t.splitValues(slice, metric, policy)
		if reason != "" {
			note(&out.Notes, "n/a: %d of %d other splits: %s", refit.Deals-len(values), refit.Deals, Printable(reason))
		}
		row(refit.Whole, fmt.Sprintf("%d splits", len(values)), slice, metric, policy, values)
	})
	for _, d := range t.beside() {
		out.Groups = append(out.Groups, nil)
		each(func(slice, metric, policy string) {
			values := t.seeds(d.ID, slice, metric, policy)
			row(d.ID, fmt.Sprintf("%d seeds", len(values)), slice, metric, policy, values)
		})
	}
	out.Groups = slices.DeleteFunc(out.Groups, func(g []Row) bool { return len(g) == 0 })
	sizes := map[string]bool{}
	for _, s := range t.of.Splits {
		sizes[fmt.Sprintf("%s, %s and %s", thousands(s.Train), thousands(s.Val), thousands(s.Test))] = true
	}
	how := "almost as many as in the frozen ones"
	if keys := sortedKeys(sizes); len(keys) == 1 {
		how = keys[0]
	}
	if len(t.of.New) > 0 {
		note(&out.Notes, "plain: rows without a disguise. The frozen test has disguises that its train does not show (%s); "+
			"dealing anew puts some of them into train. Only plain rows compare with those of the frozen split.",
			Printable(strings.Join(t.of.New, ", ")))
	} else if len(t.parts()) > 1 {
		note(&out.Notes, "plain: rows without a disguise.")
	}
	out.Notes = append(out.Notes,
		"Other splits: all rows of train, val and test, families whole, dealt out at random to parts with as many rows of "+
			"each class as the frozen ones ("+how+"). TF-IDF is fitted on the train of each, val_f1 on its val.",
		"SD over splits: which rows are in test and which in train, both at once; the interval of the frozen split (95 %, by "+
			"families) is about the first alone. SD over seeds: first weights and order of training, rows as they are. The splits "+
			"share rows, so this SD is somewhat too small.")
	return out
}

// plainSlice is the rows of test without a disguise.
const plainSlice = "disguise=" + refit.Plain

// parts returns the slices of test that are shown: all rows, and where some are disguised those that are not.
func (t *refitTables) parts() []string {
	all := t.r.Mean(refit.Whole, t.test.Name, "all", "f1", t.fixed)
	plain := t.r.Mean(refit.Whole, t.test.Name, plainSlice, "f1", t.fixed)
	if plain == nil || plain.Total() == all.Total() {
		return []string{"all"}
	}
	return []string{"all", plainSlice}
}

// splitValues returns a metric of the other splits that have it, and why others have not.
func (t *refitTables) splitValues(slice, metric, policy string) (values []float64, reason string) {
	for _, s := range t.of.Splits {
		if s.Reason != "" {
			reason = s.Reason
			continue
		}
		all, plain := s.Fixed, s.FixedPlain
		if policy != t.fixed {
			if !s.Tau.OK {
				reason = s.Tau.Reason
				continue
			}
			all, plain = s.Tuned, s.TunedPlain
		}
		c := all
		if slice == plainSlice {
			c = plain
		}
		v := c.F1()
		if metric == "fpr" {
			v = c.FPR()
		}
		if !v.OK {
			reason = v.Reason
			continue
		}
		values = append(values, v.V)
	}
	return values, reason
}

// RefitSplits is the table of each of the other splits, for programs.
func RefitSplits(r *results.Results, of *refit.Report) Table {
	t := refitTables{r: r}
	out := t.begin("splits", "Other splits", "", 1, "Split", "Train", "Val", "Test", "Families of test",
		"New in test", "F1 at "+r.Policies[0], "FPR at "+r.Policies[0], "Threshold "+r.Policies[1], "F1 at "+r.Policies[1],
		"FPR at "+r.Policies[1])
	whole := func(n int) Entry { return Entry{Text: fmt.Sprint(n), Raw: []string{fmt.Sprint(n)}} }
	decimal := func(v float64, ok bool) Entry {
		if !ok || math.IsNaN(v) {
			return absent()
		}
		return Entry{Text: fmt.Sprintf("%.4f", v), Raw: []string{number(&v)}}
	}
	var rows []Row
	for _, s := range of.Splits {
		f1, fpr, tunedF1, tunedFPR := s.Fixed.F1(), s.Fixed.FPR(), s.Tuned.F1(), s.Tuned.FPR()
		rows = append(rows, Row{whole(s.Number), whole(s.Train), whole(s.Val), whole(s.Test), whole(s.Families), whole(s.Moved),
			decimal(f1.V, f1.OK), decimal(fpr.V, fpr.OK), decimal(s.Tau.Tau, s.Tau.OK), decimal(tunedF1.V, tunedF1.OK),
			decimal(tunedFPR.V, tunedFPR.OK)})
	}
	out.Groups = [][]Row{rows}
	return out
}

// RefitJSON writes tables of refits of results, with every number at full precision.
func RefitJSON(w io.Writer, r *results.Results, tables []Table) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema   string            `json:"schema"`
		Edition  string            `json:"edition"`
		Manifest string            `json:"manifest_sha256,omitempty"`
		Tables   []longTable       `json:"tables"`
		Run      map[string]string `json:"run,omitempty"`
	}{"pidsbench-refit/1", r.Edition, r.ManifestSHA256, longTables(tables), r.Run})
}
