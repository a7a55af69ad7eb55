package probe

import (
	"fmt"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

var classes = []dataset.Label{dataset.Benign, dataset.Injection}

// source predicts the source of the rows of one class: one model a source against the others, the highest score wins.
func (p *prober) source() ([]Row, []string, error) {
	var out []Row
	notes := []string{"One TF-IDF model a source against the others of the class; the highest score wins. Where sources can " +
		"be told apart, a detector can learn a source instead of an attack."}
	for _, class := range classes {
		r := Row{Case: class.Name()}
		train, test := only(p.train, class), only(p.test, class)
		var err error
		if r.Train, r.Numbers, err = p.sourceOf(r.Case, train, test); err != nil {
			return nil, nil, err
		}
		out = append(out, r)
	}
	return out, notes, nil
}

// sourceOf returns the rows of a class that were fitted on, 0 when there is nothing to predict, and the numbers.
func (p *prober) sourceOf(class string, train, test []row) (int, []Number, error) {
	of := func(r row) string { return r.source }
	sources, counts := valuesOf(train, of)
	reason := ""
	switch {
	case len(train) == 0 || len(test) == 0:
		reason = "train or test has no " + class + " rows"
	case len(sources) < 2:
		reason = "the " + class + " rows of train have one source only"
	}
	if reason != "" {
		v := metrics.Value{Reason: reason}
		return 0, []Number{number("test", "accuracy", v, 0), number("test", "balanced_accuracy", v, 0),
			number("test", "majority", v, 0), count("sources", len(sources))}, nil
	}
	best, guess := make([]float64, len(test)), make([]string, len(test))
	for _, s := range sources {
		m, err := p.fit("source: "+class+" "+s, train, func(r row) bool { return r.source == s })
		if err != nil {
			return 0, nil, err
		}
		for i, score := range m.scores(test) {
			if score > best[i] { // of equal scores the first source by name
				best[i], guess[i] = score, s
			}
		}
	}
	// The baseline always says the source that is most frequent in train, of equals the first by name.
	most := sources[0]
	for _, s := range sources {
		if counts[s] > counts[most] {
			most = s
		}
	}
	right, majority := 0, 0
	rightOf, rowsOf := map[string]int{}, map[string]int{}
	for i, r := range test {
		rowsOf[r.source]++
		if guess[i] == r.source {
			right++
			rightOf[r.source]++
		}
		if r.source == most {
			majority++
		}
	}
	tested, _ := valuesOf(test, of)
	recalls := 0.0
	for _, s := range tested {
		recalls += float64(rightOf[s]) / float64(rowsOf[s]) / float64(len(tested))
	}
	return len(train), []Number{
		Proportion("test", "accuracy", right, len(test), metrics.NoRows),
		number("test", "balanced_accuracy", defined(recalls), len(test)),
		share("test", "majority", majority, len(test)),
		count("sources", len(sources)),
	}, nil
}

// sourceType tells real from template rows of one class.
func (p *prober) sourceType() ([]Row, []string, error) {
	of := func(want string) func(row) bool { return func(r row) bool { return r.sourceType == want } }
	return p.within("source_type", []contrast{{"template", "real", of("template"), of("real"), ""}})
}

// authored tells our own rows from third-party ones, and machine-made from human ones, of one class.
func (p *prober) authored() ([]Row, []string, error) {
	ours := contrast{first: "ours", second: "third-party",
		one:   func(r row) bool { return p.data.ThirdParty != nil && !p.data.ThirdParty[r.source] },
		other: func(r row) bool { return p.data.ThirdParty[r.source] }}
	if p.data.ThirdParty == nil {
		ours.reason = "the edition has no list of third-party sources"
	}
	machine := contrast{first: "machine-made", second: "human",
		one:   func(r row) bool { return r.authorship == "llm" || r.authorship == "template" },
		other: func(r row) bool { return r.authorship == "human" }}
	rows, notes, err := p.within("authored", []contrast{ours, machine})
	return rows, append(notes, "Ours are rows of sources that no pinned package holds. Machine-made are rows of authorship "+
		"llm or template; rows of unknown authorship are left out."), err
}

// contrast is two kinds of rows; a row may be neither.
type contrast struct {
	first, second string // what they are called
	one, other    func(row) bool
	reason        string // why they cannot be told, or empty
}

// within measures contrasts in each class by itself, so that the class cannot stand for the kind.
func (p *prober) within(probe string, contrasts []contrast) ([]Row, []string, error) {
	var out []Row
	for _, c := range contrasts {
		for _, class := range classes {
			r := Row{Case: c.first + " or " + c.second + ", " + class.Name()}
			var err error
			if r.Train, r.Numbers, err = p.contrast(probe+": "+r.Case, c, class); err != nil {
				return nil, nil, err
			}
			out = append(out, r)
		}
	}
	return out, nil, nil
}

// contrast returns the rows of a class that were fitted on, 0 when there is nothing to tell apart, and the numbers.
func (p *prober) contrast(message string, c contrast, class dataset.Label) (int, []Number, error) {
	either := func(r row) bool { return c.one(r) || c.other(r) }
	train, test := filter(only(p.train, class), either), filter(only(p.test, class), either)
	one := len(filter(train, c.one))
	reason := c.reason
	if reason == "" && (one == 0 || one == len(train)) {
		reason = fmt.Sprintf("of the %s rows of train %d are %s and %d %s", class.Name(), one, c.first, len(train)-one,
			c.second)
	}
	if reason == "" && len(test) == 0 {
		reason = fmt.Sprintf("no %s row of test is %s or %s", class.Name(), c.first, c.second)
	}
	if reason != "" {
		v := metrics.Value{Reason: reason}
		var out []Number
		for _, metric := range []string{"roc_auc", "accuracy", "balanced_accuracy", "majority"} {
			out = append(out, number("test", metric, v, 0))
		}
		return 0, out, nil
	}
	m, err := p.fit(message, train, c.one)
	if err != nil {
		return 0, nil, err
	}
	truth := make([]dataset.Label, len(test))
	for i, r := range test {
		if c.one(r) {
			truth[i] = dataset.Injection
		}
	}
	return m.rows, classNumbers("test", m.scores(test), truth), nil
}
