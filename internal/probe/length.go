package probe

import (
	"math"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// lengths returns the features of the length probe: the logarithm of 1 + the number of characters (code points), of
// words and of lines.
func lengths(text string) []float64 {
	return []float64{
		math.Log1p(float64(utf8.RuneCountInString(text))),
		math.Log1p(float64(len(strings.Fields(text)))),
		math.Log1p(float64(1 + strings.Count(text, "\n"))),
	}
}

func features(rows []row) ([][]float64, []int8) {
	x, y := make([][]float64, len(rows)), make([]int8, len(rows))
	for i, r := range rows {
		x[i], y[i] = lengths(r.text), int8(r.label)
	}
	return x, y
}

// length tells the classes apart by length alone.
func (p *prober) length() ([]Row, []string, error) {
	benign, injection := only(p.train, dataset.Benign), only(p.train, dataset.Injection)
	if len(benign) == 0 || len(injection) == 0 {
		return nil, nil, because("train holds one class only")
	}
	x, y := features(p.train)
	var out []Row
	for _, m := range []struct {
		name string
		fit  func() func([]float64) float64
	}{
		{"logistic regression", func() func([]float64) float64 { return fitLogistic(x, y).probability }},
		{"boosted trees", func() func([]float64) float64 { return fitBooster(x, y).probability }},
	} {
		if err := p.step("length: " + m.name); err != nil {
			return nil, nil, err
		}
		predict := m.fit()
		scores := make([]float64, len(p.test))
		for i, r := range p.test {
			scores[i] = predict(lengths(r.text))
		}
		out = append(out, Row{m.name, len(p.train), classNumbers("test", scores, labels(p.test))})
	}
	return out, []string{"Features: logarithms of the numbers of characters, words and lines."}, nil
}

// classNumbers are the numbers of a two-class model at threshold: how well it ranks, how often it is right, how often
// it would be right if classes were equally frequent, and how often the more frequent class alone would be.
func classNumbers(on string, scores []float64, labels []dataset.Label) []Number {
	c := metrics.Count(scores, labels, Threshold)
	balanced := metrics.Value{Reason: "one class only"}
	if c.Benign() > 0 && c.Injection() > 0 {
		balanced = defined((c.Recall().V + 1 - c.FPR().V) / 2)
	}
	return []Number{
		number(on, "roc_auc", metrics.ROCAUC(scores, labels), len(labels)),
		Proportion(on, "accuracy", c.TP+c.TN, c.N(), metrics.NoRows),
		number(on, "balanced_accuracy", balanced, c.N()),
		share(on, "majority", max(c.Benign(), c.Injection()), c.N()),
	}
}

// share is k of n without an interval.
func share(on, metric string, k, n int) Number {
	s := Proportion(on, metric, k, n, metrics.NoRows)
	s.Interval = nil
	return s
}
