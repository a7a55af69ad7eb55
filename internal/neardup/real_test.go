package neardup

import (
	"os"
	"slices"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/testenv"
)

// trainTexts are the first n texts of the built train split, which stands in hash order.
func trainTexts(t testing.TB, n int) []string {
	t.Helper()
	path := testenv.Built(t, "data/open/train.csv")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	columns, rows, err := dataset.ReadCSV(path, data)
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(columns, "text")
	out := make([]string, n)
	for i := range out {
		out[i] = rows[i][column]
	}
	return out
}

func TestPairsEqualBruteForceOnRealTexts(t *testing.T) {
	texts := trainTexts(t, 5000)
	want := bruteForce(texts, 0.8)
	if len(want) < 100 {
		t.Fatalf("only %d pairs: the texts test nothing", len(want))
	}
	if got := Pairs(texts, 0.8, 0); !slices.Equal(got, want) {
		t.Errorf("%d pairs, want %d", len(got), len(want))
	}
}

func BenchmarkPairsOfTrain(b *testing.B) {
	texts := trainTexts(b, 13000)
	for b.Loop() {
		Pairs(texts, 0.95, 0)
	}
}
