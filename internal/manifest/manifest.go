// Package manifest reads, writes and verifies freeze manifests: which files make up an edition, with the SHA-256, the
// number of rows and the class counts of each.
//
// The form is text with LF line ends. The first line is Header, the next lines may name the edition and its folder;
// then a file a line, sorted by path. Other lines that begin with # are comments.
//
//	# pidsbench freeze manifest 1
//	# edition: open
//	# folder: data/open
//	# SHA-256  rows  benign  injection  path
//	5c337637…  3825  1410  2415  test.csv
//	b2847df8…     -     -     -  eval_subsets/audit_sample.csv
//
// A file without counts is no split: it may be absent, and where it is there only its hash is compared.
package manifest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Header is the first line of a freeze manifest.
const Header = "# pidsbench freeze manifest 1"

const columns = "# SHA-256  rows  benign  injection  path"

// Manifest is what a freeze manifest says.
type Manifest struct {
	Edition  string   // id of the edition; empty when the manifest does not say
	Folder   string   // of the edition, slash-separated, below the project's root; empty: its user says where
	Comments []string // free lines behind the first ones, without "# "
	Files    []File   // sorted by path

	name string // of the manifest file, for messages
	hash string // of the bytes it was parsed from; empty when it was made by other means
}

// File is one frozen file.
type File struct {
	Path      string // slash-separated, below the edition's folder
	SHA256    string // 64 lower-case hexadecimal digits
	Counted   bool   // the file is a split and the counts are known; other files may be absent
	Rows      int    // 1 or more when counted, Benign + Injection
	Benign    int
	Injection int
}

func byPath(a, b File) int { return cmp.Compare(a.Path, b.Path) }

// Hash returns the SHA-256 (lower-case hex) of the bytes the manifest was parsed from, or else of the bytes Write
// writes. Tables are marked with it. A manifest that Write refuses has the empty hash.
func (m *Manifest) Hash() string {
	if m.hash != "" {
		return m.hash
	}
	var b bytes.Buffer
	if Write(&b, m) != nil {
		return ""
	}
	return hashOf(b.Bytes())
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Lookup returns the entry of a path and whether there is one.
func (m *Manifest) Lookup(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return cmp.Compare(f.Path, p) })
	if !ok {
		return File{}, false
	}
	return m.Files[i], true
}

// Parse reads a freeze manifest, or the manifest of the original benchmark (see original.go). The name stands in
// messages. What cannot be understood is an integrity error that names the line.
func Parse(name string, data []byte) (*Manifest, error) {
	if what, cure := dataset.Foreign(data); what != "" {
		return nil, fault.New(fault.Integrity, "%s %s, expected a freeze manifest", dataset.Quote(name), what).
			WithCure("%s", cure)
	}
	text := string(data)
	if !utf8.ValidString(text) {
		return nil, fault.New(fault.Integrity, "%s is not UTF-8 text, expected a freeze manifest", dataset.Quote(name))
	}
	p := &parser{name: dataset.Quote(name), at: map[string]int{}}
	m := &Manifest{name: p.name}
	var err error
	if strings.HasPrefix(strings.TrimPrefix(text, "\ufeff"), "# pidsbench freeze manifest") {
		err = p.own(m, text)
	} else {
		err = p.original(m, text)
	}
	if err != nil {
		return nil, err
	}
	if len(m.Files) == 0 {
		return nil, fault.New(fault.Integrity, "%s freezes no file, expected a line of SHA-256, rows, benign, injection and "+
			"path for each", p.name)
	}
	slices.SortFunc(m.Files, byPath)
	m.hash = hashOf(data)
	return m, nil
}

type parser struct {
	name string
	line int
	at   map[string]int // path → line of its entry
}

func (p *parser) fail(format string, args ...any) *fault.Error {
	return fault.New(fault.Integrity, "%s:%d: "+format, append([]any{p.name, p.line}, args...)...)
}

func (p *parser) own(m *Manifest, text string) error {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		p.line++
		switch {
		case strings.HasSuffix(line, "\r"):
			return p.fail("the line ends with CRLF, expected LF: the manifest was converted, and its hash with it").
				WithCure("check it out again without line-end conversion")
		case p.line == 1 && line != Header:
			return p.fail("the line is %s, expected %q", show(line), Header).WithCure("use the pidsbench that wrote it")
		case p.line == 1 || line == columns:
		case strings.HasPrefix(line, "# edition: "):
			if p.line != 2 {
				return p.fail("the edition is named here, expected on line 2 only")
			}
			if m.Edition = line[len("# edition: "):]; !plainName(m.Edition) {
				return p.fail("the edition is %s, expected a plain name", show(m.Edition))
			}
		case strings.HasPrefix(line, "# folder: "):
			if p.line > 3 || m.Folder != "" {
				return p.fail("the folder is named here, expected once, on line 2 or 3")
			}
			m.Folder = line[len("# folder: "):]
			if problem := pathProblem(m.Folder); problem != "" {
				return p.fail("the folder %s %s", show(m.Folder), problem)
			}
		case line == "#":
			m.Comments = append(m.Comments, "")
		case strings.HasPrefix(line, "# "):
			m.Comments = append(m.Comments, line[2:])
		default:
			f, err := p.entry(line)
			if err != nil {
				return err
			}
			m.Files = append(m.Files, f)
		}
	}
	if !strings.HasSuffix(text, "\n") {
		return p.fail("the last line has no line end: the manifest is cut off").WithCure("copy it again")
	}
	return nil
}

// entry reads "SHA-256 rows benign injection path"; the path is the rest of the line and may hold spaces.
func (p *parser) entry(line string) (File, error) {
	var fields [4]string
	rest := line
	for i := range fields {
		fields[i], rest, _ = strings.Cut(rest, " ")
		rest = strings.TrimLeft(rest, " ")
	}
	f := File{Path: rest, SHA256: fields[0]}
	if f.Path == "" || f.SHA256 == "" {
		return f, p.fail("the line is %s, expected SHA-256, rows, benign, injection and path", show(line))
	}
	if !isHash(f.SHA256) || strings.ToLower(f.SHA256) != f.SHA256 {
		return f, p.fail("the SHA-256 is %s, expected 64 lower-case hexadecimal digits", show(f.SHA256))
	}
	if fields[1] != "-" || fields[2] != "-" || fields[3] != "-" {
		for i, n := range []*int{&f.Rows, &f.Benign, &f.Injection} {
			var ok bool
			if *n, ok = count(fields[1+i]); !ok {
				return f, p.fail("%s is %s, expected a number (or - for all three counts)",
					[]string{"rows", "benign", "injection"}[i], show(fields[1+i]))
			}
		}
		f.Counted = true
	}
	return f, p.accept(f)
}

// accept checks what has to hold in every form.
func (p *parser) accept(f File) error {
	if problem := f.problem(); problem != "" {
		return p.fail("%s", problem)
	}
	if line, ok := p.at[f.Path]; ok {
		return p.fail("the path %s stands on line %d already", f.Path, line).WithCure("delete one of the lines")
	}
	p.at[f.Path] = p.line
	return nil
}

func (f File) problem() string {
	if problem := pathProblem(f.Path); problem != "" {
		return "the path " + show(f.Path) + " " + problem
	}
	switch {
	case !f.Counted:
	case f.Rows != f.Benign+f.Injection:
		return fmt.Sprintf("%s has %d rows, expected benign + injection = %d", f.Path, f.Rows, f.Benign+f.Injection)
	case f.Rows == 0:
		return f.Path + " has 0 rows, expected at least 1"
	}
	return ""
}

// pathProblem says why a path does not stay inside its folder on every system, or is hard to read, or nothing.
func pathProblem(path string) string {
	switch {
	case strings.Contains(path, `\`):
		return "holds a backslash, expected slashes"
	case strings.HasPrefix(path, "/"), len(path) > 1 && path[1] == ':':
		return "is absolute, expected a path inside the folder"
	case slices.Contains(strings.Split(path, "/"), ".."):
		return "leads out of the folder"
	case !fs.ValidPath(path) || path == ".":
		return "is no plain path, expected one like ood/domain_ood.csv"
	case strings.TrimSpace(path) != path || strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "holds control characters or spaces at its ends"
	}
	return ""
}

// count reads a decimal number of at most nine digits, in canonical form.
func count(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n < 1e9 && strconv.Itoa(n) == s
}

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// Write writes the manifest in our form, its files sorted by path. What Parse would not give back is an error.
func Write(w io.Writer, m *Manifest) error {
	fail := func(format string, args ...any) error {
		return fault.New(fault.Integrity, "cannot write the manifest: "+format, args...)
	}
	var b strings.Builder
	b.WriteString(Header + "\n")
	if m.Edition != "" {
		if !plainName(m.Edition) {
			return fail("the edition is %s, expected a plain name", show(m.Edition))
		}
		b.WriteString("# edition: " + m.Edition + "\n")
	}
	if m.Folder != "" {
		if problem := pathProblem(m.Folder); problem != "" {
			return fail("the folder %s %s", show(m.Folder), problem)
		}
		b.WriteString("# folder: " + m.Folder + "\n")
	}
	for _, c := range m.Comments {
		reserved := strings.HasPrefix(c, "edition: ") || strings.HasPrefix(c, "folder: ") || "# "+c == columns
		if reserved || !utf8.ValidString(c) || strings.ContainsAny(c, "\r\n") {
			return fail("the comment %s is no comment in this place", show(c))
		}
		if c == "" {
			b.WriteString("#\n")
		} else {
			b.WriteString("# " + c + "\n")
		}
	}
	b.WriteString(columns + "\n")
	files := slices.SortedFunc(slices.Values(m.Files), byPath)
	width := [3]int{1, 1, 1}
	cells := make([][3]string, len(files))
	for i, f := range files {
		problem := f.problem()
		switch {
		case problem != "":
			return fail("%s", problem)
		case !isHash(f.SHA256) || strings.ToLower(f.SHA256) != f.SHA256:
			return fail("the SHA-256 of %s is %s, expected 64 lower-case hexadecimal digits", f.Path, show(f.SHA256))
		case i > 0 && files[i-1].Path == f.Path:
			return fail("the path %s stands twice", f.Path)
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

// plainName reports whether a name can be printed as it is.
func plainName(s string) bool {
	return s != "" && utf8.ValidString(s) && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// show quotes a hostile text for a message, cut to 40 runes.
func show(s string) string {
	n := 0
	for i := range s {
		if n++; n > 40 {
			return strconv.Quote(s[:i]) + "…"
		}
	}
	return strconv.Quote(s)
}
