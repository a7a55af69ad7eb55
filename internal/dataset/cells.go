package dataset

import "pidsbench/internal/fault"

// Kind is the type of a value in a file.
type Kind = kind

// The kinds of values. Fields of CSV are strings.
const (
	KindAbsent Kind = absent
	KindString Kind = stringKind
	KindNumber Kind = numberKind
	KindBool   Kind = boolKind
	KindNull   Kind = nullKind
	KindList   Kind = listKind
	KindObject Kind = objectKind
)

// Layout says how a file holds its rows.
type Layout string

// The layouts. LayoutByName goes by the extension, as ReadFile does.
const (
	LayoutByName     Layout = ""
	LayoutCSV        Layout = "csv"
	LayoutTSV        Layout = "tsv"
	LayoutJSON       Layout = "json"
	LayoutJSONLines  Layout = "jsonl"
	LayoutParquet    Layout = "parquet"
	LayoutStrings    Layout = "strings"    // a JSON list of texts: column text
	LayoutCategories Layout = "categories" // a JSON object of lists of texts: columns text and category
)

// Layouts lists those that have a name.
var Layouts = []Layout{LayoutCSV, LayoutTSV, LayoutJSON, LayoutJSONLines, LayoutParquet, LayoutStrings,
	LayoutCategories}

var readers = map[Layout]reader{
	LayoutCSV: readCSVTable, LayoutTSV: readTSVTable, LayoutJSON: readJSON, LayoutJSONLines: readJSONLines,
	LayoutParquet: readParquet, LayoutStrings: readStrings, LayoutCategories: readCategories,
}

// Cells are the rows of a file as they stand there, before a mapping says which column is the text.
type Cells struct {
	Columns []string
	Rows    int

	t *table
}

// ReadCells reads a file of the given name and contents as strictly as ReadFile does, but for one point: cells may hold
// bytes that are not UTF-8, so that the caller can refuse a row instead of the file. A CSV or Parquet file without
// rows, and an empty list of texts, give none. Errors are fault.Integrity, for an extension that says no layout
// fault.Usage.
func ReadCells(name string, data []byte, layout Layout) (*Cells, error) {
	read := readers[layout]
	if layout == LayoutByName {
		var err error
		if read, err = formatOf(name); err != nil {
			return nil, err
		}
	}
	if read == nil {
		return nil, fault.New(fault.Usage, "there is no layout %s", fault.Quote(string(layout)))
	}
	t, err := read(fault.Name(name), string(data), true)
	if err != nil {
		return nil, err
	}
	return &Cells{Columns: t.columns, Rows: t.rows, t: t}, nil
}

// Value returns a cell by position: a string decoded, null and absent values as "", everything else as JSON writes it.
func (c *Cells) Value(column, row int) (string, Kind) {
	return c.t.cells[column][row], c.t.kind(column, row)
}

// Where names a row for messages: the file and its line or row.
func (c *Cells) Where(row int) string { return c.t.where(row) }

// Strings returns the strings of a JSON list, such as a cell of KindList; ok is false when it is no list of strings.
func Strings(list string) (texts []string, ok bool) {
	t, err := readStrings("list", list, true)
	if err != nil {
		return nil, false
	}
	return t.cells[0], true
}

// readStrings reads a JSON list of strings.
func readStrings(file, src string, loose bool) (*table, error) {
	b, err := newJSONTable(file, src, loose)
	if err != nil {
		return nil, err
	}
	b.columns, b.cells, b.kinds = []string{"text"}, make([][]string, 1), make([][]kind, 1)
	j := &jsonScanner{file: file, src: src, pos: b.begin}
	j.space()
	if err := b.texts(j); err != nil {
		return nil, cutOff(err)
	}
	return b.whole(j)
}

// readCategories reads a JSON object of lists of strings.
func readCategories(file, src string, loose bool) (*table, error) {
	b, err := newJSONTable(file, src, loose)
	if err != nil {
		return nil, err
	}
	b.columns, b.cells, b.kinds = []string{"text", "category"}, make([][]string, 2), make([][]kind, 2)
	j := &jsonScanner{file: file, src: src, pos: b.begin}
	j.space()
	if j.pos == len(src) || src[j.pos] != '{' {
		return nil, b.fail(j.pos, "the file holds no object, expected one with lists of texts by category")
	}
	seen := map[string]bool{}
	err = j.object(1, func(name, value string, k kind, start int) error {
		if seen[name] {
			return j.fail(start, "category %s stands twice", fault.Quote(name)).WithCure("delete one of them")
		}
		seen[name] = true
		if k != listKind {
			return j.fail(start, "category %s is %s, expected a list of texts", fault.Quote(name), k)
		}
		// j stands behind the list, which is read again, now for its elements.
		if err := b.texts(&jsonScanner{file: file, src: src[:j.pos], pos: j.pos - len(value)}); err != nil {
			return err
		}
		for len(b.cells[1]) < b.rows {
			b.cells[1] = append(b.cells[1], name)
			b.kinds[1] = append(b.kinds[1], stringKind)
		}
		return nil
	})
	if err != nil {
		return nil, cutOff(err)
	}
	return b.whole(j)
}

// texts reads a list of strings at pos into the first column.
func (b *jsonTable) texts(j *jsonScanner) error {
	if j.pos == len(j.src) || j.src[j.pos] != '[' {
		return b.fail(j.pos, "%s stands where a list of texts should", fault.Quote(j.word()))
	}
	open := j.pos
	j.pos++
	for first := true; ; first = false {
		j.space()
		if first && j.take("]") {
			return nil
		}
		start := j.pos
		text, k, err := j.value(1)
		if err != nil {
			return err
		}
		if k != stringKind {
			return b.fail(start, "%s of the list is %s, expected a text", element(len(b.starts)), k)
		}
		b.starts = append(b.starts, start)
		b.cells[0] = append(b.cells[0], text)
		b.kinds[0] = append(b.kinds[0], stringKind)
		b.rows++
		j.space()
		if j.take("]") {
			return nil
		}
		if !j.take(",") {
			return j.missing("a comma or ]", open)
		}
	}
}

// whole checks that nothing stands behind the value.
func (b *jsonTable) whole(j *jsonScanner) (*table, error) {
	j.space()
	if j.pos < len(j.src) {
		return nil, b.fail(j.pos, "%s stands behind the value, expected the end of the file", fault.Quote(j.word()))
	}
	where := func(row int) string { return at(b.file, lineOf(b.src, b.starts[row])) + ": " + element(row) }
	return &table{file: b.file, columns: b.columns, rows: b.rows, cells: b.cells, kinds: b.kinds, where: where,
		first: b.file}, nil
}
