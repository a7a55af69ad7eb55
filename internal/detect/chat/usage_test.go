package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func items(n int) []engine.Item {
	list := make([]engine.Item, n)
	for i := range list {
		list[i] = engine.Item{Row: i, Text: fmt.Sprint("text ", i)}
	}
	return list
}

func TestNoMoreRequestsAreOnTheirWayThanTheEntryAllows(t *testing.T) {
	for _, workers := range []int{0, 32} {
		var active, most atomic.Int64
		var once sync.Once
		met := make(chan struct{})
		url, n := service(t, func(w http.ResponseWriter, r *http.Request) {
			now := active.Add(1)
			defer active.Add(-1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			if now == 7 {
				once.Do(func() { close(met) })
			}
			select { // the first ones wait until as many as may are here
			case <-met:
			case <-time.After(10 * time.Second):
			}
			time.Sleep(time.Millisecond)
			answering("1", "")(w, r)
		})
		e := judge(url)
		e.Chat.InFlight = 7
		stats, err := engine.Run(t.Context(), open(t, e), items(60), engine.Options{Workers: workers},
			func(engine.Result) error { return nil })
		if err != nil || stats.Rows != 60 || n.Load() != 60 || most.Load() != 7 {
			t.Errorf("%d workers: %+v, %v, %d requests, at most %d at once", workers, stats, err, n.Load(), most.Load())
		}
	}
}

func TestTheBudgetIsNeverPassed(t *testing.T) {
	url, n := service(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Millisecond)
		answering("1", "")(w, r) // 90 tokens in, 1 out
	})
	e := judge(url)
	e.Chat.InputPrice, e.Chat.OutputPrice, e.Chat.InFlight = 10, 100, 8 // 0.001 dollars an answer
	e.Chat.Budget = 0.0505
	d := open(t, e)
	rows := 0
	_, err := engine.Run(t.Context(), d, items(200), engine.Options{}, func(r engine.Result) error {
		if r.Err != "" {
			t.Errorf("row %d: %s", r.Row, r.Err)
		}
		rows++
		return nil
	})
	testenv.WantFault(t, err, fault.Failed, "the budget of $0.0505 does not cover the next request", "raise budget")
	if rows < 30 || rows > int(n.Load()) || n.Load() > 50 {
		t.Errorf("%d rows of %d requests", rows, n.Load())
	}
	if d.used.sum() > e.Chat.Budget || d.used.reserved > 1e-12 {
		t.Errorf("spent %v, reserved %v", d.used.sum(), d.used.reserved)
	}
	e.Chat.Budget = 0.000001
	d = open(t, e)
	before := n.Load()
	_, err = d.Score(t.Context(), "text")
	var stop *detect.StopError
	if !errors.As(err, &stop) || fault.ExitCode(d.Ready(t.Context())) != int(fault.Failed) || n.Load() != before {
		t.Errorf("%v after %d requests", err, n.Load()-before)
	}
}

// What a server may bill without saying so counts as the most it may bill.
func TestRequestsWithoutACountCostTheirBound(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		billed  bool
	}{
		{"no usage", raw(`{"choices":[{"message":{"content":"1"}}]}`), true},
		{"torn", torn, true},
		{"garbage", raw("{"), true},
		{"a refused request", status(400, ""), false},
		{"an overloaded server", status(503, ""), false},
	} {
		url, _ := service(t, tt.handler)
		e := judge(url)
		e.Chat.InputPrice, e.Chat.Tries = 1e6, 1 // a dollar a token
		d := open(t, e)
		_, _ = d.Score(t.Context(), "text")
		body, bound := d.request("text")
		if bound < float64(len(body)) {
			t.Errorf("a body of %d bytes is bounded by %v tokens", len(body), bound)
		}
		want, said := 0., "cost $0.0000"
		if tt.billed {
			want, said = bound, "(1 requests without a count), cost at most $"
		}
		if got := d.used.sum(); got != want || !strings.Contains(d.Report()[0], said) {
			t.Errorf("%s: cost %v, want %v; %q", tt.name, got, want, d.Report())
		}
	}
}

func TestTheReportSaysWhatARunUsed(t *testing.T) {
	handlers := []http.HandlerFunc{
		raw(`{"model":"small-1-2026\u001b[31m","system_fingerprint":"fp_1","choices":[{"message":{"content":"1"}}],
			"usage":{"prompt_tokens":1000000,"completion_tokens":1}}`),
		raw(`{"model":"small-1-2026\u001b[31m","system_fingerprint":"fp_2","choices":[{"message":{"content":"0"}}],
			"usage":{"prompt_tokens":-5,"completion_tokens":1}}`),
		answering("1", content(top("1", "1", 0.9, "0", 0.1))),
		status(400, `{"error":{"message":"maximum context length\nis 128 tokens"}}`),
	}
	url, _ := service(t, handlers...)
	e := judge(url)
	e.Chat.InputPrice, e.Chat.OutputPrice, e.Chat.Budget = 0.15, 0.6, 5
	d := open(t, e)
	for range handlers {
		_, _ = d.Score(t.Context(), "text")
	}
	want := []string{
		`4 requests, 1000090 tokens in, 3 out, cost $0.1500 of $5`,
		`2 of 3 answers came without usable log-probabilities: their scores are 0 or 1`,
		`asked for model "small-1", answered by "small-1", "small-1-2026\x1b[31m"`,
		`the server changed during the run: it gave 2 system fingerprints`,
		`the server answered with status 400: maximum context length is 128 tokens`,
	}
	if got := strings.Join(d.Report(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("report\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	d, _ = serve(t, answering("1", content(top("1", "1", 0.9, "0", 0.1))))
	if _, err := d.Score(t.Context(), "text"); err != nil || len(d.Report()) != 1 || strings.Contains(d.Report()[0], "cost") {
		t.Errorf("%v, report %q", err, d.Report())
	}
}

func TestAnInterruptedRunEndsAtOnceAndKeepsWhatIsDone(t *testing.T) {
	answered := make(chan struct{})
	url, _ := service(t, answering("1", ""), answering("0", ""), func(w http.ResponseWriter, r *http.Request) {
		select {
		case answered <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	})
	d := open(t, judge(url))
	ctx, cancel := context.WithCancel(t.Context())
	var since time.Time
	go func() { <-answered; time.Sleep(50 * time.Millisecond); since = time.Now(); cancel() }()
	rows := 0
	stats, err := engine.Run(ctx, d, items(20), engine.Options{}, func(r engine.Result) error {
		if r.Err != "" {
			t.Errorf("row %d: %s", r.Row, r.Err)
		}
		rows++
		return nil
	})
	if fault.ExitCode(err) != int(fault.Interrupted) || rows != 2 || time.Since(since) > 5*time.Second {
		t.Errorf("%v with %d rows, %+v, %v after the end", err, rows, stats, time.Since(since))
	}
}
