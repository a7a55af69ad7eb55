package tfidf

import (
	"math"
	"slices"
)

// memory is the number of steps that the quasi-Newton direction is made from.
const memory = 10

// minimize finds the minimum of a smooth convex function by limited-memory BFGS (Nocedal and Wright, Numerical
// Optimization, 2nd edition, algorithms 7.4 and 7.5) from the point x, which it moves. evaluate returns the value at a
// point and writes the gradient there. It stops when no component of the gradient exceeds tolerance in size, when
// rounding hides any further descent, or after limit steps, and returns the largest component at the last point.
func minimize(evaluate func(x, gradient []float64) float64, x []float64, tolerance float64, limit int) float64 {
	n := len(x)
	gradient, direction := make([]float64, n), make([]float64, n)
	next, nextGradient := make([]float64, n), make([]float64, n)
	var past []step // the latest last
	value := evaluate(x, gradient)
	for range limit {
		if largest(gradient) <= tolerance {
			break
		}
		descend(direction, gradient, past)
		slope := dot(gradient, direction)
		if slope >= 0 { // rounding spoilt the memory: begin again with the steepest descent
			past = nil
			descend(direction, gradient, nil)
			slope = dot(gradient, direction)
		}
		length := 1.0
		if len(past) == 0 {
			length = min(1, 1/math.Sqrt(-slope))
		}
		nextValue, found := search(evaluate, x, direction, value, slope, length, next, nextGradient)
		if !found {
			if len(past) == 0 {
				break
			}
			past = nil
			continue
		}
		s := step{make([]float64, n), make([]float64, n), 0}
		if len(past) == memory {
			s = past[0]
			past = slices.Delete(past, 0, 1)
		}
		for i := range x {
			s.move[i], s.change[i] = next[i]-x[i], nextGradient[i]-gradient[i]
		}
		if s.product = dot(s.move, s.change); s.product > 0 {
			past = append(past, s)
		}
		value = nextValue
		copy(x, next)
		copy(gradient, nextGradient)
	}
	return largest(gradient)
}

// step is a move of the point, the change of the gradient it brought, and their scalar product.
type step struct {
	move, change []float64
	product      float64
}

// descend sets direction to minus the gradient times the approximate inverse Hessian that the past steps stand for (the
// two-loop recursion).
func descend(direction, gradient []float64, past []step) {
	for i, g := range gradient {
		direction[i] = -g
	}
	var share [memory]float64
	for k := len(past) - 1; k >= 0; k-- {
		share[k] = dot(past[k].move, direction) / past[k].product
		addScaled(direction, -share[k], past[k].change)
	}
	if k := len(past) - 1; k >= 0 {
		scale := past[k].product / dot(past[k].change, past[k].change)
		for i := range direction {
			direction[i] *= scale
		}
	}
	for k := range past {
		addScaled(direction, share[k]-dot(past[k].change, direction)/past[k].product, past[k].move)
	}
}

// search finds a step along the direction that meets the weak Wolfe conditions, by bisection (Lewis and Overton,
// Nonsmooth optimization via quasi-Newton methods, 2013, algorithm 2.6), and writes the point and the gradient there.
// The value may rise by what rounding can do.
func search(evaluate func(x, gradient []float64) float64, x, direction []float64, value, slope, length float64,
	next, nextGradient []float64) (nextValue float64, found bool) {
	const decrease, curvature = 1e-4, 0.9
	lo, hi := 0.0, math.Inf(1)
	noise := 1e-15 * math.Abs(value)
	for range 60 {
		copy(next, x)
		addScaled(next, length, direction)
		nextValue = evaluate(next, nextGradient)
		switch {
		case !(nextValue <= value+decrease*length*slope+noise):
			hi = length
		case dot(nextGradient, direction) < curvature*slope:
			lo = length
		default:
			return nextValue, !slices.Equal(next, x)
		}
		if math.IsInf(hi, 1) {
			length *= 2
		} else {
			length = (lo + hi) / 2
		}
	}
	return 0, false
}

func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// dot returns the scalar product, summed in four interleaved parts: a quarter of the time of one running sum.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += x[i] * y[i]
		b += x[i+1] * y[i+1]
		c += x[i+2] * y[i+2]
		d += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		a += x[i] * y[i]
	}
	return (a + b) + (c + d)
}

func addScaled(x []float64, a float64, y []float64) {
	for i, v := range y {
		x[i] += a * v
	}
}
