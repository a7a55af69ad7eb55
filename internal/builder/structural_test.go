package builder

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
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

func TestSurroundedTextsCanBeTakenBackOut(t *testing.T) {
	seeds, fillers := held(t)
	rows, err := Surround(seeds, fillers, shape, 42)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3*2*3 {
		t.Fatalf("%d rows, want three surroundings of six texts", len(rows))
	}
	for _, r := range rows {
		want := seeds[r.Label][r.Shift.SeedIndex]
		got, err := disguise.Placed{Text: r.Text, Start: r.Shift.Start, Length: r.Shift.Length}.Unwrap()
		if err != nil || got != want.Text || r.Clean != want.Text || r.ID != want.ID || r.Obfuscation != "none" {
			t.Errorf("%s gives back %q, want %q (%v)", r.Shift.Transform, got, want.Text, err)
		}
		if r.Shift.Length != utf8.RuneCountInString(want.Text) ||
			(r.Shift.Start < 0) != (r.Shift.Transform == disguise.JSONWrap) {
			t.Errorf("%s says %+v of %q", r.ID, *r.Shift, want.Text)
		}
		if r.Shift.Transform != disguise.PromptDilute {
			if r.Shift.Fillers != nil {
				t.Errorf("%s has fillers", r.Shift.Transform)
			}
			continue
		}
		pad := utf8.RuneCountInString(r.Text) - r.Shift.Length - 4
		if pad < shape.FillerChars-1 || pad > shape.FillerMax { // the cut may drop a space
			t.Errorf("%d characters of padding", pad)
		}
		if len(r.Shift.Fillers) == 0 || slices.Contains(r.Shift.Fillers, r.ID) {
			t.Errorf("padding is made of %v", r.Shift.Fillers)
		}
	}
}

func TestPaddingNeverHoldsTheRowItself(t *testing.T) {
	seeds, fillers := held(t)
	for _, r := range fillers {
		pad, used, err := padding(r.ID, "test", fillers, shape, 42)
		if err != nil || used == nil || slices.Contains(used, r.ID) || strings.Contains(pad, r.Text) {
			t.Errorf("the padding of %s is %v, %v", r.ID, used, err)
		}
	}
	_, err := Surround(seeds, fillers[:2], shape, 42)
	testenv.WantFault(t, err, fault.Integrity, "2 filler rows cannot make 400 characters")
}

func TestPaddingBelongsToTheRowAndItsPurpose(t *testing.T) {
	_, fillers := held(t)
	pad := func(id, purpose string) string {
		p, _, err := padding(id, purpose, fillers, shape, 42)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := pad("a", "one")
	slices.Reverse(fillers)
	if pad("a", "one") != want {
		t.Error("the order of the fillers matters")
	}
	if pad("b", "one") == want || pad("a", "two") == want {
		t.Error("another row or purpose has the same padding")
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
	add("hidden", Pool, 0, s[15])
	in[len(in)-1].Obfuscation = disguise.AsFound
	for i := range 3 {
		add(fmt.Sprint("attack", i), Pool, 1, s[11+i])
	}
	left, seeds, removed, err := HoldOut(in, dataset.Benign, 3, shape, 42)
	if err != nil {
		t.Fatal(err)
	}
	var families []string
	for _, r := range seeds {
		families = append(families, r.Family)
	}
	slices.Sort(families)
	if diff := cmp.Diff([]string{"one", "pair", "two"}, families); diff != "" {
		t.Error(diff)
	}
	if len(removed) != 2 || removed[0].Partner == "" || len(left)+len(seeds)+len(removed) != len(in) {
		t.Errorf("%d left, %d seeds, removed %+v", len(left), len(seeds), removed)
	}
	for _, r := range left {
		if slices.Contains(families, r.Family) {
			t.Errorf("a row of family %s stayed in the pool", r.Family)
		}
	}
	if _, attacks, _, err := HoldOut(left, dataset.Injection, 3, shape, 42); err != nil || len(attacks) != 3 {
		t.Errorf("%d injection seeds, %v", len(attacks), err)
	}
	_, _, _, err = HoldOut(in, dataset.Injection, 4, shape, 42)
	testenv.WantFault(t, err, fault.Integrity, "structural.seeds asks for 4 injection families, expected at most 3")
}

// The security-adjacent seeds are held to what the others are.
func TestAllStructuralSeedsFit(t *testing.T) {
	s := small()
	s.cfg.Structural.MaxChars = 90
	fit := 0
	for _, r := range s.build(t).file(t, structuralSeedsFile).Records {
		if !s.cfg.Structural.fits(r) {
			t.Errorf("the seed %q of topic %q does not fit", r.Text, r.Topic)
		}
		fit++
	}
	if fit != 10 {
		t.Errorf("%d seeds", fit)
	}
}
