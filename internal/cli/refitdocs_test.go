package cli

import (
	"testing"

	"pidsbench/internal/testenv"
)

// TestTheBreakdownsPageShowsTheRefits fits TF-IDF some forty times, which takes about a minute and a half on two free
// cores. What stands beside comes from the published scores.
func TestTheBreakdownsPageShowsTheRefits(t *testing.T) {
	testenv.Built(t, "data/open/test.csv")
	out, err := program(t, t.TempDir(), "refit", "--detector", "deberta,distilbert", "--format", "markdown").Output()
	if err != nil {
		t.Fatal(err)
	}
	const page, region = "docs/breakdowns.md", "refit"
	if *update {
		testenv.SetRegion(t, page, region, "\n"+string(out)+"\n")
	} else {
		compareNumbers(t, page, testenv.Region(t, page, region), string(out))
	}
}
