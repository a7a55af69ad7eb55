// Package refit fits the TF-IDF baseline on other rows than those of the frozen train split: on train without one
// source, and on splits that the same families are dealt out to anew. It says what of a number is owed to texts of the
// same source in train, and what to the one way in which rows were split.
package refit

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect/tfidf"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/textnorm"
)

// Threshold is the one that no refit chooses: a score at or above it flags a row.
const Threshold = 0.5

// mostFits bounds the fits that run at once, and so the memory: a fit on 27,000 rows takes about 100 MB.
const mostFits = 4

// Data is the splits of an edition, all of them with rows.
type Data struct {
	Train, Val, Test *dataset.Split

	Workers int               // fits that run at once, at most; 0 = GOMAXPROCS. Results do not depend on it
	Step    func(done, n int) // called first and after each of n fits, by one goroutine at a time; may be nil
}

// row is what fits look at.
type row struct {
	text   string
	label  dataset.Label
	family string // rows without one that are of equal exact form share one
	source string
	plain  bool // stands without a disguise
}

// Disguise returns the column that says how rows of a split are disguised, empty where there is none, and for each row
// what it says. The value none stands for a row without a disguise.
func Disguise(s *dataset.Split) (column string, values []string) {
	for _, column := range []string{"obfuscation_kind", "obfuscation"} {
		if values, ok := s.Column(column); ok {
			return column, values
		}
	}
	return "", nil
}

// Plain is the value of the column of a row without a disguise.
const Plain = "none"

// rowsOf returns the rows of a split that have a text, in its order, and their places in the split.
func rowsOf(s *dataset.Split) (rows []row, at []int) {
	families := results.Families.Of(results.Split{Data: s})
	sources, _ := s.Column("source")
	_, disguises := Disguise(s)
	for i, r := range s.Rows {
		if r.Missing {
			continue
		}
		w := row{text: r.Text, label: r.Label, family: families[i]}
		if w.family == "" {
			w.family = "text " + textnorm.ExactHash(r.Text)
		}
		if sources != nil {
			w.source = sources[i]
		}
		w.plain = disguises == nil || disguises[i] == Plain
		rows, at = append(rows, w), append(at, i)
	}
	return rows, at
}

func labelsOf(rows []row) []dataset.Label {
	out := make([]dataset.Label, len(rows))
	for i, r := range rows {
		out[i] = r.label
	}
	return out
}

// model is a fit, or the reason why there is none.
type model struct {
	tfidf  *tfidf.Model
	reason string
}

// fit fits the baseline on one core.
func fit(rows []row) (model, error) {
	m, err := tfidf.Fit(textsOf(rows), labelsOf(rows), tfidf.Options{Workers: 1})
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Integrity { // the rows cannot be learnt from
		return model{reason: f.Msg}, nil
	}
	return model{tfidf: m}, err
}

// scores returns the score of each row; the model must be there.
func (m model) scores(rows []row) []float64 { return m.tfidf.Scores(textsOf(rows), 1) }

func textsOf(rows []row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.text
	}
	return out
}

// job is a fit and what is done with it.
type job struct {
	rows func() []row
	use  func(m model)
}

// run runs jobs, each of which writes what is its own alone. When the context is done it returns at once: fits under way
// end in the background, and what they write must not be read.
func (d *Data) run(ctx context.Context, jobs []job) error {
	workers := d.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var (
		next  atomic.Int64
		wg    sync.WaitGroup
		mutex sync.Mutex
		done  int
		first error
	)
	if d.Step != nil {
		d.Step(0, len(jobs))
	}
	for range min(workers, mostFits, len(jobs)) {
		wg.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(jobs); k = int(next.Add(1)) - 1 {
				err := ctx.Err()
				if err == nil {
					var m model
					if m, err = fit(jobs[k].rows()); err == nil {
						jobs[k].use(m)
					}
				}
				mutex.Lock()
				done++
				if first == nil {
					first = err
				}
				stop := first != nil
				if !stop && d.Step != nil {
					d.Step(done, len(jobs))
				}
				mutex.Unlock()
				if stop {
					return
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-ended:
		return first
	}
}
