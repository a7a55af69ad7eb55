package builder

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pidsbench/internal/packages"
	"pidsbench/internal/testenv"
)

var update = flag.Bool("update", false, "build data/open anew, write its counts to configs/builder.yaml and freeze it")

// builtPackages skips the test where the pinned packages are not here.
func builtPackages(t *testing.T) {
	t.Helper()
	if os.Getenv(packages.SourcesVar) != "" {
		return // they come from there
	}
	root := testenv.Root(t)
	lock, err := LoadLock(root)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadDir(filepath.Join(root, ".build", "packages"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, p := range lock.Packages {
		name, _, _ := strings.Cut(p.pin().FileName(), "-py3-") // some wheels serve Python 2 as well
		if !slices.ContainsFunc(have, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), name+"-") }) {
			testenv.Built(t, ".build/packages/"+p.pin().FileName())
		}
	}
}

// TestFullBuild builds the real edition twice: here, and in another process with one processor, another locale, time
// zone, working folder and output. Both must give the frozen bytes.
func TestFullBuild(t *testing.T) {
	if dir := os.Getenv("BUILDER_TEST_OUT"); dir != "" { // the other process
		if _, err := Build(t.Context(), testOptions(os.Getenv("BUILDER_TEST_ROOT"), dir)); err != nil {
			t.Fatal(err)
		}
		return
	}
	builtPackages(t)
	root := testenv.Root(t)
	if *update {
		updateEdition(t, root)
	}
	here, there := t.TempDir(), filepath.Join(t.TempDir(), "übung 1")
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullBuild$")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "TZ=Asia/Kathmandu", "LC_ALL=tr_TR.UTF-8",
		"BUILDER_TEST_OUT="+there, "BUILDER_TEST_ROOT="+root)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	report, err := Build(t.Context(), testOptions(root, here))
	if err2 := cmd.Wait(); err2 != nil {
		t.Fatalf("the other process: %v\n%s", err2, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	var again build
	opts := testOptions(root, here)
	opts.Stage = again.done
	if _, err := Build(t.Context(), opts); err != nil || len(again.ran) > 0 {
		t.Errorf("nothing changed, and yet the second build ran %v (%v)", again.ran, err)
	}
	for _, f := range report.Files {
		a, err := os.ReadFile(filepath.Join(here, "open", filepath.FromSlash(f.File)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(there, "open", filepath.FromSlash(f.File)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between the two builds", f.File)
		}
	}
	cfg, err := LoadConfig(root)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := LoadLock(root)
	if err != nil {
		t.Fatal(err)
	}
	checkEdition(t, filepath.Join(here, "open"), report.Files, cfg, lock)
}

func testOptions(root, dir string) Options {
	return Options{Root: root, Out: filepath.Join(dir, "open"), Work: filepath.Join(dir, "work")}
}

// updateEdition makes a draft the frozen edition.
func updateEdition(t *testing.T, root string) {
	start := time.Now()
	report, err := Build(context.Background(), Options{Root: root, Draft: true, Stage: func(name string, n int,
		kept bool) {
		t.Logf("%6.2fs %s %d kept=%v", time.Since(start).Seconds(), name, n, kept)
	}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, filepath.FromSlash(ConfigPath))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "expect:\n")
	text = strings.TrimRight(text, "\n") + "\n\nexpect:\n"
	for _, f := range report.Files {
		text += fmt.Sprintf("  - file: %s\n    benign: %d\n    injection: %d\n", f.File, f.Benign, f.Injection)
		text += "    sources:\n"
		for _, s := range slices.Sorted(maps.Keys(f.Sources)) {
			text += fmt.Sprintf("      %s: %d\n", s, f.Sources[s])
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := Freeze(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(m.Files)
	count := map[string]int{}
	for _, r := range report.Removed {
		count[r.Stage+" | "+r.Source+" | "+r.Reason]++
	}
	for _, k := range slices.Sorted(maps.Keys(count)) {
		t.Log(count[k], k)
	}
}
