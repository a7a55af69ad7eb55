package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// evidence has a hard-benign split of two provenances and several sources, and disguised texts with their plain ones.
// Of its detectors one has two seeds, one a failed row, one is a baseline and one was not run. Texts are hostile.
func evidence(t *testing.T) (*results.Input, *results.Results) {
	t.Helper()
	var hard, attacks, benign, plain strings.Builder
	hard.WriteString("text,label,source_type,source,family_id,language\n" +
		"\"\x1b[31mred\u202e|_<b>\n`$(x)`\",0,real,\"a\x07\nb\",,en\n")
	for i := range 40 {
		fmt.Fprintf(&hard, "river %s %d,0,real,web,fr%d,en\n", []string{"boat", "mountain", "top", "lamp"}[i%4], i, i)
		if i < 25 {
			fmt.Fprintf(&hard, "lamp shade number %d with many more words than the others have,0,curated,ours,fc%d,en\n", i, i)
		}
		if i < 10 {
			fmt.Fprintf(&hard, "mountain top %d seen from below,0,real,book,fm%d,en\n", i, i)
		}
	}
	head := "text,label,parent_seed_id,pair_id,obfuscation_kind,family_id,language\n"
	attacks.WriteString(head)
	benign.WriteString(head)
	plain.WriteString("text,label,pair_id,language\n")
	for i := range 24 {
		kind := []string{"base64", "rot13"}[i%2]
		fmt.Fprintf(&attacks, "a%d,1,p%d,%d,%s,g%d,en\n", i, i/2, i, kind, i/2)
		fmt.Fprintf(&benign, "b%d,0,q%d,%d,%s,h%d,en\n", i, i, i, kind, i)
		fmt.Fprintf(&plain, "c%d,1,%d,en\nd%d,0,%d,en\n", i, i, i, i)
	}
	split := func(name string, axis dataset.Axis, csv *strings.Builder) results.Split {
		return results.Split{Spec: dataset.SplitSpec{Name: name, Axis: axis}, Data: read(t, name, csv.String())}
	}
	splits := []results.Split{
		split("hard_benign_test", dataset.HardBenign, &hard),
		split("obfuscated_attacks", dataset.Obfuscation, &attacks),
		split("obfuscated_benign", dataset.Obfuscation, &benign),
		split("obfuscation_parents", dataset.Obfuscation, &plain),
		{Spec: dataset.SplitSpec{Name: "structural_ood", Axis: dataset.StructuralShift}, Data: &dataset.Split{},
			Absent: "not here"},
	}
	seed := func(number int, every map[string]int) results.Seed { // each so many-th row is flagged
		run := results.Seed{Seed: number, Outcomes: map[string][]results.Outcome{}}
		for _, s := range splits {
			if s.Absent != "" {
				continue
			}
			out := make([]results.Outcome, len(s.Data.Rows))
			for i := range out {
				out[i].Score = 0.1 + float64(i)/1000
				if n := every[s.Spec.Name]; n > 0 && i%n == 0 {
					out[i].Score = 0.9 - float64(i)/1000
				}
			}
			run.Outcomes[s.Spec.Name] = out
		}
		return run
	}
	failed := seed(0, map[string]int{"hard_benign_test": 2, "obfuscated_attacks": 3})
	failed.Outcomes["hard_benign_test"][5].State = results.Failed
	failed.Outcomes["obfuscated_attacks"][3].State = results.Failed
	in := &results.Input{Edition: "open", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max", Splits: splits,
		Policies: []threshold.Policy{{Kind: threshold.Fixed, Value: 0.5}},
		Detectors: []results.Detector{
			{ID: "two", Name: "Two seeds", Seeds: []results.Seed{
				seed(1, map[string]int{"hard_benign_test": 3, "obfuscated_attacks": 1, "obfuscated_benign": 2,
					"obfuscation_parents": 2}),
				seed(2, map[string]int{"hard_benign_test": 4, "obfuscated_attacks": 2, "obfuscated_benign": 4,
					"obfuscation_parents": 1})}},
			{ID: "failed", Name: "Fai\x1bled", Seeds: []results.Seed{failed}},
			{ID: "block", Name: "Always block", Baseline: true, Seeds: []results.Seed{seed(0, nil)}},
			{ID: "gone", Name: "Gone", Unavailable: "its model is not here"},
		}}
	return in, results.Build(*in)
}

func TestSlicesPairsAndErrorsMatchTheirGoldenFiles(t *testing.T) {
	in, r := evidence(t)
	for name, tables := range map[string][]Table{"breakdown": Breakdown(in, r), "best-of-n": BestOfN(in, r),
		"twins": Twins(in, r), "sources": Sources(in, r), "errors": Errors(in, r, 3)} {
		t.Run(name, func(t *testing.T) {
			var text, csv bytes.Buffer
			if err := Text(&text, tables); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", text.Bytes())
			if strings.ContainsFunc(text.String(), func(c rune) bool { return c < ' ' && c != '\n' || c == '\u202e' }) {
				t.Error("a control character of the data gets through")
			}
			if err := LongCSV(&csv, tables); err != nil || csv.Len() == 0 {
				t.Fatal(err)
			}
			for _, table := range tables {
				for _, row := range slices.Concat(table.Groups...) {
					if len(row) != len(table.Columns) {
						t.Fatalf("%s: a row has %d entries for %d columns: %v", table.ID, len(row), len(table.Columns), row)
					}
				}
			}
		})
	}
}

// many has five detectors.
func many(t *testing.T) (*results.Input, *results.Results) {
	in, _ := evidence(t)
	for k := range 3 {
		more := in.Detectors[0]
		more.ID, more.Name = fmt.Sprintf("more%d", k), fmt.Sprintf("More %d", k)
		in.Detectors = append(in.Detectors, more)
	}
	return in, results.Build(*in)
}

func TestOfManyDetectorsOnlyTheWorstSlicesAreShown(t *testing.T) {
	in, r := many(t)
	tables := Breakdown(in, r)
	if len(tables) != 1 || len(tables[0].Groups) != 5 || !strings.Contains(tables[0].Title, "10 worst slices") {
		t.Fatalf("%d tables, expected one of five detectors", len(tables))
	}
	for _, g := range tables[0].Groups {
		last := ""
		for _, row := range g {
			lo := row[7].Raw[1]
			if last != "" && lo > last {
				t.Errorf("%s: an interval that begins at %s stands below one at %s", row[0].Text, lo, last)
			}
			last = lo
		}
		if len(g) == 0 || len(g) > worstShown {
			t.Errorf("%d slices", len(g))
		}
	}
	if rows := Twins(in, r)[0].Groups[0]; len(rows) != 1 || rows[0][2].Text != "all" {
		t.Errorf("kinds are shown apart: %v", rows)
	}
}

func TestWithoutDataOrDetectorsThereAreNoTables(t *testing.T) {
	in, _ := evidence(t)
	none := *in
	none.Detectors = in.Detectors[2:]
	bare := *in
	bare.Splits = in.Splits[4:]
	policy := *in
	policy.Policies = nil
	outside := *in
	outside.Splits = slices.Clone(in.Splits)
	for i := range outside.Splits {
		outside.Splits[i].External = true
	}
	for name, tt := range map[string]results.Input{"no detector": none, "no split": bare, "no policy": policy,
		"external sets": outside} {
		r := results.Build(tt)
		for section, tables := range map[string][]Table{"breakdown": Breakdown(&tt, r), "best of n": BestOfN(&tt, r),
			"twins": Twins(&tt, r)} {
			if len(tables) > 0 {
				t.Errorf("%s: %s has %d tables", name, section, len(tables))
			}
		}
		if name != "external sets" && len(Errors(&tt, r, 3)) > 0 {
			t.Errorf("%s: errors are listed", name)
		}
	}
}

func TestADetectorWithoutThresholdOrScoresIsSaidToHaveNone(t *testing.T) {
	in, _ := evidence(t)
	in.Policies, in.NoVal = []threshold.Policy{{Kind: threshold.ValF1}}, "there is no val"
	r := results.Build(*in)
	for _, table := range slices.Concat(BestOfN(in, r), Twins(in, r), Sources(in, r)) {
		found := false
		for _, n := range table.Notes {
			found = found || strings.Contains(n, "n/a: Two seeds: there is no val")
		}
		if table.ID == "twins" && !found {
			t.Errorf("%s: notes %q", table.ID, table.Notes)
		}
	}
}

func TestTextsAreCutBetweenEscapes(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"abcd", 4, "abcd"}, {"abcde", 4, "abc…"}, {"ab\x1bcd", 5, "ab…"}, {"ab\x1bcd", 8, `ab\x1bcd`}, {"\x1b\x1b", 3, "…"},
		{"é\u202eé", 7, "é…"}, {"", 3, ""}, {"\xff", 3, "�"},
	} {
		if got := shorten(tt.text, tt.most); got != tt.want {
			t.Errorf("%q cut to %d is %q, expected %q", tt.text, tt.most, got, tt.want)
		}
	}
}
