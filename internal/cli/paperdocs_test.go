package cli

import (
	"strings"
	"testing"
	"time"

	"pidsbench/internal/testenv"
)

// TestThePaperPageShowsTheClaims prints the paper's tables from the published scores alone, in the time that is promised.
func TestThePaperPageShowsTheClaims(t *testing.T) {
	testenv.Built(t, "data/open/test.csv")
	cmd := program(t, t.TempDir(), "report", "--paper", "--format", "markdown")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if used := cmd.ProcessState.UserTime(); used > 15*time.Second {
		t.Errorf("it takes %v of processor time, expected well under 15 s", used)
	}
	_, claims, ok := strings.Cut(string(out), "**The paper's claims")
	if !ok {
		t.Fatalf("no claims in\n%s", out)
	}
	_, claims, _ = strings.Cut(claims, "\n")
	const page = "docs/paper.md"
	if *update {
		testenv.SetRegion(t, page, "claims", claims+"\n")
	} else {
		compareNumbers(t, page, testenv.Region(t, page, "claims"), claims)
	}
}
