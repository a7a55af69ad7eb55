package reproduce

import (
	"slices"
	"testing"

	"pidsbench/internal/scores"
)

const (
	avx512 = "amd64 avx2 fma avx512f avx512vnni avx512bf16"
	amx    = avx512 + " amx"
	avx2   = "amd64 avx2 fma"
	apple  = "arm64 asimd asimddp"
)

func TestToleranceGoesByArithmeticAndFamily(t *testing.T) {
	for _, tt := range []struct {
		name            string
		kind, precision string
		there, here     string
		refitted        bool
		family          string
		max             float64
	}{
		{"rules everywhere", "rule", "", avx2, apple, false, SameFamily, 0},
		{"trivial baselines", "constant", "", "", apple, false, SameFamily, 0},
		{"TF-IDF, matrix units do nothing", "tfidf", "fp64", amx, avx512, false, SameFamily, 0},
		{"TF-IDF without fused operations", "tfidf", "fp64", amx, "amd64", false, AnotherFamily, 1e-9},
		{"TF-IDF fitted elsewhere", "tfidf", "fp64", amx, apple, true, AnotherFamily, 1e-3},
		{"float32, matrix units do nothing", "onnx", "fp32", amx, avx512, false, SameFamily, 1e-6},
		{"stored in 16 bits, wider vectors", "onnx", "fp16", avx2, avx512, false, AnotherFamily, 1e-4},
		{"stored in 8 bits, the same vectors", "onnx", "int8-weights", avx512, avx512, false, SameFamily, 1e-6},
		{"another architecture", "onnx", "fp32", avx512, apple, false, AnotherFamily, 1e-4},
		{"8 bits on the same", "onnx", "int8", avx512, avx512, false, SameFamily, 1e-3},
		{"8 bits with matrix units", "onnx", "int8", amx, avx512, false, AnotherFamily, 0.25},
		{"a program counts as float32", "process", "", avx512, avx512, false, SameFamily, 1e-6},
		{"a processor that is not named", "onnx", "fp32", "", avx512, false, AnotherFamily, 1e-4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			info := scores.Info{Setup: scores.Setup{CPU: tt.there}}
			got := ToleranceFor(ArithmeticOf(tt.kind, tt.precision), info, tt.here, tt.refitted)
			if got.Max != tt.max || got.Family != tt.family || !slices.Equal(got.ScoredOn, []string{tt.there}) {
				t.Errorf("got %+v, want %g and family %s", got, tt.max, tt.family)
			}
		})
	}
}

func TestAFileThatTwoMachinesMadeIsOfTheirFamilies(t *testing.T) {
	info := scores.Info{Setup: scores.Setup{CPU: avx512}, Also: []scores.Setup{{CPU: avx2}, {CPU: avx512, Tool: "other"}}}
	got := ToleranceFor(Float32, info, avx512, false)
	if got.Family != AnotherFamily || got.Max != 1e-4 || !slices.Equal(got.ScoredOn, []string{avx512, avx2}) {
		t.Errorf("got %+v", got)
	}
}
