package probe

import (
	"fmt"

	"pidsbench/internal/draw"
)

// parts are the shares of hard-benign rows that the curve puts into train, in per cent; what is beyond the last one is
// measured on.
var parts = []int{0, 25, 50, 75}

// curve adds nested shares of the hard-benign families to train as benign rows and measures on the families that are
// never added, so that all points rest on the same rows.
func (p *prober) curve() ([]Row, []string, error) {
	if len(p.hard) == 0 {
		return nil, nil, because("there is no split of hard-benign rows")
	}
	names, sizes := valuesOf(p.hard, func(r row) string { return r.family })
	draw.Order(names, p.data.Seed, "probe curve", func(s string) string { return s })
	// A family lies in the part that its first row falls in, by rows.
	part := map[string]int{}
	before := 0
	for _, f := range names {
		part[f] = 4 * before / len(p.hard)
		before += sizes[f]
	}
	kept := filter(p.hard, func(r row) bool { return part[r.family] == len(parts)-1 })
	if len(kept) == 0 {
		return nil, nil, because(fmt.Sprintf("the %s of hard-benign rows are too few to keep a quarter apart",
			plural(len(names), "family", "families")))
	}
	var out []Row
	for k, percent := range parts {
		added := filter(p.hard, func(r row) bool { return part[r.family] < k })
		m, err := p.fit(fmt.Sprintf("curve: %d %%", percent), append(append([]row(nil), p.train...), added...), isInjection)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, Row{fmt.Sprintf("%d %%", percent), m.rows, append([]Number{
			count("rows_added", len(added)),
			m.fpr("hard-benign", kept),
		}, m.detects("test", p.test)...)})
	}
	return out, []string{fmt.Sprintf("Measured on the same %d hard-benign rows (%s), which are never added.", len(kept),
		plural(len(families(kept)), "family", "families"))}, nil
}
