package reproduce

import (
	"slices"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/scores"
)

// Arithmetic says how a detector computes, as far as that decides how equal its scores are on another processor.
type Arithmetic string

// The kinds of arithmetic.
const (
	Exact   Arithmetic = "exact"   // rules and trivial baselines: the same everywhere
	Float64 Arithmetic = "float64" // TF-IDF
	Float32 Arithmetic = "float32" // models, however their weights are stored; programs, of which nothing is known
	Int8    Arithmetic = "int8"    // models that round activations to 8 bits
)

// ArithmeticOf returns how a detector of a kind computes whose score files say the precision.
func ArithmeticOf(kind, precision string) Arithmetic {
	switch {
	case kind == "rule" || kind == "constant":
		return Exact
	case kind == "tfidf":
		return Float64
	case precision == detect.Int8:
		return Int8
	}
	return Float32
}

// Limits are the largest differences that count as none: on processors of one family, and on others. docs/reproduce.md
// has the measurements that they rest on.
type Limits struct {
	Arithmetic Arithmetic
	Same       float64
	Other      float64
	Refitted   float64 // of a model that was fitted anew on another processor; only of Float64
}

// AllLimits lists the limits of every arithmetic.
//
// Scores of one family are bit-identical where they were measured; what is allowed beyond covers versions of libraries.
// A fit of TF-IDF stops at a gradient of 1e-6, where probabilities are at most 4e-4 from the optimum: two fits differ by
// twice that at most. With int8 a float32 sum that is rounded in another way moves activations by a whole step.
var AllLimits = []Limits{
	{Arithmetic: Exact},
	{Arithmetic: Float64, Other: 1e-9, Refitted: 1e-3},
	{Arithmetic: Float32, Same: 1e-6, Other: 1e-4},
	{Arithmetic: Int8, Same: 1e-3, Other: 0.25},
}

// Tolerance says how far a new score may lie from a published one.
type Tolerance struct {
	Arithmetic Arithmetic `json:"arithmetic"`
	Max        float64    `json:"largest"` // the largest difference that counts as none
	Family     string     `json:"family"`  // same or another
	Refitted   bool       `json:"refitted,omitempty"`
	ScoredOn   []string   `json:"scored_on"` // processors that the published scores were made on
}

// The values of Tolerance.Family.
const (
	SameFamily    = "same"
	AnotherFamily = "another"
)

// ToleranceFor returns the tolerance for scores that were published with the info and are made again on a processor,
// by a model that was fitted anew or not.
func ToleranceFor(a Arithmetic, published scores.Info, here string, refitted bool) *Tolerance {
	t := &Tolerance{Arithmetic: a, Family: SameFamily, Refitted: refitted}
	for _, s := range append([]scores.Setup{published.Setup}, published.Also...) {
		if !slices.Contains(t.ScoredOn, s.CPU) {
			t.ScoredOn = append(t.ScoredOn, s.CPU)
		}
		if a != Exact && a.family(s.CPU) != a.family(here) {
			t.Family = AnotherFamily
		}
	}
	i := slices.IndexFunc(AllLimits, func(l Limits) bool { return l.Arithmetic == a })
	switch l := AllLimits[i]; {
	case refitted:
		t.Max = l.Refitted
	case t.Family == SameFamily:
		t.Max = l.Same
	default:
		t.Max = l.Other
	}
	return t
}

// Architecture returns the first word of the features of a processor: amd64, arm64.
func Architecture(cpu string) string {
	arch, _, _ := strings.Cut(cpu, " ")
	return arch
}

// family returns the architecture and the features that choose among kernels: matrix units and 8-bit instructions do
// nothing for float32.
func (a Arithmetic) family(cpu string) string {
	choose := map[Arithmetic][]string{
		Float64: {"fma"}, // the exponential function of Go
		Float32: {"avx2", "fma", "avx512f", "asimd", "sve"},
	}[a]
	words := strings.Fields(cpu)
	if len(words) == 0 {
		return ""
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool {
		return w != words[0] && a != Int8 && !slices.Contains(choose, w)
	}), " ")
}
