package scores

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"pidsbench/internal/fault"
)

// File is a complete score file.
type File struct {
	Path   string
	Header Header
	Lines  []Line // one for every row of the split, or of the shard, in row order
}

// Read reads a finished score file, FILE.jsonl or FILE.jsonl.gz. Anything but a header and one line for each row that
// it promises, in row order and such as its window mode and length allow, is an integrity error that names the line. So
// every Line.Row is less than Header.Rows; whether these are the rows of a split, Check tells.
func Read(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot read scores: %w", err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(bufio.NewReader(f)); err != nil {
			return nil, broken(path, fmt.Errorf("cannot unpack it: %w", err))
		}
	}
	return read(path, in)
}

// Check returns an integrity error that names the first difference when the file holds other scores than those
// expected; it compares every field of the identity.
func (f *File) Check(expected Identity) error {
	expected.Schema = Schema
	if d := differ(f.Header.Identity, expected); d != nil {
		return mismatch(f.Path, d)
	}
	return nil
}

func read(path string, in io.Reader) (*File, error) {
	r := newLineReader(in)
	raw, whole, err := r.next()
	switch {
	case err == io.EOF:
		return nil, broken(path, errors.New("is empty, expected a score file"))
	case err == nil && !whole:
		err = errors.New("ends within the header")
	}
	f := &File{Path: path}
	if err == nil {
		err = parseHeader(raw, &f.Header, &f.Header)
	}
	if err != nil {
		return nil, broken(r.at(path), err)
	}
	last := -1
	for {
		raw, whole, err := r.next()
		if err == io.EOF {
			break
		}
		if err == nil && !whole {
			err = errors.New("ends within the line")
		}
		var l Line
		if err == nil {
			l, err = parseLine(raw)
		}
		if err == nil {
			err = l.check(&f.Header)
		}
		if err == nil && l.Row <= last {
			err = fmt.Errorf("row %d comes after row %d, expected each row once and in order", l.Row, last)
		}
		if err != nil {
			return nil, broken(r.at(path), err)
		}
		last = l.Row
		f.Lines = append(f.Lines, l)
	}
	if want := f.Header.Info.Shard.Len(f.Header.Rows); len(f.Lines) != want {
		return nil, broken(path, fmt.Errorf("holds %d rows, expected %d", len(f.Lines), want))
	}
	return f, nil
}

// broken is the error for a score file that is not as this package writes it.
func broken(where string, err error) error {
	return fault.New(fault.Integrity, "%s: %w", where, err).
		WithCure("restore the file, or give --fresh to score again")
}

// parseHeader reads the first line of a file into a struct that is or holds the header h.
func parseHeader(raw []byte, into any, h *Header) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("no header of a score file: %w", jsonError(err))
	}
	if h.Schema != Schema { // before fields of another schema are called unknown
		return h.check()
	}
	*h = Header{}
	if err := onlyFields(raw, into); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	h.Identity = h.normal()
	return h.check()
}

// maxLine bounds a line in bytes, newline included; maxError the reason in it, however many of its bytes JSON escapes.
const (
	maxLine  = 64 << 10
	maxError = 8 << 10
)

// lineReader reads the lines of a file and knows where it is.
type lineReader struct {
	in   *bufio.Reader
	line int   // number of the last line read, from 1
	end  int64 // bytes up to its end
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, maxLine)}
}

// next returns the next line with its newline, valid until the following call. whole is false for a last line that has
// none. The error is io.EOF after the last line.
func (r *lineReader) next() (raw []byte, whole bool, err error) {
	raw, err = r.in.ReadSlice('\n')
	if err == io.EOF && len(raw) == 0 {
		return nil, false, io.EOF
	}
	r.line++
	r.end += int64(len(raw))
	switch {
	case err == io.EOF:
		return raw, false, nil
	case err == bufio.ErrBufferFull:
		return nil, false, fmt.Errorf("the line is longer than %d bytes", maxLine)
	case err != nil:
		return nil, false, fmt.Errorf("cannot read on: %w", err)
	}
	return raw, true, nil
}

// last reports whether nothing follows. It ends the validity of the line.
func (r *lineReader) last() bool {
	_, err := r.in.Peek(1)
	return err == io.EOF
}

// at returns "FILE:LINE" for the last line read.
func (r *lineReader) at(path string) string { return fmt.Sprintf("%s:%d", path, r.line) }

// encode writes a finished file.
func (f *File) encode(w io.Writer) error {
	head, err := f.Header.encode()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.Write(head)
	line := make([]byte, 0, 256)
	for _, l := range f.Lines {
		line = l.appendTo(line[:0])
		b.Write(line)
	}
	_, err = w.Write(b.Bytes())
	return err
}
