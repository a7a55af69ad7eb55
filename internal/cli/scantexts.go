package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

const (
	scanChunk   = 256       // texts that are scored together, at most
	scanBuffer  = 256 << 10 // bytes that are read ahead of the lines
	scanMaxLine = 16 << 20  // bytes of a line; a longer one gets no score
)

// scanText is a text to be scored, or the reason why it cannot be.
type scanText struct{ text, err string }

// textSource hands out texts in order.
type textSource struct {
	next   func() ([]scanText, error) // the error is errNoMore behind the last texts, perhaps together with them
	closer io.Closer                  // nil when there is nothing to close
}

type scanChunkRead struct {
	texts []scanText
	err   error
}

// errNoMore is the end of a source.
var errNoMore = errors.New("no more texts")

// start reads in a goroutine of its own, a chunk ahead: a read that blocks does not keep an interrupt waiting.
func (t *textSource) start(ctx context.Context) <-chan scanChunkRead {
	out := make(chan scanChunkRead)
	go func() {
		for {
			texts, err := t.next()
			select {
			case out <- scanChunkRead{texts, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

func (t *textSource) close() {
	if t.closer != nil {
		_ = t.closer.Close()
	}
}

// source opens what is to be scanned.
func (o *scanOptions) source(st *State, args []string) (*textSource, error) {
	switch {
	case len(args) > 0:
		texts := make([]scanText, len(args))
		for i, a := range args {
			texts[i] = newScanText(a)
		}
		return listed(texts), nil
	case o.textColumn != "":
		return o.tableSource(st)
	case o.file == "" && !o.lines && st.StdinTTY:
		return nil, fault.New(fault.Usage, "there is no text").
			WithCure("give it as an argument, with --file, or through a pipe")
	}
	in, name := st.Stdin, "standard input"
	var closer io.Closer
	if o.file != "" {
		name = fault.Name(o.file)
		f, err := os.Open(st.abs(o.file))
		if err == nil {
			if info, stat := f.Stat(); stat == nil && info.IsDir() {
				_ = f.Close()
				return nil, fault.New(fault.Usage, "%s is a folder, expected a file", name)
			}
		}
		if err != nil {
			return nil, fault.New(fault.Usage, "%s cannot be read: %w", name, bare(err)).WithCure("check the path")
		}
		in, closer = f, f
	}
	if o.lines {
		r := &scanLines{in: bufio.NewReaderSize(in, scanBuffer), name: name, max: scanMaxLine}
		return &textSource{next: r.next, closer: closer}, nil
	}
	return &textSource{next: func() ([]scanText, error) { return wholeText(in, name) }, closer: closer}, nil
}

// newScanText takes a text as it is, but for bytes that are no text.
func newScanText(text string) scanText {
	if !utf8.ValidString(text) {
		why := "the text is not valid UTF-8"
		if what, _ := dataset.Foreign([]byte(text)); what != "" {
			why += ": it " + what
		}
		return scanText{text, why}
	}
	return scanText{text: text}
}

// listed is a source of texts that are at hand.
func listed(texts []scanText) *textSource {
	return &textSource{next: func() ([]scanText, error) {
		n := min(scanChunk, len(texts))
		some := texts[:n]
		if texts = texts[n:]; len(texts) == 0 {
			return some, errNoMore
		}
		return some, nil
	}}
}

// tableSource reads the texts of a column.
func (o *scanOptions) tableSource(st *State) (*textSource, error) {
	benign := dataset.Benign // no label column is read
	split, err := dataset.ReadFile(st.abs(o.file), dataset.Mapping{Text: o.textColumn, All: &benign})
	if err != nil {
		return nil, err
	}
	texts := make([]scanText, len(split.Rows))
	for i, r := range split.Rows {
		texts[i] = newScanText(r.Text)
		if r.Missing {
			texts[i].err = "the text is withheld"
		}
	}
	return listed(texts), nil
}

// wholeText reads one text to the end. The line end that closes a text file is no part of it.
func wholeText(in io.Reader, name string) ([]scanText, error) {
	data, err := io.ReadAll(io.LimitReader(in, dataset.MaxFileSize+1))
	switch {
	case err != nil:
		return nil, fault.New(fault.Failed, "%s cannot be read: %w", name, bare(err))
	case len(data) > dataset.MaxFileSize:
		return nil, fault.New(fault.Integrity, "%s has more than %d bytes (1 GiB), the most that is read", name,
			dataset.MaxFileSize).WithCure("give it in parts, or line by line with --lines")
	case len(data) == 0:
		return nil, fault.New(fault.Usage, "%s is empty, expected a text", name).
			WithCure("give a text as an argument, with --file, or through a pipe")
	}
	text, _ := strings.CutPrefix(string(data), "\ufeff")
	return []scanText{newScanText(cutLineEnd(text))}, errNoMore
}

func cutLineEnd(s string) string {
	line, ended := strings.CutSuffix(s, "\n")
	if ended {
		line, _ = strings.CutSuffix(line, "\r")
	}
	return line
}

// scanLines takes a stream apart into lines. It waits for one and then takes those that are there already, so that
// lines which come slowly are scored at once and fast ones together; it never holds more than its buffer and a line.
type scanLines struct {
	in   *bufio.Reader
	name string
	max  int // bytes of a line

	begun bool
}

func (l *scanLines) next() ([]scanText, error) {
	var texts []scanText
	for len(texts) == 0 || len(texts) < scanChunk && l.ready() {
		line, long, err := l.line()
		if err == io.EOF {
			return texts, errNoMore
		}
		if err != nil {
			return texts, fault.New(fault.Failed, "%s cannot be read: %w", l.name, bare(err))
		}
		if !l.begun {
			l.begun = true
			line, _ = strings.CutPrefix(line, "\ufeff")
		}
		t := newScanText(line)
		if long {
			t.err = fmt.Sprintf("the line is longer than %d bytes", l.max)
		}
		texts = append(texts, t)
	}
	return texts, nil
}

// ready reports whether a whole line is in the buffer.
func (l *scanLines) ready() bool {
	there, _ := l.in.Peek(l.in.Buffered())
	return bytes.IndexByte(there, '\n') >= 0
}

// line returns the next line without its end. Of one that is too long it returns the beginning.
func (l *scanLines) line() (line string, long bool, err error) {
	var text []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if room := l.max + len("\r\n") - len(text); len(part) > room {
			part, long = part[:room], true
		}
		text = append(text, part...)
		switch {
		case err == nil, err == io.EOF && len(text) > 0:
			line = cutLineEnd(string(text))
			return line, long || len(line) > l.max, nil
		case err != bufio.ErrBufferFull:
			return "", false, err
		}
	}
}
