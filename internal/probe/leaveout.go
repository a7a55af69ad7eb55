package probe

import (
	"errors"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// leaveOneOut fits without the families of one source and measures on the test rows of that source, beside the model
// that saw it.
func (p *prober) leaveOneOut() ([]Row, []string, error) {
	base, err := p.base()
	if err != nil {
		return nil, nil, err
	}
	sources, _ := valuesOf(p.train, func(r row) string { return r.source })
	if len(sources) < 2 {
		return nil, nil, because("train has one source only")
	}
	var out []Row
	notes := []string{"Measured on the test rows of one source, by a model fitted without the families of that source " +
		"and by the model fitted on all of train."}
	for _, s := range sources {
		from := func(r row) bool { return r.source == s }
		test := filter(p.test, from)
		r := Row{Case: s + ", left out"}
		m, err := p.fit("leave one out: "+s, without(p.train, filter(p.train, from)), isInjection)
		var na *notMeasured
		switch {
		case errors.As(err, &na):
			for _, metric := range []string{"roc_auc", "fpr", "recall"} {
				r.Numbers = append(r.Numbers, number("its test rows", metric, metrics.Value{Reason: na.reason}, 0))
			}
		case err != nil:
			return nil, nil, err
		default:
			r.Train, r.Numbers = m.rows, m.measures("its test rows", test)
		}
		out = append(out, r, Row{s + ", in train", base.rows, base.measures("its test rows", test)})
	}
	return out, notes, nil
}

// measures are how well the model ranks rows, its false alarms and its recall.
func (m *model) measures(on string, rows []row) []Number {
	ranked := number(on, "roc_auc", metrics.ROCAUC(m.scores(rows), labels(rows)), len(rows))
	return append([]Number{ranked}, m.detects(on, rows)...)
}

// detects are the false alarms and the recall of a detector.
func (m *model) detects(on string, rows []row) []Number {
	return []Number{m.fpr(on, rows), m.share(on, "recall", only(rows, dataset.Injection))}
}
