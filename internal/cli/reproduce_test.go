package cli

import (
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

// TestTheReproducePageShowsAnExample leaves out the line that names the processor.
func TestTheReproducePageShowsAnExample(t *testing.T) {
	testenv.Built(t, "data/open/test.csv")
	args := strings.Fields("reproduce --detector rule,tfidf --external none --format markdown")
	out, err := program(t, t.TempDir(), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "- Published scores were made on ") {
			shown.WriteString(line)
		}
	}
	const page, region = "docs/reproduce.md", "example"
	if *update {
		testenv.SetRegion(t, page, region, "\n"+shown.String()+"\n")
	} else {
		compareNumbers(t, page, testenv.Region(t, page, region), shown.String())
	}
}
