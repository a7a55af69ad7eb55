package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestRequestsFollowTheProtocol(t *testing.T) {
	var body []byte
	url, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" ||
			r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		body, _ = io.ReadAll(r.Body)
		answering("1", "")(w, r)
	})
	ask := func(e detect.Entry, seed int, text string) {
		t.Helper()
		d, err := Open(e, seed, environment)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if score, err := d.Score(t.Context(), text); err != nil || score != 1 {
			t.Fatalf("%v, %v", score, err)
		}
	}
	for _, end := range []string{"/v1", "/v1/", "/v1/chat/completions"} {
		e := judge(url)
		e.Chat.URL = url + end
		ask(e, 0, `a "quoted" <b> & ünï \ text`)
		const want = `{"logprobs":true,"max_tokens":1,"messages":[{"role":"system","content":"Answer 1 or 0."},` +
			`{"role":"user","content":"a \"quoted\" <b> & ünï \\ text"}],"model":"small-1","seed":0,"temperature":0,"top_logprobs":5}`
		if got := strings.TrimSpace(string(body)); got != want {
			t.Errorf("%s: body\n%s\nwant\n%s", end, got, want)
		}
	}
	e := judge(url)
	e.Chat.Instruction, e.Chat.TopLogprobs = "", 0
	e.Chat.Request = map[string]any{"temperature": nil, "max_tokens": nil, "max_completion_tokens": uint64(16),
		"chat_template_kwargs": map[string]any{"enable_thinking": false}}
	ask(e, 42, "text")
	const want = `{"chat_template_kwargs":{"enable_thinking":false},"max_completion_tokens":16,` +
		`"messages":[{"role":"user","content":"text"}],"model":"small-1","seed":42}`
	if got := strings.TrimSpace(string(body)); got != want {
		t.Errorf("body\n%s\nwant\n%s", got, want)
	}
	ask(e, 42, strings.Repeat("long ", 100_000))
	if !json.Valid(body) || len(body) < 500_000 {
		t.Errorf("a long text came as %d bytes", len(body))
	}
}

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			c.Close()
		}
	}
	for name, first := range map[string]http.HandlerFunc{
		"408": status(408, ""), "429": status(429, `{"error":{"code":"rate_limit_exceeded"}}`), "500": status(500, "oops"),
		"503": status(503, `{"error":{"message":"Loading model"}}`), "529": status(529, ""), "torn": torn, "hung up": hangUp,
		"never": never,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, n := service(t, first, first, answering("1", content(top("1", "1", 0.75, "0", 0.25))))
			e := judge(url)
			if name == "never" {
				e.Chat.Timeout = 2
			}
			d := open(t, e)
			score, err := d.Score(t.Context(), "text")
			if err != nil || score != 0.75 || n.Load() != 3 {
				t.Errorf("%v, %v after %d requests", score, err, n.Load())
			}
			if r := d.Report()[0]; !strings.Contains(r, "3 requests (2 of them repetitions), 90 tokens in, 1 out") {
				t.Errorf("report %q", r)
			}
		})
	}
}

func TestRetriesEndAndAreNoVerdict(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"500", status(500, "oops"), "the server answered with status 500, the last of 3 requests"},
		{"torn", torn, "the server broke the connection, the last of 3 requests"},
		{"never", never, "the server gave no whole answer within 1 s, the last of 3 requests"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, n := service(t, tt.handler)
			e := judge(url)
			e.Chat.Tries = 3
			if tt.name == "never" {
				e.Chat.Timeout = 1
			}
			score, err := open(t, e).Score(t.Context(), "text")
			if err == nil || err.Error() != tt.want || n.Load() != 3 || score != 0 {
				t.Errorf("%v, %v after %d requests, want %s", score, err, n.Load(), tt.want)
			}
		})
	}
}

func TestTheServersWaitIsHonoured(t *testing.T) {
	wait := func(value string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", value)
			status(429, "")(w, r)
		}
	}
	d, n := serve(t, wait("1"), answering("1", ""))
	start := time.Now()
	if _, err := d.Score(t.Context(), "text"); err != nil || n.Load() != 2 || time.Since(start) < time.Second {
		t.Errorf("%v after %d requests and %v", err, n.Load(), time.Since(start))
	}
	d, n = serve(t, wait("86400"), answering("1", "")) // nobody waits a day for a row
	if _, err := d.Score(t.Context(), "text"); err == nil || n.Load() != 1 {
		t.Errorf("%v after %d requests", err, n.Load())
	}
}

func TestWaitsGrowAndBelongToTheText(t *testing.T) {
	for n := 1; n <= 40; n++ {
		full := min(time.Second<<min(n-1, 16), time.Minute)
		a, b := backoff(time.Second, "one text", n), backoff(time.Second, "another", n)
		if a < full/2 || a > full || b < full/2 || b > full || a == b || a != backoff(time.Second, "one text", n) {
			t.Errorf("wait %d is %v and %v", n, a, b)
		}
	}
}

func TestADeadServerEndsTheRunAndALivingOneDoesNot(t *testing.T) {
	var down atomic.Bool
	url, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			status(503, `{"error":"out of memory"}`)(w, r)
			return
		}
		answering("1", "")(w, r)
	})
	e := judge(url)
	e.Chat.Tries = 1
	d := open(t, e)
	var stop *detect.StopError
	for range 3 {
		down.Store(true)
		for range mostLost - 1 {
			if _, err := d.Score(t.Context(), "text"); err == nil || errors.As(err, &stop) {
				t.Fatal(err)
			}
		}
		down.Store(false)
		if _, err := d.Score(t.Context(), "text"); err != nil {
			t.Fatal(err)
		}
	}
	down.Store(true)
	var err error
	for range mostLost {
		_, err = d.Score(t.Context(), "text")
	}
	if !errors.As(err, &stop) {
		t.Fatal(err)
	}
	testenv.WantFault(t, stop.Err, fault.Failed, "10 texts in a row had no answer", "status 503: out of memory", "run the same command")
	// Texts that are too long one after the other are no dead server.
	d, _ = serve(t, status(400, `{"error":{"code":"context_length_exceeded"}}`))
	for range 3 * mostLost {
		if _, err := d.Score(t.Context(), "text"); errors.As(err, &stop) {
			t.Fatal(err)
		}
	}
}

func TestACancelledContextEndsRequestsAndWaits(t *testing.T) {
	left := make(chan struct{}, 1)
	for name, handler := range map[string]http.HandlerFunc{
		"a request": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done(); left <- struct{}{} },
		"a wait":    status(503, ""),
	} {
		d, _ := serve(t, handler)
		d.pause = time.Hour
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		start := time.Now()
		if _, err := d.Score(ctx, "text"); !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(start))
		}
	}
	select {
	case <-left:
	case <-time.After(5 * time.Second):
		t.Error("the server was not told")
	}
	d, _ := serve(t, never)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := d.Ready(ctx); fault.ExitCode(err) != int(fault.Interrupted) {
		t.Errorf("got %v", err)
	}
}
