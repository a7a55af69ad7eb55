package results

import (
	"slices"
	"strconv"

	"pidsbench/internal/dataset"
)

// Resample gives mean cells of r, which was built from in, their intervals: those for which want holds, or all when it is
// nil.
func (r *Results) Resample(in *Input, want func(*Cell) bool) {
	wanted := map[key]*Cell{}
	splits := map[string]bool{}
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Seed.Mean && c.Value != nil && (want == nil || want(c)) {
			wanted[c.key()] = c
			splits[c.Split] = true
		}
	}
	for _, s := range in.Splits {
		if !splits[s.Spec.Name] {
			continue
		}
		b := newBands(s, Families)
		parts, _ := partition(s, in.Undisputed)
		for _, d := range in.Detectors {
			taus := r.taus(d, r.Policies)
			for _, p := range parts {
				b.addPart(r, d, p, taus, wanted)
			}
		}
	}
}

// taus returns the thresholds of a detector: [policy][seed]; 0 where there is none.
func (r *Results) taus(d Detector, policies []string) [][]float64 {
	out := make([][]float64, len(policies))
	for _, sum := range r.Detectors {
		if sum.ID != d.ID {
			continue
		}
		for i, policy := range policies {
			for _, seed := range d.Seeds {
				out[i] = append(out[i], sum.Tau[policy][strconv.Itoa(seed.Seed)])
			}
		}
	}
	return out
}

// addPart gives the wanted cells of one detector on one slice their intervals.
func (b *bands) addPart(r *Results, d Detector, p part, taus [][]float64, wanted map[key]*Cell) {
	at := func(metric, policy string) *Cell {
		return wanted[key{d.ID, b.split.Spec.Name, p.name, metric, policy, SeedRef{Mean: true}}]
	}
	var policies []string
	var thresholds [][]float64
	for i, policy := range r.Policies {
		if slices.ContainsFunc(resampled, func(m resampledMetric) bool { return at(m.name, policy) != nil }) {
			policies, thresholds = append(policies, policy), append(thresholds, taus[i])
		}
	}
	area := at("roc_auc", "")
	if axis := b.split.Spec.Axis; p.name != "all" || axis != dataset.IID && axis != dataset.Custom {
		area = nil // an area costs as much as fifty shares: only those that tables show
	}
	if len(policies) == 0 && area == nil {
		return
	}
	all, bases, ok := b.seeAll(d, p)
	if !ok {
		return
	}
	wrong := b.mistakes(all, thresholds)
	for i, policy := range policies {
		for m := range resampled {
			if c := at(resampled[m].name, policy); c != nil {
				c.setInterval(b.of(m, *c.Value, all, bases, wrong[i]))
			}
		}
	}
	if area != nil {
		area.setInterval(b.auc(*area.Value, all))
	}
}
