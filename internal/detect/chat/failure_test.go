package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestWhatConcernsOneTextIsTheErrorOfItsRow(t *testing.T) {
	const secret = "TEXT-OF-THE-ROW"
	endless := func(w http.ResponseWriter, r *http.Request) {
		for range 8 << 10 {
			if _, err := w.Write(bytes.Repeat([]byte(" "), 1024)); err != nil {
				return
			}
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"a refusal beside the text", raw(`{"choices":[{"message":{"content":null,"refusal":"` + secret + `"}}]}`),
			"the model refused to answer"},
		{"a filtered answer", raw(`{"choices":[{"finish_reason":"content_filter","message":{"content":"1"}}]}`),
			"a content filter withheld the answer"},
		{"a filtered request", status(400, `{"error":{"code":"content_filter","message":"`+secret+`"}}`),
			"a content filter withheld the answer"},
		{"a filtered request by type", status(400, `{"error":{"type":"content_policy_violation","code":null}}`),
			"a content filter withheld the answer"},
		{"a moderated request", status(403, `{"error":{"code":403,"metadata":{"reasons":["x"],"flagged_input":"`+secret+`"}}}`),
			"a content filter withheld the answer"},
		{"a text that is too long", status(400, `{"error":{"message":"`+secret+`","type":"invalid_request_error","code":"context_length_exceeded"}}`),
			"the server answered with status 400 (invalid_request_error, context_length_exceeded)"},
		{"a code that is the text", status(400, `{"error":{"message":"x","code":"`+secret+` is no name"}}`),
			"the server answered with status 400"},
		{"an invalid field", status(422, `{"detail":"`+secret+`"}`), "the server answered with status 422"},
		{"a plain error", status(413, secret), "the server answered with status 413"},
		{"no choices", raw(`{"choices":[]}`), "the server sent an answer without choices"},
		{"an error in a good answer", raw(`{"error":{"message":"` + secret + `","code":"overloaded"}}`),
			"the server sent an answer without choices (overloaded)"},
		{"garbage", raw(`{"choices":[{"message":` + secret), "the server sent no chat completion"},
		{"more than one answer", raw(`{"choices":[{"message":{"content":"1"}}]}{}`), "the server sent no chat completion"},
		{"text of another type", raw(`{"choices":[{"message":{"content":["1"]}}]}`), "the server sent no chat completion"},
		{"a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>1</html>")
		}, "the server sent an HTML page, not JSON"},
		{"nothing", raw(""), "the server sent no chat completion"},
		{"an endless answer", endless, "the server answered with more than 4194304 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, n := serve(t, tt.handler)
			score, err := d.Score(t.Context(), secret)
			var stop *detect.StopError
			if err == nil || err.Error() != tt.want || errors.As(err, &stop) || n.Load() != 1 || score != 0 {
				t.Errorf("%v, %v after %d requests, want %s", score, err, n.Load(), tt.want)
			}
		})
	}
	// The wrong content type alone is no error.
	d, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"choices":[{"message":{"content":"1"}}]}`)
	})
	if score, err := d.Score(t.Context(), "text"); err != nil || score != 1 {
		t.Errorf("%v, %v", score, err)
	}
}

func TestWhatConcernsEveryTextEndsTheRun(t *testing.T) {
	var strayed atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	defer other.Close()
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    []string
	}{
		{"401", status(401, `{"error":{"message":"Incorrect API key provided: `+key[:11]+`***6789"}}`),
			[]string{"answered with status 401", "check the key in JUDGE_KEY"}},
		{"403", status(403, ""), []string{"status 403", "JUDGE_KEY"}},
		{"404", status(404, `{"error":{"message":"The model small-1 does not exist"}}`),
			[]string{"status 404: The model small-1 does not exist", "check url and model"}},
		{"405", status(405, `{"detail":"Method Not Allowed"}`), []string{"status 405: Method Not Allowed; correct url in the entry"}},
		{"402", status(402, `{"error":"no credit"}`), []string{"status 402: no credit", "check the account's credit"}},
		{"no quota", status(429, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`),
			[]string{"(insufficient_quota): You exceeded your quota", "check the account's credit"}},
		{"a redirection", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
		}, []string{"points to another address: " + other.URL, "where you trust it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, n := serve(t, tt.handler)
			_, err := d.Score(t.Context(), "text")
			var stop *detect.StopError
			if !errors.As(err, &stop) || n.Load() != 1 {
				t.Fatalf("%v after %d requests", err, n.Load())
			}
			testenv.WantFault(t, stop.Err, fault.Failed, tt.want...)
			if !strings.Contains(err.Error(), "the server at 127.0.0.1:") || strings.Contains(err.Error(), key[:8]) {
				t.Error(err)
			}
			testenv.WantFault(t, d.Ready(t.Context()), fault.Incomplete, tt.want...)
		})
	}
	if strayed.Load() != 0 {
		t.Error("a text went to another address")
	}
	srv := httptest.NewUnstartedServer(answering("1", ""))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	_, err := open(t, judge(srv.URL)).Score(t.Context(), "text")
	var stop *detect.StopError
	if !errors.As(err, &stop) {
		t.Fatal(err)
	}
	testenv.WantFault(t, stop.Err, fault.Failed, "certificate that does not hold", "authority")
}

func TestReadySaysWhetherTextsCanBeScored(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"an answer": answering("1", ""), "a refusal": answering("I'm sorry", ""), "a busy server": status(429, ""),
		"a filter": status(400, `{"error":{"code":"content_filter"}}`),
	} {
		d, n := serve(t, handler)
		if err := d.Ready(t.Context()); err != nil || n.Load() != 1 {
			t.Errorf("%s: %v after %d requests", name, err, n.Load())
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    []string
	}{
		{"loading", status(503, `{"error":{"message":"Loading model"}}`), []string{"status 503: Loading model", "when it works"}},
		{"an unknown field", status(400, `{"error":{"message":"Unsupported parameter: 'max_tokens'"}}`),
			[]string{"Unsupported parameter: 'max_tokens'", "the entry's field request"}},
		{"another service", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>")
		}, []string{"sent an HTML page, not JSON; correct url in the entry: a page for people is there, or a proxy's"}},
		{"a proxy", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(502)
			fmt.Fprint(w, "<!DOCTYPE html><title>Bad gateway</title>")
		}, []string{"answered with status 502 and an HTML page, as a proxy does; run the same command again when it works"}},
	} {
		d, n := serve(t, tt.handler)
		testenv.WantFault(t, d.Ready(t.Context()), fault.Incomplete, tt.want...)
		if n.Load() != 1 {
			t.Errorf("%s: %d requests", tt.name, n.Load())
		}
	}
	for end, cure := range map[string]string{
		"": "is its path …/v1? ", "/v1": "check url and model in the entry", "/v1beta/openai": "check url and model",
	} {
		url, _ := service(t, status(404, `{"detail":"Not Found"}`))
		e := judge(url)
		e.Chat.URL = url + end
		testenv.WantFault(t, open(t, e).Ready(t.Context()), fault.Incomplete, "status 404: Not Found; ", cure)
	}
	srv := httptest.NewServer(nil)
	e := judge(srv.URL)
	srv.Close()
	testenv.WantFault(t, open(t, e).Ready(t.Context()), fault.Incomplete, "cannot be reached: ", "connection refused", "start it")
	url, _ := service(t, status(401, ""))
	e = judge(url)
	e.Chat.APIKeyEnv = ""
	testenv.WantFault(t, open(t, e).Ready(t.Context()), fault.Incomplete, "status 401", "api_key_env")
}

func TestTheKeyComesFromTheEnvironment(t *testing.T) {
	for value, want := range map[string]string{
		"": "JUDGE_KEY, which holds its key, is not set", " \n": "is not set", key + " x": "holds no key", key + "é": "holds no key",
		key + "\nHost: x": "holds no key",
	} {
		_, err := Open(judge("http://127.0.0.1"), 0, func(string) string { return value })
		testenv.WantFault(t, err, fault.Incomplete, want)
		if strings.Contains(err.Error(), key[:8]) {
			t.Errorf("the key stands in %q", err)
		}
	}
	e := judge("http://127.0.0.1")
	e.Chat.APIKeyEnv = ""
	if _, err := Open(e, 0, func(string) string { t.Error("the environment was asked"); return "" }); err != nil {
		t.Error(err)
	}
}

// A server that repeats the key does not get it into errors, score files or reports.
func TestARepeatedKeyIsTakenOut(t *testing.T) {
	for _, part := range []string{key, key[:20], "Bearer " + key, key + key} {
		quoted, _ := json.Marshal(part)
		for _, h := range []http.HandlerFunc{
			status(400, fmt.Sprintf(`{"error":{"message":%s,"type":%s,"code":%s}}`, quoted, quoted, quoted)),
			status(404, fmt.Sprintf(`{"error":{"message":%s}}`, quoted)),
			status(500, fmt.Sprintf(`{"error":%s}`, quoted)),
			status(500, fmt.Sprintf(`{"message":%s}`, quoted)),
			raw(fmt.Sprintf(`{"model":%s,"system_fingerprint":%s,"choices":[{"message":{"content":%s}}]}`, quoted, quoted, quoted)),
			raw(fmt.Sprintf(`{"model":%s,"error":{"message":%s,"code":%s}}`, quoted, quoted, quoted)),
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://elsewhere.invalid/"+key, http.StatusFound)
			},
		} {
			url, _ := service(t, h)
			e := judge(url)
			e.Chat.Tries = 1
			d := open(t, e)
			said := fmt.Sprint(d.Ready(t.Context()))
			for range mostLost {
				_, err := d.Score(t.Context(), "text")
				said += fmt.Sprint(err)
			}
			said += strings.Join(d.Report(), "\n")
			if strings.Contains(said, key[:8]) {
				t.Errorf("the key stands in %s", said)
			}
		}
	}
}

func TestDescriptionsNeedNoServer(t *testing.T) {
	e := judge("http://127.0.0.1:1")
	d := open(t, e)
	info := d.Info()
	if want := Describe(e, 0); info.ID != want.ID || info.ConfigHash != e.Hash() || info.DisplayName != "judge" ||
		info.Kind != "chat" || info.Runtime == "" || len(info.Files) != 0 {
		t.Errorf("%+v", info)
	}
	if strings.Contains(fmt.Sprintf("%+v", info), key) {
		t.Errorf("the key stands in %+v", info)
	}
}
