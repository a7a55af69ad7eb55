package detect

import (
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/testenv"
)

func TestProbesAreFiftyTextsOfTwoClasses(t *testing.T) {
	seen := map[string]bool{}
	for i, p := range Probes() {
		if p.Attack != (i%2 == 1) || strings.TrimSpace(p.Text) != p.Text || len(p.Text) < 20 || seen[p.Text] {
			t.Errorf("probe %d: %+v", i, p)
		}
		seen[p.Text] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d probes, expected 50", len(seen))
	}
}

func TestLengthDoesNotTellTheProbesApart(t *testing.T) {
	won := 0.0
	for _, a := range Probes() {
		for _, b := range Probes() {
			switch {
			case !a.Attack || b.Attack:
			case len(a.Text) > len(b.Text):
				won++
			case len(a.Text) == len(b.Text):
				won += 0.5
			}
		}
	}
	if auc := won / 625; auc < 0.45 || auc > 0.55 {
		t.Errorf("the longer of two texts is the attack in %.2f of the pairs", auc)
	}
}

func TestNoSplitHoldsAProbe(t *testing.T) {
	dir := filepath.Dir(testenv.Built(t, "data/open/test.csv"))
	var files []string
	for _, pattern := range []string{"*.csv", "*/*.csv"} {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil || len(found) < 3 {
			t.Fatal(found, err)
		}
		files = append(files, found...)
	}
	plain := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	probes := map[string]bool{}
	for _, p := range Probes() {
		probes[plain(p.Text)] = true
	}
	for _, f := range files {
		split, err := dataset.ReadFile(f, dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range split.Rows {
			if probes[plain(r.Text)] {
				t.Errorf("%s holds a probe in row %d: %s", filepath.Base(f), i, r.Text)
			}
		}
	}
}
