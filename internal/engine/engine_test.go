package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// randomItems makes rows with texts of 0 to 400 letters, some equal to an earlier one, some with NUL bytes.
func randomItems(seed uint64, n int) []Item {
	rng := rand.New(rand.NewPCG(seed, 7))
	items := make([]Item, n)
	for i := range items {
		var b strings.Builder
		for range int(math.Exp(rng.NormFloat64()*1.2+3)) % 400 {
			if rng.IntN(60) == 0 {
				b.WriteByte(0)
			} else {
				b.WriteByte(byte('a' + rng.IntN(26)))
			}
		}
		items[i] = Item{Row: i, Text: b.String()}
		if i > 0 && rng.IntN(5) == 0 {
			items[i].Text = items[rng.IntN(i)].Text
		}
	}
	return items
}

func TestResultsDoNotDependOnBatchesOrderWorkersOrShards(t *testing.T) {
	items := randomItems(11, 700)
	shape := detect.Shape{MaxLength: 66, Special: 2, Stride: 16}
	for _, mode := range []Mode{Max, Truncate} {
		one := shape
		one.BatchRows = 1
		want, _ := collect(t, &hashScorer{shape: one}, items, Options{Windows: mode, Workers: 1})
		for i, it := range items {
			clean := byteTokens(strings.ReplaceAll(it.Text, "\x00", ""))
			best := 0.0
			for _, s := range spans(len(clean), 64, 16) {
				best = max(best, hashScore(clean[s.from:s.to]))
				if mode == Truncate {
					break
				}
			}
			if want[i].Score != best {
				t.Fatalf("%s: row %d has score %v, want %v", mode, i, want[i].Score, best)
			}
		}
		for _, budget := range []int{0, 64, 256, 512, 4096} {
			for _, rows := range []int{0, 1, 3} {
				for _, workers := range []int{0, 1, 2, 5} {
					shape.BatchTokens, shape.BatchRows = budget, rows
					shuffled := slices.Clone(items)
					rng := rand.New(rand.NewPCG(uint64(budget), uint64(workers)))
					rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
					got, _ := collect(t, &hashScorer{shape: shape}, shuffled, Options{Windows: mode, Workers: workers})
					if !reflect.DeepEqual(got, want) {
						t.Fatalf("%s: other results with budget %d, %d rows, %d workers", mode, budget, rows, workers)
					}
				}
			}
		}
		sharded := map[int]Result{}
		for shard := range 3 {
			var part []Item
			for _, it := range items {
				if it.Row%3 == shard {
					it.Alone = it.Row%21 == 0
					part = append(part, it)
				}
			}
			shape.BatchTokens = 256
			got, _ := collect(t, &hashScorer{shape: shape}, part, Options{Windows: mode, Workers: 2})
			for row, r := range got {
				sharded[row] = r
			}
		}
		if !reflect.DeepEqual(sharded, want) {
			t.Fatalf("%s: other results from three shards", mode)
		}
	}
}

func TestTokensWindowsAndNULsAreCounted(t *testing.T) {
	long := strings.Repeat("x", 25) // windows of 8 tokens, step 5: 0-8, 5-13, 10-18, 15-23, 17-25
	items := itemsOf("abc", "", long, "a\x00b\x00c", "\x00")
	shape := detect.Shape{MaxLength: 10, Special: 2, Stride: 3, BatchTokens: 30}
	for _, c := range []struct {
		mode Mode
		want []Result
	}{
		{Max, []Result{
			{Row: 0, Windows: 1, Tokens: 5, TokensScored: 5},
			{Row: 1, Windows: 1, Tokens: 2, TokensScored: 2},
			{Row: 2, Windows: 5, Tokens: 27, TokensScored: 27},
			{Row: 3, Windows: 1, Tokens: 5, TokensScored: 5, NULs: 2},
			{Row: 4, Windows: 1, Tokens: 2, TokensScored: 2, NULs: 1},
		}},
		{Truncate, []Result{
			{Row: 0, Windows: 1, Tokens: 5, TokensScored: 5},
			{Row: 1, Windows: 1, Tokens: 2, TokensScored: 2},
			{Row: 2, Windows: 1, Tokens: 27, TokensScored: 10},
			{Row: 3, Windows: 1, Tokens: 5, TokensScored: 5, NULs: 2},
			{Row: 4, Windows: 1, Tokens: 2, TokensScored: 2, NULs: 1},
		}},
	} {
		h := &hashScorer{shape: shape}
		got, stats := collect(t, h, items, Options{Windows: c.mode})
		for _, want := range c.want {
			r := got[want.Row]
			want.Score = r.Score
			if r != want {
				t.Errorf("%s: got %+v, want %+v", c.mode, r, want)
			}
		}
		if got[1].Score != hashScore(nil) || got[1].Score != got[4].Score || got[0].Score != got[3].Score {
			t.Errorf("%s: texts that are equal without NUL bytes have other scores: %v", c.mode, got)
		}
		// Distinct texts: abc, nothing, and the long one.
		want := Stats{Rows: 5, Distinct: 3, Windows: 7, Tokens: 5 + 2 + 5*10, MultiWindow: 1, Elapsed: stats.Elapsed}
		if c.mode == Truncate {
			want.Windows, want.Tokens, want.MultiWindow, want.Truncated = 3, 5+2+10, 0, 1
		}
		if stats != want {
			t.Errorf("%s: got %+v, want %+v", c.mode, stats, want)
		}
	}
}

func TestEqualTextsAreScoredOnce(t *testing.T) {
	var calls atomic.Int64
	det := textFunc(func(_ context.Context, text string) (float64, error) {
		calls.Add(1)
		return hashScore(byteTokens(text)), nil
	})
	var begun []int
	items := itemsOf("b", "a", "b", "b\x00", "c")
	got, stats := collect(t, det, items, Options{Workers: 3, Begin: func(rows []int) error {
		begun = append(begun, rows...)
		return nil
	}})
	if calls.Load() != 3 || stats.Distinct != 3 {
		t.Errorf("%d calls for %d distinct texts, want 3", calls.Load(), stats.Distinct)
	}
	if got[0].Score != got[2].Score || got[0].Score != got[3].Score || got[0].Score == got[1].Score {
		t.Errorf("got %v", got)
	}
	if got[3].NULs != 1 || got[0].NULs != 0 {
		t.Errorf("each row counts its own NUL bytes: %v", got)
	}
	slices.Sort(begun)
	if want := []int{0, 1, 2, 3, 4}; !slices.Equal(begun, want) {
		t.Errorf("rows %v were begun, want %v", begun, want)
	}
	if r := got[1]; r.Windows != 0 || r.Tokens != 0 || r.TokensScored != 0 {
		t.Errorf("a detector without tokens has none to count: %+v", r)
	}
}

func TestWhatGoesWrongWithARowBecomesItsError(t *testing.T) {
	shape := detect.Shape{MaxLength: 10, Special: 2, Stride: 3, BatchTokens: 1000}
	bad := func(w []uint32) bool { return slices.Contains(w, 'X') }
	set := func(v float64) func([][]uint32, []float64) []float64 {
		return func(windows [][]uint32, scores []float64) []float64 {
			for i, w := range windows {
				if bad(w) {
					scores[i] = v
				}
			}
			return scores
		}
	}
	for _, c := range []struct {
		name string
		det  *hashScorer
		want string
	}{
		{"NaN", &hashScorer{after: set(math.NaN())}, "the detector gave NaN, expected a score from 0 to 1"},
		{"infinity", &hashScorer{after: set(math.Inf(1))}, "the detector gave +Inf, expected a score from 0 to 1"},
		{"below 0", &hashScorer{after: set(-1e-300)}, "the detector gave -1e-300, expected a score from 0 to 1"},
		{"above 1", &hashScorer{after: set(math.Nextafter(1, 2))},
			"the detector gave 1.0000000000000002, expected a score from 0 to 1"},
		{"model error", &hashScorer{before: func(_ context.Context, windows [][]uint32) error {
			if slices.ContainsFunc(windows, bad) {
				return errors.New("node 7\ngave up")
			}
			return nil
		}}, "node 7 gave up"},
		{"panic", &hashScorer{before: func(_ context.Context, windows [][]uint32) error {
			if slices.ContainsFunc(windows, bad) {
				panic("out of luck")
			}
			return nil
		}}, "the detector panicked: out of luck"},
		{"too few scores", &hashScorer{after: func(windows [][]uint32, scores []float64) []float64 {
			if slices.ContainsFunc(windows, bad) {
				return scores[1:]
			}
			return scores
		}}, "the detector gave 0 scores for 1 windows"},
		{"tokenizer error", &hashScorer{tokenize: func(text string) ([]uint32, error) {
			if strings.Contains(text, "X") {
				return nil, errors.New("no such piece")
			}
			return byteTokens(text), nil
		}}, "tokenizer: no such piece"},
		{"tokenizer panic", &hashScorer{tokenize: func(text string) ([]uint32, error) {
			if strings.Contains(text, "X") {
				panic(errors.New("no such piece"))
			}
			return byteTokens(text), nil
		}}, "tokenizer: the detector panicked: no such piece"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// The long text meets the fault in its second and third window.
			items := itemsOf("fine", "thisX", "good", "abcdefghijklXmnop", "thisX")
			c.det.shape = shape
			got, stats := collect(t, c.det, items, Options{})
			if stats.Errors != 3 || stats.Rows != 2 {
				t.Errorf("%d errors and %d scores, want 3 and 2", stats.Errors, stats.Rows)
			}
			for _, row := range []int{0, 2} {
				if r := got[row]; r.Err != "" || r.Score != hashScore(byteTokens(items[row].Text)) {
					t.Errorf("row %d: %+v", row, r)
				}
			}
			for _, row := range []int{1, 4} {
				if r := got[row]; r.Err != c.want || r.Score != 0 {
					t.Errorf("row %d: got %q, want %q", row, r.Err, c.want)
				}
			}
			want := "window 2 of 3: " + c.want
			if strings.HasPrefix(c.want, "tokenizer") {
				want = c.want
			}
			if got[3].Err != want {
				t.Errorf("row 3: got %q, want %q", got[3].Err, want)
			}
		})
	}
}

func TestTheErrorOfARowIsThatOfItsFirstBadWindow(t *testing.T) {
	for _, slow := range []uint32{'a', 'b'} {
		synctest.Test(t, func(t *testing.T) {
			h := &hashScorer{shape: detect.Shape{MaxLength: 10, Special: 0, BatchTokens: 10}}
			h.before = func(_ context.Context, windows [][]uint32) error {
				if windows[0][0] == slow {
					time.Sleep(time.Second)
				}
				return fmt.Errorf("bad %c", rune(windows[0][0]))
			}
			got, _ := collect(t, h, itemsOf(strings.Repeat("a", 10)+strings.Repeat("b", 10)), Options{Workers: 2})
			if want := "window 1 of 2: bad a"; got[0].Err != want {
				t.Errorf("with %c last: got %q, want %q", rune(slow), got[0].Err, want)
			}
		})
	}
}

func TestErrorsOfATextScorerStayWithTheirRow(t *testing.T) {
	det := textFunc(func(_ context.Context, text string) (float64, error) {
		switch text {
		case "error":
			return 0.9, errors.New("bad\x1b[31m " + strings.Repeat("é", 300))
		case "empty error":
			return 0, errors.New("")
		case "panic":
			var none []int
			return float64(none[3]), nil
		case "range":
			return 2, nil
		case "own deadline":
			return 0, context.DeadlineExceeded
		}
		return 0.5, nil
	})
	got, stats := collect(t, det, itemsOf("fine", "error", "panic", "range", "own deadline", "empty error"), Options{})
	if stats.Rows != 1 || stats.Errors != 5 {
		t.Errorf("got %+v", stats)
	}
	if e := got[1].Err; len([]rune(e)) != 200 || !strings.HasPrefix(e, "bad [31m é") || !strings.HasSuffix(e, "é…") {
		t.Errorf("a reason is one printable line of at most 200 characters, got %q", e)
	}
	for row, want := range map[int]string{
		2: "the detector panicked: runtime error: index out of range [3] with length 0",
		3: "the detector gave 2, expected a score from 0 to 1",
		4: "context deadline exceeded",
		5: "the detector failed without saying why",
	} {
		if got[row].Err != want {
			t.Errorf("row %d: got %q, want %q", row, got[row].Err, want)
		}
	}
}

func TestRowsThatRunAloneComeFirstWithNothingElseInFlight(t *testing.T) {
	items := randomItems(5, 200)
	alone := map[int]bool{}
	for _, row := range []int{3, 50, 120} {
		items[row] = Item{Row: row, Text: strings.Repeat("q", 100+row), Alone: true}
		alone[row] = true
	}
	h := &hashScorer{shape: detect.Shape{MaxLength: 34, Special: 2, Stride: 8, BatchTokens: 64}}
	var order, done []int
	h.before = func(context.Context, [][]uint32) error {
		if len(done) < 3 && h.active.Load() > 1 {
			t.Error("a row that runs alone has company")
		}
		return nil
	}
	var inFlight int
	h2 := Options{Workers: 4, Begin: func(rows []int) error {
		if len(order) < 3 {
			if len(rows) != 1 || inFlight != 0 {
				t.Errorf("rows %v began with %d others in flight", rows, inFlight)
			}
			inFlight++
		}
		order = append(order, rows...)
		return nil
	}}
	_, err := Run(t.Context(), h, items, h2, func(r Result) error {
		if len(done) < 3 {
			inFlight--
			done = append(done, r.Row)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{3, 50, 120}; !slices.Equal(order[:3], want) || !slices.Equal(done, want) {
		t.Errorf("began %v and ended %v, want %v first", order[:3], done, want)
	}
}

func TestRowsBeginBeforeTheModelSeesThemAndOnlyOnce(t *testing.T) {
	items := randomItems(9, 300)
	items = append(items, Item{Row: 300, Text: strings.Repeat("big ", bigText/4)})
	h := &hashScorer{shape: detect.Shape{MaxLength: 66, Special: 2, Stride: 16, BatchTokens: 200}}
	begun := map[int]int{}
	rowOf := map[string]int{}
	for _, it := range items {
		rowOf[strings.ReplaceAll(it.Text, "\x00", "")] = it.Row
	}
	h.tokenize = func(text string) ([]uint32, error) {
		if len(text) >= bigText && begun[rowOf[text]] == 0 {
			t.Error("a text that may exhaust the memory was tokenised before it began")
		}
		return byteTokens(text[:min(len(text), 500)]), nil
	}
	inside := atomic.Bool{}
	enter := func() func() {
		if !inside.CompareAndSwap(false, true) {
			t.Error("callbacks overlap")
		}
		return func() { inside.Store(false) }
	}
	_, err := Run(t.Context(), h, items, Options{
		Workers: 4,
		Begin: func(rows []int) error {
			defer enter()()
			if !slices.IsSorted(rows) {
				t.Errorf("rows %v are not in order", rows)
			}
			for _, r := range rows {
				begun[r]++
			}
			return nil
		},
		Progress: func(Progress) { defer enter()() },
	}, func(r Result) error {
		defer enter()()
		if begun[r.Row] != 1 {
			t.Errorf("row %d began %d times before its result", r.Row, begun[r.Row])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFailingCallbacksStopTheRun(t *testing.T) {
	full := errors.New("disk full")
	items := randomItems(13, 500)
	for _, det := range []detect.Detector{
		&hashScorer{shape: detect.Shape{MaxLength: 66, Special: 2, Stride: 16, BatchTokens: 200}},
		textFunc(func(context.Context, string) (float64, error) { return 0.5, nil }),
	} {
		emitted := 0
		_, err := Run(t.Context(), det, items, Options{Workers: 3}, func(Result) error {
			emitted++
			if emitted >= 10 {
				return full
			}
			return nil
		})
		if err != full || emitted != 10 {
			t.Errorf("emit: got %v after %d rows, want the callback's own error after 10", err, emitted)
		}
		begins := 0
		_, err = Run(t.Context(), det, items, Options{Workers: 3, Begin: func([]int) error {
			begins++
			return full
		}}, func(Result) error { t.Error("a row was emitted without having begun"); return nil })
		if err != full || begins != 1 {
			t.Errorf("Begin: got %v after %d calls, want the callback's own error after 1", err, begins)
		}
	}
}

func TestCancellationKeepsWhatIsDoneAndIsNoRowError(t *testing.T) {
	items := randomItems(17, 1500)
	for _, heeds := range []bool{true, false} {
		for _, kind := range []string{"tokens", "texts"} {
			t.Run(fmt.Sprintf("%s, heeds=%v", kind, heeds), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					work := func(ctx context.Context) error {
						if !heeds {
							time.Sleep(time.Minute)
							return nil
						}
						select {
						case <-ctx.Done():
							return errors.New("terminated") // what a runtime says then
						case <-time.After(time.Second):
							return nil
						}
					}
					var det detect.Detector = textFunc(func(ctx context.Context, _ string) (float64, error) {
						return 0.5, work(ctx)
					})
					if kind == "tokens" {
						det = &hashScorer{
							shape:  detect.Shape{MaxLength: 66, Special: 2, Stride: 16, BatchTokens: 200},
							before: func(ctx context.Context, _ [][]uint32) error { return work(ctx) },
						}
					}
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(90*time.Second+time.Second/2, cancel)
					start := time.Now()
					emitted, returned := 0, false
					stats, err := Run(ctx, det, items, Options{Workers: 2}, func(r Result) error {
						if returned || r.Err != "" {
							t.Errorf("emitted %+v, returned: %v", r, returned)
						}
						emitted++
						return nil
					})
					returned = true
					if took := time.Since(start) - 90*time.Second - time.Second/2; took > time.Second {
						t.Errorf("returned %v after the cancellation", took)
					}
					if !errors.Is(err, context.Canceled) || fault.ExitCode(err) != 130 {
						t.Errorf("got %v, want an interruption", err)
					}
					if emitted == 0 || emitted != stats.Rows || stats.Errors != 0 || emitted == len(items) {
						t.Errorf("%d rows emitted, %+v", emitted, stats)
					}
					want := fmt.Sprintf("scoring stopped after %d of 1500 rows: context canceled", emitted)
					if err.Error() != want {
						t.Errorf("got %q, want %q", err, want)
					}
					if wantLeft := map[bool]int{true: 0, false: 2}[heeds]; stats.Abandoned != wantLeft {
						t.Errorf("%d calls abandoned, want %d", stats.Abandoned, wantLeft)
					}
					time.Sleep(2 * time.Minute) // abandoned calls end and emit nothing
				})
			})
		}
	}
}

func TestACancelledContextScoresNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	det := textFunc(func(context.Context, string) (float64, error) { t.Error("called"); return 0, nil })
	_, err := Run(ctx, det, itemsOf("a"), Options{}, func(Result) error { t.Error("emitted"); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := Run(ctx, det, nil, Options{}, nil); err != nil {
		t.Errorf("no rows, nothing to interrupt: %v", err)
	}
}

func TestARunLeavesNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	h := &hashScorer{shape: detect.Shape{MaxLength: 66, Special: 2, Stride: 16, BatchTokens: 200}}
	collect(t, h, randomItems(19, 300), Options{Workers: 8})
	_, _ = Run(t.Context(), h, randomItems(19, 300), Options{Workers: 8}, func(Result) error { return errors.New("no") })
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(time.Millisecond)
	}
}

func TestWorkersRunAtOnceAndNoMoreThanAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hashScorer{
			shape:  detect.Shape{MaxLength: 66, Special: 2, Stride: 16, BatchTokens: 100},
			before: func(context.Context, [][]uint32) error { time.Sleep(time.Millisecond); return nil },
		}
		collect(t, h, randomItems(23, 200), Options{Workers: 3})
		if h.most.Load() != 3 {
			t.Errorf("%d calls at once, want 3", h.most.Load())
		}
	})
}

func TestProgressGrowsToTheTotal(t *testing.T) {
	h := &hashScorer{shape: detect.Shape{MaxLength: 66, Special: 2, Stride: 16, BatchTokens: 200}}
	var last Progress
	_, stats := collect(t, h, randomItems(29, 300), Options{Workers: 2, Progress: func(p Progress) {
		if p.Total != 300 || p.Rows <= last.Rows || p.Tokens < last.Tokens || p.Elapsed < last.Elapsed {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}})
	if last.Rows != 300 || last.Tokens != stats.Tokens {
		t.Errorf("ended with %+v", last)
	}
}

func TestMoreTextsThanABlockHolds(t *testing.T) {
	items := make([]Item, 2*blockTexts+10)
	for i := range items {
		items[i] = Item{Row: i, Text: fmt.Sprint(i)}
	}
	items[5].Text = strings.Repeat("z", blockBytes+1)
	h := &hashScorer{
		shape: detect.Shape{MaxLength: 66, Special: 2, Stride: 16, BatchTokens: 512},
		tokenize: func(text string) ([]uint32, error) {
			return byteTokens(text[:min(len(text), 100)]), nil
		},
	}
	got, _ := collect(t, h, items, Options{})
	for i, it := range items {
		if want := hashScore(byteTokens(it.Text)); i != 5 && got[i].Score != want {
			t.Fatalf("row %d: %v, want %v", i, got[i].Score, want)
		}
	}
}

func TestImpossibleShapesAndModesAreUsageErrors(t *testing.T) {
	for _, c := range []struct {
		shape detect.Shape
		mode  Mode
		want  string
	}{
		{detect.Shape{MaxLength: 2, Special: 2}, Max, "detector hash: max_length is 2, expected more than the " +
			"2 special tokens; raise max_length in configs/detectors.yaml"},
		{detect.Shape{MaxLength: 64, Special: 2, Stride: 62}, Max, "detector hash: stride is 62, expected 0 to 61, " +
			"less than the 62 tokens of a window; lower stride in configs/detectors.yaml"},
		{detect.Shape{MaxLength: 64, Special: 2, Stride: -1}, Max, "detector hash: stride is -1, expected 0 to 61, " +
			"less than the 62 tokens of a window; lower stride in configs/detectors.yaml"},
		{detect.Shape{MaxLength: 64}, "mean", `the window mode is "mean", expected max or truncate`},
	} {
		_, err := Run(t.Context(), &hashScorer{shape: c.shape}, itemsOf("a"), Options{Windows: c.mode}, nil)
		if err == nil || err.Error() != c.want || fault.ExitCode(err) != 2 {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, err := Run(t.Context(), mute{}, itemsOf("a"), Options{}, nil); err == nil {
		t.Error("a detector that scores nothing was taken")
	}
}

type mute struct{}

func (mute) Info() detect.Info { return detect.Info{ID: "mute"} }
func (mute) Close() error      { return nil }

// BenchmarkOverhead measures what the engine adds to a model that takes no time: 10,000 texts of about 60 tokens.
func BenchmarkOverhead(b *testing.B) {
	items := make([]Item, 10_000)
	for i := range items {
		items[i] = Item{Row: i, Text: strings.Repeat("x", 20+i%80) + fmt.Sprint(i)}
	}
	det := nullScorer{}
	b.ReportAllocs()
	for b.Loop() {
		stats, err := Run(b.Context(), det, items, Options{}, func(Result) error { return nil })
		if err != nil || stats.Rows != len(items) {
			b.Fatal(stats, err)
		}
	}
	b.ReportMetric(float64(len(items)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkOneLongText measures the cutting of a text of a million tokens.
func BenchmarkOneLongText(b *testing.B) {
	items := itemsOf(strings.Repeat("x", 1_000_000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Run(b.Context(), nullScorer{}, items, Options{}, func(Result) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

type nullScorer struct{}

func (nullScorer) Info() detect.Info { return detect.Info{ID: "null"} }
func (nullScorer) Close() error      { return nil }
func (nullScorer) Shape() detect.Shape {
	return detect.Shape{MaxLength: 512, Special: 2, Stride: 64, BatchTokens: 512}
}
func (nullScorer) Tokenize(text string) ([]uint32, error) { return make([]uint32, len(text)), nil }
func (nullScorer) ScoreWindows(_ context.Context, windows [][]uint32) ([]float64, error) {
	return make([]float64, len(windows)), nil
}
