package builder

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

func TestForEachCallsEveryNumberOnce(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 1000} {
		calls := make([]atomic.Int32, n)
		forEach(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("%d of %d was called %d times, want once", i, n, got)
			}
		}
	}
}

func TestFormsStandInTheOrderOfTheRecords(t *testing.T) {
	records := make([]Record, 200)
	want := make([]string, len(records))
	for i := range records {
		records[i].Text = strings.Repeat("a", i)
		want[i] = strings.Repeat("A", i)
	}
	if got := forms(records, strings.ToUpper); !slices.Equal(got, want) {
		t.Errorf("forms = %v", got)
	}
}
