package scores

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"pidsbench/internal/fault"
)

// A .part file holds a header, lines of rows in the order they came, and marks between them. The header of one that a
// fresh start began has the field "fresh":true: its rows alone count, and the finished file beside it, which stays
// until then, will be replaced. The marks are:
//
//	{"begin":[17,18]}   these rows go to the detector now
//	{"end":[18]}        these come back without a line: the run was stopped in good order
//	{"setup":{…}}       what follows was scored by another program version or machine than the header says
//	{"server":{…}}      a server that was asked and is not named before
//
// A row that began and has neither a line nor an end was in flight when the process died.

// DiedTwice is the error of a row during which the process died twice. It is not tried again.
const DiedTwice = "the process died twice while scoring this row"

// partHeader is the first line of a .part file.
type partHeader struct {
	Header
	Fresh bool `json:"fresh,omitempty"`
}

// part is what a .part file says.
type part struct {
	header  Header
	fresh   bool
	lines   map[int]Line
	deaths  map[int]int // begins without an end since the row's last line; never 0
	setups  []Setup     // those that lines come from, in order of appearance
	setup   Setup       // of the last line
	servers []Server    // in order of appearance
	whole   int64       // bytes up to the end of the last sound line; what follows is torn
}

type marks struct {
	Begin []int  `json:"begin,omitempty"`
	End   []int  `json:"end,omitempty"`
	Setup *Setup `json:"setup,omitempty"`

	Server *Server `json:"server,omitempty"`
}

// readPart reads a .part file. A last line that is torn (without newline, or not to be parsed) is left out; a header
// that is torn makes the file count as empty: then whole is 0.
func readPart(path string, in io.Reader) (*part, error) {
	r := newLineReader(in)
	p := &part{lines: map[int]Line{}, deaths: map[int]int{}}
	raw, whole, err := r.next()
	if err == io.EOF || err == nil && !whole {
		return p, nil
	}
	if err == nil {
		var h partHeader
		err = parseHeader(raw, &h, &h.Header)
		p.header, p.fresh = h.Header, h.Fresh
	}
	if err != nil {
		return nil, broken(r.at(path), err)
	}
	p.setup, p.whole = p.header.Info.Setup, r.end
	for {
		raw, whole, err := r.next()
		if err == io.EOF || err == nil && !whole {
			return p, nil
		}
		if err == nil {
			err = p.add(raw)
		}
		var bad *json.SyntaxError
		if errors.As(err, &bad) && r.last() {
			return p, nil
		}
		if err != nil {
			return nil, broken(r.at(path), err)
		}
		p.whole = r.end
	}
}

// add takes in a line or a mark.
func (p *part) add(raw []byte) error {
	var m marks
	if err := json.Unmarshal(raw, &m); err != nil {
		return jsonError(err)
	}
	if m.Begin == nil && m.End == nil && m.Setup == nil && m.Server == nil {
		l, err := parseLine(raw)
		if err != nil {
			return err
		}
		if err := l.check(&p.header); err != nil {
			return err
		}
		if err := put(p.lines, l); err != nil {
			return err
		}
		delete(p.deaths, l.Row)
		if !slices.Contains(p.setups, p.setup) {
			p.setups = append(p.setups, p.setup)
		}
		return nil
	}
	if err := onlyFields(raw, &m); err != nil {
		return err
	}
	for _, row := range slices.Concat(m.Begin, m.End) {
		if err := (Line{Row: row}).check(&p.header); err != nil {
			return err
		}
	}
	for _, row := range m.Begin {
		p.deaths[row]++
	}
	for _, row := range m.End {
		if p.deaths[row]--; p.deaths[row] <= 0 {
			delete(p.deaths, row)
		}
	}
	if m.Setup != nil {
		p.setup = *m.Setup
	}
	if m.Server != nil {
		p.servers = append(p.servers, *m.Server)
	}
	return nil
}

// final reports whether a later run leaves the line as it is. Other errors are tried again.
func final(l Line) bool { return l.Error == "" || l.Error == DiedTwice }

// put adds a line to those known. It takes the place of an error that was tried again, and must equal any other line
// of the row.
func put(lines map[int]Line, l Line) error {
	if old, ok := lines[l.Row]; ok && final(old) && old != l {
		return fmt.Errorf("row %d has another line before, expected one line a row", l.Row)
	}
	lines[l.Row] = l
	return nil
}

// appendRows appends begin or end marks of at most 1,000 rows each: that bounds their lines.
func appendRows(b []byte, mark string, rows []int) []byte {
	for some := range slices.Chunk(rows, 1000) {
		b = append(append(append(b, `{"`...), mark...), `":[`...)
		for i, row := range some {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(row), 10)
		}
		b = append(b, "]}\n"...)
	}
	return b
}

// merge joins what a finished file (nil when there is none) and a .part file hold.
func merge(base *File, p *part, path string) (lines map[int]Line, setups []Setup, err error) {
	lines = map[int]Line{}
	if base != nil {
		for _, l := range base.Lines {
			lines[l.Row] = l
		}
		if len(base.Lines) > 0 {
			setups = append(setups, base.Header.Info.Setup)
			setups = append(setups, base.Header.Info.Also...)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(p.lines)) {
		if err := put(lines, p.lines[row]); err != nil {
			return nil, nil, fault.New(fault.Integrity, "%s: %w in the finished file", path, err).
				WithCure("give --fresh to score again")
		}
	}
	for _, s := range p.setups {
		if !slices.Contains(setups, s) {
			setups = append(setups, s)
		}
	}
	return lines, setups, nil
}

// line returns the line of a mark.
func (m marks) line() ([]byte, error) {
	b, err := json.Marshal(m)
	return append(b, '\n'), err
}
