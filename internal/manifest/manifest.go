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
// A file without counts is no split: it may be absent, and where it is there only its hash is compared. Files below
// outputs/ and models/ are what the original made of its data; they do not lie in the edition's folder and are only
// looked up.
//
// A line "# withheld: 664 PATH" says that PATH also has a form for the public: 664 rows, restricted by restrict.LMSYS,
// have a blank text and its fingerprint in a last column more (see public.go).
package manifest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	Withheld  int // rows whose text the form for the public leaves blank; 0: there is no such form
}

// IsOutput reports whether the file is something made of the data, which does not lie in the edition's folder.
func (f File) IsOutput() bool {
	first, _, _ := strings.Cut(f.Path, "/")
	return !f.Counted && (first == "outputs" || first == "models")
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

func (f File) problem() string {
	if problem := pathProblem(f.Path); problem != "" {
		return "the path " + fault.Quote(f.Path) + " " + problem
	}
	switch {
	case !f.Counted:
	case f.Rows != f.Benign+f.Injection:
		return fmt.Sprintf("%s has %d rows, expected benign + injection = %d", f.Path, f.Rows, f.Benign+f.Injection)
	case f.Rows == 0:
		return f.Path + " has 0 rows, expected at least 1"
	}
	if f.Withheld < 0 || f.Withheld > f.Rows {
		return fmt.Sprintf("%s withholds %d texts, expected at most its %d rows", f.Path, f.Withheld, f.Rows)
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

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// plainName reports whether a name can be printed as it is.
func plainName(s string) bool {
	return s != "" && utf8.ValidString(s) && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
