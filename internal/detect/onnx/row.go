//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"fmt"
	"math"
)

// rowLength returns the tokens of a window's row: special ones, and padding to a length of its own.
func (d *Detector) rowLength(window []uint32) int {
	n := len(window) + d.shape.Special
	for _, length := range d.pad {
		if n <= length {
			return length
		}
	}
	return n
}

// logits runs the graph once over all windows, padded on the right to the longest, and returns the logits row by row.
func (d *Detector) logits(ctx context.Context, windows [][]uint32) ([]float32, error) {
	length := 0
	for _, w := range windows {
		length = max(length, d.rowLength(w))
	}
	if length == 0 {
		return nil, fmt.Errorf("a window is empty and the model has no special tokens")
	}
	if int64(len(windows))*int64(length) > math.MaxInt32 {
		return nil, fmt.Errorf("a batch of %d windows of %d tokens is too large", len(windows), length)
	}
	tensors := make([][]int64, len(d.session.inputs))
	for i, in := range d.session.inputs {
		tensors[i] = make([]int64, len(windows)*length)
		for k, w := range windows {
			d.fill(in.name, tensors[i][k*length:(k+1)*length], w)
		}
	}
	return d.session.run(ctx, len(windows), length, tensors)
}

// fill writes the row of a window for one input of the graph. The row is zero and long enough; what is left of it is
// padding.
func (d *Detector) fill(input string, row []int64, window []uint32) {
	n := len(d.tokens.prefix) + len(window) + len(d.tokens.suffix)
	switch input {
	case "input_ids":
		d.fillIDs(row, window)
		for i := n; i < len(row); i++ {
			row[i] = d.padID
		}
	case "attention_mask":
		for i := range n {
			row[i] = 1
		}
	case "token_type_ids":
		d.fillTypes(row[:n])
	case "position_ids":
		for i := range row {
			row[i] = d.counts.at(i, i < n)
		}
	}
}

func (d *Detector) fillIDs(row []int64, window []uint32) {
	at := 0
	for _, s := range d.tokens.prefix {
		row[at] = int64(s.id)
		at++
	}
	for _, id := range window {
		row[at] = int64(id)
		at++
	}
	for _, s := range d.tokens.suffix {
		row[at] = int64(s.id)
		at++
	}
}

func (d *Detector) fillTypes(row []int64) {
	prefix, suffix := d.tokens.prefix, d.tokens.suffix
	for i := range row {
		switch behind := i - (len(row) - len(suffix)); {
		case i < len(prefix):
			row[i] = prefix[i].kind
		case behind >= 0:
			row[i] = suffix[behind].kind
		default:
			row[i] = d.tokens.textType
		}
	}
}
