package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

func TestListsStayAlignedWhateverANameHolds(t *testing.T) {
	for what, name := range names {
		var b bytes.Buffer
		tabs := NewTabs(&b)
		fmt.Fprintf(tabs, "NAME\tKIND\tREST\n")
		fmt.Fprintf(tabs, "%s\tonnx\ta last cell of any width\n", Printable(name))
		if err := tabs.Flush(); err != nil {
			t.Fatal(err)
		}
		head, row, _ := strings.Cut(strings.TrimSuffix(b.String(), "\n"), "\n")
		kind, onnx := strings.Index(head, "KIND"), strings.Index(row, "onnx")
		if got, want := displaywidth.String(row[:onnx]), displaywidth.String(head[:kind]); got != want || got < 6 {
			t.Errorf("%s: the second column begins at %d and at %d:\n%s", what, want, got, b.String())
		}
	}
}

func TestALineWithoutTabsIsLeftAsItIs(t *testing.T) {
	var b bytes.Buffer
	tabs := NewTabs(&b)
	fmt.Fprint(tabs, "a\tb\n\na sentence of its own\nlonger\tc\n")
	if err := tabs.Flush(); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "a       b\n\na sentence of its own\nlonger  c\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
