//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// The tokenizers library holds some hundred bytes a character while it works, so a long text goes to it in pieces.
const (
	pieceBytes    = 64 << 10 // a text up to this long goes in one piece
	maxPieceBytes = 4 << 20  // the longest run without a place to cut: a million characters of any script
	seamBytes     = 256      // on both sides of a cut
)

// whole returns the tokens of a text that goes to the library in one piece.
func (t *tokenizer) whole(text string) []uint32 { return t.lib.EncodeWithOptions(text, false).IDs }

// inPieces returns the tokens of a text cut into pieces of about size bytes. A cut is made in front of a blank between
// two words, and only where the tokens around it are the same with and without it, so that the result is the same as in
// one piece. Nothing is left out: a text that cannot be cut anywhere goes in one piece, and is an error above
// maxPieceBytes.
func (t *tokenizer) inPieces(text string, size int) ([]uint32, error) {
	var all []uint32
	for len(text) > 0 {
		n := t.cut(text, size)
		if n > maxPieceBytes {
			return nil, fmt.Errorf("the text holds %d bytes without a place to cut it for the tokenizer, expected at most %d",
				n, maxPieceBytes)
		}
		ids := t.whole(text[:n])
		if len(ids) == 0 {
			if err := t.explainEmpty(text[:n]); err != nil {
				return nil, err
			}
		}
		all = append(all, ids...)
		text = text[n:]
	}
	return all, nil
}

// cut returns the length of the text's first piece: at least size, or all of it.
func (t *tokenizer) cut(text string, size int) int {
	for failed, at := 0, size; at < len(text)-1 && failed < 16; at++ {
		if text[at] == ' ' && isPrintable(text[at-1]) && isAlphanumeric(text[at+1]) {
			if t.sameAcross(text, at) {
				return at
			}
			failed++
		}
	}
	return len(text)
}

func isPrintable(c byte) bool { return c > ' ' && c < 0x7f }

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// sameAcross says that the tokens around a place are the same when the text is cut there.
func (t *tokenizer) sameAcross(text string, at int) bool {
	from, to := max(0, at-seamBytes), min(len(text), at+seamBytes)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	uncut := t.whole(text[from:to])
	left, right := t.whole(text[from:at]), t.whole(text[at:to])
	return len(uncut) == len(left)+len(right) && slices.Equal(uncut[:len(left)], left) && slices.Equal(uncut[len(left):],
		right)
}
