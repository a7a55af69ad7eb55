package builder

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

var shape = StructuralConfig{Seeds: 3, MinChars: 5, MaxChars: 200, MaxFamily: 2, FillerChars: 400, FillerMax: 500}

func held(t *testing.T) (seeds [2][]Record, fillers []Record) {
	t.Helper()
	odd := []string{"quotes \" and \\ and\r\nlines \u2028 <é>", "{\"task\": \"x\"}", "漢字 😀 text"}
	for i, s := range append(sentences(3, "seeds"), odd...) {
		seeds[i%2] = append(seeds[i%2], pool(dataset.Label(i%2), s))
	}
	for _, s := range sentences(30, "filler") {
		fillers = append(fillers, pool(dataset.Benign, s))
	}
	return seeds, fillers
}

// seedOf takes the held-out text back out of its surroundings, with what the row itself says.
func seedOf(t *testing.T, s Shifted) string {
	t.Helper()
	if s.Transform == JSONWrap {
		var v struct{ Task, Context string }
		d := json.NewDecoder(strings.NewReader(s.Text))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%q does not parse: %v", s.Text, err)
		}
		return v.Task
	}
	return string([]rune(s.Text)[s.Start : s.Start+s.Length])
}

func TestShiftedTextsCanBeTakenBackOut(t *testing.T) {
	seeds, fillers := held(t)
	rows, err := Shift(seeds, fillers, shape, 42)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3*2*3 {
		t.Fatalf("%d rows, want three surroundings of six texts", len(rows))
	}
	for _, r := range rows {
		want := seeds[r.Label][r.SeedIndex]
		if got := seedOf(t, r); got != want.Text || r.ID != want.ID {
			t.Errorf("%s gives back %q, want %q", r.Transform, got, want.Text)
		}
		if r.Transform != PromptDilute {
			continue
		}
		pad := utf8.RuneCountInString(r.Text) - r.Length - 4
		if pad < shape.FillerChars-1 || pad > shape.FillerMax { // the cut may drop a space
			t.Errorf("%d characters of padding", pad)
		}
		if len(r.Fillers) == 0 || slices.Contains(r.Fillers, r.ID) {
			t.Errorf("padding is made of %v", r.Fillers)
		}
	}
}

func TestJSONWrapKeepsForeignLettersAndPythonsSeparators(t *testing.T) {
	got := jsonWrap("é <b> \"q\"")
	if want := `{"task": "é <b> \"q\"", "context": "` + jsonContext + `"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPaddingNeverHoldsTheRowItself(t *testing.T) {
	_, fillers := held(t)
	for _, r := range fillers {
		_, ids := padding(r.ID, fillers, shape, 42)
		if ids == nil || slices.Contains(ids, r.ID) {
			t.Errorf("the padding of %s is %v", r.ID, ids)
		}
	}
	seeds, _ := held(t)
	_, err := Shift(seeds, fillers[:2], shape, 42)
	wantFault(t, err, fault.Integrity, "2 filler rows")
}

func TestPaddingIsCutBetweenSentencesOrWords(t *testing.T) {
	for _, tt := range []struct{ pad, head, tail string }{
		{"One. Two. Three four five six seven", "One. Two.", "Three four five six seven"},
		{"one two three four five six", "one two", "three four five six"},
		{"abcdefgh", "abcd", "efgh"},
		{"é. éééééééééé", "é.", "éééééééééé"},
	} {
		if head, tail := halve(tt.pad); head != tt.head || tail != tt.tail {
			t.Errorf("halve(%q) = %q, %q", tt.pad, head, tail)
		}
	}
}

func TestHoldOutTakesWholeFamiliesOfOneClass(t *testing.T) {
	var in []Record
	add := func(family string, role Role, label dataset.Label, texts ...string) {
		for _, text := range texts {
			r := pool(label, text)
			r.Family, r.Role = family, role
			in = append(in, r)
		}
	}
	s := sentences(20, "hold out")
	add("long", Pool, 0, strings.Repeat("long ", 50))
	add("big", Pool, 0, s[0], s[1], s[2])
	add("both", Pool, 0, s[3])
	add("both", Pool, 1, s[4])
	add("shared", Pool, 0, s[5])
	add("shared", Control, 0, s[6])
	add("two", Pool, 0, s[7], "hm")
	add("pair", Pool, 0, s[8], s[9])
	add("one", Pool, 0, s[10])
	for i := range 3 {
		add("attack"+string(rune('a'+i)), Pool, 1, s[11+i])
	}
	left, seeds, removed, err := HoldOut(in, shape, 42)
	if err != nil {
		t.Fatal(err)
	}
	var families []string
	for _, r := range seeds[dataset.Benign] {
		families = append(families, r.Family)
	}
	slices.Sort(families)
	if diff := cmp.Diff([]string{"one", "pair", "two"}, families); diff != "" {
		t.Error(diff)
	}
	if len(seeds[dataset.Injection]) != 3 || len(removed) != 2 {
		t.Errorf("%d injection seeds, removed %+v", len(seeds[dataset.Injection]), removed)
	}
	for _, r := range left {
		if !slices.Contains([]string{"long", "big", "both", "shared"}, r.Family) {
			t.Errorf("a row of family %s stayed in the pool", r.Family)
		}
	}
	cfg := shape
	cfg.Seeds = 4
	_, _, _, err = HoldOut(in, cfg, 42)
	wantFault(t, err, fault.Integrity, "structural.seeds holds 4, expected at most 3")
}
