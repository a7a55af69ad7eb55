package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
)

// TestModelsPullAsksTheHubThatTheEnvironmentNames runs the command against a gated repository of a hub on this machine.
func TestModelsPullAsksTheHubThatTheEnvironmentNames(t *testing.T) {
	const token, commit = "hf_secret", "e6535ca4ce3ba852083e75ec585d7c8aeb4be4c5"
	t.Setenv(packages.SourcesVar, "")
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.Header().Set("X-Error-Code", "GatedRepo")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("X-Repo-Commit", commit)
		path := strings.TrimPrefix(r.URL.Path, "/mirror/owner/guard/resolve/"+commit)
		w.Write([]byte(path)) //nolint:errcheck // seen below
	}))
	defer hub.Close()
	root := t.TempDir()
	for name, data := range map[string]string{
		"configs/benchmark.yaml": "editions:\n  - {id: open, name: small, dir: data/open, manifest: M.txt, splits: " +
			"[{name: val, path: val.csv}]}\n",
		"configs/detectors.yaml": "detectors:\n  - id: guard\n    kind: onnx\n    model: models/.pulled/guard\n" +
			"    pull:\n      registry: hub\n      repo: owner/guard\n      revision: " + commit + "\n      gated: true\n" +
			"      path: onnx\n      files: {model.onnx: \"\", tokenizer.json: \"\"}\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"HF_ENDPOINT": hub.URL + "/mirror/"}
	pull := func() (int, string) {
		var out bytes.Buffer
		st := &State{Args: []string{"models", "pull", "guard"}, Getenv: func(k string) string { return env[k] }, Dir: root,
			Executable: filepath.Join(root, "bin", "x"), Stdout: &out, Stderr: &out, StderrTTY: true}
		code := Main(context.Background(), st)
		return code, out.String()
	}
	if code, said := pull(); code != int(fault.Usage) || !strings.Contains(said, "owner/guard is gated") ||
		!strings.Contains(said, hub.URL+"/mirror/owner/guard and set HF_TOKEN") {
		t.Errorf("without a token: %d, %s", code, said)
	}
	env["HF_TOKEN"] = token
	code, said := pull()
	if code != 0 || !strings.Contains(said, "taken on first use") || strings.Contains(said, token) {
		t.Errorf("with the token: %d, %s", code, said)
	}
	data, err := os.ReadFile(filepath.Join(root, "models", ".pulled", "guard", "model.onnx"))
	if err != nil || string(data) != "/onnx/model.onnx" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}

func TestABarShowsTheFileThatComes(t *testing.T) {
	var out bytes.Buffer
	d := &downloads{st: &State{Stderr: &out}}
	d.update("onnx/\x1b[2Jmodel.onnx", 1000, -1)
	if out.Len() > 0 {
		t.Errorf("without a known length: %q", out.String())
	}
	d.update("onnx/\x1b[2Jmodel.onnx", 1000, 2000)
	if said := out.String(); !strings.Contains(said, "model.onnx") || !strings.Contains(said, " 50%") ||
		strings.Contains(said, "\x1b[2J") {
		t.Errorf("half of it: %q", said)
	}
}
