//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"fmt"

	"github.com/daulet/tokenizers"
)

// Offsets returns where in the text each token of Tokenize stands: its first byte and the one behind its last. A token
// that stands for nothing in the text has an empty place.
func (d *Detector) Offsets(text string) ([][2]int, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return nil, errClosed
	}
	ids, err := d.tokens.ids(text)
	if err != nil {
		return nil, err
	}
	places := d.tokens.offsets(text, pieceBytes)
	if len(places) != len(ids) {
		return nil, fmt.Errorf("the tokenizer places %d tokens of %d", len(places), len(ids))
	}
	return places, nil
}

// offsets places the tokens of a text that is cut like inPieces cuts it.
func (t *tokenizer) offsets(text string, size int) [][2]int {
	var all [][2]int
	for at := 0; at < len(text); {
		n := len(text) - at
		if n > size {
			n = t.cut(text[at:], size)
		}
		piece := t.lib.EncodeWithOptions(text[at:at+n], false, tokenizers.WithReturnOffsets())
		for _, o := range piece.Offsets {
			from, to := min(int(o[0]), n), min(int(o[1]), n)
			all = append(all, [2]int{at + from, at + max(from, to)})
		}
		at += n
	}
	return all
}
