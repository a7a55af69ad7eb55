package manifest

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// Write writes the manifest in our form, its files sorted by path. What Parse would not give back is an error.
func Write(w io.Writer, m *Manifest) error {
	files := slices.SortedFunc(slices.Values(m.Files), byPath)
	var b strings.Builder
	if err := m.writeHead(&b, files); err != nil {
		return err
	}
	width := [3]int{1, 1, 1}
	cells := make([][3]string, len(files))
	for i, f := range files {
		problem := f.problem()
		switch {
		case problem != "":
			return unwritable("%s", problem)
		case !isHash(f.SHA256) || strings.ToLower(f.SHA256) != f.SHA256:
			return unwritable("the SHA-256 of %s is %s, expected 64 lower-case hexadecimal digits", f.Path,
				fault.Quote(f.SHA256))
		case i > 0 && files[i-1].Path == f.Path:
			return unwritable("the path %s stands twice", f.Path)
		}
		cells[i] = [3]string{"-", "-", "-"}
		if f.Counted {
			cells[i] = [3]string{strconv.Itoa(f.Rows), strconv.Itoa(f.Benign), strconv.Itoa(f.Injection)}
		}
		for c := range width {
			width[c] = max(width[c], len(cells[i][c]))
		}
	}
	for i, f := range files {
		fmt.Fprintf(&b, "%s  %*s  %*s  %*s  %s\n", f.SHA256, width[0], cells[i][0], width[1], cells[i][1], width[2],
			cells[i][2], f.Path)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeHead writes the lines above the files.
func (m *Manifest) writeHead(b *strings.Builder, files []File) error {
	b.WriteString(Header + "\n")
	if m.Edition != "" {
		if !plainName(m.Edition) {
			return unwritable("the edition is %s, expected a plain name", fault.Quote(m.Edition))
		}
		b.WriteString("# edition: " + m.Edition + "\n")
	}
	if m.Folder != "" {
		if problem := pathProblem(m.Folder); problem != "" {
			return unwritable("the folder %s %s", fault.Quote(m.Folder), problem)
		}
		b.WriteString("# folder: " + m.Folder + "\n")
	}
	for _, f := range files {
		if f.Withheld > 0 {
			fmt.Fprintf(b, "%s%d %s\n", withheldMark, f.Withheld, f.Path)
		}
	}
	for _, c := range m.Comments {
		reserved := strings.HasPrefix(c, "edition: ") || strings.HasPrefix(c, "folder: ") ||
			strings.HasPrefix("# "+c, withheldMark) || "# "+c == columns
		if reserved || !utf8.ValidString(c) || strings.ContainsAny(c, "\r\n") {
			return unwritable("the comment %s is no comment in this place", fault.Quote(c))
		}
		if c == "" {
			b.WriteString("#\n")
		} else {
			b.WriteString("# " + c + "\n")
		}
	}
	b.WriteString(columns + "\n")
	return nil
}

func unwritable(format string, args ...any) error {
	return fault.New(fault.Integrity, "cannot write the manifest: "+format, args...)
}
