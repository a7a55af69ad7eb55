package reproduce

import (
	"math"
	"slices"
	"testing"

	"pidsbench/internal/scores"
)

// population is 400 rows, a tenth of which took several windows, and a score each: row 200 has 0.5.
func population() []scores.Line {
	var all []scores.Line
	for row := range 400 {
		l := scores.Line{Row: row, Score: float64(row) / 400, Windows: 1, Tokens: 9, TokensScored: 9}
		if row%10 == 3 {
			l.Windows = 4
		}
		all = append(all, l)
	}
	return all
}

func all(int) bool { return true }

func TestASampleHoldsNearRowsLongRowsAndAnyRows(t *testing.T) {
	cut := []Cutoff{{Policy: "fixed:0.5", Tau: new(0.5)}, {Policy: "val_f1", Tau: new(0.25)}, {Policy: "native"}}
	rows := Sample{Rows: 24, Seed: 1}.Draw(population(), all, "test", cut)
	if len(rows) != 24 || !slices.IsSorted(rows) || len(slices.Compact(slices.Clone(rows))) != 24 {
		t.Fatalf("drawn are %v, want 24 different rows in order", rows)
	}
	long, near := 0, 0
	for _, row := range rows {
		if row%10 == 3 {
			long++
		}
		if min(math.Abs(float64(row-200)), math.Abs(float64(row-100))) <= 2 {
			near++
		}
	}
	if long < 6 || near < 6 {
		t.Errorf("%d rows of several windows and %d at a threshold, want 6 of each: %v", long, near, rows)
	}
	other := Sample{Rows: 24, Seed: 2}.Draw(population(), all, "test", cut)
	split := Sample{Rows: 24, Seed: 1}.Draw(population(), all, "val", cut)
	if slices.Equal(rows, other) || slices.Equal(rows, split) {
		t.Error("another seed or split draws the same rows")
	}
	turned := population()
	slices.Reverse(turned)
	if again := (Sample{Rows: 24, Seed: 1}).Draw(turned, all, "test", cut); !slices.Equal(rows, again) {
		t.Errorf("in another order the rows are %v, want %v", again, rows)
	}
}

func TestSamplesOfOddKinds(t *testing.T) {
	few := population()[:3]
	short := []scores.Line{{Row: 0, Score: 0.2}, {Row: 1, Error: "no"}, {Row: 2, Score: 0.9}, {Row: 3, MissingText: true}}
	for _, tt := range []struct {
		name   string
		lines  []scores.Line
		rows   int
		usable func(int) bool
		want   []int
	}{
		{"all rows", few, 0, all, []int{0, 1, 2}},
		{"more than there are", few, 50, all, []int{0, 1, 2}},
		{"no rows", nil, 5, all, []int{}},
		{"none with a text", few, 5, func(int) bool { return false }, []int{}},
		{"one with a text", few, 5, func(row int) bool { return row == 1 }, []int{1}},
		{"rows without a score are drawn too", short, 4, all, []int{0, 1, 2, 3}},
	} {
		got := Sample{Rows: tt.rows, Seed: 1}.Draw(tt.lines, tt.usable, "test", nil)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	got := Sample{Rows: 1, Seed: 1}.Draw(population(), all, "test", []Cutoff{{Tau: new(0.5)}})
	if !slices.Equal(got, []int{200}) {
		t.Errorf("a sample of one is %v, want the row at the threshold", got)
	}
}
