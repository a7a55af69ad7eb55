package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// conversions are harmless-looking changes that tools make to text files, each with its reversal.
var conversions = []struct {
	what, cure string
	undo       func([]byte) []byte
}{
	{"its line ends were converted to CRLF", "copy it again without line-end conversion (git: core.autocrlf=false)", toLF},
	{"its line ends were converted to LF", "copy it again without line-end conversion (git: core.autocrlf=false)", toCRLF},
	{"a byte order mark was put before it", "remove the mark (save as UTF-8 without BOM)", dropMark},
	{"its byte order mark was removed", "copy it again byte by byte", addMark},
	{"a byte order mark was put before it and its line ends were converted to CRLF", "copy it again byte by byte",
		func(b []byte) []byte { return toLF(dropMark(b)) }},
	{"a line end was added at its end", "copy it again byte by byte",
		func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) }},
	{"its last line end was removed", "copy it again byte by byte",
		func(b []byte) []byte { return append(b[:len(b):len(b)], '\n') }},
}

var mark = []byte("\ufeff")

func toLF(b []byte) []byte     { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
func toCRLF(b []byte) []byte   { return bytes.ReplaceAll(toLF(b), []byte("\n"), []byte("\r\n")) }
func dropMark(b []byte) []byte { return bytes.TrimPrefix(b, mark) }
func addMark(b []byte) []byte  { return append(mark[:len(mark):len(mark)], b...) }

// changed says in what way a file differs from its frozen bytes.
func (m *Manifest) changed(dir string, f File, r Result, data []byte) Result {
	if what, cure := dataset.Foreign(data); strings.Contains(what, "Git LFS") {
		return r.problem(dir, Pointer, cure, "%s, expected the frozen file", what)
	}
	for _, c := range conversions {
		if hashOf(c.undo(data)) == f.SHA256 {
			return r.problem(dir, Converted, c.cure, "is not the frozen file byte by byte: %s", c.what)
		}
	}
	if known, ok := m.withFingerprints(dir, f, r, data); ok {
		return known
	}
	difference, cure := m.difference(f, &r, data), m.cure()
	if r.Withheld > 0 {
		cure = "restore the withheld texts first"
	}
	return r.problem(dir, Changed, cure, "has changed: its SHA-256 is %s…, %s freezes %s…%s", r.SHA256[:12], m.title(),
		f.SHA256[:12], difference)
}

// difference adds what can be said about changed bytes.
func (m *Manifest) difference(f File, r *Result, data []byte) string {
	if len(data) == 0 {
		return " (it is empty)"
	}
	if n := bytes.Count(data, []byte("\n")); n > 0 && n == bytes.Count(data, []byte("\r\n")) {
		// Where the frozen file has line ends of both kinds, a conversion cannot be undone to compare hashes.
		return " (all its line ends are CRLF, as after a conversion)"
	}
	if !f.Counted {
		return ""
	}
	s, err := dataset.ReadBytes(filepath.Base(r.Path), data, dataset.Mapping{})
	var bad *fault.Error
	if errors.As(err, &bad) {
		return " (" + bad.Msg + ")"
	}
	r.count(s)
	switch {
	case r.Withheld > 0:
		return fmt.Sprintf(" (%s of %d %s withheld, as in the form for the public)", plural(r.Withheld, "text"), r.Rows,
			map[bool]string{true: "is", false: "are"}[r.Withheld == 1])
	case r.Rows != f.Rows || r.Benign != f.Benign:
		return fmt.Sprintf(" (it has %s, %d benign and %d injection; frozen are %d, %d and %d)", plural(r.Rows, "row"),
			r.Benign, r.Injection, f.Rows, f.Benign, f.Injection)
	}
	return fmt.Sprintf(" (it has %s and as many of each class as frozen)", plural(r.Rows, "row"))
}
