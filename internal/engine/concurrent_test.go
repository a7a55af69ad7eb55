package engine

import (
	"context"
	"strconv"
	"testing"
)

// distant is a detector whose work is done elsewhere.
type distant struct{ textFunc }

func (distant) Concurrency() int { return 1 }

// A killed process leaves its announced rows in doubt, so a slow detector has none announced before they are sent.
func TestTextsForADistantDetectorAreAnnouncedOneByOne(t *testing.T) {
	waiting := 0 // one call at a time: no lock
	d := distant{func(context.Context, string) (float64, error) {
		if waiting != 1 {
			t.Errorf("%d texts are announced at a call", waiting)
		}
		waiting--
		return 0.5, nil
	}}
	var texts []string
	for i := range 200 {
		texts = append(texts, strconv.Itoa(i))
	}
	got, _ := collect(t, d, itemsOf(texts...), Options{Begin: func(rows []int) error {
		waiting += len(rows)
		return nil
	}})
	if len(got) != len(texts) {
		t.Errorf("%d results", len(got))
	}
}
