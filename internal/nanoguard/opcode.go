package nanoguard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// The opcodes that the two files hold.
const (
	opProto           = 0x80
	opFrame           = 0x95
	opStop            = '.'
	opMark            = '('
	opEmptyTuple      = ')'
	opTuple           = 't'
	opTuple1          = 0x85
	opTuple2          = 0x86
	opEmptyDict       = '}'
	opSetItems        = 'u'
	opBinUnicode      = 'X'
	opShortBinUnicode = 0x8c
	opShortBinBytes   = 'C'
	opBinInt          = 'J'
	opBinInt1         = 'K'
	opBinInt2         = 'M'
	opBinFloat        = 'G'
	opNewFalse        = 0x89
	opGlobal          = 'c'
	opStackGlobal     = 0x93
	opReduce          = 'R'
	opNewObj          = 0x81
	opBuild           = 'b'
	opBinPersID       = 'Q'
	opBinPut          = 'q'
	opLongBinPut      = 'r'
	opMemoize         = 0x94
	opBinGet          = 'h'
)

// step takes what follows an opcode and does to the stack what it says.
func (u *unpickler) step(op byte) error {
	switch op {
	case opProto:
		n, err := u.byte()
		if err == nil && (n < 2 || n > 4) {
			err = fmt.Errorf("protocol %d is unknown, expected 2 to 4", n)
		}
		return err
	case opFrame: // says only how to read the file in blocks
		_, err := u.take(8)
		return err
	case opMark:
		if u.marks = append(u.marks, len(u.stack)); len(u.marks) > maxMarks {
			return fmt.Errorf("values are nested deeper than %d", maxMarks)
		}
		return nil
	case opEmptyDict:
		u.push(dict{})
		return nil
	case opSetItems:
		return u.setItems()
	case opEmptyTuple, opTuple1, opTuple2, opTuple:
		return u.tuple(op)
	case opBinUnicode, opShortBinUnicode, opShortBinBytes:
		return u.text(op)
	case opBinInt, opBinInt1, opBinInt2, opBinFloat, opNewFalse:
		return u.scalar(op)
	case opGlobal, opStackGlobal:
		return u.global(op)
	case opBinPersID:
		id, err := pop[tuple](u, "a tuple")
		u.push(persistent(id))
		return err
	case opReduce, opNewObj, opBuild:
		return u.record(op)
	case opBinPut, opLongBinPut, opMemoize, opBinGet:
		return u.remember(op)
	}
	return fmt.Errorf("opcode 0x%02x is none that a model file needs", op)
}

func (u *unpickler) setItems() error {
	items, err := u.popMark()
	if err != nil {
		return err
	}
	d, err := pop[dict](u, "a dict")
	if err != nil {
		return err
	}
	if len(items)%2 != 0 {
		return errors.New("a key of a dict has no value")
	}
	for i := 0; i < len(items); i += 2 {
		switch items[i].(type) {
		case string, byteText:
		default:
			return fmt.Errorf("a key of a dict is %s, expected text or bytes", kind(items[i]))
		}
		if _, twice := d[items[i]]; twice {
			return fmt.Errorf("the key %s stands twice in a dict", fault.Quote(fmt.Sprint(items[i])))
		}
		d[items[i]] = items[i+1]
	}
	u.push(d)
	return nil
}

func (u *unpickler) tuple(op byte) error {
	var items []any
	switch op {
	case opEmptyTuple:
	case opTuple:
		var err error
		if items, err = u.popMark(); err != nil {
			return err
		}
	default:
		items = make([]any, int(op)-opTuple1+1)
		for i := len(items) - 1; i >= 0; i-- {
			var err error
			if items[i], err = pop[any](u, "an item of a tuple"); err != nil {
				return err
			}
		}
	}
	u.push(tuple(items))
	return nil
}

func (u *unpickler) text(op byte) error {
	width := 1
	if op == opBinUnicode {
		width = 4
	}
	n, err := u.uint(width)
	if err != nil {
		return err
	}
	raw, err := u.take(n)
	if err != nil {
		return err
	}
	if op == opShortBinBytes {
		u.push(byteText(raw))
		return nil
	}
	if !utf8.Valid(raw) {
		return errors.New("a text is not valid UTF-8")
	}
	u.push(string(raw))
	return nil
}

func (u *unpickler) scalar(op byte) error {
	switch op {
	case opNewFalse:
		u.push(false)
		return nil
	case opBinFloat:
		raw, err := u.take(8)
		if err == nil {
			u.push(math.Float64frombits(binary.BigEndian.Uint64(raw)))
		}
		return err
	}
	width := map[byte]int{opBinInt1: 1, opBinInt2: 2, opBinInt: 4}[op]
	n, err := u.uint(width)
	if op == opBinInt {
		n = int(int32(n)) // the only one with a sign
	}
	u.push(int64(n))
	return err
}

// global takes a module and a name, which have to be known.
func (u *unpickler) global(op byte) error {
	var module, name string
	var err error
	if op == opGlobal {
		if module, err = u.line(); err == nil {
			name, err = u.line()
		}
	} else {
		if name, err = pop[string](u, "a name"); err == nil {
			module, err = pop[string](u, "the name of a module")
		}
	}
	if err != nil {
		return err
	}
	g := global(module + "." + name)
	switch g {
	case orderedDict, rebuildTensor, floatStorage, bfloat16Storage, encodingClass:
		u.push(g)
		return nil
	}
	return fmt.Errorf("the name %s is none that a model file needs", fault.Quote(string(g)))
}

// record notes what a pickle wants to have called or made.
func (u *unpickler) record(op byte) error {
	if op == opBuild {
		state, err := pop[any](u, "the state of an object")
		if err != nil {
			return err
		}
		o, err := pop[*object](u, "an object")
		if err != nil {
			return err
		}
		o.state = state
		u.push(o)
		return nil
	}
	args, err := pop[tuple](u, "a tuple of arguments")
	if err != nil {
		return err
	}
	function, err := pop[global](u, "the name of a class or function")
	if err != nil {
		return err
	}
	if op == opReduce {
		u.push(&call{function, args})
		return nil
	}
	if len(args) > 0 {
		return fmt.Errorf("a new object has %d arguments, expected none", len(args))
	}
	u.push(&object{class: function})
	return nil
}

// remember keeps the top value under a number, or fetches one kept.
func (u *unpickler) remember(op byte) error {
	key := uint32(len(u.memo))
	if op != opMemoize {
		width := 1
		if op == opLongBinPut {
			width = 4
		}
		n, err := u.uint(width)
		if err != nil {
			return err
		}
		key = uint32(n)
	}
	if op == opBinGet {
		v, ok := u.memo[key]
		if !ok {
			return fmt.Errorf("value %d was not kept", key)
		}
		u.push(v)
		return nil
	}
	v, err := pop[any](u, "a value to keep")
	if err != nil {
		return err
	}
	u.memo[key] = v
	u.push(v)
	return nil
}
