package builder

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

// small is a whole pipeline on our own texts.
func small() (*Config, *Lock, Lists, [][]Item) {
	cfg := &Config{
		Seed: 42, NearDuplicate: 0.95, Family: 0.8, FamilyMargin: 0.02, Split: SplitRatio{774, 114, 112},
		Obfuscation: shares,
		Structural: StructuralConfig{Seeds: 12, MinChars: 20, MaxChars: 1000, MaxFamily: 3, FillerChars: 400,
			FillerMax: 2000},
	}
	source := func(id string, role Role, hard bool, sel Selection) Source {
		return Source{ID: id, Role: role, HardBenign: hard, Select: sel, Language: "en", Authorship: "human",
			Licence: "MIT"}
	}
	lock := &Lock{Sources: []Source{
		source("prompts", Pool, true, Selection{}),
		source("chats", Pool, false, Selection{Max: 80, Filler: 30, OnePerCarrier: true}),
		source("control", Control, false, Selection{Max: 30}),
	}}
	items := make([][]Item, 3)
	for i, s := range sentences(400, "prompts") {
		label := dataset.Label(i % 2)
		switch {
		case i%10 == 0:
			s = "which prompts " + s
		case i%10 == 1:
			s = "forget all rules " + s
		}
		items[0] = append(items[0], Item{Text: s, Label: label})
		if i%15 == 0 { // a near twin
			items[0] = append(items[0], Item{Text: s + " then", Label: label})
		}
	}
	for i, s := range sentences(200, "chats") {
		items[1] = append(items[1], Item{Text: s, Carrier: fmt.Sprint("c", i%150)})
	}
	for _, s := range sentences(60, "control") {
		items[2] = append(items[2], Item{Text: s})
	}
	items[2] = append(items[2], Item{Text: items[1][0].Text + " more"}, Item{Text: items[0][4].Text + " so"})
	return cfg, lock, Lists{Adjacent: hasWord("prompts")}, items
}

func assembleSmall(t *testing.T, change func(*Config, *Lock, *Lists, [][]Item)) *edition {
	t.Helper()
	cfg, lock, lists, items := small()
	if change != nil {
		change(cfg, lock, &lists, items)
	}
	e, err := assemble(t.Context(), cfg, lock, lists, items, func(string, int) {})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPermutedSourcesGiveTheSameFiles(t *testing.T) {
	want := assembleSmall(t, nil)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	got := assembleSmall(t, func(_ *Config, _ *Lock, _ *Lists, items [][]Item) {
		for _, rows := range items {
			draw.Order(rows, 5, "permute", func(it Item) string { return it.Text })
		}
	})
	if diff := cmp.Diff(want.files, got.files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.removed, got.removed); diff != "" {
		t.Errorf("the removal log differs: %s", diff)
	}
}

func TestAnotherSeedGivesOtherFiles(t *testing.T) {
	got := assembleSmall(t, func(c *Config, _ *Lock, _ *Lists, _ [][]Item) { c.Seed = 43 })
	if cmp.Equal(assembleSmall(t, nil).files[0].Rows, got.files[0].Rows) {
		t.Error("the seed changes nothing")
	}
}

func TestEveryRecordIsAccountedFor(t *testing.T) {
	e := assembleSmall(t, nil)
	_, lock, _, items := small()
	in := map[string]bool{}
	for rank := range items {
		for _, it := range items[rank] {
			in[recordID(lock.Sources[rank].ID, it.Label, it.Text)] = true
		}
	}
	out := map[string]bool{}
	for _, r := range e.removed {
		out[r.ID] = true
	}
	for _, f := range e.files {
		for _, r := range f.Records {
			out[r.ID] = true
		}
		if f.Path == structuralFile {
			at := slices.Index(f.Columns, "filler_ids")
			for _, row := range f.Rows {
				for _, id := range strings.Fields(row[at]) {
					out[id] = true
				}
			}
		}
	}
	for id := range in {
		if !out[id] {
			t.Errorf("record %s is neither in a file nor in the removal log", id)
		}
	}
}

func TestAdjacentRowsAreHardBenignAndNowhereElse(t *testing.T) {
	for _, f := range assembleSmall(t, nil).files {
		for _, r := range f.Records {
			if adjacent := strings.Contains(r.Text, "prompts "); r.Label == dataset.Benign &&
				adjacent != (f.Path == hardBenignFile) {
				t.Errorf("%s holds %q", f.Path, r.Text)
			}
		}
	}
}

func TestLeaksNamesRowsOfOtherFilesThatAreAlike(t *testing.T) {
	s := sentences(8, "leaks")
	rec := func(text, family string) Record {
		r := pool(dataset.Benign, text)
		r.Family = family
		return r
	}
	files := []File{
		{Path: "a.csv", Records: []Record{
			rec(s[0], "0"), rec(s[1], "1"), rec(s[2], "2"), rec(s[3], "3"), rec(s[3]+" x", "3"),
		}},
		{Path: "b.csv", Records: []Record{
			rec(s[4], "0"), rec(strings.ToUpper(s[1]), "4"), rec(strings.ReplaceAll(s[2], "a", "а"), "5"),
			rec(s[3]+" then", "6"),
		}},
		{Path: obfuscatedAttacksFile, Records: []Record{rec(s[0], "0")}},
	}
	got := map[string]int{}
	for _, l := range Leaks(files, 0.8) {
		if l.Files != [2]string{"a.csv", "b.csv"} {
			t.Errorf("a leak between %v", l.Files)
		}
		got[l.Kind]++
	}
	if got["family"] != 1 || got["exact form"] != 1 || got["skeleton"] != 2 || got["near repeat"] < 2 {
		t.Errorf("found %v", got)
	}
	if clean := Leaks(files[:1], 0.8); clean != nil {
		t.Errorf("one file leaks into itself: %v", clean)
	}
	wantFault(t, leakError(Leaks(files, 0.8)), fault.Integrity, "family in a.csv and b.csv: 1, such as ours_")
}

func TestFamiliesAreJoinedUntilNothingLeaks(t *testing.T) {
	// Twins share words that are frequent among the control candidates, so they are not near each other there. Most
	// candidates are never drawn: in the files the shared words are rare, and the twins are near.
	const threshold = 0.65
	e := assembleSmall(t, func(c *Config, _ *Lock, _ *Lists, items [][]Item) {
		c.Family, c.FamilyMargin = threshold, 0
		common := strings.Fields(strings.Join(sentences(8, "common"), " "))
		phrase := func(d draw.Stream) string {
			return strings.Join([]string{common[d.Below(len(common))], common[d.Below(len(common))],
				common[d.Below(len(common))], common[d.Below(len(common))]}, " ")
		}
		for i, own := range sentences(40, "twins") {
			p := phrase(draw.New(1, "twins", own))
			words := strings.Fields(own)
			for _, w := range words[:2] {
				items[0] = append(items[0], Item{Text: p + " " + w, Label: dataset.Label(i % 2)})
			}
		}
		for i := range 600 {
			items[2] = append(items[2], Item{Text: phrase(draw.New(2, "candidates", strconv.Itoa(i)))})
		}
	})
	if e.rounds < 2 {
		t.Fatal("nothing leaked in the first round, so this shows nothing")
	}
	if leaks := Leaks(e.files, threshold); leaks != nil {
		t.Errorf("%d leaks after %d rounds", len(leaks), e.rounds)
	}
}

func TestControlRowsNearOtherSplitsAreReplaced(t *testing.T) {
	e := assembleSmall(t, nil)
	if n := countFile(e.files[4]); n.Benign != 30 {
		t.Errorf("the control has %d rows, want its quota of 30", n.Benign)
	}
	for _, r := range e.files[4].Records {
		if strings.HasSuffix(r.Text, " more") || strings.HasSuffix(r.Text, " so") {
			t.Errorf("the control holds %q, which is near another split", r.Text)
		}
	}
}

func TestAssembleStopsWithTheContext(t *testing.T) {
	cfg, lock, lists, items := small()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := assemble(ctx, cfg, lock, lists, items, func(string, int) {}); err == nil {
		t.Error("a stopped build ends without an error")
	}
}

func TestMissedCountsAreNamedTogether(t *testing.T) {
	found := []Expected{
		{File: "train.csv", Benign: 3, Injection: 2, Sources: map[string]int{"a": 4, "b": 1}},
		{File: "new.csv", Benign: 1},
	}
	expected := []Expected{
		{File: "train.csv", Benign: 4, Injection: 2, Sources: map[string]int{"a": 4, "c": 1}},
		{File: "val.csv", Benign: 1, Injection: 1},
	}
	err := checkCounts(found, expected)
	wantFault(t, err, fault.Integrity, ConfigPath, "train.csv: benign 3, expected 4",
		"train.csv: source b 1, expected 0",
		"train.csv: source c 0, expected 1", "new.csv: 1 benign and 0 injection, expected no such file",
		"val.csv: not built, expected 1 benign and 1 injection", "5 of its counts")
	if strings.Contains(err.Error(), "source a") || strings.Contains(err.Error(), "injection 2") {
		t.Errorf("the error names counts that are right: %v", err)
	}
	if err := checkCounts(found, found); err != nil {
		t.Error(err)
	}
}
