package builder

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
)

func splitInput() []Record {
	var in []Record
	add := func(source string, label dataset.Label, sizes ...int) {
		for f, n := range sizes {
			for k := range n {
				r := pool(label, fmt.Sprint(source, label, f, "/", k))
				r.Source, r.Family = source, fmt.Sprint(source, label, f)
				in = append(in, r)
			}
		}
	}
	ones := slices.Repeat([]int{1}, 500)
	add("a", 0, append([]int{120, 30, 10, 4, 2}, ones...)...)
	add("a", 1, ones...)
	add("b", 0, ones[:70]...)
	add("b", 1, append([]int{40}, ones[:60]...)...)
	return in
}

func TestSplitKeepsFamiliesWholeAndStrataInRatio(t *testing.T) {
	in := splitInput()
	ratio := SplitRatio{774, 114, 112}
	out := Split(in, ratio, 42)
	where := map[string]int{}
	count := map[string]*[parts]int{}
	n := 0
	for p, rows := range out {
		for _, r := range rows {
			if q, ok := where[r.Family]; ok && q != p {
				t.Fatalf("family %s is in two parts", r.Family)
			}
			where[r.Family] = p
			k := fmt.Sprint(r.Source, r.Label)
			if count[k] == nil {
				count[k] = new([parts]int)
			}
			count[k][p]++
			n++
		}
	}
	if n != len(in) {
		t.Fatalf("%d rows of %d", n, len(in))
	}
	for k, c := range count {
		total := float64(c[0] + c[1] + c[2])
		for p, share := range []float64{0.774, 0.114, 0.112} {
			if d := float64(c[p]) - share*total; d > 1.01 || d < -1.01 {
				t.Errorf("stratum %s has %d rows in part %d, want %.1f", k, c[p], p, share*total)
			}
		}
	}
}

func TestSplitDoesNotDependOnTheOrderOfRows(t *testing.T) {
	in := splitInput()
	want := Split(in, SplitRatio{774, 114, 112}, 42)
	draw.Order(in, 7, "shuffle", byID)
	if diff := cmp.Diff(want, Split(in, SplitRatio{774, 114, 112}, 42)); diff != "" {
		t.Error(diff)
	}
}
