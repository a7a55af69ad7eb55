package cli

import (
	"errors"
	"os/exec"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// TestTheComparePageShowsThePublishedScores prints comparisons from the published scores alone. Of the primary ones some
// may have no scores yet, which the exit status says.
func TestTheComparePageShowsThePublishedScores(t *testing.T) {
	testenv.Built(t, "data/open/test.csv")
	for region, args := range map[string][]string{
		"example": {"compare", "deberta", "tfidf", "--threshold", "val_f1", "--external", "none", "--format", "markdown"},
		"primary": {"compare", "--primary", "--format", "markdown"},
	} {
		out, err := program(t, t.TempDir(), args...).Output()
		var exit *exec.ExitError
		incomplete := errors.As(err, &exit) && exit.ExitCode() == int(fault.Incomplete)
		if err != nil && !(region == "primary" && incomplete) {
			t.Fatal(err)
		}
		const page = "docs/compare.md"
		if *update {
			testenv.SetRegion(t, page, region, "\n"+string(out)+"\n")
		} else {
			compareNumbers(t, page, testenv.Region(t, page, region), string(out))
		}
	}
}
