package detect

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

var yamlBlock = regexp.MustCompile("(?s)( *)```yaml\n(.*?)```")

func TestTheEntriesInTheDocumentationLoad(t *testing.T) {
	for page, want := range map[string]int{"detectors.md": 4, "chat.md": 1, "process.md": 1} {
		text, err := os.ReadFile(filepath.Join(testenv.Root(t), "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, block := range yamlBlock.FindAllSubmatch(text, -1) {
			data := strings.ReplaceAll("\n"+string(block[2]), "\n"+string(block[1]), "\n")
			if !strings.Contains(data, "kind:") {
				continue
			}
			if !strings.Contains(data, "detectors:") {
				data = "detectors:" + data
			}
			c, err := parse(strings.TrimSpace(data) + "\n")
			if err != nil {
				t.Errorf("%s: %v\n%s", page, err, data)
				continue
			}
			found += len(c.Detectors)
		}
		if found < want {
			t.Errorf("%s has %d entries, expected %d", page, found, want)
		}
	}
}

func TestTheDocumentationNamesEveryFieldOfAnEntry(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testenv.Root(t), "docs", "detectors.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[Entry]().NumField() {
		name := reflect.TypeFor[Entry]().Field(i).Tag.Get("yaml")
		row := regexp.MustCompile("(?m)^\\|[^|]*`" + name + "`[^|]*\\|")
		if name != "" && name != "-" && !row.Match(page) {
			t.Errorf("docs/detectors.md has no row for the field %s", name)
		}
	}
}
