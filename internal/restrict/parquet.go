package restrict

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"pidsbench/internal/dataset"
)

// parquetTexts streams the one or two columns it needs, page by page: the shards of LMSYS-Chat-1M have others that are
// much larger.
func parquetTexts(f *os.File, yield func(string) error) (err error) {
	defer func() { // the library panics on some damaged files
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %v", p)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := dataset.CheckParquetFooter(f, info.Size()); err != nil {
		return err
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	text, content, role := -1, -1, -1
	var names []string
	for i, path := range file.Schema().Columns() {
		last := path[len(path)-1]
		switch {
		case len(path) == 1 && last == TextColumn:
			text = i
		case path[0] == conversationColumn && last == "content":
			content = i
		case path[0] == conversationColumn && last == "role":
			role = i
		}
		if len(path) == 1 || len(names) == 0 || names[len(names)-1] != path[0] {
			names = append(names, path[0])
		}
	}
	if text < 0 && (content < 0 || role < 0) {
		return noColumn(names)
	}
	for _, group := range file.RowGroups() {
		columns := group.ColumnChunks()
		if text >= 0 {
			err = plainTexts(columns[text], yield)
		} else {
			err = firstMessages(columns[content], columns[role], yield)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func plainTexts(column parquet.ColumnChunk, yield func(string) error) error {
	in := values{pages: column.Pages()}
	defer in.pages.Close()
	for {
		v, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err == nil && !v.IsNull() {
			err = yield(v.String())
		}
		if err != nil {
			return err
		}
	}
}

// firstMessages walks the contents and the roles of all messages side by side. A repetition level of 0 begins a row.
func firstMessages(content, role parquet.ColumnChunk, yield func(string) error) error {
	contents, roles := values{pages: content.Pages()}, values{pages: role.Pages()}
	defer contents.pages.Close()
	defer roles.pages.Close()
	found := false
	for {
		c, err := contents.next()
		r, err2 := roles.next()
		if err == io.EOF && err2 == io.EOF {
			return nil
		}
		if err == io.EOF || err2 == io.EOF || err == nil && err2 == nil && c.RepetitionLevel() != r.RepetitionLevel() {
			return errors.New("the contents and the roles of its messages do not go together")
		}
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if c.RepetitionLevel() == 0 {
			found = false
		}
		if !found && !c.IsNull() && r.String() == "user" {
			found = true
			if err := yield(c.String()); err != nil {
				return err
			}
		}
	}
}

// values reads a column value by value. A value is valid until the next call.
type values struct {
	pages parquet.Pages
	page  parquet.ValueReader
	buf   [256]parquet.Value
	have  []parquet.Value
	end   bool // of the page
}

func (v *values) next() (parquet.Value, error) {
	for len(v.have) == 0 {
		if v.page == nil || v.end {
			p, err := v.pages.ReadPage()
			if err != nil {
				return parquet.Value{}, err
			}
			v.page, v.end = p.Values(), false
		}
		n, err := v.page.ReadValues(v.buf[:])
		if err != nil && err != io.EOF {
			return parquet.Value{}, err
		}
		if n == 0 && err == nil {
			return parquet.Value{}, io.ErrNoProgress
		}
		v.have, v.end = v.buf[:n], err == io.EOF
	}
	first := v.have[0]
	v.have = v.have[1:]
	return first, nil
}
