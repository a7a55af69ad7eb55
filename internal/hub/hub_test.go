package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

const (
	repo   = "owner/guard"
	commit = "0123456789abcdef0123456789abcdef01234567"
	token  = "hf_secretsecretsecret"
)

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// weights are bytes that no two places of have in common.
var weights = func() []byte {
	var b bytes.Buffer
	for i := range 40_000 {
		fmt.Fprintf(&b, "%x,", i*i)
	}
	return b.Bytes()
}()

// request is what a server was asked.
type request struct{ path, auth, rng string }

// server is a hub, or a storage host, that remembers what it was asked.
type server struct {
	*httptest.Server
	mu  sync.Mutex
	got []request
}

// serve starts a server; the handler is told how often it was asked before.
func serve(t *testing.T, handle func(n int, w http.ResponseWriter, r *http.Request)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		n := len(s.got)
		s.got = append(s.got, request{r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Range")})
		s.mu.Unlock()
		handle(n, w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// whole answers with the weights, or the range of them that is asked for.
func whole(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Repo-Commit", commit)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(weights))
}

func client(t *testing.T, s *server, o Options) *Client {
	t.Helper()
	o.Endpoint = s.URL
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	c.pause = time.Millisecond
	return c
}

var guard = File{Repo: repo, Commit: commit, Path: "onnx/model.onnx"}

func pinned() File {
	f := guard
	f.SHA256 = digest(weights)
	return f
}

func wantWeights(t *testing.T, path, sum string, size int64, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(data, weights) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if sum != digest(weights) || size != int64(len(weights)) {
		t.Errorf("Get = %s, %d", sum, size)
	}
	if _, err := os.Lstat(path + ".part"); !os.IsNotExist(err) {
		t.Errorf("the part is left: %v", err)
	}
}

func TestGetTakesAFileOfACommit(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(w, r) })
	var done, total int64
	o := Options{Token: " " + token + "\n", Progress: func(path string, d, all int64) { done, total = d, all }}
	for name, f := range map[string]File{"pinned": pinned(), "not pinned": guard} {
		dest := filepath.Join(t.TempDir(), "a b", "model.onnx")
		sum, size, err := client(t, s, o).Get(context.Background(), f, dest)
		wantWeights(t, dest, sum, size, err)
		if done != int64(len(weights)) || total != done {
			t.Errorf("%s: progress ended at %d of %d", name, done, total)
		}
	}
	want := request{"/owner/guard/resolve/" + commit + "/onnx/model.onnx", "Bearer " + token, ""}
	if s.got[0] != want {
		t.Errorf("asked %+v, want %+v", s.got[0], want)
	}
}

func TestNamesAreEscapedInTheAddress(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(w, r) })
	f := guard
	f.Path = "a b/50%20?x#y/ü.onnx"
	dest := filepath.Join(t.TempDir(), "m")
	sum, size, err := client(t, s, Options{}).Get(context.Background(), f, dest)
	wantWeights(t, dest, sum, size, err)
	if want := "/owner/guard/resolve/" + commit + "/" + f.Path; s.got[0].path != want {
		t.Errorf("asked for %s, want %s", s.got[0].path, want)
	}
}

func TestTheTokenGoesToNoOtherHost(t *testing.T) {
	storage := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(weights))
	})
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Repo-Commit", commit)
		w.Header().Set("X-Linked-Etag", `"`+digest(weights)+`"`)
		if n == 0 { // as small files are: to another place of the hub first
			http.Redirect(w, r, "/api/resolve-cache/models/owner/guard/"+commit+"/model.onnx", http.StatusTemporaryRedirect)
			return
		}
		http.Redirect(w, r, storage.URL+"/blobs/x?signature=y", http.StatusFound)
	})
	dest := filepath.Join(t.TempDir(), "m")
	sum, size, err := client(t, s, Options{Token: token}).Get(context.Background(), guard, dest)
	wantWeights(t, dest, sum, size, err)
	for _, r := range s.got {
		if r.auth != "Bearer "+token {
			t.Errorf("the hub was asked for %s without the token", r.path)
		}
	}
	if len(s.got) != 2 || len(storage.got) != 1 || storage.got[0].auth != "" {
		t.Errorf("the hub got %v, the storage %v", s.got, storage.got)
	}
}

func TestADownloadGoesOnWhereItStopped(t *testing.T) {
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n < 2 { // promises all and sends some more of it each time
			w.Header().Set("Content-Length", fmt.Sprint(len(weights)))
			if r.Header.Get("Range") == "" {
				w.Write(weights[:50_000])
				return
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(weights)-50_000))
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 50000-%d/%d", len(weights)-1, len(weights)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(weights[50_000:90_000])
			return
		}
		whole(w, r)
	})
	dest := filepath.Join(t.TempDir(), "m")
	sum, size, err := client(t, s, Options{}).Get(context.Background(), pinned(), dest)
	wantWeights(t, dest, sum, size, err)
	var ranges []string
	for _, r := range s.got {
		ranges = append(ranges, r.rng)
	}
	if got := strings.Join(ranges, " "); got != " bytes=50000- bytes=90000-" {
		t.Errorf("asked for the ranges %q", got)
	}
}

func TestWhatAnEarlierRunLeftIsUsed(t *testing.T) {
	for name, c := range map[string]struct {
		part string
		asks int
	}{
		"a beginning":           {string(weights[:70_000]), 1},
		"all of it":             {string(weights), 0},
		"something else":        {strings.Repeat("x", 70_000), 2},
		"more than there is":    {string(weights) + "more", 2},
		"nothing, but the file": {"", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(w, r) })
			dest := filepath.Join(t.TempDir(), "m")
			if err := os.WriteFile(dest+".part", []byte(c.part), 0o666); err != nil {
				t.Fatal(err)
			}
			sum, size, err := client(t, s, Options{}).Get(context.Background(), pinned(), dest)
			wantWeights(t, dest, sum, size, err)
			if len(s.got) != c.asks {
				t.Errorf("asked %d times, want %d: %v", len(s.got), c.asks, s.got)
			}
			again, _, err := client(t, s, Options{}).Get(context.Background(), pinned(), dest)
			if err != nil || again != sum || len(s.got) != c.asks {
				t.Errorf("the whole file was asked for again: %v, %v", s.got, err)
			}
		})
	}
}

func TestAHubThatKnowsNoRangesGivesTheWhole(t *testing.T) {
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(weights)))
		if n == 0 {
			w.Write(weights[:100])
			return
		}
		w.Write(weights)
	})
	dest := filepath.Join(t.TempDir(), "m")
	sum, size, err := client(t, s, Options{}).Get(context.Background(), guard, dest)
	wantWeights(t, dest, sum, size, err)
}

func TestFailuresThatPassAreTriedAgain(t *testing.T) {
	for name, fail := range map[string]func(w http.ResponseWriter){
		"rate":        func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		"overload":    func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		"bad gateway": func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"connection dropped": func(w http.ResponseWriter) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
				if n < tries-1 {
					fail(w)
					return
				}
				whole(w, r)
			})
			var said []string
			o := Options{Log: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
			dest := filepath.Join(t.TempDir(), "m")
			sum, size, err := client(t, s, o).Get(context.Background(), pinned(), dest)
			wantWeights(t, dest, sum, size, err)
			if len(said) != tries-1 || !strings.Contains(said[0], "trying again in 1ms") ||
				!strings.Contains(said[3], "in 8ms") {
				t.Errorf("said %q", said)
			}
		})
	}
}

func TestTheHubSaysHowLongToWait(t *testing.T) {
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 0 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		whole(w, r)
	})
	dest, start := filepath.Join(t.TempDir(), "m"), time.Now()
	sum, size, err := client(t, s, Options{}).Get(context.Background(), pinned(), dest)
	wantWeights(t, dest, sum, size, err)
	if took := time.Since(start); took < time.Second {
		t.Errorf("it waited %s", took)
	}
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, c := range []struct {
		header, value string
		least, most   time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second, 7 * time.Second},
		{"Retry-After", "-7", 0, 0},
		{"Retry-After", "soon", 0, 0},
		{"Retry-After", in(time.Minute), 50 * time.Second, time.Minute},
		{"Retry-After", in(-time.Minute), 0, 0},
		{"Ratelimit", `"resolvers";r=0;t=55`, 55 * time.Second, 55 * time.Second},
		{"Ratelimit", `"resolvers";r=0;start=5`, 0, 0},
	} {
		h := http.Header{c.header: {c.value}}
		if got := delay(h); got < c.least || got > c.most {
			t.Errorf("%s %s: %s", c.header, c.value, got)
		}
	}
}

func TestAnUnreachableHubIsNamedWithoutTheAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Server: &httptest.Server{URL: "http://" + l.Addr().String()}}
	l.Close() // nobody listens there now
	_, _, err = client(t, s, Options{Token: token}).Get(context.Background(), guard, filepath.Join(t.TempDir(), "m"))
	testenv.WantFault(t, err, fault.Failed, l.Addr().String()+" cannot be reached", "check the network", EndpointVar)
	if strings.Contains(err.Error(), "resolve") || strings.Contains(err.Error(), token) {
		t.Errorf("the message %q tells too much", err)
	}
}

func TestAStalledDownloadIsTriedAgain(t *testing.T) {
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n > 0 {
			whole(w, r)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(weights)))
		w.Write(weights[:1000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	c := client(t, s, Options{})
	c.stall = 100 * time.Millisecond
	dest := filepath.Join(t.TempDir(), "m")
	sum, size, err := c.Get(context.Background(), guard, dest)
	wantWeights(t, dest, sum, size, err)
	if len(s.got) != 2 || s.got[1].rng != "bytes=1000-" {
		t.Errorf("asked %v", s.got)
	}
}

func TestGetStopsWithItsContext(t *testing.T) {
	started := make(chan bool, 1)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		w.Write(weights[:1000])
		w.(http.Flusher).Flush()
		started <- true
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-started; cancel() }()
	dest := filepath.Join(t.TempDir(), "m")
	_, _, err := client(t, s, Options{}).Get(ctx, guard, dest)
	testenv.WantFault(t, err, fault.Interrupted, "goes on from there")
}

func TestEndpointsAndTokensAreChecked(t *testing.T) {
	for endpoint, good := range map[string]bool{
		"": true, "https://hub.example": true, "https://hub.example/mirror/": true, "http://localhost:8080": true,
		"http://127.0.0.1:1": true, "http://[::1]:1": true, "http://hub.example": false, "http://localhost.example": false,
		"hub.example": false, "ftp://hub.example": false, "https://": false, "https://me:secret@hub.example": false,
		"https://hub.example?token=secret": false, "https://hub.example#x": false, "https://hub.example\x1b[2J": false,
	} {
		_, err := New(Options{Endpoint: endpoint})
		if good != (err == nil) {
			t.Errorf("endpoint %q: %v", endpoint, err)
			continue
		}
		if err != nil {
			testenv.WantFault(t, err, fault.Usage, EndpointVar)
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the message %q tells too much", err)
			}
		}
	}
	for _, bad := range []string{"two words", "line\nbreak", "ümlaut"} {
		_, err := New(Options{Token: bad})
		testenv.WantFault(t, err, fault.Usage, TokenVar)
		if strings.Contains(err.Error(), bad) {
			t.Errorf("the message %q tells too much", err)
		}
	}
}

// FuzzHeaders feeds what a hub may say beside a file: no wait is negative, and offsets and lengths are sensible.
func FuzzHeaders(f *testing.F) {
	f.Add("3", `"api";r=0;t=9`, "bytes 5-9/10", `"`+strings.Repeat("a", 64)+`"`, "10")
	f.Add("Fri, 31 Dec 1999 23:59:59 GMT", "t=", "bytes */10", "W/", "-1")
	f.Add("99999999999999999999", "t=999999", "bytes 999999999999999999-0/*", "", "999999999999999999999")
	f.Fuzz(func(t *testing.T, after, rate, content, tag, size string) {
		if d := delay(http.Header{"Retry-After": {after}, "Ratelimit": {rate}}); d < 0 {
			t.Errorf("a wait of %s", d)
		}
		said := http.Header{"X-Linked-Etag": {tag}, "X-Linked-Size": {size}}
		for _, status := range []int{http.StatusOK, http.StatusPartialContent} {
			a, err := read(&http.Response{StatusCode: status, ContentLength: -1, Body: http.NoBody,
				Header: http.Header{"Content-Range": {content}}}, said)
			if err == nil && (a.offset < 0 || a.total < -1 || a.sha256 != "" && len(a.sha256) != 64) {
				t.Errorf("read as %+v", a)
			}
		}
	})
}
