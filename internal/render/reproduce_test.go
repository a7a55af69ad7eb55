package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pidsbench/internal/reproduce"
)

// again is a report with a run of every verdict, and names that would steer a terminal.
func again() *reproduce.Report {
	const shipped = "its weights are not shipped"
	tau := 0.5
	cutoffs := []reproduce.Cutoff{{Policy: "fixed:0.5", Tau: &tau}, {Policy: "val_f1", Reason: "no val scores of it are published"}}
	tolerance := &reproduce.Tolerance{Arithmetic: reproduce.Float32, Max: 1e-4, Family: reproduce.AnotherFamily,
		ScoredOn: []string{"amd64 avx2"}}
	off := reproduce.Split{Split: "te\x1b[2Jst", Verdict: reproduce.Off, Tolerance: tolerance, Rows: 900, Drawn: 30, Compared: 29,
		Equal: 20, Beyond: 7, Lacking: 1, Largest: &reproduce.Pair{Row: 3, Published: 0.9, Again: 0.4, Difference: 0.5},
		Flips: []reproduce.Flips{{Policy: "fixed:0.5", Tau: tau, N: 3, Beyond: 3,
			First: []reproduce.Pair{{Row: 3, Published: 0.9, Again: 0.4, Difference: 0.5}}}},
		Findings: []reproduce.Finding{{Row: 3, Why: "published 0.9, again 0.4: 0.5 apart"}}}
	other := func(split string) reproduce.Split {
		const why = "the published file holds other scores"
		return reproduce.Split{Split: split, Verdict: reproduce.Off, Reason: why, Flips: []reproduce.Flips{}}
	}
	return &reproduce.Report{Edition: "open", Manifest: strings.Repeat("ab", 32), Windows: "max", Processor: "arm64 asimd",
		Sample: reproduce.Sample{Rows: 30, Seed: 5}, Verdict: reproduce.Off, Runs: []reproduce.Run{
			{Detector: "a", Seed: 42, Seeded: true, Verdict: reproduce.Off, Cutoffs: cutoffs, Splits: []reproduce.Split{off, other("val"),
				other("domain_ood")}},
			{Detector: "b", Seed: 42, Seeded: true, Verdict: reproduce.NotRun, Reason: shipped},
			{Detector: "b", Seed: 13, Seeded: true, Verdict: reproduce.NotRun, Reason: shipped},
			{Detector: "c", Verdict: reproduce.NotRun, Reason: shipped},
			{Detector: "d", Verdict: reproduce.Off, Splits: []reproduce.Split{other("test")}},
		}}
}

func TestReproduceSaysWhatIsOffAndWhatWasNotRun(t *testing.T) {
	var text bytes.Buffer
	if err := Text(&text, Reproduce(again())); err != nil {
		t.Fatal(err)
	}
	folded := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{
		"30 rows of each split by seed 5 (windows max, edition open, manifest abababababab)",
		"a seed 42 off 29 20 0.5 0.0001 7 3 1",
		"d off 0 0 n/a n/a 0 0 0",
		"made on amd64 avx2 (1 run); this processor is arm64 asimd, for some of them of another family",
		"a seed 42: no threshold val_f1: no val scores of it are published",
		"a seed 42, val, domain_ood: the published file holds other scores",
		`a seed 42, te\x1b[2Jst row 3: published 0.9, again 0.4: 0.5 apart`,
		`a seed 42, te\x1b[2Jst: and 7 more`,
		`a seed 42, te\x1b[2Jst row 3 flips at fixed:0.5 (0.5): published 0.9, again 0.4`,
		`a seed 42, te\x1b[2Jst: 2 flips more at fixed:0.5`,
		"Not run: b seeds 42 13, c: its weights are not shipped",
	} {
		if !strings.Contains(folded, want) {
			t.Errorf("it does not say %q:\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "\x1b") {
		t.Error("a name steers the terminal")
	}
}

func TestReproduceJSONReadsBackToTheReport(t *testing.T) {
	var out bytes.Buffer
	if err := ReproduceJSON(&out, again()); err != nil {
		t.Fatal(err)
	}
	var back reproduce.Report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Runs) != 5 || back.Runs[0].Splits[0].Largest.Difference != 0.5 || back.Runs[0].Cutoffs[1].Tau != nil {
		t.Errorf("it reads back to %+v", back)
	}
}
