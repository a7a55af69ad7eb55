package calibration

import (
	"math"
	"slices"

	"pidsbench/internal/dataset"
)

// Platt fits σ(slope·logit(p) + intercept) by maximum likelihood without a penalty: logistic regression (Platt 1999,
// "Probabilistic outputs for support vector machines"; here with plain targets), by Newton's method with halved steps.
// There is no fit, and a reason, without both classes, and where the scores part the classes but for ties: the slope
// would be infinite. Scores that are all equal get slope 0 and their share of injections.
func Platt(scores []float64, labels []dataset.Label) (slope, intercept float64, reason string) {
	z, y, reason := logits(scores, labels)
	if reason != "" {
		return 0, 0, reason
	}
	share := mean(y)
	if slices.Max(z) == slices.Min(z) {
		return 0, logit(share), ""
	}
	if parted(z, y) {
		return 0, 0, "val scores part the classes, and no finite curve fits best"
	}
	center := mean(z) // for a well-conditioned step
	intercept = logit(share)
	loss := func(a, b float64) (sum float64) {
		for i, v := range z {
			x := float64(a*(v-center)) + b
			sum += math.Log1p(math.Exp(-math.Abs(x))) + max(x, 0) - float64(x*y[i])
		}
		return sum
	}
	current := loss(slope, intercept)
	for range 200 {
		var ga, gb, haa, hab, hbb float64
		for i, v := range z {
			v -= center
			p := sigmoid(float64(slope*v) + intercept)
			w, r := p*(1-p), p-y[i]
			ga, gb = ga+float64(r*v), gb+r
			haa, hab, hbb = haa+float64(w*v*v), hab+float64(w*v), hbb+w
		}
		det := float64(haa*hbb) - float64(hab*hab)
		da := (float64(hbb*ga) - float64(hab*gb)) / det
		db := (float64(haa*gb) - float64(hab*ga)) / det
		next := loss(slope-da, intercept-db)
		for step := 1.0; !(next <= current) && step > 1e-12; step /= 2 {
			da, db = da/2, db/2
			next = loss(slope-da, intercept-db)
		}
		if !(next < current) {
			break
		}
		slope, intercept, current = slope-da, intercept-db, next
	}
	return slope, intercept - slope*center, ""
}

// Platted returns the map of a slope and an intercept.
func Platted(slope, intercept float64) Map {
	return func(p float64) float64 { return sigmoid(float64(slope*logit(p)) + intercept) }
}

// parted reports whether no value of one class lies above one of the other.
func parted(z, y []float64) bool {
	top, bottom := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	for i, v := range z {
		c := int(y[i])
		top[c], bottom[c] = max(top[c], v), min(bottom[c], v)
	}
	return top[0] <= bottom[1] || top[1] <= bottom[0]
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
