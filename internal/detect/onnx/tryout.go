//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"math"
	"slices"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// canShare says that nothing in the graph's form makes a window's score depend on its batch: it takes many rows, does
// not scale its activations by what else is in the batch, and has a mask or rows of a length of their own.
func (d *Detector) canShare(f *folder) bool {
	return (d.session.masked || d.pad != nil) && !d.session.single && !f.graph.int8
}

// firstRun runs the graph on one token: one that does not run, or gives something else than rows of logits, is refused
// here. It finds the number of logits where the graph does not declare it.
func (d *Detector) firstRun(f *folder) error {
	logits, err := d.logits(context.Background(), [][]uint32{{uint32(d.padID)}})
	if err != nil {
		return fault.New(fault.Integrity, "%s does not run on one token: %s", f.modelPath, firstLine(err)).
			WithCure("%s", f.cure)
	}
	if len(logits) == 0 {
		return fault.New(fault.Integrity, "%s gives no logits", f.modelPath).WithCure("%s", f.cure)
	}
	d.session.width = len(logits)
	return nil
}

// probeBatch makes sure that scores do not depend on the batch, bit by bit, and gives windows a run each where they do:
// most graphs are safe, but one that sums over the tokens may sum in another order for another number of rows.
func (d *Detector) probeBatch(f *folder, e detect.Entry) error {
	if d.shape.BatchRows == 1 {
		return nil
	}
	ids, err := d.tokens.ids(strings.Repeat("In 3 steps: read the text, then weigh each word of it! ", 8))
	if err != nil {
		return fault.New(fault.Integrity, "%s cannot be used: %w", f.path("tokenizer.json"), err).WithCure("%s", f.cure)
	}
	same := true
	for _, lengths := range d.probeLengths(len(ids)) {
		var windows [][]uint32
		var alone []float32
		for _, n := range lengths {
			w := make([]uint32, n)
			for i := range w {
				w[i] = ids[i%len(ids)]
			}
			logits, err := d.logits(context.Background(), [][]uint32{w})
			if err != nil {
				return fault.New(fault.Integrity, "%s does not run: %s", f.modelPath, firstLine(err)).WithCure("%s", f.cure)
			}
			windows, alone = append(windows, w), append(alone, logits...)
		}
		together, err := d.logits(context.Background(), windows)
		same = same && err == nil && slices.EqualFunc(alone, together, sameBits)
	}
	if same {
		return nil
	}
	if e.Pad == "batch" {
		return errCannotPad(e)
	}
	d.shape.BatchRows = 1
	return nil
}

// probeLengths returns the lengths of windows, special tokens not counted, that are tried alone and together: a set for
// each length that rows are padded to, as far as batches of it hold more than one row.
func (d *Detector) probeLengths(most int) [][]int {
	if d.pad == nil {
		lengths := []int{1, 6, 19, 37, 70}
		for i, n := range lengths {
			lengths[i] = min(n, most, d.shape.MaxLength-d.shape.Special)
		}
		return [][]int{lengths}
	}
	var sets [][]int
	from := 0
	for _, to := range d.pad {
		if 2*to > d.shape.BatchTokens {
			break
		}
		room := min(to, d.shape.MaxLength) - d.shape.Special
		if least := max(from-d.shape.Special, 0) + 1; least <= room {
			sets = append(sets, []int{least, (least + room) / 2, room})
		}
		from = to
	}
	return sets
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

func errCannotPad(e detect.Entry) error {
	return fault.New(fault.Usage,
		"detector %q: pad is \"batch\", but this graph's scores would depend on the padding", e.ID).
		WithCure("set `pad: none` in configs/detectors.yaml")
}
