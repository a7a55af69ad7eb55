package dataset

import (
	"strings"

	"pidsbench/internal/fault"
)

// foreign names a file whose contents are no text in the format its name promises, or returns nil.
func foreign(file, src string) error {
	what, cure := contents(src)
	if what == "" {
		return nil
	}
	return fault.New(fault.Integrity, "%s %s, expected plain UTF-8 text", file, what).WithCure("%s", cure)
}

// Foreign says what the contents are when they are recognisably no CSV or JSON text ("is a Git LFS pointer …"), with
// the cure; both are empty otherwise.
func Foreign(data []byte) (what, cure string) { return contents(string(data[:min(len(data), 1<<16)])) }

func contents(src string) (what, cure string) {
	starts := func(magic ...string) bool {
		for _, m := range magic {
			if strings.HasPrefix(src, m) {
				return true
			}
		}
		return false
	}
	const convert = "save it as UTF-8"
	const unpack = "unpack it first"
	const export = "export it as CSV first"
	switch {
	case starts("version https://git-lfs"):
		what = "is a Git LFS pointer"
		if _, rest, ok := strings.Cut(src, "\nsize "); ok {
			if n, _, _ := strings.Cut(rest, "\n"); n != "" && strings.Trim(n, "0123456789") == "" && len(n) < 20 {
				what += " to a file of " + n + " bytes"
			}
		}
		return what, "fetch the file itself with `git lfs pull`"
	case starts("PK\x03\x04", "PK\x05\x06"):
		if strings.Contains(src, "xl/") {
			return "is an Excel workbook", export
		}
		return "is a ZIP archive", unpack
	case starts("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
		return "is an old Excel or Office file", export
	case starts("\x1f\x8b"):
		return "is compressed with gzip", unpack
	case starts("\x28\xb5\x2f\xfd"):
		return "is compressed with Zstandard", unpack
	case starts("\xfd7zXZ\x00"):
		return "is compressed with xz", unpack
	case starts("BZh") && len(src) > 10 && src[4:10] == "1AY&SY":
		return "is compressed with bzip2", unpack
	case starts("PAR1\x15"):
		return "is a Parquet file", "rename it to .parquet"
	case starts("ARROW1\x00"), starts("\xff\xff\xff\xff"):
		return "is an Arrow file", "save it as .parquet"
	case starts("SQLite format 3\x00"):
		return "is an SQLite database", export
	case starts("%PDF-"):
		return "is a PDF document", export
	case starts("\xff\xfe\x00\x00", "\x00\x00\xfe\xff"):
		return "is UTF-32 text", convert
	case starts("\xff\xfe", "\xfe\xff") || looksUTF16(src):
		return "is UTF-16 text", convert
	}
	head := strings.ToLower(strings.TrimLeft(src[:min(len(src), 512)], "\ufeff \t\r\n"))
	if strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html") {
		return "is a web page (HTML)", "download the file itself: the page is often a login form or an error message"
	}
	return "", ""
}

// looksUTF16 finds UTF-16 without a byte order mark: every other byte of the first sixteen is NUL.
func looksUTF16(src string) bool {
	if len(src) < 16 {
		return false
	}
	nul := [2]int{}
	for i := range 16 {
		if src[i] == 0 {
			nul[i%2]++
		}
	}
	return nul[0] == 8 && nul[1] == 0 || nul[1] == 8 && nul[0] == 0
}
