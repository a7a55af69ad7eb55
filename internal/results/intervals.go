package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/stats"
)

// The methods of intervals.
const (
	byFamilies = "percentile bootstrap over families"
	byWilson   = "Wilson, families as rows"
)

// FewGroups is the number of effective groups below which an interval by resampling them is too narrow.
const FewGroups = 20

// Interval is what resampling says about the mean of a metric over the seeds.
type Interval struct {
	Lo, Hi    float64 // 95 %
	Groups    int     // with rows that the metric rests on
	Effective float64 // groups of equal size that would weigh as much
	Method    string
	Reason    string // why there is none; empty when there is
}

// bands resamples the rows of one split by one grouping. All detectors, seeds, slices and metrics see the same samples.
type bands struct {
	split  Split
	names  []string
	draws  *stats.Draws
	totals map[string]base // of a slice by name, where no row lacks a score
}

// base holds the benign rows and the injections of a slice in each sample.
type base struct{ benign, injections []float64 }

func newBands(s Split, g Grouping) *bands {
	return &bands{s, g.Of(s), g.Draw(s), map[string]base{}}
}

// seen is what one seed saw of a slice: the rows with a score, their scores and classes.
type seen struct {
	rows     []int
	view     view
	complete bool
}

func (b *bands) see(seed Seed, p part) seen {
	v := observe(seed, b.split, p)
	outcomes := seed.Outcomes[b.split.Spec.Name]
	var rows []int
	for _, row := range p.rows {
		if outcomes != nil && outcomes[row].State == Scored {
			rows = append(rows, row)
		}
	}
	return seen{rows, v, len(rows) == len(p.rows)}
}

// seeAll returns what each seed saw of a slice, with its class totals; false where one saw nothing.
func (b *bands) seeAll(d Detector, p part) (all []seen, bases []base, ok bool) {
	for _, seed := range d.Seeds {
		s := b.see(seed, p)
		if len(s.rows) == 0 {
			return nil, nil, false
		}
		all, bases = append(all, s), append(bases, b.base(p, s))
	}
	return all, bases, true
}

// base returns the class totals of what was seen.
func (b *bands) base(p part, s seen) base {
	if known, ok := b.totals[p.name]; ok && s.complete {
		return known
	}
	n := len(b.split.Data.Rows)
	var classes [2][]int
	classes[0], classes[1] = make([]int, n), make([]int, n)
	for i, row := range s.rows {
		classes[s.view.labels[i]][row] = 1
	}
	t := b.draws.Totals(classes[dataset.Benign], classes[dataset.Injection])
	out := base{t[0], t[1]}
	if s.complete {
		b.totals[p.name] = out
	}
	return out
}

// mistakes holds the false alarms and the misses of one seed at one threshold in each sample.
type mistakes struct{ fp, fn []float64 }

// mistakes returns what each seed gets wrong in each sample, for each of the thresholds: [policy][seed].
func (b *bands) mistakes(all []seen, taus [][]float64) [][]mistakes {
	n := len(b.split.Data.Rows)
	var series [][]int
	for _, of := range taus {
		for i, s := range all {
			var wrong [2][]int
			wrong[0], wrong[1] = make([]int, n), make([]int, n)
			for k, row := range s.rows {
				flagged, label := s.view.scores[k] >= of[i], s.view.labels[k]
				if flagged != (label == dataset.Injection) {
					wrong[label][row] = 1
				}
			}
			series = append(series, wrong[dataset.Benign], wrong[dataset.Injection])
		}
	}
	drawn := b.draws.Totals(series...)
	out := make([][]mistakes, len(taus))
	for p := range taus {
		for range all {
			out[p] = append(out[p], mistakes{drawn[0], drawn[1]})
			drawn = drawn[2:]
		}
	}
	return out
}

// resampledMetric is a metric of the errors and class totals of a sample; NaN where it is undefined.
type resampledMetric struct {
	name              string
	plain             bool // a share of rows of the classes named
	benign, injection bool
	of                func(fp, fn, benign, injections float64) float64
}

// resampled lists the metrics of a threshold that have an interval. F1 and precision are undefined without an injection,
// as those of metrics.Counts are.
var resampled = []resampledMetric{
	{"accuracy", true, true, true, func(fp, fn, n, p float64) float64 { return (n + p - fp - fn) / (n + p) }},
	{"f1", false, true, true, func(fp, fn, _, p float64) float64 { return p / p * 2 * (p - fn) / (2*(p-fn) + fp + fn) }},
	{"precision", false, true, true, func(fp, fn, _, p float64) float64 { return p / p * (p - fn) / (p - fn + fp) }},
	{"recall", true, false, true, func(_, fn, _, p float64) float64 { return (p - fn) / p }},
	{"fpr", true, true, false, func(fp, _, n, _ float64) float64 { return fp / n }},
}

// of returns the interval of a metric's mean over the seeds, value.
func (b *bands) of(metric int, value float64, all []seen, bases []base, wrong []mistakes) *Interval {
	m := resampled[metric]
	mean := make([]float64, stats.Resamples)
	for s, e := range wrong {
		for i := range mean {
			mean[i] += m.of(e.fp[i], e.fn[i], bases[s].benign[i], bases[s].injections[i]) / float64(len(wrong))
		}
	}
	out := b.interval(mean, all, m.benign, m.injection)
	lo, hi, ok := stats.AtBoundary(value, out.Effective)
	switch {
	case out.Reason != "" || !ok:
	case m.plain:
		out.Lo, out.Hi, out.Method = lo, hi, byWilson
	default:
		out.Reason = sameInAll(value)
	}
	return out
}

func (b *bands) interval(mean []float64, all []seen, benign, injection bool) *Interval {
	defined, ok := stats.Defined(mean)
	if !ok {
		return &Interval{Reason: fmt.Sprintf("%d of %d resamples leave it undefined", len(mean)-len(defined), len(mean))}
	}
	fewest := slices.MinFunc(all, func(x, y seen) int { return cmp.Compare(len(x.rows), len(y.rows)) })
	var names []string
	for i, row := range fewest.rows {
		if l := fewest.view.labels[i]; l == dataset.Benign && benign || l == dataset.Injection && injection {
			names = append(names, b.names[row])
		}
	}
	groups := stats.NewGroups(names)
	out := &Interval{Groups: groups.Len(), Effective: groups.Effective(), Method: byFamilies}
	out.Lo, out.Hi = stats.Percentile(defined)
	return out
}

// auc returns the interval of the mean area under the ROC curve.
func (b *bands) auc(value float64, all []seen) *Interval {
	injection := make([]bool, len(b.split.Data.Rows))
	for i, row := range b.split.Data.Rows {
		injection[i] = row.Label == dataset.Injection
	}
	mean := make([]float64, stats.Resamples)
	for _, s := range all {
		scores := make([]float64, len(injection))
		for i := range scores {
			scores[i] = math.NaN()
		}
		for i, row := range s.rows {
			scores[row] = s.view.scores[i]
		}
		for i, v := range b.draws.AUC(scores, injection) {
			mean[i] += v / float64(len(all))
		}
	}
	out := b.interval(mean, all, true, true)
	if _, _, ok := stats.AtBoundary(value, out.Effective); ok && out.Reason == "" {
		out.Reason = sameInAll(value)
	}
	return out
}

// sameInAll says why a number at its bound has no interval.
func sameInAll(value float64) string {
	return fmt.Sprintf("all rows together give %g, and so does every resample", value)
}

// setInterval takes over an interval and adds the spread of the seeds to it: the half widths of both are independent and
// add in quadrature, that of the seeds being the t-interval of their mean.
func (c *Cell) setInterval(of *Interval) {
	if of.Reason != "" {
		c.Doubts = append(c.Doubts, "no interval: "+of.Reason)
		return
	}
	c.Lo, c.Hi, c.Interval = &of.Lo, &of.Hi, of.Method
	c.Groups, c.GroupsEffective = of.Groups, of.Effective
	if of.Effective < FewGroups {
		c.Doubts = append(c.Doubts, fmt.Sprintf("the rows are worth %.0f groups of equal size: the interval may be too narrow",
			of.Effective))
	}
	if c.SD == nil {
		return
	}
	half := stats.TQuantile(c.NSeeds-1) * *c.SD / math.Sqrt(float64(c.NSeeds))
	lo, hi := *c.Value-math.Hypot(*c.Value-of.Lo, half), *c.Value+math.Hypot(of.Hi-*c.Value, half)
	c.SeedLo, c.SeedHi = new(max(0, lo)), new(min(1, hi))
}
