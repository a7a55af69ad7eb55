package dataset

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pidsbench/internal/fault"
)

type parquetRow struct {
	Text  string   `parquet:"text"`
	Label int64    `parquet:"label"`
	Flag  bool     `parquet:"flag"`
	Share float64  `parquet:"share"`
	Note  *string  `parquet:"note,optional"`
	Lang  string   `parquet:"lang,dict,snappy"`
	Tags  []string `parquet:"tags,list"`
	More  struct {
		X int32 `parquet:"x"`
	} `parquet:"more"`
}

// parquetFile has two row groups.
func parquetFile(t testing.TB, rows ...parquetRow) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[parquetRow](&b, parquet.MaxRowsPerRowGroup(2))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sampleParquet(t testing.TB) []byte {
	note := "n"
	return parquetFile(t, parquetRow{Text: "a \"q\"\r\nb", Lang: "en", Tags: []string{"x"}, Share: 1},
		parquetRow{Text: "ü\x00", Label: 1, Flag: true, Note: &note, Lang: "de", Share: 0.5}, parquetRow{Text: "= 1",
			Label: 1, Lang: "en"})
}

func TestParquetGivesTheRowsOfItsFlatColumns(t *testing.T) {
	s, err := ReadBytes("t.parquet", sampleParquet(t), Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "t" || len(s.Rows) != 3 || s.Rows[0] != (Row{Text: "a \"q\"\r\nb"}) ||
		s.Rows[1] != (Row{Text: "ü\x00", Label: Injection}) {
		t.Errorf("%q %+v", s.Name, s.Rows)
	}
	for column, want := range map[string]string{"flag": "false true false", "share": "1.0 0.5 0.0", "note": " n ",
		"lang": "en de en"} {
		if got, _ := s.Column(column); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", column, got, want)
		}
	}
}

func TestParquetFileIsReadFromDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.parquet")
	if err := os.WriteFile(path, sampleParquet(t), 0o666); err != nil {
		t.Fatal(err)
	}
	splits, notes, err := OpenOwn(filepath.Dir(path), Mapping{})
	if err != nil || len(notes) != 0 || len(splits) != 1 || splits[0].Name != "mine" || len(splits[0].SHA256) != 64 {
		t.Errorf("%v %v %v", splits, notes, err)
	}
}

func TestBadParquetEndsInOneSentence(t *testing.T) {
	good := sampleParquet(t)
	middle := bytes.Clone(good)
	for i := 4; i < len(middle)/2; i++ {
		middle[i] ^= 0x55
	}
	for name, tt := range map[string]struct {
		data    []byte
		mapping Mapping
		want    string
	}{
		"a list as text": {good, Mapping{Text: "tags"}, `t.parquet: row 1: field "tags" holds a list, expected a string`},
		"a group as text": {good, Mapping{Text: "more"},
			`t.parquet: row 1: field "more" holds an object, expected a string`},
		"a number as text": {good, Mapping{Text: "share"},
			`t.parquet: row 1: field "share" holds a number, expected a string`},
		"null as text": {good, Mapping{Text: "note"}, `t.parquet: row 1: field "note" holds null, expected a string`},
		"a float as label": {good, Mapping{Label: "share"},
			`t.parquet: row 1: column "share" holds "1.0", expected 0, 1, benign or injection`},
		"no such column": {good, Mapping{Text: "prompt"}, `t.parquet: there is no column "prompt" among "text", "label"`},
		"cut off": {good[:len(good)-9], Mapping{},
			"t.parquet is a Parquet file without its end; the file is cut off: copy it again"},
		"damaged": {middle, Mapping{}, "t.parquet is a damaged Parquet file: "},
		"a damaged footer": {append(good[:len(good)-8:len(good)-8], "\xff\xff\xff\x7fPAR1"...), Mapping{},
			"t.parquet is a damaged Parquet file: "},
		"a list of 2^28": {[]byte("PAR1" + "\x29\xfc\xff\xff\xff\x7f\x00" + "\x07\x00\x00\x00PAR1"), Mapping{},
			"t.parquet is a damaged Parquet file: its footer claims a list of 268435455 items in 1 bytes"},
		"a deep footer": {[]byte("PAR1" + strings.Repeat("\x1c", 99) + "\x63\x00\x00\x00PAR1"), Mapping{},
			"t.parquet is a damaged Parquet file: its footer is nested too deeply"},
		"a ZIP archive": {[]byte("PK\x03\x04"), Mapping{},
			"t.parquet is a ZIP archive, expected a Parquet file; unpack it first"},
		"an Arrow file": {[]byte("ARROW1\x00\x00"), Mapping{},
			"t.parquet is an Arrow file, expected a Parquet file; save it as .parquet"},
		"no rows": {parquetFile(t), Mapping{}, "t.parquet holds a header and no rows"},
		"bytes, not UTF-8": {parquetFile(t, parquetRow{Text: "a\xff"}), Mapping{},
			`t.parquet: row 1: column "text" holds the byte 0xFF, which is not UTF-8`},
		"an empty text": {parquetFile(t, parquetRow{}), Mapping{}, `t.parquet: row 1: column "text" is empty`},
		"a Git LFS pointer": {[]byte("version https://git-lfs.github.com/spec/v1\n"), Mapping{},
			"t.parquet is a Git LFS pointer"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadBytes("t.parquet", tt.data, tt.mapping)
			var f *fault.Error
			if !errors.As(err, &f) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error is %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestParquetCountsWhatAFewBytesUnpackTo(t *testing.T) {
	p := parquetColumns{table: &table{}, cells: make([][]string, 1), kinds: make([][]kind, 1), rows: 1 << 30}
	f, err := parquet.OpenFile(bytes.NewReader(sampleParquet(t)), int64(len(sampleParquet(t))))
	if err != nil {
		t.Fatal(err)
	}
	p.size = MaxFileSize - 10*valueSize
	if p.fill(0, f.Root().Column("tags")); p.size <= MaxFileSize || len(p.cells[0]) > 20 {
		t.Errorf("size %d, %d cells", p.size, len(p.cells[0]))
	}
	p.size, p.cells[0] = MaxFileSize-valueSize, nil
	if err := p.read(0, f.Root().Column("text"), f.RowGroups()[0]); err != nil || p.size <= MaxFileSize {
		t.Errorf("size %d, %v", p.size, err)
	}
}

// FuzzParquet checks that no file stops the reader and that what it reads can be written as CSV.
func FuzzParquet(f *testing.F) {
	f.Add(sampleParquet(f))
	f.Add([]byte("PAR1\x15\x00\x00\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		c, err := ReadCells("t.parquet", data, LayoutByName)
		if err != nil {
			if fault.ExitCode(err) != int(fault.Integrity) {
				t.Errorf("%v", err)
			}
			return
		}
		for i := range c.Columns {
			for row := range c.Rows {
				c.Value(i, row)
			}
		}
	})
}
