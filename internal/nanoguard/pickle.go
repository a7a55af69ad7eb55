package nanoguard

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// What a pickle can hold, as data. Text is a string, a whole number an int64, the rest a float64 or a bool.
type (
	byteText   string      // bytes
	tuple      []any       // a tuple
	dict       map[any]any // keys are string or byteText
	global     string      // the name of a class or function: "torch.FloatStorage"
	persistent tuple       // what the pickle's reader has to find elsewhere, by this description: a tensor's storage
)

// call is what a pickle asks its reader to call; here it stays a record of that.
type call struct {
	function global
	args     tuple
}

// object is what a pickle asks its reader to make of a class, and the state to put into it.
type object struct {
	class global
	state any
}

// The only names that a pickle may hold.
const (
	orderedDict     global = "collections.OrderedDict"
	rebuildTensor   global = "torch._utils._rebuild_tensor_v2"
	floatStorage    global = "torch.FloatStorage"
	bfloat16Storage global = "torch.BFloat16Storage"
	encodingClass   global = "tiktoken.core.Encoding"
)

// kind names what a value is.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "text"
	case byteText:
		return "bytes"
	case int64:
		return "a whole number"
	case float64:
		return "a fraction"
	case bool:
		return "a truth value"
	case tuple:
		return "a tuple"
	case dict:
		return "a dict"
	case global:
		return "a name"
	case persistent:
		return "a storage"
	case *call:
		return "a call"
	case *object:
		return "an object"
	}
	return "nothing"
}

const (
	maxPickleBytes = 1 << 20 // the real ones hold 92 kB at most
	maxMarks       = 64
)

// unpickler reads one pickle. It knows a few opcodes and a few names; nothing is looked up, imported or run.
type unpickler struct {
	data  []byte // what is left
	stack []any
	marks []int // how high the stack was at each open mark
	memo  map[uint32]any
}

// readPickle returns what a pickle of at most maxPickleBytes holds. A hostile one can hold itself, so the value is to
// be taken apart field by field and never walked or printed.
func readPickle(data []byte) (any, error) {
	if len(data) > maxPickleBytes {
		return nil, fmt.Errorf("the pickle holds %d bytes, expected at most %d", len(data), maxPickleBytes)
	}
	u := &unpickler{data: data, memo: map[uint32]any{}}
	for {
		at := len(data) - len(u.data)
		op, err := u.byte()
		if err == nil {
			if op == opStop {
				break
			}
			err = u.step(op)
		}
		if err != nil {
			return nil, fmt.Errorf("the pickle at byte %d: %w", at, err)
		}
	}
	if len(u.stack) != 1 || len(u.marks) > 0 || len(u.data) > 0 {
		return nil, fmt.Errorf("the pickle ends with %d values, %d marks and %d bytes more, expected one value alone",
			len(u.stack), len(u.marks), len(u.data))
	}
	return u.stack[0], nil
}

func (u *unpickler) push(v any) { u.stack = append(u.stack, v) }

// pop takes the top value, which has to be a T; name says in words what that is.
func pop[T any](u *unpickler, name string) (T, error) {
	var zero T
	if len(u.stack) == 0 || len(u.marks) > 0 && u.marks[len(u.marks)-1] == len(u.stack) {
		return zero, fmt.Errorf("no value is left, expected %s", name)
	}
	v, ok := u.stack[len(u.stack)-1].(T)
	if !ok {
		return zero, fmt.Errorf("found %s, expected %s", kind(u.stack[len(u.stack)-1]), name)
	}
	u.stack = u.stack[:len(u.stack)-1]
	return v, nil
}

// popMark takes the values behind the last mark, and the mark.
func (u *unpickler) popMark() ([]any, error) {
	if len(u.marks) == 0 {
		return nil, errors.New("no mark is left")
	}
	from := u.marks[len(u.marks)-1]
	u.marks = u.marks[:len(u.marks)-1]
	items := append([]any(nil), u.stack[from:]...)
	u.stack = u.stack[:from]
	return items, nil
}

func (u *unpickler) take(n int) ([]byte, error) {
	if n < 0 || n > len(u.data) {
		return nil, fmt.Errorf("%d bytes are left, expected %d", len(u.data), n)
	}
	part := u.data[:n]
	u.data = u.data[n:]
	return part, nil
}

func (u *unpickler) byte() (byte, error) {
	raw, err := u.take(1)
	if err != nil {
		return 0, err
	}
	return raw[0], nil
}

// uint takes a little-endian number of up to four bytes.
func (u *unpickler) uint(width int) (int, error) {
	raw, err := u.take(width)
	if err != nil {
		return 0, err
	}
	var full [8]byte
	copy(full[:], raw)
	return int(binary.LittleEndian.Uint64(full[:])), nil
}

// line takes what comes before the next line feed, and the line feed.
func (u *unpickler) line() (string, error) {
	for i, c := range u.data {
		if c == '\n' {
			line := string(u.data[:i])
			u.data = u.data[i+1:]
			return line, nil
		}
	}
	return "", errors.New("a line has no end")
}
