package engine

// span is a window: content tokens from..to-1 of a text.
type span struct{ from, to int }

// spans cuts n content tokens into windows of at most size tokens, where neighbours share at least stride of them.
// Every token is in a window and every window of a text that needs more than one is full: the last one is moved back
// until it is, so that no window shows the model a fragment with less context than the text has. No tokens make one
// empty window. It needs 0 <= stride < size.
func spans(n, size, stride int) []span {
	if n <= size {
		return []span{{0, n}}
	}
	step := size - stride
	cut := make([]span, 0, 1+(n-size+step-1)/step)
	for from := 0; from+size < n; from += step {
		cut = append(cut, span{from, from + size})
	}
	return append(cut, span{n - size, n})
}
