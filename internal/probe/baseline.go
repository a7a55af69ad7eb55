package probe

import "pidsbench/internal/metrics"

// baseline measures the model that the other probes vary: on test, on the hard-benign rows by provenance, and on the
// ordinary control. What hard-benign false alarms exceed those of the control is over-defense.
func (p *prober) baseline() ([]Row, []string, error) {
	m, err := p.base()
	if err != nil {
		return nil, nil, err
	}
	c := metrics.Count(m.scores(p.test), labels(p.test), Threshold)
	numbers := []Number{number("test", "f1", c.F1(), c.N()), m.fpr("test", p.test)}
	provenances, _ := valuesOf(p.hard, func(r row) string { return r.sourceType })
	for _, v := range provenances {
		numbers = append(numbers, m.fpr("hard-benign "+v, filter(p.hard, func(r row) bool { return r.sourceType == v })))
	}
	numbers = append(numbers, m.fpr("ordinary", p.ordinary))
	return []Row{{"train as it is", m.rows, numbers}}, nil, nil
}
