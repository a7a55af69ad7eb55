package dataset

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// csvReader reads comma-separated values strictly. It is our own because the bytes of a field must be kept: rows end
// with LF or CRLF, but a CRLF inside quotes belongs to the text. Fields are substrings of the source wherever they hold
// no doubled quote.
//
// Tab-separated values differ in two points: the tab parts fields, and a quote that does not open a field stands for
// itself, since most programs write it so.
type csvReader struct {
	file   string
	sep    byte // comma or tab
	src    string
	pos    int
	bad    int // offset of the first byte that is not UTF-8, -1 when there is none
	header []string
}

// ReadCSV reads a CSV file with arbitrary columns as strictly as ReadFile does. The records have as many fields as the
// header; there may be none. The file's name stands in messages only.
func ReadCSV(file string, data []byte) (header []string, records [][]string, err error) {
	r, err := newCSVReader(fault.Name(file), string(data), ',', false)
	if err != nil {
		return nil, nil, err
	}
	for {
		rec, _, err := r.next(make([]string, 0, len(r.header)))
		if err == io.EOF {
			return r.header, records, nil
		}
		if err != nil {
			return nil, nil, err
		}
		records = append(records, rec)
	}
}

func readCSVTable(file, src string, loose bool) (*table, error) {
	r, err := newCSVReader(file, src, ',', loose)
	if err != nil {
		return nil, err
	}
	return r.table()
}

func readTSVTable(file, src string, loose bool) (*table, error) {
	r, err := newCSVReader(file, src, '\t', loose)
	if err != nil {
		return nil, err
	}
	return r.table()
}

func (r *csvReader) table() (*table, error) {
	file, src := r.file, r.src
	t := &table{file: file, columns: r.header, cells: make([][]string, len(r.header)), first: at(file, 1)}
	var starts []int
	rec := make([]string, 0, len(r.header))
	for {
		var start int
		var err error
		rec, start, err = r.next(rec[:0])
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, field := range rec {
			t.cells[i] = append(t.cells[i], field)
		}
		starts = append(starts, start)
	}
	t.rows = len(starts)
	t.where = func(row int) string { return at(file, lineOf(src, starts[row])) }
	return t, nil
}

// newCSVReader reads the header. With loose, bytes that are not UTF-8 are left to the caller.
func newCSVReader(file, src string, sep byte, loose bool) (*csvReader, error) {
	if err := foreign(file, src); err != nil {
		return nil, err
	}
	r := &csvReader{file: file, sep: sep, src: src, bad: -1}
	if !loose {
		r.bad = invalidUTF8(src)
	}
	if strings.HasPrefix(src, "\ufeff") {
		r.pos = len("\ufeff")
	}
	if looksJSON(src[r.pos:]) {
		return nil, fault.New(fault.Integrity, "%s holds JSON, expected %s-separated values", file, r.sepName()).
			WithCure("rename it to .jsonl (an object a line) or .json (a list of objects)")
	}
	header, start, err := r.next(nil)
	if err == io.EOF {
		return nil, fault.New(fault.Integrity, "%s is empty, expected a header and rows", file)
	}
	if err != nil {
		return nil, err
	}
	if problem := checkHeader(header); problem != "" {
		return nil, fail(at(file, lineOf(src, start)), "%s", problem).
			WithCure("give every column a name of its own (an index column needs one too, or is left out)")
	}
	r.header = header
	return r, nil
}

// checkHeader says what is wrong with column names, or nothing.
func checkHeader(header []string) string {
	seen := make(map[string]int, len(header))
	for i, name := range header {
		switch j, ok := seen[name]; {
		case name == "":
			return fmt.Sprintf("the name of column %d is empty", i+1)
		case ok:
			return fmt.Sprintf("columns %d and %d are both named %s", j, i+1, fault.Quote(name))
		case strings.Contains(name, "\x00"):
			return fmt.Sprintf("the name of column %d holds a NUL byte (%s)", i+1, fault.Quote(name))
		}
		seen[name] = i + 1
	}
	return ""
}

func looksJSON(src string) bool {
	return strings.HasPrefix(src, `{"`) || strings.HasPrefix(src, `[{`) || strings.HasPrefix(src, "[\n")
}

// next appends the fields of the next record to rec and returns them with the offset at which the record starts. At the
// end it returns io.EOF.
func (r *csvReader) next(rec []string) ([]string, int, error) {
	start := r.pos
	r.skipBlankLines()
	if r.pos == len(r.src) {
		return nil, start, io.EOF
	}
	if r.pos != start {
		return nil, start, r.fail(start, "the line is blank, expected a row").
			WithCure(`delete the line (an empty field alone in its row is written "")`)
	}
	for {
		field, err := r.field(len(rec))
		if err != nil {
			return nil, start, err
		}
		rec = append(rec, field)
		if r.pos < len(r.src) && r.src[r.pos] == r.sep {
			r.pos++
			continue
		}
		if strings.HasPrefix(r.src[r.pos:], "\r") {
			r.pos++
		}
		if r.pos < len(r.src) {
			r.pos++ // LF
		}
		break
	}
	if want := len(r.header); want > 0 && len(rec) != want {
		err := r.fail(start, "the row has %s, expected %d (%s)", plural(len(rec), "field"), want, showList(r.header))
		if len(rec) > want {
			return nil, start, err.WithCure("put a text that holds %ss in quotes", r.sepName())
		}
		return nil, start, err.WithCure("fill in the missing fields, or put a text that holds line breaks in quotes")
	}
	return rec, start, nil
}

func (r *csvReader) skipBlankLines() {
	for {
		rest := r.src[r.pos:]
		switch {
		case strings.HasPrefix(rest, "\n"):
			r.pos++
		case strings.HasPrefix(rest, "\r\n"):
			r.pos += 2
		default:
			return
		}
	}
}

// field reads one field and leaves pos at the comma or line end behind it, or at the end of the source.
func (r *csvReader) field(column int) (string, error) {
	if r.pos < len(r.src) && r.src[r.pos] == '"' {
		return r.quoted(column)
	}
	start, i := r.pos, r.pos
scan:
	for ; i < len(r.src); i++ {
		switch r.src[i] {
		case r.sep, '\n':
			break scan
		case '\r':
			if strings.HasPrefix(r.src[i:], "\r\n") {
				break scan
			}
			return "", r.fail(i, "%s holds a carriage return outside quotes that no line feed follows", r.column(column)).
				WithCure("put the text in quotes, or end rows with LF or CRLF")
		case '"':
			if r.sep == '\t' {
				continue
			}
			return "", r.fail(i, "%s holds a quote inside a field that is not in quotes (%s)", r.column(column),
				fault.Quote(r.src[start:i+1])).WithCure("put the whole field in quotes and write each quote inside it twice")
		}
	}
	r.pos = i
	return r.src[start:i], r.checkUTF8(start, i, column)
}

func (r *csvReader) quoted(column int) (string, error) {
	open := r.pos
	start := open + 1
	doubled := false
	for i := start; ; {
		n := strings.IndexByte(r.src[i:], '"')
		if n < 0 {
			return "", r.fail(open, "%s opens a quote that is never closed", r.column(column)).
				WithCure("close it, and write each quote inside the text twice")
		}
		i += n
		if strings.HasPrefix(r.src[i:], `""`) {
			doubled = true
			i += 2
			continue
		}
		field, rest := r.src[start:i], r.src[i+1:]
		if rest != "" && rest[0] != r.sep && rest[0] != '\n' && !strings.HasPrefix(rest, "\r\n") {
			text, _, _ := strings.Cut(rest, "\n")
			return "", r.fail(i, "%s has text behind its closing quote (%s), expected a %s or the end of the row",
				r.column(column), fault.Quote(text), r.sepName()).WithCure("write each quote inside the text twice")
		}
		if err := r.checkUTF8(start, i, column); err != nil {
			return "", err
		}
		r.pos = i + 1
		if doubled {
			field = strings.ReplaceAll(field, `""`, `"`)
		}
		return field, nil
	}
}

func (r *csvReader) checkUTF8(start, end, column int) error {
	if r.bad < start || r.bad >= end {
		return nil
	}
	return r.fail(r.bad, "%s holds the byte 0x%02X at offset %d of the file, which is not UTF-8", r.column(column),
		r.src[r.bad], r.bad).WithCure("save the file as UTF-8")
}

func (r *csvReader) sepName() string {
	if r.sep == '\t' {
		return "tab"
	}
	return "comma"
}

// column names a column for messages: by its name once the header is known.
func (r *csvReader) column(i int) string {
	if i < len(r.header) {
		return "column " + fault.Quote(r.header[i])
	}
	return "field " + strconv.Itoa(i+1)
}

func (r *csvReader) fail(offset int, format string, args ...any) *fault.Error {
	return fail(at(r.file, lineOf(r.src, offset)), format, args...)
}

// invalidUTF8 returns the offset of the first byte that is no part of a UTF-8 sequence, or -1.
func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n < 2 {
			return i
		}
		i += n
	}
}
