package builder

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// fields gives the value of a column of one row, and whether the row has it.
type fields func(column string) (string, bool)

// readItems reads one packaged file of a source.
func readItems(s *Source, path string, data []byte) ([]Item, error) {
	if strings.HasSuffix(path, ".gz") {
		var err error
		if data, err = gunzip(data); err != nil {
			return nil, s.malformed(path, "gzip", err.Error(), "a whole gzip stream")
		}
	}
	switch s.Format {
	case "conversations", "transcripts":
		return readConversations(s, path, data)
	case "dialogues":
		return readDialogues(s, path, data)
	}
	read := map[string]func(*Source, []byte, func(fields) error) error{
		"csv": readCSV, "parquet": readParquet, "json": readJSON, "jsonl": readJSONL, "yaml": readYAMLRow,
	}[s.Format]
	var items []Item
	n := 0
	err := read(s, data, func(row fields) error {
		n++
		it, ok, err := s.item(row)
		if l, known := s.Languages.Folder[folder(path)]; known {
			it.Language = l
		}
		if ok {
			items = append(items, it)
		}
		return err
	})
	if err != nil {
		return nil, s.malformed(path, fmt.Sprintf("row %d", n), err.Error(), "the columns and values of the lock")
	}
	return items, nil
}

// item picks text, class and carrier out of a row; ok is false for a row that the source does not take.
func (s *Source) item(row fields) (it Item, ok bool, err error) {
	get := func(column string) string {
		v, has := row(column)
		if !has && err == nil {
			err = fmt.Errorf("no column %q", column)
		}
		return v
	}
	if s.Where != nil && get(s.Where.Column) != s.Where.Equals {
		return it, false, err
	}
	parts := make([]string, len(s.Text))
	for i, column := range s.Text {
		parts[i] = get(column)
	}
	it.Text = strings.Join(parts, "\n\n")
	if s.Unescape {
		it.Text = unescaper.Replace(it.Text)
	}
	if s.Carrier != "" {
		it.Carrier = s.ID + "/" + get(s.Carrier)
	}
	if s.Languages.Column != "" {
		it.Language, _ = row(s.Languages.Column)
	}
	if s.Label.Constant != "" {
		it.Label = s.Label.constant()
		return it, true, err
	}
	switch v := get(s.Label.Column); {
	case err != nil:
	case slices.Contains(s.Label.Injection, v):
		it.Label = dataset.Injection
	case !slices.Contains(s.Label.Benign, v):
		err = fmt.Errorf("label %.40q", v)
	}
	return it, true, err
}

// unescaper turns the escapes that some exports leave in a text into what they stand for.
var unescaper = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\r`, "\n", `\t`, "\t")

func gunzip(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, memberLimit+1))
	if err == nil && len(out) > memberLimit {
		err = errors.New("more than is read of one file")
	}
	return out, err
}

// readJSON reads an array of objects; a text in it is an object whose column "text" it is.
func readJSON(_ *Source, data []byte, yield func(fields) error) error {
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	for _, raw := range rows {
		row := object{"text": raw}
		if !bytes.HasPrefix(raw, []byte{'"'}) {
			row = nil
			if err := json.Unmarshal(raw, &row); err != nil {
				return err
			}
		}
		if err := yield(row.field); err != nil {
			return err
		}
	}
	return nil
}

func readJSONL(_ *Source, data []byte, yield func(fields) error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var row object
		if err := d.Decode(&row); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if err := yield(row.field); err != nil {
			return err
		}
	}
}

// object is a JSON object.
type object map[string]json.RawMessage

// field reads a string as its value and everything else as its JSON text.
func (o object) field(column string) (string, bool) {
	raw, ok := o[column]
	for !ok {
		name, rest, dotted := strings.Cut(column, ".")
		if !dotted {
			return "", false
		}
		var inner object
		if json.Unmarshal(o[name], &inner) != nil {
			return "", false
		}
		o, column = inner, rest
		raw, ok = o[column]
	}
	var v string
	if json.Unmarshal(raw, &v) != nil {
		v = string(raw)
	}
	return v, ok
}

func readParquet(_ *Source, data []byte, yield func(fields) error) error {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	column := map[string]int{}
	for i, path := range f.Schema().Columns() {
		if len(path) == 1 {
			column[path[0]] = i
		}
	}
	for _, group := range f.RowGroups() {
		if err := readRows(group.Rows(), column, yield); err != nil {
			return err
		}
	}
	return nil
}

func readRows(rows parquet.Rows, column map[string]int, yield func(fields) error) error {
	defer rows.Close()
	buf := make([]parquet.Row, 64)
	for {
		n, err := rows.ReadRows(buf)
		for _, row := range buf[:n] {
			get := func(name string) (string, bool) {
				i, ok := column[name]
				if !ok {
					return "", false
				}
				for _, v := range row {
					if v.Column() == i {
						return v.String(), !v.IsNull()
					}
				}
				return "", false
			}
			if err := yield(get); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readCSV reads comma-separated values with the strict reader, which keeps the bytes of a field.
func readCSV(s *Source, data []byte, yield func(fields) error) error {
	for range s.SkipLines {
		_, rest, ok := bytes.Cut(data, []byte("\n"))
		if !ok {
			return errors.New("fewer lines than are skipped")
		}
		data = rest
	}
	header, rows, err := dataset.ReadCSV(s.ID+".csv", data)
	if err != nil {
		return err
	}
	column := make(map[string]int, len(header))
	for i, name := range header {
		column[name] = i
	}
	for _, row := range rows {
		get := func(name string) (string, bool) {
			i, ok := column[name]
			if !ok {
				return "", false
			}
			return row[i], true
		}
		if err := yield(get); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) malformed(path, where, found, expected string) error {
	return fault.New(fault.Integrity, "package %s: %s: %s: found %s, expected %s", s.Package, path, where, found,
		expected).
		WithCure("pin the version of the package that the lock describes")
}
