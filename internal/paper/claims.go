package paper

import (
	"math"
	"strconv"

	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// What became of a claim here.
const (
	Holds     = "holds"     // the 95 % interval lies on the claimed side
	Fails     = "fails"     // it lies on the other one
	Undecided = "undecided" // it lies on both, or there are no scores
)

// seedSD is the metric for the spread of F1 over seeds.
const seedSD = "seed_sd_f1"

// Verdict is a claim with what became of it: it holds when all its parts do, and fails when one does.
type Verdict struct {
	ID    string `json:"id"`
	Text  string `json:"claim"`
	Place string `json:"place"`
	Note  string `json:"note,omitempty"`
	Here  string `json:"here"`
	Parts []Part `json:"parts"`
}

// Part is a statement made for one design.
type Part struct {
	Says      string   `json:"says,omitempty"`
	Design    string   `json:"design"` // that it is made for, or the first that its numbers name
	Terms     []Term   `json:"terms"`
	Relation  string   `json:"relation"` // > 0.1, < 0.95, 0.07 ± 0.03
	Here      string   `json:"here"`
	Reason    string   `json:"reason,omitempty"` // why it is undecided
	Value     *float64 `json:"value"`            // of the sum
	Lo        *float64 `json:"lo"`
	Hi        *float64 `json:"hi"`
	Published *float64 `json:"published"` // the same sum of published values; nil when one was not published
}

// Term is a number of a sum.
type Term struct {
	Times    float64  `json:"times"`
	Design   string   `json:"design"`
	Detector string   `json:"detector,omitempty"`
	Split    string   `json:"split"`
	Slice    string   `json:"slice,omitempty"`
	Metric   string   `json:"metric"`
	Policy   string   `json:"policy"`
	Value    *float64 `json:"value"`
	N        int      `json:"n"`             // rows that it rests on
	Missing  int      `json:"n_missing"`     // rows that lack a score at one seed
	Seeds    int      `json:"n_seeds"`       // over which it is the mean
	Tau      []string `json:"tau,omitempty"` // of each seed, where the claim chooses it
}

// claims checks every claim.
func (s *source) claims() []Verdict {
	m := &sampler{source: s, splits: map[string]*drawn{}, cache: map[string]*estimate{}}
	var out []Verdict
	for i := range s.c.Claims {
		claim := &s.c.Claims[i]
		v := Verdict{ID: claim.ID, Text: claim.Text, Place: claim.Place, Note: claim.Note, Here: Holds}
		designs := claim.For
		if len(designs) == 0 {
			designs = []string{""}
		}
		for _, design := range designs {
			for _, st := range claim.All {
				part := s.part(m, st, design, claim.policy())
				v.Parts = append(v.Parts, part)
				switch {
				case part.Here == Fails:
					v.Here = Fails
				case part.Here == Undecided && v.Here == Holds:
					v.Here = Undecided
				}
			}
		}
		out = append(out, v)
	}
	return out
}

// part checks a statement for a design.
func (s *source) part(m *sampler, st Statement, design, policy string) Part {
	p := Part{Says: st.Says, Relation: st.relation(), Here: Undecided, Design: design}
	published, value := 0.0, 0.0
	var total []float64 // nil for a sum without sampling error
	allPublished := true
	for _, q := range st.Sum {
		if q.Design == "" {
			q.Design = design
		}
		if p.Design == "" {
			p.Design = q.Design
		}
		t := Term{Times: 1, Design: q.Design, Split: q.Split, Slice: q.Slice, Metric: q.Metric, Policy: policy,
			Detector: s.uses[q.Design].Detector}
		if q.Times != nil {
			t.Times = *q.Times
		}
		if q.At != nil {
			t.Policy = q.At.String()
		}
		if v, ok := s.c.published(q, policy); ok {
			published += t.Times * v
		} else {
			allPublished = false
		}
		e := m.estimate(q, policy)
		t.N, t.Missing, t.Seeds, t.Tau = e.n, e.missing, e.seeds, e.tau
		if e.reason != "" {
			if p.Reason == "" {
				p.Reason = e.reason
				if q.Design != p.Design {
					p.Reason = s.uses[q.Design].Name + ": " + p.Reason
				}
			}
			p.Terms = append(p.Terms, t)
			continue
		}
		t.Value = &e.value
		p.Terms = append(p.Terms, t)
		value += float64(t.Times * e.value)
		if e.draws != nil && total == nil {
			total = make([]float64, stats.Resamples)
		}
		for b, v := range e.draws {
			total[b] += float64(t.Times * v) // converted, so that no processor fuses the two steps
		}
	}
	if allPublished {
		p.Published = &published
	}
	if p.Reason != "" {
		return p
	}
	p.Value = &value
	lo, hi, ok := interval(value, total)
	if !ok {
		p.Reason = "too many resamples lack a class"
		return p
	}
	p.Lo, p.Hi = &lo, &hi
	if p.Here = st.judge(lo, hi); p.Here == Undecided {
		p.Reason = "the interval lies on both sides"
	}
	return p
}

// interval returns the 95 % interval of a sum by its resamples, its value itself where there are none. It reports false
// where too many of them leave a number undefined.
func interval(value float64, total []float64) (lo, hi float64, ok bool) {
	if total == nil {
		return value, value, true
	}
	defined, ok := stats.Defined(total)
	if !ok {
		return 0, 0, false
	}
	lo, hi = stats.Percentile(defined)
	return lo, hi, true
}

// judge says where an interval lies.
func (s Statement) judge(lo, hi float64) string {
	from, to := math.Inf(-1), math.Inf(1) // the claimed side
	switch {
	case s.Above != nil:
		from = *s.Above
	case s.Below != nil:
		to = *s.Below
	default:
		from, to = *s.Near-*s.Within, *s.Near+*s.Within
	}
	switch {
	case lo > from && hi < to:
		return Holds
	case hi < from || lo > to:
		return Fails
	}
	return Undecided
}

// relation writes what is claimed.
func (s Statement) relation() string {
	short := func(v *float64) string { return strconv.FormatFloat(*v, 'g', -1, 64) }
	switch {
	case s.Above != nil:
		return "> " + short(s.Above)
	case s.Below != nil:
		return "< " + short(s.Below)
	}
	return short(s.Near) + " ± " + short(s.Within)
}

// published returns the first value that a table gives for a number of a claim.
func (c *Config) published(q Quantity, policy string) (float64, bool) {
	if q.At != nil {
		return 0, false
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		for _, r := range t.Rows {
			for k, col := range t.Columns {
				fits := r.Design == q.Design && col.Split == q.Split && col.Slice == q.Slice &&
					(t.policyOf(r) == policy || col.Also == policy)
				if !fits || len(r.values[k]) == 0 {
					continue
				}
				switch {
				case col.Metric == q.Metric:
					return r.values[k][0].V, true
				case col.Metric == "fnr" && q.Metric == "recall":
					return 1 - r.values[k][0].V, true
				}
			}
		}
	}
	return 0, false
}

// spread is the standard deviation of a detector's F1 over its seeds. It has no sampling error: it is of these rows.
func (m *sampler) spread(use Use, q Quantity, policy string) *estimate {
	c := m.find(use.Detector, q.Split, q.Slice, "f1", policy, results.SeedRef{Mean: true})
	e := &estimate{n: c.N, seeds: c.NSeeds}
	switch {
	case c.Value == nil:
		e.reason = c.Reason
	case c.SD == nil:
		e.reason = "it is run once here"
	default:
		e.value = *c.SD
	}
	return e
}
