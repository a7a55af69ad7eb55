package cli

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

// failingLimits have every verdict, and flips when their scores are those of changedScores.
const failingLimits = `limits:
  - {id: no-worse, detector: tfidf, metric: fpr, axis: hard_benign, policy: fixed:0.5, regression: 0}
  - {id: ranks, detector: tfidf, metric: roc_auc, axis: hard_benign, on: value, regression: 0}
  - {id: tight, detector: tfidf, metric: fpr, axis: hard_benign, policy: fixed:0.5, max: 0.39}
  - {id: loud, detector: tfidf, metric: fpr, axis: hard_benign, slice: {provenance: real}, policy: val_f1, max: 0.01}
  - {id: not-scored, detector: tfidf, metric: f1, axis: iid, policy: fixed:0.5, min: 0.5}
  - {id: absent, detector: promptguard2-86m, metric: recall, axis: iid, min: 0.5}
`

const ownLimits = `limits:
  - {id: own, detector: rule, metric: accuracy, split: prompts, min: 0.9}
`

// changedScores writes score files of tfidf that differ from the published ones in the first rows.
func changedScores(t *testing.T, dir string) {
	t.Helper()
	const run = "open/tfidf/seed-0/max"
	for _, split := range []string{"hard_benign_test", "val"} {
		packed, err := os.ReadFile(filepath.Join(testenv.Root(t), publishedFolder, run, split+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		in, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(plain), "\n")
		for i := 1; i <= 8 && split != "val"; i++ {
			before, _, _ := strings.Cut(lines[i], `"score":`)
			lines[i] = before + `"score":` + []string{"0.25", "0.75"}[i%2] + "}\n"
		}
		to := filepath.Join(dir, run)
		if err := os.MkdirAll(to, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, split+".jsonl"), []byte(strings.Join(lines, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheGatePageShowsTheLimitsOfTheProject prints them from the published scores alone, which keep them all.
func TestTheGatePageShowsTheLimitsOfTheProject(t *testing.T) {
	testenv.Built(t, "data/open/test.csv")
	cmd := program(t, t.TempDir(), "gate", "--external", "none", "--format", "markdown")
	var notes bytes.Buffer
	cmd.Stderr = &notes
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, notes.String())
	}
	const page = "docs/gate.md"
	if *update {
		testenv.SetRegion(t, page, "example", "\n"+string(out)+"\n")
	} else {
		compareNumbers(t, page, testenv.Region(t, page, "example"), string(out))
	}
}
