package hub

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestRefusalsSayWhatToDo(t *testing.T) {
	code := func(status int, code, words string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Error-Code", code)
			w.Header().Set("X-Error-Message", words)
			w.WriteHeader(status)
		}
	}
	redirect := func(to string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}
	body := func(data string, headers ...string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.Write([]byte(data)) //nolint:errcheck // the client sees it
		}
	}
	storage := serve(t, code(404, "", ""))
	for name, c := range map[string]struct {
		handle func(int, http.ResponseWriter, *http.Request)
		token  string
		edit   func(*File)
		kind   fault.Kind
		say    []string
	}{
		"gated, nobody": {code(401, "GatedRepo", ""), "", nil, fault.Usage,
			[]string{"owner/guard is gated: its owner wants terms accepted", "/owner/guard and set HF_TOKEN"}},
		"gated, without a code": {code(401, "", ""), "", func(f *File) { f.Gated = true }, fault.Usage,
			[]string{"is gated"}},
		"gated, no access": {code(403, "GatedRepo", ""), token, nil, fault.Usage,
			[]string{"the account of the token in HF_TOKEN has no access", "accept its terms at"}},
		"no repository": {code(401, "RepoNotFound", ""), "", nil, fault.Usage,
			[]string{"shows no repository owner/guard: it is not there, or private", "pull.repo", "HF_TOKEN"}},
		"no repository, without a code": {code(401, "", ""), "", nil, fault.Usage, []string{"no repository owner/guard"}},
		"no repository for the token": {code(404, "RepoNotFound", ""), token, nil, fault.Usage,
			[]string{"to the token in HF_TOKEN", "pull.repo"}},
		"no commit": {code(404, "RevisionNotFound", ""), "", nil, fault.Usage,
			[]string{"has no commit " + commit, "pull.revision"}},
		"no file": {code(404, "EntryNotFound", ""), "", nil, fault.Usage,
			[]string{"has no file onnx/model.onnx at commit 0123456789ab", "pull.files"}},
		"no hub": {code(404, "", ""), "", nil, fault.Usage,
			[]string{"has nothing at the address", "HF_ENDPOINT names a hub"}},
		"bad token": {code(401, "", "Invalid credentials\u009b2J in header"), token, nil, fault.Usage,
			[]string{`for the token in HF_TOKEN, saying "Invalid credentials2J in header"`, "set one that is valid"}},
		"narrow token": {code(403, "", "Enable access to public gated repositories"), token, nil, fault.Usage,
			[]string{"saying \"Enable access"}},
		"disabled": {code(403, "", "Access to this resource is disabled."), "", nil, fault.Failed,
			[]string{"has disabled"}},
		"moved": {redirect("/new-owner/guard-v2/resolve/" + commit + "/onnx/model.onnx"), token, nil, fault.Usage,
			[]string{`owner/guard was moved to "new-owner/guard-v2"`, "the same model", "pull.repo"}},
		"to nowhere":     {redirect("http://"), "", nil, fault.Failed, []string{"an address that is none"}},
		"without https":  {redirect("http://storage.example/x"), "", nil, fault.Integrity, []string{"without https"}},
		"in a circle":    {redirect("/a"), "", nil, fault.Failed, []string{"without an end"}},
		"not in storage": {redirect(storage.URL), "", nil, fault.Failed, []string{"keeps owner/guard", "status 404"}},
		"other status":   {code(418, "", ""), "", nil, fault.Failed, []string{"answered with status 418"}},
		"always busy": {code(503, "", ""), "", nil, fault.Failed,
			[]string{"in 5 tries", "status 503", "try again later"}},
		"a long wait": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		}, "", nil, fault.Failed, []string{"status 429; it asks to wait 1h0m0s"}},
		"tampered": {body("other"), "", func(f *File) { f.SHA256 = digest(weights) }, fault.Integrity,
			[]string{"has SHA-256 " + digest([]byte("other")), "expected " + digest(weights) + " as pinned",
				"do not use it"}},
		"not what the hub says": {body("other", "X-Linked-Etag", `"`+digest(weights)+`"`), "", nil, fault.Integrity,
			[]string{"as the hub says"}},
		"another commit": {body("other", "X-Repo-Commit", strings.Repeat("f", 40)), "", nil, fault.Integrity,
			[]string{`at commit "ffff`, "expected " + commit}},
		"login page": {body("<html>", "Content-Type", "text/html; charset=utf-8"), "", nil, fault.Failed,
			[]string{"a page for people", "proxy"}},
		"too long": {body(strings.Repeat("x", 3000)), "", nil, fault.Integrity, []string{"longer than 2000 bytes"}},
		"too long, unannounced": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				w.Write(make([]byte, 100)) //nolint:errcheck // the client sees it
				w.(http.Flusher).Flush()
			}
		}, "", nil, fault.Integrity, []string{"longer than 2000 bytes"}},
		"truncated": {func(_ int, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte("half")) //nolint:errcheck // the client sees it
		}, "", nil, fault.Failed, []string{"in 5 tries: the connection ended after 4 bytes of 1000", "goes on from there"}},
		"shorter than announced": {body("half", "X-Linked-Size", "1000"), "", nil, fault.Failed,
			[]string{"the connection ended after 4 bytes of 1000"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.handle)
			cl := client(t, s, Options{Token: c.token})
			cl.limit = 2000
			f := guard
			if c.edit != nil {
				c.edit(&f)
			}
			dest := filepath.Join(t.TempDir(), "m")
			_, _, err := cl.Get(context.Background(), f, dest)
			testenv.WantFault(t, err, c.kind, c.say...)
			if strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "\u009b") {
				t.Errorf("the message %q tells too much", err)
			}
			if _, err := os.Lstat(dest); !os.IsNotExist(err) {
				t.Errorf("a file was left: %v", err)
			}
		})
	}
}
