package comparison

import "pidsbench/internal/stats"

// Verdict says in words how A stands to B.
type Verdict string

// The verdicts. Lower is better for false alarms, higher for all else.
const (
	Better            Verdict = "better"
	Worse             Verdict = "worse"
	Indistinguishable Verdict = "not distinguishable at this n"
)

// The status of a comparison: primary ones were named before there was a score to look at.
const (
	Primary     = "primary"
	Exploratory = "exploratory"
)

// judge says what the interval allows to say: the joint one where there are several runs.
func (r *Result) judge() Verdict {
	in := r.Interval
	if r.Joint != nil {
		in = r.Joint
	}
	switch {
	case in == nil:
		return ""
	case in.Lo <= 0 && in.Hi >= 0:
		return Indistinguishable
	}
	return r.side()
}

// side says on which side of 0 the difference lies.
func (r *Result) side() Verdict {
	if (*r.Diff < 0) == metricsByName[r.Metric].lower {
		return Better
	}
	return Worse
}

// Outcome is what becomes of a primary comparison, each of which asks whether A is better than B.
type Outcome string

// The outcomes.
const (
	Confirmed    Outcome = "confirmed"
	NotConfirmed Outcome = "not confirmed"
	Opposite     Outcome = "not confirmed: worse"
)

// Level is the corrected p-value below which a primary comparison is confirmed.
const Level = 0.05

// Confirm makes results the primary ones: it corrects their p-values together by Holm's method. One without a number
// counts as p = 1, so that its later number can only lower the corrected ones of the others.
func Confirm(results []Result) {
	p := make([]float64, len(results))
	for i, r := range results {
		p[i] = 1
		if r.P != nil {
			p[i] = *r.P
		}
	}
	for i, corrected := range stats.Holm(p) {
		r := &results[i]
		r.Status = Primary
		if r.P == nil {
			continue
		}
		r.PHolm, r.Outcome = &corrected, NotConfirmed
		switch {
		case corrected >= Level:
		case r.side() == Better:
			r.Outcome = Confirmed
		default:
			r.Outcome = Opposite
		}
	}
}
