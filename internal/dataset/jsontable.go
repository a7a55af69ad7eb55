package dataset

import (
	"errors"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// maxColumns bounds the number of different names in the objects of a file: each is a column of every row.
const maxColumns = 1000

// readJSONLines reads an object a line. Blank lines may stand at the end only.
func readJSONLines(file, src string, loose bool) (*table, error) {
	b, err := newJSONTable(file, src, loose)
	if err != nil {
		return nil, err
	}
	blank := -1
	for pos := b.begin; pos < len(src); {
		end := len(src)
		if n := strings.IndexByte(src[pos:], '\n'); n >= 0 {
			end = pos + n
		}
		line := jsonScanner{file: file, src: src[:end], pos: pos}
		line.space()
		switch {
		case line.pos == end && blank < 0:
			blank = pos
		case line.pos == end:
		case blank >= 0:
			return nil, b.fail(blank, "the line is blank, expected an object").WithCure("delete it")
		default:
			if err := b.line(&line, end == len(src)); err != nil {
				return nil, err
			}
		}
		pos = end + 1
	}
	return b.table()
}

func (b *jsonTable) line(line *jsonScanner, last bool) error {
	start := line.pos
	if line.src[start] != '{' {
		err := b.fail(start, "the line starts with %s, expected an object", fault.Quote(line.word()))
		if line.src[start] == '[' {
			return err.WithCure("rename a list of objects to .json")
		}
		return err.WithCure(`write each row as {"text": …, "label": …} on a line of its own`)
	}
	err := b.object(line)
	var ends *endError
	if errors.As(err, &ends) {
		if last {
			return ends.fault.WithCure("the last line is cut off: copy the file again, or delete that line")
		}
		return ends.fault.WithCure("write each object on a single line, or use .json for a list of objects")
	}
	if err != nil {
		return err
	}
	line.space()
	if line.pos < len(line.src) {
		return b.fail(line.pos, "%s stands behind the object, expected the end of the line", fault.Quote(line.word())).
			WithCure("write each object on a line of its own")
	}
	return nil
}

// readJSON reads a list of objects, or JSON Lines, which often carry the same extension.
func readJSON(file, src string, loose bool) (*table, error) {
	b, err := newJSONTable(file, src, loose)
	if err != nil {
		return nil, err
	}
	j := jsonScanner{file: file, src: src, pos: b.begin}
	j.space()
	if j.pos == len(src) {
		return b.table()
	}
	if src[j.pos] == '[' {
		return b.list(&j)
	}
	if src[j.pos] == '{' {
		if names, ok := wholeObject(j); ok {
			return nil, fault.New(fault.Integrity, "%s is a single object with %s, expected a list of objects", file,
				showList(names)).WithCure(`write it as [{"text": …, "label": …}, …]`)
		}
	}
	return readJSONLines(file, src, loose)
}

// wholeObject reports whether the file is one object that takes more than a line, and its names.
func wholeObject(j jsonScanner) (names []string, ok bool) {
	start := j.pos
	err := j.object(1, func(name, _ string, _ kind, _ int) error {
		names = append(names, name)
		return nil
	})
	spans := strings.Contains(j.src[start:j.pos], "\n")
	j.space()
	return names, err == nil && spans && j.pos == len(j.src)
}

func (b *jsonTable) list(j *jsonScanner) (*table, error) {
	open := j.pos
	j.pos++
	b.inList = true
	for first := true; ; first = false {
		j.row = ""
		j.space()
		if first && j.take("]") {
			break
		}
		j.row = element(b.rows) + ": "
		if j.pos < len(j.src) && j.src[j.pos] == '{' {
			if err := b.object(j); err != nil {
				return nil, cutOff(err)
			}
		} else {
			start := j.pos
			_, k, err := j.value(1)
			if err != nil {
				return nil, cutOff(err)
			}
			return nil, b.fail(start, "%s is %s, expected an object", element(b.rows), k).
				WithCure(`write each row as {"text": …, "label": …}`)
		}
		j.row = ""
		j.space()
		if j.take("]") {
			break
		}
		if !j.take(",") {
			return nil, cutOff(j.missing("a comma or ]", open))
		}
	}
	j.space()
	if j.pos < len(j.src) {
		return nil, b.fail(j.pos, "%s stands behind the list, expected the end of the file", fault.Quote(j.word()))
	}
	return b.table()
}

func cutOff(err error) error {
	var ends *endError
	if errors.As(err, &ends) {
		return ends.fault.WithCure("the file is cut off: copy it again")
	}
	return err
}

// jsonTable gathers the members of objects by column.
type jsonTable struct {
	file    string
	src     string
	begin   int // behind the byte order mark
	inList  bool
	columns []string
	index   map[string]int
	cells   [][]string
	kinds   [][]kind
	rows    int
	starts  []int
}

// newJSONTable returns an empty table. With loose, bytes that are not UTF-8 are left to the caller.
func newJSONTable(file, src string, loose bool) (*jsonTable, error) {
	if err := foreign(file, src); err != nil {
		return nil, err
	}
	b := &jsonTable{file: file, src: src, index: map[string]int{}}
	if strings.HasPrefix(src, "\ufeff") {
		b.begin = len("\ufeff")
	}
	if bad := invalidUTF8(src); bad >= 0 && !loose {
		return nil, b.fail(bad, "the byte 0x%02X at offset %d of the file is not UTF-8", src[bad], bad).
			WithCure("save the file as UTF-8")
	}
	return b, nil
}

// object reads the object at pos as the next row.
func (b *jsonTable) object(j *jsonScanner) error {
	row := b.rows
	b.starts = append(b.starts, j.pos)
	err := j.object(1, func(name, value string, k kind, start int) error {
		c, ok := b.index[name]
		if !ok {
			if len(b.columns) == maxColumns {
				return j.fail(start, "field %s is the name number %d, at most %d are read", fault.Quote(name), maxColumns+1,
					maxColumns)
			}
			c = len(b.columns)
			b.index[name] = c
			b.columns = append(b.columns, name)
			b.cells = append(b.cells, nil)
			b.kinds = append(b.kinds, nil)
		}
		if len(b.cells[c]) > row {
			return j.fail(start, "field %s stands twice in one object", fault.Quote(name)).WithCure("delete one of them")
		}
		b.pad(c, row)
		b.cells[c] = append(b.cells[c], value)
		b.kinds[c] = append(b.kinds[c], k)
		return nil
	})
	b.rows++
	return err
}

// pad fills a column with absent values up to a row.
func (b *jsonTable) pad(column, row int) {
	for len(b.cells[column]) < row {
		b.cells[column] = append(b.cells[column], "")
		b.kinds[column] = append(b.kinds[column], absent)
	}
}

func (b *jsonTable) table() (*table, error) {
	if b.rows == 0 {
		what := "has no object"
		if b.inList {
			what = "is a list without elements"
		} else if len(b.src) == b.begin {
			what = "is empty"
		}
		return nil, fault.New(fault.Integrity, "%s %s, expected an object a row", b.file, what)
	}
	for c := range b.cells {
		b.pad(c, b.rows)
	}
	where := func(row int) string { return at(b.file, lineOf(b.src, b.starts[row])) }
	if b.inList {
		line := where
		where = func(row int) string { return line(row) + ": " + element(row) }
	}
	return &table{file: b.file, columns: b.columns, rows: b.rows, cells: b.cells, kinds: b.kinds, where: where,
		first: b.file}, nil
}

func element(row int) string { return "element " + strconv.Itoa(row+1) }

func (b *jsonTable) fail(offset int, format string, args ...any) *fault.Error {
	return fail(at(b.file, lineOf(b.src, offset)), format, args...)
}
