package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"pidsbench/internal/detect"
)

const key = "sk-very-secret-key-0123456789"

// judge is an entry that asks for one character.
func judge(url string) detect.Entry {
	return detect.Entry{ID: "judge", Kind: "chat", Chat: &detect.Chat{
		URL: url + "/v1", APIKeyEnv: "JUDGE_KEY", Model: "small-1", Instruction: "Answer 1 or 0.", Positive: "1", Negative: "0",
		MaxTokens: 1, TopLogprobs: 5, Timeout: 20,
	}}
}

func environment(name string) string {
	if name == "JUDGE_KEY" {
		return key
	}
	return ""
}

// open returns the detector with short pauses.
func open(t testing.TB, e detect.Entry) *Detector {
	t.Helper()
	d, err := Open(e, 0, environment)
	if err != nil {
		t.Fatal(err)
	}
	d.pause = time.Millisecond
	t.Cleanup(func() { d.Close() })
	return d
}

// service is a server on this machine. Its handlers answer the requests in turn, the last one all that follow.
func service(t testing.TB, handlers ...http.HandlerFunc) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = &atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // only then does the server notice that a client leaves
		r.Body = io.NopCloser(bytes.NewReader(body))
		handlers[min(int(requests.Add(1)), len(handlers))-1](w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, requests
}

// serve returns a detector that asks the service.
func serve(t testing.TB, handlers ...http.HandlerFunc) (*Detector, *atomic.Int64) {
	t.Helper()
	url, n := service(t, handlers...)
	return open(t, judge(url)), n
}

// answering answers with a text and, unless it is empty, the JSON of log-probabilities.
func answering(text, logprobs string) http.HandlerFunc {
	if logprobs == "" {
		logprobs = "null"
	}
	content, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return raw(fmt.Sprintf(`{"id":"x","object":"chat.completion","model":"small-1","choices":[{"index":0,"finish_reason":"stop",
		"message":{"role":"assistant","content":%s},"logprobs":%s}],"usage":{"prompt_tokens":90,"completion_tokens":1,
		"total_tokens":91}}`, content, logprobs))
}

func raw(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// never takes the request and sends nothing until the client leaves.
func never(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// torn closes the connection in the middle of an answer.
func torn(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"choices":[`))
}
