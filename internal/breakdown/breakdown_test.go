package breakdown

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
)

func read(t testing.TB, csv string) *dataset.Split {
	t.Helper()
	s, err := dataset.ReadBytes("small.csv", []byte(csv), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const small = `text,label,source,family_id,frame_id,carrier_id
one,0,a,f1,x,
two words,0,a,f1,y,
three,0,a,f1,y,c
four,0,a,f2,,c
five five five five five,0,b,f3,,d
six,1,b,f3,,
seven,1,b,f4,,
`

func TestEffectiveNOfHandComputedFamilies(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  float64
	}{
		{[]int{1, 1, 1, 1}, 4},
		{[]int{4}, 1},
		{[]int{3, 1}, 16.0 / 10},
		{[]int{2, 2, 2}, 3},
		{[]int{10, 1, 1}, 144.0 / 102},
	} {
		if got := EffectiveN(c.sizes); !got.OK || math.Abs(got.V-c.want) > 1e-12 {
			t.Errorf("EffectiveN(%v) is %v, want %v", c.sizes, got, c.want)
		}
	}
	if got := EffectiveN(nil); got.OK || got.Reason == "" {
		t.Errorf("EffectiveN of nothing is %v", got)
	}
}

func TestGroupsOfASmallSplit(t *testing.T) {
	got, err := Of(read(t, small), []string{ByLabel, "source", "language", ByWords}, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := func(v float64) metrics.Value { return metrics.Value{V: v, OK: true} }
	group := func(by, value, label string, rows int, families, frames, carriers, effective, largest float64) Group {
		return Group{By: by, Value: value, Label: label, Rows: rows, Share: float64(rows) / 7, Families: n(families),
			Frames: n(frames), Carriers: n(carriers), EffectiveN: n(effective), LargestFamily: n(largest)}
	}
	want := []Group{
		group("label", "all", "all", 7, 4, 2, 2, 49.0/15, 3.0/7),
		group("label", "benign", "benign", 5, 3, 2, 2, 25.0/11, 3.0/5),
		group("label", "injection", "injection", 2, 2, 0, 0, 2, 0.5),
		group("source", "a", "benign", 4, 2, 2, 1, 1.6, 0.75),
		group("source", "b", "benign", 1, 1, 0, 1, 1, 1),
		group("source", "b", "injection", 2, 2, 0, 0, 2, 0.5),
		group("words", "0–4", "benign", 4, 2, 2, 1, 1.6, 0.75),
		group("words", "5–8", "benign", 1, 1, 0, 1, 1, 1),
		group("words", "0–4", "injection", 2, 2, 0, 0, 2, 0.5),
	}
	if d := cmp.Diff(want, got.Groups); d != "" {
		t.Error(d)
	}
	if got.Rows != 7 || got.Benign != 5 || got.Injection != 2 || !cmp.Equal(got.Lacking, []string{"language"}) {
		t.Errorf("table is %+v", got)
	}
}

func TestColumnsThatAreAbsentAreUndefinedWithTheReason(t *testing.T) {
	got, err := Of(read(t, "text,label\na,0\nb,1\n"), []string{ByLabel}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range got.Groups {
		for what, v := range map[string]metrics.Value{"family_id": g.Families, "frame_id": g.Frames, "carrier_id": g.Carriers} {
			if v.OK || v.Reason != "no column "+what {
				t.Errorf("%s of %s is %+v", what, g.Label, v)
			}
		}
		if g.EffectiveN.OK || g.LargestFamily.OK {
			t.Errorf("effective n is %+v without families", g.EffectiveN)
		}
	}
}

func TestRowsWithoutAFamilyAreFamiliesOfTheirOwn(t *testing.T) {
	got, err := Of(read(t, "text,label,family_id\na,0,\nb,0,\nc,0,f\nd,0,f\n"), []string{ByLabel}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if g := got.Groups[0]; g.Families.V != 3 || math.Abs(g.EffectiveN.V-16.0/6) > 1e-12 {
		t.Errorf("group is %+v", g)
	}
}

func TestTheOrderOfRowsDoesNotMatter(t *testing.T) {
	lines := []string{}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("%s,%d,s%d,f%d,%s,%s", strings.Repeat("word ", 1+rng.IntN(40)), rng.IntN(2),
			rng.IntN(70), rng.IntN(40), []string{"", "x", "y"}[rng.IntN(3)], []string{"", "c"}[i%2]))
	}
	head, _, _ := strings.Cut(small, "\n")
	count := func() Table {
		s := read(t, head+"\n"+strings.Join(lines, "\n")+"\n")
		table, err := Of(s, Default, nil)
		if err != nil {
			t.Fatal(err)
		}
		table.SHA256 = ""
		return table
	}
	want := count()
	for range 5 {
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if d := cmp.Diff(want, count()); d != "" {
			t.Fatal(d)
		}
	}
	rows := map[string]int{}
	for _, g := range want.Groups {
		if g.Value != "all" {
			rows[g.By] += g.Rows
		}
		if g.EffectiveN.V < 1 || g.EffectiveN.V > float64(g.Rows) || g.Families.V < g.EffectiveN.V-1e-9 {
			t.Errorf("%s %s: %d rows, %v families, effective n %v", g.By, g.Value, g.Rows, g.Families.V, g.EffectiveN.V)
		}
	}
	for by, n := range rows {
		if n != 300 {
			t.Errorf("the groups by %s hold %d rows, want 300", by, n)
		}
	}
}

func TestRareValuesAreCountedTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("text,label,source\n")
	for i := range MaxValues + 3 {
		fmt.Fprintf(&b, "t,0,s%02d\nt,0,s%02d\n", i, i)
	}
	b.WriteString("t,0,s01\n")
	got, err := Of(read(t, b.String()), []string{"source"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := got.Groups[len(got.Groups)-1]
	if len(got.Groups) != MaxValues+1 || last.Other != 3 || last.Rows != 6 || last.Value != "3 other values" {
		t.Errorf("%d groups, the last one %+v", len(got.Groups), last)
	}
	if first := got.Groups[0]; first.Value != "s01" || first.Rows != 3 {
		t.Errorf("the first group is %+v", first)
	}
}

func TestBandsMeetWithoutGapOrOverlap(t *testing.T) {
	for by, b := range bands {
		names := b.names()
		at := 0
		for n := 0; n <= 4*b.last; n++ {
			name := b.nameOf(n)
			if name != names[at] {
				at++
			}
			if at >= len(names)-1 || name != names[at] {
				t.Fatalf("%s: %d lies in %q, expected %q", by, n, name, names[at])
			}
			var lo, hi int
			if k, _ := fmt.Sscanf(name, "%d–%d", &lo, &hi); k == 2 && (n < lo || n > hi) {
				t.Fatalf("%s: %d lies in %q", by, n, name)
			}
		}
		if at != len(names)-2 {
			t.Errorf("%s: the last band reached is %q", by, names[at])
		}
	}
}

func TestTokensAreCountedOnlyWhenAskedFor(t *testing.T) {
	s := read(t, small)
	calls := 0
	count := func(text string) (int, error) { calls++; return 100 * len(strings.Fields(text)), nil }
	if _, err := Of(s, Default, count); err != nil || calls != 0 {
		t.Errorf("%d calls, %v", calls, err)
	}
	got, err := Of(s, []string{ByTokens}, count)
	if err != nil || len(got.Groups) != 4 {
		t.Fatalf("%+v, %v", got.Groups, err)
	}
	if g := got.Groups[1]; g.Value != "129–256" || g.Rows != 1 {
		t.Errorf("two words are %+v", g)
	}
	broken := errors.New("broken")
	if _, err := Of(s, []string{ByTokens}, func(string) (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}

func TestWithheldTextsHaveNoLength(t *testing.T) {
	sum := strings.Repeat("0", 64)
	got, err := Of(read(t, "text,label,text_sha256\na,0,\n,0,"+sum+"\n"), []string{ByWords}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Missing != 1 || len(got.Groups) != 2 || got.Groups[1].Value != withheld {
		t.Errorf("%+v", got)
	}
}
