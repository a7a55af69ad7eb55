package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// anchors returns the fragments that the headings of a page have.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		s := strings.ToLower(strings.TrimSpace(m[1]))
		s = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(s, "")
		out[strings.ReplaceAll(s, " ", "-")] = true
	}
	return out
}

func TestLinksOfTheDocumentationLeadSomewhere(t *testing.T) {
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(read(page), -1) {
			path, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") || strings.HasPrefix(path, "data:") {
				continue
			}
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(page), m[1])
			} else if fragment != "" && !anchors(read(target))[fragment] {
				t.Errorf("%s links to %s, and there is no such heading", filepath.Base(page), m[1])
			}
		}
	}
}

func TestTheIndexNamesEveryPage(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(testenv.Root(t), "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t) {
		if name := filepath.Base(page); name != "README.md" && strings.Count(string(index), "- ["+name+"]("+name+"): ") != 1 {
			t.Errorf("docs/README.md has no line for %s, or several", name)
		}
	}
}
