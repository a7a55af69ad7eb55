package probe

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// logistic is logistic regression on a few standardised features. Products are converted to float64 before they are
// added, which keeps compilers from fusing the two steps.
type logistic struct {
	mean, scale []float64
	weight      []float64 // one a feature, then the intercept
}

// fitLogistic minimises Σ logistic loss + ‖w‖²/2 (scikit-learn's objective at C = 1) over standardised features by
// Newton's method; the intercept is not penalised. Both classes, 0 and 1, must occur.
func fitLogistic(x [][]float64, y []int8) *logistic {
	d := len(x[0])
	l := &logistic{mean: make([]float64, d), scale: make([]float64, d), weight: make([]float64, d+1)}
	for f := range d {
		for i := range x {
			l.mean[f] += x[i][f] / float64(len(x))
		}
		for i := range x {
			l.scale[f] += (x[i][f] - l.mean[f]) * (x[i][f] - l.mean[f]) / float64(len(x))
		}
		if l.scale[f] = math.Sqrt(l.scale[f]); l.scale[f] < 1e-12 {
			l.scale[f] = 1
		}
	}
	row := make([]float64, d+1)
	loss := math.Inf(1)
	for range 100 {
		gradient, hessian := l.derivatives(x, y, row)
		var factors mat.Cholesky
		step := mat.NewVecDense(d+1, nil)
		if !factors.Factorize(hessian) || factors.SolveVecTo(step, gradient) != nil {
			break // rounding: the point is as good as it gets
		}
		size := mat.Norm(gradient, math.Inf(1))
		// Newton's step may overshoot far from the minimum: it is halved until the loss falls.
		from := append([]float64(nil), l.weight...)
		if math.IsInf(loss, 1) {
			loss = l.loss(x, y, row)
		}
		moved := false
		for t := 1.0; t > 1e-6; t /= 2 {
			for f := range l.weight {
				l.weight[f] = from[f] - float64(t*step.AtVec(f))
			}
			if next := l.loss(x, y, row); next < loss {
				loss, moved = next, true
				break
			}
		}
		if !moved {
			copy(l.weight, from)
		}
		if !moved || size < 1e-9*float64(len(x)) {
			break
		}
	}
	return l
}

// derivatives returns the gradient and the second derivatives of the loss at the weights.
func (l *logistic) derivatives(x [][]float64, y []int8, row []float64) (*mat.VecDense, *mat.SymDense) {
	d := len(row) - 1
	gradient := mat.NewVecDense(d+1, nil)
	hessian := mat.NewSymDense(d+1, nil)
	for f := range d {
		gradient.SetVec(f, l.weight[f])
		hessian.SetSym(f, f, 1)
	}
	for i := range x {
		p := sigmoid(l.standard(x[i], row))
		for f := range row {
			gradient.SetVec(f, gradient.AtVec(f)+float64(row[f]*(p-float64(y[i]))))
			for k := f; k < len(row); k++ {
				hessian.SetSym(f, k, hessian.At(f, k)+float64(row[f]*row[k]*p*(1-p)))
			}
		}
	}
	return gradient, hessian
}

// standard writes the standardised features and 1 into row and returns the log odds.
func (l *logistic) standard(x, row []float64) float64 {
	d := len(x)
	z := l.weight[d]
	for f, v := range x {
		row[f] = (v - l.mean[f]) / l.scale[f]
		z += float64(l.weight[f] * row[f])
	}
	row[d] = 1
	return z
}

func (l *logistic) loss(x [][]float64, y []int8, row []float64) float64 {
	sum := 0.0
	for _, w := range l.weight[:len(l.weight)-1] {
		sum += float64(w * w / 2)
	}
	for i := range x {
		z := l.standard(x[i], row)
		sum += math.Log1p(math.Exp(-math.Abs(z))) + max(z, 0) - float64(float64(y[i])*z)
	}
	return sum
}

// probability returns P(class 1) in [0,1].
func (l *logistic) probability(x []float64) float64 {
	return sigmoid(l.standard(x, make([]float64, len(x)+1)))
}

func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}
