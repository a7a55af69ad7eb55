package gate

import (
	"pidsbench/internal/dataset"
)

// metric is a number that a limit can be set on.
type metric struct {
	name     string
	share    bool // from 0 to 1, or else a count of rows
	plain    bool // a share of rows: how far it may be off is known exactly
	interval bool // the results give it one
	compared bool // two runs can be compared by it
	lower    bool // lower is better
	benign   bool // it counts benign rows
	attacks  bool // it counts injections
}

var metrics = []metric{
	{name: "fpr", share: true, plain: true, interval: true, compared: true, lower: true, benign: true},
	{name: "recall", share: true, plain: true, interval: true, compared: true, attacks: true},
	{name: "accuracy", share: true, plain: true, interval: true, compared: true, benign: true, attacks: true},
	{name: "f1", share: true, interval: true, compared: true, benign: true, attacks: true},
	{name: "precision", share: true, interval: true, benign: true, attacks: true},
	{name: areaMetric, share: true, interval: true, compared: true, benign: true, attacks: true},
	{name: "fp", lower: true, benign: true},
	{name: "fn", lower: true, attacks: true},
	{name: "tn", benign: true},
	{name: "tp", attacks: true},
}

// areaMetric rests on no threshold.
const areaMetric = "roc_auc"

func metricNamed(name string) (metric, bool) {
	for _, m := range metrics {
		if m.name == name {
			return m, true
		}
	}
	return metric{}, false
}

// metricNames returns the names of the metrics for which the condition holds.
func metricNames(of func(metric) bool) (names []string) {
	for _, m := range metrics {
		if of(m) {
			names = append(names, m.name)
		}
	}
	return names
}

// counts reports whether rows of a class count.
func (m metric) counts(l dataset.Label) bool {
	return l == dataset.Injection && m.attacks || l == dataset.Benign && m.benign
}

// rows names the rows that count.
func (m metric) rows() string {
	switch {
	case !m.attacks:
		return "benign rows"
	case !m.benign:
		return "injections"
	}
	return "rows"
}
