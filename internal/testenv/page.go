package testenv

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// region finds a part of a page that a test writes: a comment that names it, the part, a comment that ends it.
func region(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)(<!-- ` + regexp.QuoteMeta(name) + `: [^\n]* -->\n)(.*?)(<!-- end -->)`)
}

// Region returns the part of a page, named by its path below the repository with slashes, that a test writes.
func Region(t testing.TB, page, name string) string {
	t.Helper()
	m := region(name).FindSubmatch(read(t, page))
	if m == nil {
		t.Fatalf("%s has no place for %s", page, name)
	}
	return string(m[2])
}

// SetRegion puts a text into its place in a page.
func SetRegion(t testing.TB, page, name, text string) {
	t.Helper()
	re, old := region(name), read(t, page)
	m := re.FindSubmatchIndex(old)
	if m == nil {
		t.Fatalf("%s has no place for %s", page, name)
	}
	data := string(old[:m[4]]) + text + string(old[m[5]:])
	if err := os.WriteFile(filepath.Join(Root(t), filepath.FromSlash(page)), []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, page string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Root(t), filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
