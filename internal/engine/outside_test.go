package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"pidsbench/internal/detect"
)

// outside is a TextScorer whose work is done elsewhere; "end" is the text after which it can do nothing more.
type outside struct {
	most   int
	active atomic.Int64
	seen   atomic.Int64 // most calls at once
	meet   chan struct{}
}

func (o *outside) Info() detect.Info { return detect.Info{ID: "outside"} }
func (o *outside) Close() error      { return nil }
func (o *outside) Concurrency() int  { return o.most }

func (o *outside) Score(ctx context.Context, text string) (float64, error) {
	now := o.active.Add(1)
	defer o.active.Add(-1)
	for most := o.seen.Load(); now > most && !o.seen.CompareAndSwap(most, now); most = o.seen.Load() {
	}
	if text == "end" {
		return 0, fmt.Errorf("wrapped: %w", &detect.StopError{Err: errGone})
	}
	if o.meet != nil { // come back once all are here
		if int(now) == o.most {
			close(o.meet)
		}
		<-o.meet
	}
	return 0.5, nil
}

var errGone = errors.New("the program is gone")

func TestADetectorMayAskForMoreCallsThanThereAreCores(t *testing.T) {
	o := &outside{most: 37, meet: make(chan struct{})}
	var items []Item
	for i := range 37 {
		items = append(items, Item{Row: i, Text: strings.Repeat("x", i)})
	}
	if _, err := Run(context.Background(), o, items, Options{}, func(Result) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := o.seen.Load(); n != 37 {
		t.Errorf("%d calls at once, want 37", n)
	}
	o = &outside{most: 37}
	if _, err := Run(context.Background(), o, items, Options{Workers: 2}, func(Result) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := o.seen.Load(); n > 2 {
		t.Errorf("%d calls at once, want at most the 2 asked for", n)
	}
}

func TestADetectorThatCanScoreNothingMoreEndsTheRun(t *testing.T) {
	items := []Item{{Row: 0, Text: "a"}, {Row: 1, Text: "b"}, {Row: 2, Text: "end"}, {Row: 3, Text: "c"}}
	var got []int
	stats, err := Run(context.Background(), &outside{most: 1}, items, Options{}, func(r Result) error {
		if r.Err != "" {
			t.Errorf("row %d has the error %q", r.Row, r.Err)
		}
		got = append(got, r.Row)
		return nil
	})
	if err != errGone {
		t.Errorf("Run = %v, want the detector's error as it is", err)
	}
	if fmt.Sprint(got) != "[0 1]" || stats.Rows != 2 || stats.Errors != 0 {
		t.Errorf("rows %v, stats %+v", got, stats)
	}
}
