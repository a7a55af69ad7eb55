// Package probe measures what a split gives away without any attack being understood: its length, its source, who wrote
// it. Each probe fits a small model on train and measures it on rows that it did not see. Probes describe data; nothing
// in the pipeline chooses rows by them.
package probe

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect/tfidf"
	"pidsbench/internal/fault"
	"pidsbench/internal/lists"
	"pidsbench/internal/metrics"
	"pidsbench/internal/stats"
)

// Data is what probes work on.
type Data struct {
	Train, Test *dataset.Split // nil makes every probe n/a
	HardBenign  *dataset.Split // nil makes the curve n/a
	Ordinary    *dataset.Split // the ordinary control; may be nil
	Words       *lists.Words   // the words that make a row security-adjacent; nil makes the placebo n/a

	// ThirdParty holds the sources that are not ours by id; nil when that is not known.
	ThirdParty map[string]bool

	Seed    int64                // of every random choice
	Workers int                  // goroutines of a fit; 0 = GOMAXPROCS. Results do not depend on it
	Step    func(message string) // called before each fit; may be nil
}

// Result is what a probe found.
type Result struct {
	Name   string
	Title  string
	Rows   []Row
	Notes  []string
	Reason string // why there are no rows, or empty
}

// Row is one fitted model, or a summary of several, with its numbers.
type Row struct {
	Case    string // what was fitted or left out
	Train   int    // rows fitted on; 0 for a summary
	Numbers []Number
}

// Number is a metric on one set of rows.
type Number struct {
	On string // the rows, for example "test" or "held out"
	// Metric is roc_auc, accuracy, balanced_accuracy, majority, f1, coin_f1, fpr, recall or sd; or, with On empty, a number
	// of things: sources, rows_added, words, families.
	Metric string
	metrics.Value
	K, N     int // for a proportion: K of N rows; otherwise N is the number of rows, or 0
	Interval *Interval

	proportion bool
}

// Interval is a 95 % interval that takes rows as independent; rows of a family are not, so it is too narrow where
// families are large.
type Interval struct{ Lo, Hi float64 }

// IsProportion reports whether the number is K of N rows.
func (n Number) IsProportion() bool { return n.proportion }

// The probes by name, in the order in which they are run and shown.
var probes = []struct {
	name, title string
	run         func(*prober) ([]Row, []string, error)
}{
	{"baseline", "The baseline", (*prober).baseline},
	{"length", "Length alone", (*prober).length},
	{"source", "Source within a class", (*prober).source},
	{"source_type", "Real or template within a class", (*prober).sourceType},
	{"authored", "Authored or not within a class", (*prober).authored},
	{"shuffle", "Label shuffle", (*prober).shuffle},
	{"leave-one-out", "Leave one source out", (*prober).leaveOneOut},
	{"placebo", "Placebo: benign rows held out by unrelated words", (*prober).placebo},
	{"curve", "Hard-benign rows put into train", (*prober).curve},
}

// Names returns the names of the probes in the order in which they are run.
func Names() []string {
	names := make([]string, len(probes))
	for i, p := range probes {
		names[i] = p.name
	}
	return names
}

// Run runs the named probes, in the order of Names. The order of the rows of a split does not matter. What cannot be
// measured is n/a with its reason; the error is that of the context, looked at between fits, or a failed fit.
func Run(ctx context.Context, names []string, d Data) ([]Result, error) {
	p := &prober{ctx: ctx, data: d}
	if d.Train != nil && d.Test != nil {
		p.train, p.test = rowsOf(d.Train), rowsOf(d.Test)
	}
	if d.HardBenign != nil {
		p.hard = only(rowsOf(d.HardBenign), dataset.Benign)
	}
	if d.Ordinary != nil {
		p.ordinary = only(rowsOf(d.Ordinary), dataset.Benign)
	}
	var out []Result
	for _, probe := range probes {
		if !slices.Contains(names, probe.name) {
			continue
		}
		r := Result{Name: probe.name, Title: probe.title}
		var err error
		switch {
		case d.Train == nil:
			r.Reason = "there is no split train to fit on"
		case d.Test == nil:
			r.Reason = "there is no split test to measure on"
		default:
			r.Rows, r.Notes, err = probe.run(p)
		}
		var na *notMeasured
		switch {
		case errors.As(err, &na):
			r.Rows, r.Reason = nil, na.reason
		case err != nil:
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// notMeasured says why a probe or a part of it has no numbers.
type notMeasured struct{ reason string }

func (e *notMeasured) Error() string { return e.reason }

func because(reason string) error { return &notMeasured{reason} }

// prober is a run over some data.
type prober struct {
	ctx                         context.Context
	data                        Data
	train, test, hard, ordinary []row

	baseModel *model
}

func (p *prober) step(message string) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if p.data.Step != nil {
		p.data.Step(message)
	}
	return nil
}

// model is the TF-IDF baseline as the paper sets it, fitted on some rows.
type model struct {
	tfidf   *tfidf.Model
	rows    int // fitted on
	workers int
}

// fit fits the baseline on rows whose classes is gives. Rows that cannot be learnt from are notMeasured.
func (p *prober) fit(message string, rows []row, is func(row) bool) (*model, error) {
	if err := p.step(message); err != nil {
		return nil, err
	}
	labels := make([]dataset.Label, len(rows))
	for i, r := range rows {
		if is(r) {
			labels[i] = dataset.Injection
		}
	}
	m, err := tfidf.Fit(texts(rows), labels, tfidf.Options{Workers: p.data.Workers})
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Integrity {
		return nil, because(f.Msg)
	}
	if err != nil {
		return nil, err
	}
	return &model{m, len(rows), p.data.Workers}, nil
}

// base is the baseline fitted on train as it is.
func (p *prober) base() (*model, error) {
	if p.baseModel == nil {
		m, err := p.fit("train as it is", p.train, isInjection)
		if err != nil {
			return nil, err
		}
		p.baseModel = m
	}
	return p.baseModel, nil
}

func (m *model) scores(rows []row) []float64 { return m.tfidf.Scores(texts(rows), m.workers) }

// fpr is the share of benign rows at or above threshold.
func (m *model) fpr(on string, rows []row) Number {
	return m.share(on, "fpr", only(rows, dataset.Benign))
}

func (m *model) share(on, metric string, rows []row) Number {
	k := 0
	for _, s := range m.scores(rows) {
		if s >= Threshold {
			k++
		}
	}
	reason := metrics.NoInjection
	if metric == "fpr" {
		reason = metrics.NoBenign
	}
	return Proportion(on, metric, k, len(rows), reason)
}

// Threshold is that of every probe: a score at or above it flags a row.
const Threshold = 0.5

func isInjection(r row) bool { return r.label == dataset.Injection }

// Proportion is k of n rows, 0 ≤ k ≤ n, with its interval; undefined for the given reason when n is 0.
func Proportion(on, metric string, k, n int, reason string) Number {
	if n == 0 {
		return Number{On: on, Metric: metric, Value: metrics.Value{Reason: reason}}
	}
	lo, hi := stats.Wilson(k, n)
	v := defined(float64(k) / float64(n))
	return Number{On: on, Metric: metric, Value: v, K: k, N: n, Interval: &Interval{lo, hi}, proportion: true}
}

func number(on, metric string, v metrics.Value, n int) Number {
	return Number{On: on, Metric: metric, Value: v, N: n}
}

func defined(v float64) metrics.Value { return metrics.Value{V: v, OK: true} }

// count is a number of things rather than a metric.
func count(metric string, n int) Number { return Number{Metric: metric, Value: defined(float64(n))} }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
