package packages

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// noNetwork keeps pip away from every index and from the caller's own settings.
func noNetwork(t *testing.T, findLinks string) {
	t.Helper()
	t.Setenv(SourcesVar, "")
	t.Setenv("PIP_CONFIG_FILE", os.DevNull)
	t.Setenv("PIP_NO_INDEX", "1")
	t.Setenv("PIP_FIND_LINKS", findLinks)
	t.Setenv("PIP_NO_CACHE_DIR", "1")
}

func needPip(t *testing.T) {
	t.Helper()
	if err := exec.Command("python3", "-m", "pip", "--version").Run(); err != nil {
		testenv.Missing(t, "python3 with pip")
	}
}

func TestFetchLooksOnlyInTheSourcesFolder(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	t.Setenv(SourcesVar, dir)
	p := tinyWheel(t, cache, "tiny-words") // in the cache, but not in the folder
	_, err := Fetch(context.Background(), p, Options{Cache: cache})
	testenv.WantFault(t, err, fault.Usage, "tiny_words-1.2.3-py3-none-any.whl", dir, "make mirror", SourcesVar)

	t.Setenv(SourcesVar, filepath.Join(dir, "absent"))
	_, err = Fetch(context.Background(), p, Options{Cache: cache})
	testenv.WantFault(t, err, fault.Usage, "tiny_words-1.2.3-py3-none-any.whl")

	t.Setenv(SourcesVar, dir)
	tinyWheel(t, dir, "tiny-words")
	path, err := Fetch(context.Background(), p, Options{Cache: cache})
	if err != nil || path != filepath.Join(dir, p.FileName()) {
		t.Errorf("Fetch = %q, %v", path, err)
	}
}

func TestWhatIsNoRegularFileIsNoPackage(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	t.Setenv(SourcesVar, dir)
	p := tinyWheel(t, other, "tiny-words")
	path := filepath.Join(dir, p.FileName())
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	want := "is no regular file"
	_, err := Fetch(context.Background(), p, Options{})
	testenv.WantFault(t, err, fault.Integrity, path, want)
	_, err = Open(path)
	testenv.WantFault(t, err, fault.Integrity, path, want)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Skip(err)
	}
	_, err = Fetch(context.Background(), p, Options{})
	testenv.WantFault(t, err, fault.Integrity, path, want)
	tgz := filepath.Join(dir, "a.tgz")
	if err := os.Symlink(os.DevNull, tgz); err != nil {
		t.Fatal(err)
	}
	err = Each(tgz, 1, func(string) bool { return true }, func(string, []byte) error { return nil })
	testenv.WantFault(t, err, fault.Integrity, tgz, want)
}

func TestHashingStopsWhenTheContextEnds(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(SourcesVar, dir)
	p := tinyWheel(t, dir, "tiny-words")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fetch(ctx, p, Options{}); fault.ExitCode(err) != int(fault.Interrupted) {
		t.Errorf("Fetch: %v", err)
	}
}

func TestFetchChecksTheHashOfKeptFiles(t *testing.T) {
	noNetwork(t, t.TempDir())
	cache := t.TempDir()
	p := tinyWheel(t, cache, "tiny-words")
	if _, err := Fetch(context.Background(), p, Options{Cache: cache}); err != nil {
		t.Fatal(err)
	}
	path := writeFile(t, filepath.Join(cache, p.FileName()), []byte("other"))
	const other = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"
	_, err := Fetch(context.Background(), p, Options{Cache: cache})
	testenv.WantFault(t, err, fault.Integrity, path, other, p.SHA256, "delete the file")

	t.Setenv(SourcesVar, cache)
	_, err = Fetch(context.Background(), p, Options{Cache: t.TempDir()})
	testenv.WantFault(t, err, fault.Integrity, path, other, p.SHA256)

	// A wheel of another platform beside the right one does not matter.
	os.Rename(path, filepath.Join(cache, "tiny_words-1.2.3-cp311-none-any.whl"))
	tinyWheel(t, cache, "tiny-words")
	if got, err := Fetch(context.Background(), p, Options{}); err != nil || got != path {
		t.Errorf("Fetch = %q, %v", got, err)
	}
}

func TestFetchDownloadsWithPipAndKeepsTheFile(t *testing.T) {
	needPip(t)
	links, cache := t.TempDir(), filepath.Join(t.TempDir(), "a b", "packages")
	noNetwork(t, links)
	p := tinyWheel(t, links, "tiny-words")
	writeFile(t, filepath.Join(cache, tempPrefix+"killed", "half.whl"), []byte("half"))
	var said []string
	opts := Options{Cache: cache, Log: func(format string, _ ...any) { said = append(said, format) }}
	path, err := Fetch(context.Background(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got, err := a.Member("tiny/words.txt", 100); err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("Member = %q, %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, tempPrefix+"*")); len(left) > 0 {
		t.Errorf("temporary folders are left: %q", left)
	}
	if len(said) != 1 {
		t.Errorf("a download logged %d lines, want 1", len(said))
	}
	os.RemoveAll(links)
	if again, err := Fetch(context.Background(), p, opts); err != nil || again != path || len(said) != 1 {
		t.Errorf("the second Fetch = %q, %v, %d lines", again, err, len(said))
	}
}

func TestFetchSaysWhyPipFailed(t *testing.T) {
	needPip(t)
	links, cache := t.TempDir(), t.TempDir()
	noNetwork(t, links)
	p := tinyWheel(t, links, "tiny-words")
	right := p.SHA256
	p.SHA256 = strings.Repeat("0", 64)
	_, err := Fetch(context.Background(), p, Options{Cache: cache})
	testenv.WantFault(t, err, fault.Integrity, "has SHA-256 "+right+", expected 000000")

	os.Remove(filepath.Join(links, p.FileName()))
	_, err = Fetch(context.Background(), p, Options{Cache: cache})
	testenv.WantFault(t, err, fault.Failed, "No matching distribution found for tiny-words==1.2.3", SourcesVar)
	if left, _ := os.ReadDir(cache); len(left) != 1 || left[0].Name() != ".lock" {
		t.Errorf("failed downloads left %v", left)
	}
}

// A server's answer may end up in what pip says last.
func TestWhatPipSaysCannotSteerTheTerminal(t *testing.T) {
	bin := t.TempDir()
	noNetwork(t, "")
	t.Setenv("PATH", bin)
	said := `ERROR: \033[2J\033]0;x\007 \302\235title\302\234 \302\2332J \342\200\256gpj \377 no match\n\n`
	script := "#!/bin/sh\nprintf '" + said + "' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "python3"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	p := Package{Name: "tiny-words", Version: "1.2.3", SHA256: strings.Repeat("0", 64)}
	_, err := Fetch(context.Background(), p, Options{Cache: t.TempDir()})
	testenv.WantFault(t, err, fault.Failed, "tiny-words==1.2.3: ERROR: [2J]0;x title 2J gpj  no match")
	if strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("the message %q holds what a terminal obeys", err)
	}
}

func TestFetchStopsPipWhenTheContextEnds(t *testing.T) {
	needPip(t)
	noNetwork(t, "")
	asked, gone := make(chan bool), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done() // until pip's connection breaks
		close(gone)
	}))
	defer server.Close()
	t.Setenv("PIP_NO_INDEX", "")
	os.Unsetenv("PIP_NO_INDEX")
	t.Setenv("PIP_INDEX_URL", server.URL+"/simple/")
	t.Setenv("PIP_EXTRA_INDEX_URL", "")
	for _, v := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(v, "")
	}

	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-asked; cancel() }()
	p := Package{Name: "tiny-words", Version: "1.2.3", SHA256: strings.Repeat("0", 64)}
	cache := t.TempDir()
	_, err := Fetch(ctx, p, Options{Cache: cache})
	if fault.ExitCode(err) != int(fault.Interrupted) {
		t.Fatalf("Fetch = %v, want an interruption", err)
	}
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("pip still holds its connection")
	}
	if left, _ := filepath.Glob(filepath.Join(cache, tempPrefix+"*")); len(left) > 0 {
		t.Errorf("temporary folders are left: %q", left)
	}
}

func TestFetchRefusesPinsThatPipWouldMisread(t *testing.T) {
	t.Setenv(SourcesVar, t.TempDir())
	hash := strings.Repeat("a", 64)
	for _, p := range []Package{
		{Name: "--index-url", Version: "1", SHA256: hash},
		{Name: "../tiny", Version: "1", SHA256: hash},
		{Name: "tiny", Version: ">=1", SHA256: hash},
		{Name: "tiny", Version: "1 --pre", SHA256: hash},
		{Name: "tiny", Version: "1", SHA256: strings.ToUpper(hash)},
		{Name: "tiny", Version: "1", SHA256: ""},
	} {
		_, err := Fetch(context.Background(), p, Options{Cache: t.TempDir()})
		testenv.WantFault(t, err, fault.Usage, "correct the pin")
	}
}

func TestCopyToFillsAFolderForSources(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "mirror")
	t.Setenv(SourcesVar, from)
	p := tinyWheel(t, from, "Tiny.Words")
	for range 2 { // the second time the file is there
		if err := CopyTo(context.Background(), p, to, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(SourcesVar, to)
	path, err := Fetch(context.Background(), p, Options{})
	if want := filepath.Join(to, "tiny_words-1.2.3-py3-none-any.whl"); err != nil || path != want {
		t.Errorf("Fetch = %q, %v, want %q", path, err, want)
	}
	if left, _ := os.ReadDir(to); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
	writeFile(t, filepath.Join(to, p.FileName()), []byte("other"))
	err = CopyTo(context.Background(), p, to, Options{})
	testenv.WantFault(t, err, fault.Integrity, p.SHA256, "delete the file")
}

// TestRealWheelIsReadFromASourcesFolder reads a package that the set-up fetched.
func TestRealWheelIsReadFromASourcesFolder(t *testing.T) {
	p := Package{Name: "stackone-defender", Version: "0.9.4",
		SHA256: "97c206d989fd7e938bb8fd3cae80bcbf3350ef2a4ee5e4f1402f488489bc1cbb"}
	if os.Getenv(SourcesVar) == "" {
		t.Setenv(SourcesVar, filepath.Dir(testenv.Built(t, ".build/packages/"+p.FileName())))
	}
	path, err := Fetch(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	data, err := a.Member("stackone_defender/models/minilm-multihead-v5/tokenizer.json", 1<<20)
	if err != nil || len(data) != 711661 {
		t.Errorf("tokenizer.json: %d bytes, %v", len(data), err)
	}
}
