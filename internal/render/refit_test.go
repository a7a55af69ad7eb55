package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/refit"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// refitted has two sources of both classes, one of injections alone and one with few rows, a detector with two seeds
// and one that was not run, and other splits of which one has no model.
func refitted(t *testing.T) (*results.Input, *results.Results, *refit.Report) {
	t.Helper()
	var csv strings.Builder
	csv.WriteString("text,label,source,family_id,obfuscation_kind\n")
	n := 0
	add := func(rows int, source, disguise string, label func(i int) int) {
		for i := range rows {
			fmt.Fprintf(&csv, "t%d,%d,%s,f%d,%s\n", n, label(i), source, n/2, disguise)
			n++
		}
	}
	both := func(i int) int { return i / 2 % 2 }
	add(80, "log", "none", both)
	add(64, "we\x1bb", "none", both)
	add(40, "attacks", "dilution", func(int) int { return 1 })
	add(3, "few", "none", func(int) int { return 0 })
	test := read(t, "test", csv.String())
	run := func(every int) []results.Outcome {
		out := make([]results.Outcome, n)
		for i, r := range test.Rows {
			out[i].Score = float64(r.Label)
			if i%every == 0 {
				out[i].Score = 1 - out[i].Score
			}
		}
		return out
	}
	of := &refit.Report{New: []string{"dilution"}}
	of.Sources = refit.Sources{Whole: run(11), Without: run(5), Of: []refit.Source{
		{Name: "attacks", Train: 40, LeftOut: 41, Test: 40, Reason: "train holds one class"}, {Name: "few", Train: 9, LeftOut: 9, Test: 3},
		{Name: "log", Train: 1000, LeftOut: 1200, Test: 80}, {Name: "we\x1bb", Train: 70, LeftOut: 70, Test: 64}}}
	for i := 144; i < 184; i++ {
		of.Sources.Without[i].State = results.NotAsked
	}
	for i := range refit.Deals {
		s := refit.Split{Number: i + 1, Train: 900, Val: 90, Test: 187, Families: 100 + i, Moved: 150,
			Fixed: metrics.Counts{TN: 70, FP: 5 + i%3, FN: 9, TP: 100}, Tau: threshold.Choice{Tau: 0.25 + float64(i)/100, OK: true},
			Tuned: metrics.Counts{TN: 68, FP: 7, FN: 5, TP: 107 + i%2}}
		s.FixedPlain, s.TunedPlain = s.Fixed, s.Tuned
		s.FixedPlain.TP, s.TunedPlain.TP = 66, 67
		of.Splits = append(of.Splits, s)
	}
	of.Splits[3] = refit.Split{Number: 4, Train: 900, Val: 90, Test: 187, Families: 100, Reason: "train holds one class"}
	var policies []threshold.Policy
	for _, name := range []string{"fixed:0.5", "val_f1"} {
		p, err := threshold.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	val := read(t, "val", "text,label\nv,0\nw,1\n")
	seeds := []results.Seed{{Seed: 1, Outcomes: map[string][]results.Outcome{"test": run(7)}, Val: scored(0.1, 0.9)},
		{Seed: 2, Outcomes: map[string][]results.Outcome{"test": run(13)}, Val: scored(0.2, 0.7)}}
	of.Sources.Val = scored(0.1, 0.9)
	in := &results.Input{Edition: "open", ManifestSHA256: strings.Repeat("ab", 32), WindowMode: "max", Policies: policies,
		Val: val, ValPromised: true, Splits: []results.Split{{Spec: dataset.SplitSpec{Name: "test", Axis: dataset.IID,
			Slices: map[string]string{"source": "source", "disguise": "obfuscation_kind"}}, Data: test}},
		Detectors: append(of.Sources.Detectors("test"), results.Detector{ID: "d", Name: "D", Seeds: seeds},
			results.Detector{ID: "e", Name: "E", Unavailable: "there are no scores", Required: true})}
	r := results.Build(*in)
	r.Resample(in, nil)
	return in, r, of
}

// A design whose models were trained elsewhere stands in a table of its own, and in no other.
func TestRefitTablesOfFurtherDesigns(t *testing.T) {
	in, r, of := refitted(t)
	alone := Refit(in, r, of)
	pair := in.Detectors[:2]
	further := []results.Detector{pair[0], pair[1]}
	further[0].ID, further[1].ID = "d/train", "d/without-source"
	in.Detectors = slices.Concat(pair, further, in.Detectors[2:])
	r = results.Build(*in)
	r.Resample(in, nil)
	tables := Refit(in, r, of, refit.Pair{Name: "D", Whole: "d/train", Without: "d/without-source"})
	if len(tables) != len(alone)+1 || tables[1].ID != "left-out-source-d" || !strings.HasPrefix(tables[1].Title, "D without the source") {
		t.Fatalf("%d tables, the second %s: %s", len(tables), tables[1].ID, tables[1].Title)
	}
	text := func(t2 Table) string {
		var b strings.Builder
		for _, g := range t2.Groups {
			for _, row := range g {
				for _, e := range row {
					b.WriteString(e.String() + "|")
				}
			}
		}
		return b.String()
	}
	for i, same := range [][2]Table{{alone[0], tables[0]}, {alone[0], tables[1]}, {alone[1], tables[2]}, {alone[2], tables[3]}} {
		if text(same[0]) != text(same[1]) {
			t.Errorf("pair %d differs:\n%s\n%s", i, text(same[0]), text(same[1]))
		}
	}
}

func TestRefitTables(t *testing.T) {
	in, r, of := refitted(t)
	var b bytes.Buffer
	if err := Text(&b, append(Refit(in, r, of), RefitSplits(r, of))); err != nil {
		t.Fatal(err)
	}
	golden(t, "refit.txt", b.Bytes())
	for _, want := range []string{`we\x1bb`, "n/a: FPR of attacks: no benign rows", "E was not run: there are no scores",
		"n/a: 1 of 20 other splits: train holds one class", "counted in the first lines alone: few"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the tables lack %q", want)
		}
	}
}

func TestRefitJSONHasEveryNumber(t *testing.T) {
	in, r, of := refitted(t)
	var b bytes.Buffer
	if err := RefitJSON(&b, r, append(Refit(in, r, of), RefitSplits(r, of))); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema, Edition string
		Manifest        string `json:"manifest_sha256"`
		Tables          []struct {
			ID   string
			Rows [][]struct {
				Text   string
				Values []string
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "pidsbench-refit/1" || got.Edition != "open" || got.Manifest != r.ManifestSHA256 || len(got.Tables) != 4 {
		t.Fatalf("%+v", got)
	}
	if rows := got.Tables[3].Rows; len(rows) != refit.Deals || rows[3][6].Text != "n/a" || len(rows[3][6].Values) != 0 ||
		len(rows[0][6].Values) != 1 {
		t.Errorf("splits %+v", rows)
	}
}

func TestRefitTablesWithoutSourcesOrAModelSayWhy(t *testing.T) {
	in, r, of := refitted(t)
	sources := of.Sources.Of
	of.Sources.Of = nil
	tables := Refit(in, r, of)
	if got := strings.Join(tables[0].Notes, "\n"); !strings.Contains(got, "test has no column source") || len(tables[0].Groups) > 0 {
		t.Errorf("left out %+v", tables[0])
	}
	if got := strings.Join(tables[1].Notes, "\n"); !strings.Contains(got, "no source of 30 rows or more has both classes") {
		t.Errorf("within %+v", tables[1])
	}
	of.Sources.Of, of.Sources.Reason = sources, "train holds one class"
	for i := range 2 {
		in.Detectors[i].Unavailable = of.Sources.Reason
	}
	r = results.Build(*in)
	for _, table := range Refit(in, r, of)[:2] {
		if got := strings.Join(table.Notes, "\n"); !strings.Contains(got, "train holds one class") || len(table.Groups) > 0 {
			t.Errorf("without a model: %+v", table)
		}
	}
}
