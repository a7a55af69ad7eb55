package detect

import (
	"strconv"
	"strings"
)

// maxPad is the most tokens that a padding policy may ask for.
const maxPad = 1 << 20

// PadLengths returns the lengths of the padding policies to:N and buckets:[N,…], ascending: a window is padded to the
// first that holds it. It is nil for the other policies.
func (e *Entry) PadLengths() []int {
	lengths, _ := padLengths(e.Pad)
	return lengths
}

// longestPad returns the largest of PadLengths, 0 when there is none.
func (e *Entry) longestPad() int {
	if lengths := e.PadLengths(); len(lengths) > 0 {
		return lengths[len(lengths)-1]
	}
	return 0
}

// padLengths reads a policy; ok is false for one that is none.
func padLengths(pad string) (lengths []int, ok bool) {
	if pad == "" || pad == "batch" || pad == "none" {
		return nil, true
	}
	list, ok := strings.CutPrefix(pad, "to:")
	if ok && strings.Contains(list, ",") {
		return nil, false
	}
	if !ok {
		list, ok = strings.CutPrefix(pad, "buckets:[")
		if !ok || !strings.HasSuffix(list, "]") {
			return nil, false
		}
		list = list[:len(list)-1]
	}
	for _, s := range strings.Split(list, ",") {
		s = strings.Trim(s, " ")
		n, err := strconv.Atoi(s)
		if err != nil || strconv.Itoa(n) != s || n < 1 || n > maxPad || len(lengths) > 0 && n <= lengths[len(lengths)-1] {
			return nil, false
		}
		lengths = append(lengths, n)
	}
	return lengths, true
}
