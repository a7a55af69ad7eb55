package dataset

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"pidsbench/internal/fault"
)

// readParquet reads the flat columns of a Parquet file: strings as they are stored, numbers and truth values as JSON
// writes them. Nested columns (lists, maps, groups) are known by name and kind only, so that naming one as text is an
// error that says what it holds.
func readParquet(file, src string, loose bool) (t *table, err error) {
	if err := checkMagic(file, src); err != nil {
		return nil, err
	}
	damaged := func(why any) error {
		return fault.New(fault.Integrity, "%s is a damaged Parquet file: %s", file, fault.Line(fmt.Sprint(why))).
			WithCure("copy it again")
	}
	in := strings.NewReader(src)
	if err := CheckParquetFooter(in, in.Size()); err != nil {
		return nil, damaged(err)
	}
	// The decoder gives up on some damaged files by a panic.
	defer func() {
		if v := recover(); v != nil {
			t, err = nil, damaged(v)
		}
	}()
	f, err := parquet.OpenFile(in, in.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, damaged(err)
	}
	t = &table{file: file, first: file, where: func(row int) string { return fmt.Sprintf("%s: row %d", file, row+1) }}
	columns := f.Root().Columns()
	for _, c := range columns {
		t.columns = append(t.columns, c.Name())
	}
	if len(columns) > maxColumns {
		return nil, fault.New(fault.Integrity, "%s has %d columns, at most %d are read", file, len(columns), maxColumns)
	}
	if problem := checkHeader(t.columns); problem != "" {
		return nil, fail(file, "%s", problem).WithCure("give every column a name of its own")
	}
	if !slices.ContainsFunc(columns, isFlat) {
		return nil, fault.New(fault.Integrity, "%s has nested columns alone, expected one with a text a row", file).
			WithCure("write the texts into a column of strings")
	}
	p := parquetColumns{table: t, cells: make([][]string, len(columns)), kinds: make([][]kind, len(columns))}
	tooMuch := fault.New(fault.Integrity, "%s unpacks to more than %d bytes (1 GiB), the most that is read", file,
		int64(MaxFileSize)).WithCure("split it into smaller files")
	for _, nested := range []bool{false, true} { // the flat columns first: they show how many rows there really are
		p.rows = 0
		for _, group := range f.RowGroups() {
			if p.rows += group.NumRows(); p.rows < 0 || p.rows > MaxFileSize/valueSize {
				return nil, tooMuch
			}
			for i, c := range columns {
				if isFlat(c) == nested {
					continue
				}
				if nested {
					p.fill(i, c)
				} else if err := p.read(i, c, group); err != nil {
					return nil, damaged(err)
				}
				if p.size > MaxFileSize {
					return nil, tooMuch
				}
			}
		}
	}
	t.cells, t.kinds, t.rows = p.cells, p.kinds, int(p.rows)
	if !loose {
		err = t.checkUTF8()
	}
	return t, err
}

// checkMagic refuses what does not begin and end as a Parquet file does.
func checkMagic(file, src string) error {
	switch what, cure := contents(src); {
	case strings.HasPrefix(src, "PAR1") && strings.HasSuffix(src, "PAR1") && len(src) >= 12:
		return nil
	case strings.HasPrefix(src, "PAR1"):
		return fault.New(fault.Integrity, "%s is a Parquet file without its end", file).
			WithCure("the file is cut off: copy it again")
	case what != "":
		return fault.New(fault.Integrity, "%s %s, expected a Parquet file", file, what).WithCure("%s", cure)
	}
	return fault.New(fault.Integrity, "%s is no Parquet file, expected one that begins and ends with PAR1", file).
		WithCure("give it the extension of what it is")
}

// checkUTF8 refuses the first cell, column by column, that is not UTF-8.
func (t *table) checkUTF8() error {
	for c := range t.cells {
		for row, v := range t.cells[c] {
			if bad := invalidUTF8(v); bad >= 0 {
				return fail(t.where(row), "column %s holds the byte 0x%02X, which is not UTF-8", fault.Quote(t.columns[c]),
					v[bad]).WithCure("store it as UTF-8")
			}
		}
	}
	return nil
}

// isFlat reports whether a column has one value a row.
func isFlat(c *parquet.Column) bool { return c.Leaf() && !c.Repeated() }

// valueSize is what a value takes beside its bytes, roughly.
const valueSize = 32

// parquetColumns gathers values by column. Size counts what they take: a file of a few bytes may say a million times
// the same.
type parquetColumns struct {
	*table
	cells [][]string
	kinds [][]kind
	rows  int64
	size  int64
}

// fill gives a nested column its kind in every row up to rows.
func (p *parquetColumns) fill(i int, c *parquet.Column) {
	k := objectKind
	if c.Repeated() || isList(c) {
		k = listKind
	}
	for int64(len(p.cells[i])) < p.rows && p.size <= MaxFileSize {
		p.cells[i] = append(p.cells[i], "")
		p.kinds[i] = append(p.kinds[i], k)
		p.size += valueSize
	}
}

// read appends the values of a flat column in one row group.
func (p *parquetColumns) read(i int, c *parquet.Column, group parquet.RowGroup) error {
	show := shower(c.Type())
	pages := group.ColumnChunks()[c.Index()].Pages()
	defer pages.Close()
	buf := make([]parquet.Value, 256)
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		values := page.Values()
		for {
			n, err := values.ReadValues(buf)
			for _, v := range buf[:n] {
				s, k := show(v)
				p.cells[i] = append(p.cells[i], s)
				p.kinds[i] = append(p.kinds[i], k)
				p.size += int64(len(s)) + valueSize
			}
			if err == io.EOF || p.size > MaxFileSize {
				break
			}
			if err != nil {
				parquet.Release(page)
				return err
			}
			if n == 0 {
				parquet.Release(page)
				return io.ErrNoProgress
			}
		}
		parquet.Release(page)
		if p.size > MaxFileSize {
			return nil
		}
	}
	if got := int64(len(p.cells[i])); got != p.rows {
		return fmt.Errorf("column %s has %d values, expected %d", fault.Quote(c.Name()), got, p.rows)
	}
	return nil
}

func isList(c *parquet.Column) bool {
	t := c.Type().LogicalType()
	if t == nil {
		return false
	}
	_, ok := t.Value.(*format.ListType)
	return ok
}

// shower returns the function that writes values of a type.
func shower(t parquet.Type) func(parquet.Value) (string, kind) {
	logical := any(nil)
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	text, unsigned := logical == nil, false
	switch l := logical.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		text = true
	case *format.IntType:
		unsigned = !l.IsSigned
	}
	return func(v parquet.Value) (string, kind) {
		if v.IsNull() {
			return "", nullKind
		}
		switch v.Kind() {
		case parquet.Boolean:
			return strconv.FormatBool(v.Boolean()), boolKind
		case parquet.Int32:
			if unsigned {
				return strconv.FormatUint(uint64(v.Uint32()), 10), numberKind
			}
			return strconv.FormatInt(int64(v.Int32()), 10), numberKind
		case parquet.Int64:
			if unsigned {
				return strconv.FormatUint(v.Uint64(), 10), numberKind
			}
			return strconv.FormatInt(v.Int64(), 10), numberKind
		case parquet.Float:
			return formatFloat(float64(v.Float()), 32), numberKind
		case parquet.Double:
			return formatFloat(v.Double(), 64), numberKind
		case parquet.ByteArray:
			if text {
				return string(v.ByteArray()), stringKind
			}
		}
		return v.String(), numberKind
	}
}

// formatFloat keeps the point of a whole number, so that the label 1.0 is no 1.
func formatFloat(f float64, bits int) string {
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if !math.IsInf(f, 0) && !math.IsNaN(f) && !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
