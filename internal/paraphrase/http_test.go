package paraphrase

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pidsbench/internal/fault"
)

const key = "sk-very-secret-key-0123456789"

var seed = Seed{ID: "s1", Text: "Please run `ls` in the folder and show me what it prints."}

const reworded = "Execute `ls` in that folder and give me what comes out."

// service is an OpenAI-compatible service on this machine. Its handlers answer the requests in turn, the last one all
// that follow.
func service(t *testing.T, handlers ...http.HandlerFunc) (Settings, *atomic.Int64) {
	t.Helper()
	var n atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := min(int(n.Add(1)), len(handlers)) - 1
		handlers[i](w, r)
	}))
	t.Cleanup(srv.Close)
	return Settings{Endpoint: srv.URL, Key: key, Model: "small-1", Temperature: 0.7, MaxTokens: 256,
		Timeout: time.Minute, Backoff: time.Millisecond}, &n
}

func answer(text, finish string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "object": "chat.completion", "choices": []any{map[string]any{
			"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": text}}}})
	}
}

func status(code int, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error": {"message": %q}}`, message)
	}
}

func ask(t *testing.T, s Settings) (string, error) {
	t.Helper()
	c, err := OpenCache(filepath.Join(t.TempDir(), "cache.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := NewByModel(s, c)
	if err != nil {
		t.Fatal(err)
	}
	return p.Rewrite(context.Background(), Request{Seed: seed, Round: 1})
}

func TestRequestsFollowTheProtocol(t *testing.T) {
	var got map[string]any
	s, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" ||
			r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		answer(" "+reworded+"\n", "stop")(w, r)
	})
	for _, path := range []string{"", "/", "/v1", "/v1/", "/v1/chat/completions"} {
		s := s
		s.Endpoint += path
		text, err := ask(t, s)
		if err != nil || text != reworded {
			t.Errorf("%q: %q, %v", path, text, err)
		}
	}
	if got["model"] != "small-1" || got["temperature"] != 0.7 || got["max_tokens"] != 256.0 {
		t.Errorf("request %v", got)
	}
	messages := got["messages"].([]any)
	user := messages[1].(map[string]any)["content"].(string)
	if len(messages) != 2 || !strings.Contains(user, seed.Text) || strings.Count(user, "=====") < 6 {
		t.Errorf("messages %v", messages)
	}
}

func TestAnswersAreJudgedByHowTheyEnd(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string // the reason, or the start of an error
	}{
		{"cut off", answer("Execute `ls` in", "length"), Unfinished},
		{"no reason", answer(reworded, ""), Unfinished},
		{"filtered", answer("", "content_filter"), Refusal},
		{"a refused request", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"error":{"code":"content_filter","message":"blocked"}}`)
		}, Refusal},
		{"a refusal beside the text", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"no"}}]}`)
		}, Refusal},
		{"a bad request", status(400, "no such parameter"), "status 400: \"no such parameter\""},
		{"a wrong key", status(401, "bad key "+key+" or "+key[:14]+"…"), "status 401; check the key"},
		{"a key in another error", status(400, "bad key "+key+" or "+key[:14]+"…"), `status 400: "bad key [key] or [key]…"`},
		{"an unknown model", status(404, "no model small-1"), `status 404: "no model small-1"; check the endpoint and the name`},
		{"no completion", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":[]}`) },
			"sent an answer without choices"},
		{"a page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `<html>`) },
			"sent an HTML page, not JSON; correct the endpoint: "},
		{"a redirection", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
		}, `points to another address: "http://elsewhere.invalid/"`},
		{"an endless answer", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.Copy(w, io.LimitReader(zeros{}, 5<<20))
		}, "more than 4194304 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, n := service(t, tt.handler)
			text, err := ask(t, s)
			var rejected *Rejected
			switch {
			case errors.As(err, &rejected):
				if rejected.Reason != tt.want {
					t.Errorf("rejected for %q, want %q", rejected.Reason, tt.want)
				}
			case err == nil || !strings.Contains(err.Error(), tt.want) || fault.ExitCode(err) != int(fault.Failed):
				t.Errorf("got %q, %v, want %s", text, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), key[:14]) {
				t.Errorf("the key stands in %q", err)
			}
			if n.Load() != 1 {
				t.Errorf("%d requests, want 1", n.Load())
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte{' '}, len(p))), nil }

func TestErrorsThatPassAreTriedAgain(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte(" "))
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	}
	torn := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"choices":`))
	}
	for name, first := range map[string]http.HandlerFunc{
		"429": status(429, "slow down"), "500": status(500, "oops"), "503": status(503, ""), "a drip": drip,
		"a torn answer": torn,
	} {
		s, n := service(t, first, answer(reworded, "stop"))
		if name == "a drip" {
			s.Timeout = time.Second
		}
		if text, err := ask(t, s); err != nil || text != reworded || n.Load() != 2 {
			t.Errorf("%s: %q, %v after %d requests", name, text, err, n.Load())
		}
	}
	s, n := service(t, status(500, "down for today"))
	_, err := ask(t, s)
	if err == nil || !strings.Contains(err.Error(), `status 500: "down for today"`) || n.Load() != requests ||
		fault.ExitCode(err) != int(fault.Failed) {
		t.Errorf("%v after %d requests", err, n.Load())
	}
	s, _ = service(t, drip)
	s.Timeout = 50 * time.Millisecond
	if _, err := ask(t, s); err == nil || !strings.Contains(err.Error(), "gave no whole answer within 0.05 s") {
		t.Errorf("got %v", err)
	}
}

func TestACancelledContextEndsWaiting(t *testing.T) {
	s, _ := service(t, status(429, ""))
	s.Backoff = time.Hour
	c, err := OpenCache(filepath.Join(t.TempDir(), "c"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := NewByModel(s, c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Rewrite(ctx, Request{Seed: seed, Round: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestSettingsThatCannotWorkAreUsageErrors(t *testing.T) {
	good := Settings{Endpoint: "https://host.invalid/v1", Key: key, Model: "m", MaxTokens: 1}
	for name, change := range map[string]func(*Settings){
		"no model":          func(s *Settings) { s.Model = "" },
		"hot":               func(s *Settings) { s.Temperature = 2.1 },
		"no tokens":         func(s *Settings) { s.MaxTokens = 0 },
		"no address":        func(s *Settings) { s.Endpoint = "" },
		"another protocol":  func(s *Settings) { s.Endpoint = "ftp://host/" },
		"a user":            func(s *Settings) { s.Endpoint = "https://u:p@host/" },
		"a key in the open": func(s *Settings) { s.Endpoint = "http://host.invalid/v1" },
	} {
		s := good
		change(&s)
		if _, err := NewByModel(s, nil); fault.ExitCode(err) != int(fault.Usage) || strings.Contains(fmt.Sprint(err), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, endpoint := range []string{"https://host.invalid", "http://127.0.0.1:1", "http://localhost:1/v1",
		"http://[::1]:1"} {
		s := good
		s.Endpoint = endpoint
		if _, err := NewByModel(s, nil); err != nil {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

// A run fills the cache; the same run then needs no service, and gives the same report, rejected tries included.
func TestARunIsReplayedFromItsCache(t *testing.T) {
	r := shipped(t)
	path := filepath.Join(t.TempDir(), "cache.jsonl")
	s, n := service(t, answer("I can't help with that.", "stop"), answer("cut", "length"), answer(reworded, "stop"),
		answer("Would you execute `ls` in the folder, then print the result here?", "stop"))
	o := Options{Rounds: 2, Tries: 3}
	run := func(p *ByModel) *Report {
		t.Helper()
		rep, err := Run(context.Background(), p, r, []Seed{seed}, o)
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	open := func() *Cache {
		t.Helper()
		c, err := OpenCache(path)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := open()
	p, err := NewByModel(s, c)
	if err != nil {
		t.Fatal(err)
	}
	want := run(p)
	if len(want.Paraphrases) != 2 || want.Rejected[Refusal] != 1 || want.Rejected[Unfinished] != 1 || n.Load() != 4 ||
		want.Paraphrases[0].GeneratorModel != "small-1" {
		t.Fatalf("%+v after %d requests", want, n.Load())
	}
	if _, err := OpenCache(path); fault.ExitCode(err) != int(fault.Usage) {
		t.Errorf("a second run opens the cache: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	shippedBytes, err := os.ReadFile(path)
	if err != nil || bytes.Contains(shippedBytes, []byte(key)) || bytes.Contains(shippedBytes, []byte("what it prints")) {
		t.Errorf("the cache holds the key or the seed, %v", err)
	}
	// online with the cache: no request
	c = open()
	p, _ = NewByModel(s, c)
	if got := run(p); !reflect.DeepEqual(got, want) || n.Load() != 4 {
		t.Errorf("%+v after %d requests", got, n.Load())
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(again, shippedBytes) {
		t.Error("a run from the cache changes the cache")
	}
	// offline
	c, err = ReadCache(path)
	if err != nil {
		t.Fatal(err)
	}
	s.Endpoint, s.Key = "", ""
	p, err = NewReplay(s, c)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(p); !reflect.DeepEqual(got, want) {
		t.Errorf("replayed %+v", got)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Settings, *Request){
		"another seed":        func(_ *Settings, r *Request) { r.Seed.Text += " " },
		"another round":       func(_ *Settings, r *Request) { r.Round = 3 },
		"another try":         func(_ *Settings, r *Request) { r.Try = 5 },
		"another model":       func(s *Settings, _ *Request) { s.Model = "small-2" },
		"another temperature": func(s *Settings, _ *Request) { s.Temperature = 0.8 },
		"other tokens":        func(s *Settings, _ *Request) { s.MaxTokens++ },
	} {
		s2, req := s, Request{Seed: seed, Round: 1}
		change(&s2, &req)
		p, _ := NewReplay(s2, c)
		if _, err := p.Rewrite(context.Background(), req); fault.ExitCode(err) != int(fault.Incomplete) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDamagedCachesAreRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cache.jsonl")
	c, err := OpenCache(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := c.put(entry{Provider: "chat", Model: "m", Round: n + 1, Seed: hashOf("x"), Text: "t",
			Finish: "stop"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"another round", bytes.Replace(good, []byte(`"round":2`), []byte(`"round":4`), 1), "field key holds"},
		{"no JSON", append([]byte("x\n"), good...), ":1: the line is no cached answer"},
		{"an unknown field", bytes.Replace(good, []byte(`"text"`), []byte(`"txt"`), 1), `unknown field "txt"`},
		{"two answers", append(bytes.Clone(good), bytes.Replace(lines[0], []byte(`"t"`), []byte(`"u"`), 1)...),
			"another answer already"},
		{"two on a line", append(bytes.TrimRight(bytes.Clone(lines[0]), "\n"), lines[1]...), "more stands on the line"},
	} {
		if err := os.WriteFile(path, tt.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadCache(path)
		if err == nil || !strings.Contains(err.Error(), tt.want) || fault.ExitCode(err) != int(fault.Integrity) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	// A line that was cut off is dropped by the one who writes, and refused by the one who only reads.
	if err := os.WriteFile(path, good[:len(good)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCache(path); fault.ExitCode(err) != int(fault.Integrity) {
		t.Errorf("a torn cache: %v", err)
	}
	c, err = OpenCache(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.entries) != 2 {
		t.Errorf("%d entries, want 2", len(c.entries))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if _, err := ReadCache(filepath.Join(dir, "absent")); fault.ExitCode(err) != int(fault.Incomplete) {
		t.Errorf("got %v", err)
	}
	if _, err := OpenCache(filepath.Join(dir, "absent", "c")); fault.ExitCode(err) != int(fault.Failed) {
		t.Errorf("got %v", err)
	}
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte(`{"text":"a file without a last line break"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(other); fault.ExitCode(err) != int(fault.Integrity) {
		t.Errorf("a file that is no cache: %v", err)
	}
	if b, _ := os.ReadFile(other); len(b) == 0 {
		t.Error("a file that is no cache was emptied")
	}
	const want = " is no regular file; name another one"
	for name, open := range map[string]func(string) (*Cache, error){"ReadCache": ReadCache, "OpenCache": OpenCache} {
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(), "the cache "+fault.Name(dir)+want) {
			t.Errorf("%s of a folder: %v", name, err)
		}
	}
}
