package draw

import (
	"slices"
	"testing"
)

// The stream is part of the frozen edition: other numbers would be other data.
func TestDrawGivesTheSameNumbersForEver(t *testing.T) {
	d := New(42, "stage", "id")
	var got []int
	for range 6 {
		got = append(got, d.Below(1000))
	}
	if want := []int{530, 903, 301, 242, 632, 212}; !slices.Equal(got, want) {
		t.Errorf("numbers are %v, want %v", got, want)
	}
}

func TestDrawsOfOtherKeysDiffer(t *testing.T) {
	first := func(seed int64, stage, id string) int { return New(seed, stage, id).Below(1 << 30) }
	seen := map[int]string{}
	for _, k := range []struct {
		seed      int64
		stage, id string
	}{{1, "a", "b"}, {2, "a", "b"}, {1, "b", "a"}, {1, "ab", ""}, {1, "", "ab"}, {12, "", "b"}} {
		n := first(k.seed, k.stage, k.id)
		if other, ok := seen[n]; ok {
			t.Errorf("%v draws as %s does", k, other)
		}
		seen[n] = k.stage + "," + k.id
	}
}

func TestBelowIsUniform(t *testing.T) {
	d := New(1, "uniform", "")
	var count [7]int
	for range 70000 {
		count[d.Below(7)]++
	}
	for n, c := range count {
		if c < 9600 || c > 10400 {
			t.Errorf("%d was drawn %d times of 70,000, want about 10,000", n, c)
		}
	}
}

func TestOrderDependsOnNoOtherItem(t *testing.T) {
	same := func(s string) string { return s }
	all := []string{"a", "b", "c", "d", "e", "f", "g"}
	Order(all, 42, "order", same)
	again := []string{"g", "f", "e", "d", "c", "b", "a"}
	Order(again, 42, "order", same)
	if !slices.Equal(all, again) {
		t.Errorf("the order depends on the input: %v and %v", all, again)
	}
	fewer := slices.DeleteFunc([]string{"a", "b", "c", "d", "e"}, func(s string) bool { return s == "c" })
	Order(fewer, 42, "order", same)
	want := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "c" || s > "e" })
	if !slices.Equal(fewer, want) {
		t.Errorf("without some items the order is %v, want %v", fewer, want)
	}
	other := slices.Clone(all)
	Order(other, 43, "order", same)
	if slices.Equal(all, other) {
		t.Error("another seed gives the same order")
	}
}
