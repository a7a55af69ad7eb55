package models

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/hub"
	"pidsbench/internal/packages"
	"pidsbench/internal/testenv"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// onHub is a hub with one repository, which a test may change.
type onHub struct {
	dir   string // of the repository's files at the commit
	url   string
	mu    sync.Mutex
	asked []string // files, and ranges of them
}

func hubWith(t *testing.T, files map[string]string) *onHub {
	t.Helper()
	t.Setenv(packages.SourcesVar, "")
	root := t.TempDir()
	h := &onHub{dir: filepath.Join(root, "owner", "guard", "resolve", commit)}
	for name, data := range files {
		put(t, filepath.Join(h.dir, filepath.FromSlash(name)), data)
	}
	serve := http.FileServer(http.Dir(root))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		name := strings.TrimPrefix(r.URL.Path, "/owner/guard/resolve/"+commit+"/")
		h.asked = append(h.asked, strings.TrimSpace(name+" "+r.Header.Get("Range")))
		h.mu.Unlock()
		w.Header().Set("X-Repo-Commit", commit)
		serve.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	h.url = s.URL
	return h
}

// guard is a detector of that repository: one file pinned, one not.
func guard() detect.Entry {
	return detect.Entry{
		ID: "guard", Name: "Guard", Kind: "onnx", Licence: "MIT", Model: "models/.pulled/guard",
		Pull: &detect.Pull{
			Registry: "hub", Repo: "owner/guard", Revision: commit, Path: "onnx",
			Files: map[string]string{"model.onnx": digest("weights"), "sub/tokenizer.json": ""},
		},
	}
}

var guardFiles = map[string]string{
	"onnx/model.onnx": "weights", "onnx/sub/tokenizer.json": "{}", "README.md": "not wanted",
}

func (h *onHub) pull(root string, e detect.Entry) (string, string, error) {
	return pullWith(root, e, Options{Hub: hub.Options{Endpoint: h.url}})
}

func TestPullFromAHubLocksTheCommitAndEachHash(t *testing.T) {
	h, e, root := hubWith(t, guardFiles), guard(), t.TempDir()
	dir, said, err := h.pull(root, e)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"onnx/model.onnx", "onnx/sub/tokenizer.json"}, h.asked); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{"2 files of owner/guard at commit 0123456789ab verified",
		"the entry pins no hash of sub/tokenizer.json: taken on first use"} {
		if !strings.Contains(said, want) {
			t.Errorf("Pull said %q, expected %q", said, want)
		}
	}
	lock, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &Lock{
		Schema: Schema, Name: "guard", DisplayName: "Guard", Licence: "MIT",
		Source: Source{Registry: "hub", Repo: "owner/guard", Revision: commit, Path: "onnx"},
		Files: []File{
			{Path: "model.onnx", SHA256: digest("weights"), Bytes: 7},
			{Path: "sub/tokenizer.json", SHA256: digest("{}"), Bytes: 2, FirstUse: true},
		},
	}
	if diff := cmp.Diff(want, lock); diff != "" {
		t.Error(diff)
	}
	if got := files(t, filepath.Dir(dir)); len(got) != 4 {
		t.Errorf("the folder of pulled models holds %v", got)
	}
	_, said, err = h.pull(root, e)
	if err != nil || !strings.Contains(said, "already here and right") || len(h.asked) != 2 {
		t.Errorf("pulling again said %q, %v, asked %v", said, err, h.asked)
	}
	e.Pull.Files = maps.Clone(e.Pull.Files) // an entry that pins the hash later finds what it wants here
	e.Pull.Files["sub/tokenizer.json"] = digest("{}")
	if _, said, err := h.pull(root, e); err != nil || !strings.Contains(said, "already here and right") {
		t.Errorf("pulling with the hash pinned said %q, %v", said, err)
	}
}

func TestAFileTrustedOnFirstUseMustNotChange(t *testing.T) {
	h, e, root := hubWith(t, guardFiles), guard(), t.TempDir()
	dir, _, err := h.pull(root, e)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer := filepath.Join(dir, "sub", "tokenizer.json")
	put(t, tokenizer, "damaged")
	if _, _, err := h.pull(root, e); err != nil { // the hub gives what it gave first
		t.Fatal(err)
	}
	put(t, tokenizer, "damaged")
	put(t, filepath.Join(h.dir, "onnx", "sub", "tokenizer.json"), "[]")
	_, _, err = h.pull(root, e)
	testenv.WantFault(t, err, fault.Integrity, digest("[]"), digest("{}"), "when it was first pulled", "delete "+dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.pull(root, e); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(tokenizer); err != nil || string(data) != "[]" {
		t.Errorf("after the folder was deleted: %s, %v", data, err)
	}
}

func TestAPullThatFailedGoesOnLater(t *testing.T) {
	h, e, root := hubWith(t, guardFiles), guard(), t.TempDir()
	absent := filepath.Join(h.dir, "onnx", "sub", "tokenizer.json")
	if err := os.Rename(absent, absent+"2"); err != nil {
		t.Fatal(err)
	}
	dir, _, err := h.pull(root, e)
	testenv.WantFault(t, err, fault.Usage, "owner/guard/onnx/sub/tokenizer.json")
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("half a model was put in place: %v", err)
	}
	if err := os.Rename(absent+"2", absent); err != nil {
		t.Fatal(err)
	}
	h.asked = nil
	if _, _, err := h.pull(root, e); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"onnx/sub/tokenizer.json"}, h.asked); diff != "" {
		t.Errorf("the second time it asked for (-want +got)\n%s", diff)
	}
}

func TestAnotherCommitBeginsAnew(t *testing.T) {
	h, e, root := hubWith(t, map[string]string{"onnx/model.onnx": "weights"}), guard(), t.TempDir()
	if _, _, err := h.pull(root, e); err == nil {
		t.Fatal("a file is missing")
	}
	parts := func() []string {
		found, _ := filepath.Glob(filepath.Join(root, "models", ".pulled", partPrefix+"*"))
		return found
	}
	first := parts()
	other := guard()
	other.Pull.Revision = strings.Repeat("e", 40)
	if _, _, err := h.pull(root, other); err == nil {
		t.Fatal("there is no such commit")
	}
	if second := parts(); len(first) != 1 || len(second) != 1 || first[0] == second[0] {
		t.Errorf("parts lie in %v, then in %v", first, second)
	}
}

func TestACheckpointIsPulledAndThenExported(t *testing.T) {
	h, root := hubWith(t, map[string]string{"model.safetensors": "weights", "config.json": "{}"}), t.TempDir()
	e := guard()
	e.Model, e.Positive, e.Pull.Path = "models/.exported/guard", []string{"1"}, ""
	e.Pull.Files = map[string]string{"model.safetensors": digest("weights"), "config.json": digest("{}")}
	for range 2 { // it is said again when all is here
		_, said, err := h.pull(root, e)
		const want = "tools/export --checkpoint models/.pulled/guard --out models/.exported/guard " +
			"--positive LABEL_1 --storage fp32"
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("Pull said %q, %v, expected %q", said, err, want)
		}
	}
	if _, err := Verify(filepath.Join(root, "models", ".pulled", "guard")); err != nil {
		t.Error(err)
	}
	e.Model = "models/.pulled/guard"
	_, _, err := h.pull(root, e)
	testenv.WantFault(t, err, fault.Usage, "expected models/.exported/guard for a model that is exported")
}

func TestNothingIsDownloadedBesideAFolderOfSources(t *testing.T) {
	h, root := hubWith(t, guardFiles), t.TempDir()
	t.Setenv(packages.SourcesVar, t.TempDir())
	_, _, err := h.pull(root, guard())
	testenv.WantFault(t, err, fault.Usage, packages.SourcesVar, "owner/guard is on a hub")
	if len(h.asked) > 0 {
		t.Errorf("asked for %v", h.asked)
	}
}
