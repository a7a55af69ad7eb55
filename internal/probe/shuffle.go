package probe

import (
	"strconv"

	"pidsbench/internal/draw"
	"pidsbench/internal/metrics"
)

// shuffles is the number of permutations of the labels.
const shuffles = 3

// shuffle fits on permuted labels: whatever then ranks test better than chance is a leak of the labels.
func (p *prober) shuffle() ([]Row, []string, error) {
	var out []Row
	for k := 1; k <= shuffles; k++ {
		name := "permutation " + strconv.Itoa(k)
		permuted := p.permuted(name)
		m, err := p.fit("shuffle: "+name, permuted, isInjection)
		if err != nil {
			return nil, nil, err
		}
		scores, truth := m.scores(p.test), labels(p.test)
		c := metrics.Count(scores, truth, Threshold)
		coin := metrics.Value{Reason: metrics.NoInjection}
		if c.Injection() > 0 {
			// Flags that know nothing of the class, as many of them: of expected precision π and recall q.
			coin = defined(2 * float64(c.TP+c.FP) * float64(c.Injection()) / float64(c.TP+c.FP+c.Injection()) / float64(c.N()))
		}
		out = append(out, Row{name, m.rows, []Number{
			number("test", "roc_auc", metrics.ROCAUC(scores, truth), c.N()),
			number("test", "f1", c.F1(), c.N()),
			number("test", "coin_f1", coin, c.N()),
		}})
	}
	return out, []string{"Expected: ROC-AUC about 0.5 and F1 about that of a coin that flags as many rows. Test rows of one " +
		"kind get like scores, so single permutations stray by some hundredths."}, nil
}

// permuted returns train with its labels dealt out anew.
func (p *prober) permuted(name string) []row {
	deal := make([]int, len(p.train))
	for i := range deal {
		deal[i] = i
	}
	draw.Order(deal, p.data.Seed, "probe label "+name, strconv.Itoa)
	out := make([]row, len(p.train))
	for i, r := range p.train {
		r.label = p.train[deal[i]].label
		out[i] = r
	}
	return out
}
