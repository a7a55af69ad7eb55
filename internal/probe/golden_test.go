package probe

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

// made returns rows by a formula: the class depends on whether the first two features lie on different sides of a step,
// with noise. The figures in testdata/sklearn.json are those of scikit-learn on the same rows.
func made(n, start int) (x [][]float64, y []int8) {
	for i := start; i < start+n; i++ {
		row := []float64{float64(i*7919%1009) / 1009, float64(i*104729%2003) / 2003 * 3, float64(i * 31 % 17)}
		p := 0.15
		if (row[0] > 0.3) != (row[1] > 1.2) {
			p += 0.7
		}
		if row[2] > 11 {
			p -= 0.1
		}
		class := int8(0)
		if float64(i*15485863%997)/997 < p {
			class = 1
		}
		x, y = append(x, row), append(y, class)
	}
	return x, y
}

// TestModelsAgreeWithScikitLearn compares with HistGradientBoostingClassifier(early_stopping=False) and
// LogisticRegression(C=1) after StandardScaler. Tolerances: regression 1e-6 of probability; trees 1e-5 of probability
// after 30 rounds. Later on scikit-learn's gradients of single precision break near ties another way, so after all
// rounds only the ROC-AUC is compared, to 0.003.
func TestModelsAgreeWithScikitLearn(t *testing.T) {
	data, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		BoostedAUC  float64   `json:"boosted_auc"`
		LogisticAUC float64   `json:"logistic_auc"`
		Boosted30   []float64 `json:"boosted_30"`
		Logistic    []float64
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	x, y := made(3000, 0)
	z, w := made(500, 5000)
	truth := make([]dataset.Label, len(w))
	for i, c := range w {
		truth[i] = dataset.Label(c)
	}
	predict := func(f func([]float64) float64) []float64 {
		scores := make([]float64, len(z))
		for i := range z {
			scores[i] = f(z[i])
		}
		return scores
	}
	near := func(what string, got []float64, want []float64, tolerance float64) {
		if len(want) != 100 {
			t.Fatalf("%s: %d probabilities are recorded, expected 100", what, len(want))
		}
		for i, p := range want {
			if math.Abs(got[i]-p) > tolerance {
				t.Errorf("%s: row %d has %v, expected %v", what, i, got[i], p)
			}
		}
	}
	regression := predict(fitLogistic(x, y).probability)
	near("logistic regression", regression, want.Logistic, 1e-6)
	if auc := metrics.ROCAUC(regression, truth); math.Abs(auc.V-want.LogisticAUC) > 1e-9 {
		t.Errorf("logistic regression: ROC-AUC %v, expected %v", auc.V, want.LogisticAUC)
	}
	trees := fitBooster(x, y)
	if auc := metrics.ROCAUC(predict(trees.probability), truth); math.Abs(auc.V-want.BoostedAUC) > 0.003 {
		t.Errorf("boosted trees: ROC-AUC %v, expected %v", auc.V, want.BoostedAUC)
	}
	trees.trees = trees.trees[:30]
	near("boosted trees", predict(trees.probability), want.Boosted30, 1e-5)
}
