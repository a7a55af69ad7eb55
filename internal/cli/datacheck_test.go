package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

// TestTheBuiltEditionPassesItsCheck runs the check on the real edition: no overlap between files that may not repeat each
// other, and every file as configs/schema.yaml declares it.
func TestTheBuiltEditionPassesItsCheck(t *testing.T) {
	testenv.Built(t, "data/open/test.csv")
	cmd := program(t, t.TempDir(), "data", "check", "--format", "json")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var found struct {
		Matrix struct {
			Files    []struct{ Rows int }
			Overlaps []struct {
				Kind    string
				Allowed bool
			}
		}
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, f := range found.Matrix.Files {
		rows += f.Rows
	}
	if rows < 20_000 || len(found.Matrix.Overlaps) < 10 {
		t.Errorf("%d rows and %d overlaps: the check saw next to nothing", rows, len(found.Matrix.Overlaps))
	}
}
