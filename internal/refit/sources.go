package refit

import (
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// MinRows is the number of rows in train and test together below which a source is not shown.
const MinRows = 30

// Sources is what the baseline makes of test when it saw all of train, and when it did not see the source of a row.
type Sources struct {
	Whole, Without []results.Outcome // of test, in row order; Without holds what the model without the row's source says
	Val            []results.Outcome // of val, by the model that saw all of train
	Of             []Source          // the sources of test by name
	Reason         string            // why train gives no model, or empty
}

// Ids of the two detectors that the fits make up. No configured detector can have them.
const (
	Whole   = "tfidf/train"
	Without = "tfidf/without-source"
)

// Detectors returns the two under the ids above, with outcomes of the split test: the model of all of train, and for each
// row the one without its source. Thresholds that val chooses are those of the first for both.
func (s *Sources) Detectors(test string) []results.Detector {
	run := func(id, name string, of []results.Outcome) results.Detector {
		return results.Detector{ID: id, Name: name, Unavailable: s.Reason, Seeds: []results.Seed{{Val: s.Val,
			Outcomes: map[string][]results.Outcome{test: of}}}}
	}
	return []results.Detector{run(Whole, "TF-IDF", s.Whole), run(Without, "TF-IDF without the source", s.Without)}
}

// Pair names two detectors of results: one that saw all of train, and one made up of those that did not see the source of
// a row.
type Pair struct {
	Name           string // of the design
	Whole, Without string // ids
}

// Baseline is the pair that the fits make up.
var Baseline = Pair{Name: "TF-IDF", Whole: Whole, Without: Without}

// Compose returns for each row of test the outcome of the detector that did not see its source: by holds the outcomes of
// each by the source that it lacks. Rows of other sources are not asked.
func Compose(test *dataset.Split, by map[string][]results.Outcome) []results.Outcome {
	out := unscored(test)
	source, _ := test.Column("source")
	for i := range out {
		if of, ok := by[source[i]]; ok {
			out[i] = of[i]
		}
	}
	return out
}

// Source says what left train with a source.
type Source struct {
	Name    string
	Train   int    // rows of the source in train
	LeftOut int    // rows of its families: these leave
	Test    int    // rows in test
	Reason  string // why there is no model without it, or empty
}

// sourceJobs returns the fits for s, which they fill.
func (d *Data) sourceJobs(s *Sources) []job {
	train, _ := rowsOf(d.Train)
	test, at := rowsOf(d.Test)
	val, valAt := rowsOf(d.Val)
	s.Whole, s.Without, s.Val = unscored(d.Test), unscored(d.Test), unscored(d.Val)
	jobs := []job{{func() []row { return train }, func(m model) {
		s.Reason = m.reason
		write(s.Whole, m, test, at)
		write(s.Val, m, val, valAt)
	}}}
	for _, name := range sourcesOf(test) {
		s.Of = append(s.Of, Source{Name: name})
	}
	for i := range s.Of {
		src := &s.Of[i]
		families := map[string]bool{}
		for _, r := range train {
			if r.source == src.Name {
				families[r.family] = true
				src.Train++
			}
		}
		var rows []row
		var places []int
		for k, r := range test {
			if r.source == src.Name {
				rows, places = append(rows, r), append(places, at[k])
				src.Test++
			}
		}
		jobs = append(jobs, job{func() []row {
			left := slices.DeleteFunc(slices.Clone(train), func(r row) bool { return families[r.family] })
			src.LeftOut = len(train) - len(left)
			return left
		}, func(m model) {
			src.Reason = m.reason
			write(s.Without, m, rows, places)
		}})
	}
	return jobs
}

// unscored returns the outcomes of a split before anything is scored.
func unscored(s *dataset.Split) []results.Outcome {
	out := make([]results.Outcome, len(s.Rows))
	for i, r := range s.Rows {
		out[i].State = results.NotAsked
		if r.Missing {
			out[i].State = results.MissingText
		}
	}
	return out
}

// write sets the outcomes of the rows at some places, if there is a model.
func write(to []results.Outcome, m model, rows []row, at []int) {
	if m.tfidf == nil {
		return
	}
	for k, score := range m.scores(rows) {
		to[at[k]] = results.Outcome{Score: score}
	}
}

// sourcesOf returns the sources of rows, rising.
func sourcesOf(rows []row) []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.source)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
