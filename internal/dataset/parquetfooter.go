package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds of a Parquet footer. A file of a thousand columns in a thousand row groups still fits.
const (
	mostFooterBytes = 256 << 20
	mostFooterItems = 1 << 20
	mostFooterDepth = 32
)

// CheckParquetFooter walks the footer of a Parquet file of size bytes and checks that no list or string in it claims to
// be longer than what is left of the footer: the decoder sets aside what a list claims before it reads the list. The
// form is Thrift's compact protocol (thrift/doc/specs/thrift-compact-protocol.md).
func CheckParquetFooter(r io.ReaderAt, size int64) error {
	if size < 12 {
		return errors.New("it is shorter than any Parquet file")
	}
	var tail [8]byte // the footer's length and PAR1
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 || n > mostFooterBytes {
		return fmt.Errorf("its footer claims %d bytes", n)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil {
		return err
	}
	return (&footerWalker{rest: string(footer)}).structure(0)
}

type footerWalker struct {
	rest  string
	items uint64
}

var errFooter = errors.New("its footer ends too early")

func (w *footerWalker) take(n uint64) error {
	if n > uint64(len(w.rest)) {
		return errFooter
	}
	w.rest = w.rest[n:]
	return nil
}

func (w *footerWalker) byte() (byte, error) {
	if w.rest == "" {
		return 0, errFooter
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b, nil
}

func (w *footerWalker) varint() (uint64, error) {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		b, err := w.byte()
		if err != nil {
			return 0, err
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, nil
		}
	}
	return 0, errors.New("its footer holds a number of more than 64 bits")
}

// count notes so many items, each at least a byte long.
func (w *footerWalker) count(n uint64) error {
	if n > uint64(len(w.rest)) {
		return fmt.Errorf("its footer claims a list of %d items in %d bytes", n, len(w.rest))
	}
	if w.items += n; w.items > mostFooterItems {
		return fmt.Errorf("its footer holds more than %d items", mostFooterItems)
	}
	return nil
}

func (w *footerWalker) structure(depth int) error {
	if depth > mostFooterDepth {
		return errors.New("its footer is nested too deeply")
	}
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field's number stands in full
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind > 2 { // 1 and 2 are the truth values themselves
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

func (w *footerWalker) value(kind byte, depth int) error {
	switch kind {
	case 1, 2, 3: // truth value inside a list, byte
		return w.take(1)
	case 4, 5, 6: // whole numbers
		_, err := w.varint()
		return err
	case 7: // floating point
		return w.take(8)
	case 8: // string
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.take(n)
	case 9, 10: // list, set
		head, err := w.byte()
		if err != nil {
			return err
		}
		n := uint64(head >> 4)
		if n == 15 {
			if n, err = w.varint(); err != nil {
				return err
			}
		}
		if err := w.count(n); err != nil {
			return err
		}
		return w.values(n, head&15, depth)
	case 11: // map
		n, err := w.varint()
		if err != nil || n == 0 {
			return err
		}
		kinds, err := w.byte()
		if err != nil {
			return err
		}
		if err := w.count(n); err != nil {
			return err
		}
		for range n {
			if err := w.values(1, kinds>>4, depth); err != nil {
				return err
			}
			if err := w.values(1, kinds&15, depth); err != nil {
				return err
			}
		}
		return nil
	case 12:
		return w.structure(depth + 1)
	}
	return fmt.Errorf("its footer holds a value of unknown type %d", kind)
}

func (w *footerWalker) values(n uint64, kind byte, depth int) error {
	for range n {
		if depth > mostFooterDepth {
			return errors.New("its footer is nested too deeply")
		}
		if err := w.value(kind, depth+1); err != nil {
			return err
		}
	}
	return nil
}
