package tfidf

import (
	"math"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Work is cut into chunks of a fixed size, so that sums run in the same order on any number of cores.
const (
	chunkRows    = 512
	chunkColumns = 2048
)

// sparse is a matrix in compressed rows: row i holds value[start[i]:start[i+1]] at the columns index[…].
type sparse struct {
	start []int
	index []int32
	value []float64
}

func (s *sparse) rows() int { return len(s.start) - 1 }

// transpose returns the matrix with rows and columns exchanged; index then rises within each of its rows.
func (s *sparse) transpose(columns int) *sparse {
	t := &sparse{
		start: make([]int, columns+1), index: make([]int32, len(s.index)), value: make([]float64, len(s.value)),
	}
	for _, c := range s.index {
		t.start[c+1]++
	}
	for c := range columns {
		t.start[c+1] += t.start[c]
	}
	next := append([]int(nil), t.start...)
	for i := range s.rows() {
		for k := s.start[i]; k < s.start[i+1]; k++ {
			at := next[s.index[k]]
			next[s.index[k]]++
			t.index[at], t.value[at] = int32(i), s.value[k]
		}
	}
	return t
}

// objective is the mean weighted logistic loss plus ‖w‖²/(2·C·Σs), s the class weights of the rows: scikit-learn's
// objective of LogisticRegression(penalty="l2"). A point is w followed by the intercept, which is not penalised.
type objective struct {
	rows, columns *sparse
	labels        []dataset.Label
	rowWeight     [2]float64 // by label, divided by their sum over all rows
	penalty       float64    // 1/(C·Σs)
	workers       int

	residual []float64 // a row: weight·(p-y)
	partial  []float64 // a chunk of rows: its loss
	sum      []float64 // a chunk of rows: its sum of residuals
}

// evaluate returns the loss at the point x and writes the gradient there.
func (o *objective) evaluate(x, gradient []float64) float64 {
	w, intercept := x[:len(x)-1], x[len(x)-1]
	parallel(o.workers, len(o.partial), func(k int) {
		loss, sum := 0.0, 0.0
		for i := k * chunkRows; i < min(o.rows.rows(), (k+1)*chunkRows); i++ {
			z := intercept
			for j := o.rows.start[i]; j < o.rows.start[i+1]; j++ {
				z += w[o.rows.index[j]] * o.rows.value[j]
			}
			y := float64(o.labels[i])
			s := o.rowWeight[o.labels[i]]
			loss += s * (math.Log1p(math.Exp(-math.Abs(z))) + max(z, 0) - y*z)
			o.residual[i] = s * (sigmoid(z) - y)
			sum += o.residual[i]
		}
		o.partial[k], o.sum[k] = loss, sum
	})
	loss := 0.0
	gradient[len(w)] = 0
	for k := range o.partial {
		loss += o.partial[k]
		gradient[len(w)] += o.sum[k]
	}
	squares := 0.0
	for _, v := range w {
		squares += v * v
	}
	parallel(o.workers, (len(w)+chunkColumns-1)/chunkColumns, func(k int) {
		for c := k * chunkColumns; c < min(len(w), (k+1)*chunkColumns); c++ {
			g := o.penalty * w[c]
			for j := o.columns.start[c]; j < o.columns.start[c+1]; j++ {
				g += o.columns.value[j] * o.residual[o.columns.index[j]]
			}
			gradient[c] = g
		}
	})
	return loss + o.penalty/2*squares
}

// objective returns the function to minimize for the rows.
func (m *Model) objective(rows *sparse, labels []dataset.Label, workers int) *objective {
	n := rows.rows()
	chunks := (n + chunkRows - 1) / chunkRows
	return &objective{
		rows: rows, columns: rows.transpose(len(m.terms)), labels: labels, workers: workers,
		// balanced: a row weighs n/(2·rows of its class), and the weights of all rows sum to n
		rowWeight: [2]float64{0.5 / float64(m.Benign), 0.5 / float64(m.Injection)},
		penalty:   1 / (m.Parameters.C * float64(n)),
		residual:  make([]float64, n), partial: make([]float64, chunks), sum: make([]float64, chunks),
	}
}

// learnWeights sets weight and Intercept to the minimum of the objective, searched from zero.
func (m *Model) learnWeights(rows *sparse, labels []dataset.Label, workers int) error {
	x := make([]float64, len(m.terms)+1)
	g := minimize(m.objective(rows, labels, workers).evaluate, x, m.Parameters.Tolerance, 5000)
	// A search may give up where rounding hides any further descent; the gradient tells whether that is near enough.
	if !(g <= 100*m.Parameters.Tolerance) {
		return fault.New(fault.Failed, "the logistic regression did not converge: its gradient is %.3g, expected %.3g",
			g, m.Parameters.Tolerance)
	}
	m.weight, m.Intercept = x[:len(m.terms):len(m.terms)], x[len(m.terms)]
	return nil
}
