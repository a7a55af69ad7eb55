package dataset

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// WriteCSV writes a header and records as CSV in the benchmark's form: LF ends each row; a field is quoted only when it
// holds a comma, a quote, CR or LF; an empty field is empty and unquoted. (Two exceptions keep files readable: an empty
// field alone in its row, which would be a blank line, and a first column name that would make the file look like
// another kind of file are quoted.) ReadCSV gives back the same header and records. What could not be read back is an
// error: column names that are empty, stand twice or hold NUL, records of another length, and text that is not UTF-8.
func WriteCSV(w io.Writer, header []string, records [][]string) error {
	if len(header) == 0 {
		return fault.New(fault.Integrity, "cannot write CSV: there is no column")
	}
	if problem := checkHeader(header); problem != "" {
		return fault.New(fault.Integrity, "cannot write CSV: %s", problem)
	}
	for _, name := range header {
		if !utf8.ValidString(name) {
			return fault.New(fault.Integrity, "cannot write CSV: the column name %s is not UTF-8", fault.Quote(name))
		}
	}
	b := bufio.NewWriterSize(w, 1<<16)
	first := header[0] + "\n"
	what, _ := contents(first)
	writeRecord(b, header, what != "" || looksJSON(first) || strings.HasPrefix(first, "\ufeff"))
	for i, rec := range records {
		if len(rec) != len(header) {
			return fault.New(fault.Integrity, "cannot write CSV: record %d has %s, expected %d", i,
				plural(len(rec), "field"), len(header))
		}
		for c, field := range rec {
			if !utf8.ValidString(field) {
				return fault.New(fault.Integrity, "cannot write CSV: record %d holds %s in column %s, which is not UTF-8", i,
					fault.Quote(field), fault.Quote(header[c]))
			}
		}
		writeRecord(b, rec, false)
	}
	return b.Flush()
}

// writeRecord writes a row, its first field in quotes if asked; an error stays in the writer until Flush.
func writeRecord(b *bufio.Writer, rec []string, quoteFirst bool) {
	for c, field := range rec {
		if c > 0 {
			b.WriteByte(',')
		}
		if strings.ContainsAny(field, ",\"\r\n") || field == "" && len(rec) == 1 || c == 0 && quoteFirst {
			b.WriteByte('"')
			b.WriteString(strings.ReplaceAll(field, `"`, `""`))
			b.WriteByte('"')
		} else {
			b.WriteString(field)
		}
	}
	b.WriteByte('\n')
}
