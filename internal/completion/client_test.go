package completion

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const key = "sk-very-secret-key-0123456789"

// sent sends a request to a server on this machine at a path below it, with http or https as told.
func sent(t *testing.T, handler http.HandlerFunc, tls bool, scheme, path string) (*Reply, *Failure) {
	t.Helper()
	srv := httptest.NewUnstartedServer(handler)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	if tls {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(srv.Close)
	_, host, _ := strings.Cut(srv.URL, "://")
	c := New(scheme+"://"+host+path, key, 20*time.Second, 1)
	defer c.Close()
	r, f, _ := c.Send(t.Context(), []byte("{}"))
	return r, f
}

func body(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

// A newcomer's address is often almost right: the failure says in which part it is not.
func TestAWrongAddressIsToldFromAServerThatFails(t *testing.T) {
	const page = "<!DOCTYPE html><title>Welcome</title>"
	good := body(200, `{"choices":[{"message":{"content":"1"}}]}`)
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		tls     bool
		scheme  string
		path    string
		kind    Outcome
		what    string
		address string
	}{
		{"a page", body(200, page), false, "http", "", Garbled, "sent an HTML page, not JSON", "is its path …/v1? http://127.0.0.1:"},
		{"a page at the right path", body(200, page), false, "http", "/v1", Garbled, "sent an HTML page, not JSON",
			"a page for people is there"},
		{"no JSON", body(200, "ok"), false, "http", "", Garbled, "sent no chat completion", ""},
		{"not found", body(404, "404 page not found"), false, "http", "/", Lasting, "answered with status 404", "is its path …/v1?"},
		{"not found below a version", body(404, "404 page not found"), false, "http", "/api/v3", Lasting,
			"answered with status 404", ""},
		{"no such model", body(404, `{"error":{"message":"model m not found"}}`), false, "http", "", Lasting,
			"answered with status 404", ""},
		{"no such method", body(405, page), false, "http", "", Lasting, "answered with status 405 and an HTML page",
			"is its path …/v1?"},
		{"a server of files", body(501, page), false, "http", "", Lasting, "answered with status 501 and an HTML page",
			"is its path …/v1?"},
		{"a proxy", body(503, page), false, "http", "", Passing, "answered with status 503 and an HTML page, as a proxy does", ""},
		{"https to http", good, false, "https", "/v1", Lasting, "speaks http, not https", "write http:// in the place of https://"},
		{"http to https", good, true, "http", "/v1", Lasting, "speaks https, not http", "write https:// in the place of http://"},
		{"http to https of nginx", body(400, "<html><title>400 The plain HTTP request was sent to HTTPS port</title>"), false,
			"http", "/v1", Lasting, "speaks https, not http", "write https://"},
		{"a certificate", good, true, "https", "/v1", Lasting, untrusted, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, f := sent(t, tt.handler, tt.tls, tt.scheme, tt.path)
			if f == nil || f.Kind != tt.kind || !strings.HasPrefix(f.What, tt.what) || !strings.HasPrefix(f.Address, tt.address) ||
				tt.address == "" && f.Address != "" || f.Untrusted() != (tt.what == untrusted) {
				t.Errorf("got %+v", f)
			}
		})
	}
	for _, path := range []string{"/v1", "/v1/", "/v1/chat/completions"} {
		if r, f := sent(t, good, false, "http", path); f != nil || r.Choices[0].Message.Content != "1" {
			t.Errorf("%s: %+v, %+v", path, r, f)
		}
	}
}

// A server of files answers the beginning of a TLS connection with a page, and not as HTTP has it.
func TestABarePageIsNoTLS(t *testing.T) {
	_, f, _ := New("https://"+bare(t, "<!DOCTYPE HTML>\n<title>400</title>\n")+"/v1", "", 20*time.Second, 1).Send(t.Context(), nil)
	if f == nil || f.Kind != Lasting || f.Address != toHTTP {
		t.Errorf("got %+v", f)
	}
}

// A server that answers in TLS alone says so by an alert, which is no HTTP.
func TestAnAlertOfTLSIsUnderstood(t *testing.T) {
	_, f, _ := New("http://"+bare(t, "\x15\x03\x01\x00\x02\x02\x46\r\n")+"/v1", "", 20*time.Second, 1).Send(t.Context(), nil)
	if f == nil || f.Kind != Lasting || f.Address != toHTTPS {
		t.Errorf("got %+v", f)
	}
}

// bare returns the host of a server that answers whatever comes with these bytes.
func bare(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte(answer))
			conn.Close()
		}
	}()
	return l.Addr().String()
}

func TestTheKeyIsInNoFailure(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"message": body(400, `{"error":{"message":"bad `+key+`","code":"`+key+`"}}`), "detail": body(404, `{"detail":"`+key[:12]+`"}`),
		"choices": body(200, `{"error":"`+key+`"}`),
		"place": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.invalid/"+key, http.StatusFound)
		},
	} {
		if _, f := sent(t, handler, false, "http", "/v1"); f == nil || strings.Contains(fmt.Sprintf("%+v", f), key[:8]) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestTheServersWaitIsRead(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0.5": time.Second / 2, "-1": 0, "soon": 0, "NaN": 0, "1e300": 0,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("Retry-After %q is %v, want %v", value, got, want)
		}
	}
}
