package cli

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
)

// weigh adds what a reader of a detector's numbers must know, once its scores are there.
func (f *frame) weigh(d *results.Detector, e detect.Entry) {
	f.markExposed(d, e)
	if !e.Baseline {
		f.markSwapped(d)
	}
}

// markExposed marks the rows that come from a set which the detector was trained on, and says which and how many. The
// open edition's train split is no such set for its own splits: they share no family with it.
func (f *frame) markExposed(d *results.Detector, e detect.Entry) {
	for _, set := range e.TrainedOn {
		var where, shared []string
		for _, s := range f.here() {
			if strings.EqualFold(set, detect.TrainSplit) && !s.External && f.edition == "open" {
				continue
			}
			exposed, sources := exposedRows(s, set)
			if len(sources) == 0 {
				continue
			}
			where = append(where, exposedCounts(s, exposed)...)
			for _, source := range sources {
				if !slices.Contains(shared, source) && !strings.EqualFold(source, set) {
					shared = append(shared, source)
				}
			}
			addExposed(d, s.Spec.Name, exposed)
		}
		if len(where) == 0 {
			continue
		}
		line := "trained on " + set
		if strings.EqualFold(set, detect.TrainSplit) {
			line = "trained on the open edition's train split"
		}
		if len(shared) > 0 {
			line += ", which may share texts with " + strings.Join(shared, ", ")
		}
		d.Doubts = append(d.Doubts, line+": "+strings.Join(where, ", "))
	}
}

// exposedRows says of each row of a split whether it comes from a source that may share texts with the set, and names
// these sources, in the order of their first rows. An external set without a column of sources is one source itself.
func exposedRows(s results.Split, set string) (rows []bool, sources []string) {
	rows = make([]bool, len(s.Data.Rows))
	of, ok := s.Data.Column("source")
	if !ok || s.External {
		if s.External && len(rows) > 0 && detect.MayShareTexts(set, s.Spec.Name) {
			for i := range rows {
				rows[i] = true
			}
			sources = []string{s.Spec.Name}
		}
		return rows, sources
	}
	known := map[string]bool{}
	for i, source := range of {
		share, seen := known[source]
		if !seen {
			share = source != "" && detect.MayShareTexts(set, source)
			known[source] = share
			if share {
				sources = append(sources, source)
			}
		}
		rows[i] = share
	}
	return rows, sources
}

// exposedCounts says how many rows of each class are exposed.
func exposedCounts(s results.Split, exposed []bool) (out []string) {
	var some, all [2]int
	for i, r := range s.Data.Rows {
		all[r.Label]++
		if exposed[i] {
			some[r.Label]++
		}
	}
	for label, what := range map[dataset.Label]string{dataset.Injection: "injections", dataset.Benign: "benign rows"} {
		if some[label] > 0 {
			out = append(out, fmt.Sprintf("%d of %d %s of %s", some[label], all[label], what, s.Spec.Name))
		}
	}
	slices.Sort(out)
	return out
}

func addExposed(d *results.Detector, split string, rows []bool) {
	if d.Exposed == nil {
		d.Exposed = map[string][]bool{}
	}
	if d.Exposed[split] == nil {
		d.Exposed[split] = make([]bool, len(rows))
	}
	for i, r := range rows {
		d.Exposed[split][i] = d.Exposed[split][i] || r
	}
}

// markSwapped doubts a detector that ranks rows the wrong way round, or not at all, where its thresholds are chosen or
// on rows like those it is made for.
func (f *frame) markSwapped(d *results.Detector) {
	for _, seed := range d.Seeds {
		name := ""
		if len(d.Seeds) > 1 {
			name = fmt.Sprintf("seed %d: ", seed.Seed)
		}
		doubt := ""
		if f.val != nil && seed.Val != nil {
			doubt = doubtRanking("val", f.val, seed.Val)
		}
		for _, s := range f.here() {
			if out := seed.Outcomes[s.Spec.Name]; doubt == "" && out != nil &&
				(s.Spec.Axis == dataset.IID || s.Spec.Axis == dataset.Custom) {
				doubt = doubtRanking(s.Spec.Name, s.Data, out)
			}
		}
		if doubt != "" {
			d.Doubts = append(d.Doubts, name+doubt)
		}
	}
}

// fewestRows of each class are needed to doubt the whole detector.
const fewestRows = 20

// doubtRanking says what the scores of a split tell against the detector, "" for nothing.
func doubtRanking(split string, data *dataset.Split, out []results.Outcome) string {
	var scores []float64
	var labels []dataset.Label
	var n [2]int
	same := true
	for i, o := range out {
		if o.State == results.Scored {
			scores, labels = append(scores, o.Score), append(labels, data.Rows[i].Label)
			n[data.Rows[i].Label]++
			same = same && o.Score == scores[0]
		}
	}
	if min(n[dataset.Benign], n[dataset.Injection]) < fewestRows {
		return ""
	}
	switch auc := metrics.ROCAUC(scores, labels).V; {
	case same:
		return fmt.Sprintf("it gives all %d rows of %s the score %.4g", len(scores), split, scores[0])
	case auc < 0.5:
		return fmt.Sprintf("its AUC on %s is %.2f: the classes look swapped; is `positive` the right class?", split, auc)
	}
	return ""
}
