// Package setup has the scripts that `make` runs before the program exists; what is here are their tests.
package setup

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pidsbench/internal/testenv"
)

// run runs a command with the given additions to a clean environment and returns what it printed and its exit status.
func run(t *testing.T, dir string, env []string, name string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	for _, v := range os.Environ() { // a `make test` around this one must not steer the make in here
		if !strings.HasPrefix(v, "MAKE") && !strings.HasPrefix(v, "PIDSBENCH_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func write(t *testing.T, mode os.FileMode, text string, path ...string) string {
	t.Helper()
	full := filepath.Join(path...)
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte(text), mode)
	}
	if err != nil {
		t.Fatal(err)
	}
	return full
}

func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			testenv.Missing(t, tool)
		}
	}
}

// toolbox returns a folder for PATH that holds only what scripts themselves need, and fake tools by name.
func toolbox(t *testing.T, fakes map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range []string{"sh", "awk", "mktemp", "rm", "dirname", "cat"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			testenv.Missing(t, tool)
		}
		if err := os.Symlink(path, filepath.Join(dir, tool)); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range fakes {
		write(t, 0o755, "#!/bin/sh\n"+script, dir, name)
	}
	return dir
}

func TestCheckToolsNamesEverythingMissingAtOnce(t *testing.T) {
	script := filepath.Join(testenv.Root(t), "tools", "setup", "check-tools.sh")
	out, code := run(t, t.TempDir(), []string{"PATH=" + toolbox(t, nil)}, script)
	if code != 1 {
		t.Fatalf("exit status %d:\n%s", code, out)
	}
	for _, want := range []string{"go 1.26", "cargo 1.78", "cc (C compiler", "c++ (C++ compiler)", "python3 3.8",
		"apt-get install", "dnf install", "brew install"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not say %q:\n%s", want, out)
		}
	}
	if n := strings.Count(out, ": not found"); n != 5 {
		t.Errorf("%d tools are called missing, want 5:\n%s", n, out)
	}
}

func TestCheckToolsNamesWhatIsTooOldOrDoesNotWork(t *testing.T) {
	script := filepath.Join(testenv.Root(t), "tools", "setup", "check-tools.sh")
	works := `while [ $# -gt 0 ]; do [ "$1" = -o ] && : > "$2"; shift; done`
	box := toolbox(t, map[string]string{
		"go":      `[ "$2" = CC ] && echo cc || echo go1.25.9`,
		"cargo":   "echo cargo 1.77.2",
		"cc":      works,
		"c++":     "exit 1",
		"python3": `case $1 in -c) echo 3.11.2 ;; *) exit 1 ;; esac`,
	})
	out, code := run(t, t.TempDir(), []string{"PATH=" + box}, script)
	if code != 1 {
		t.Fatalf("exit status %d:\n%s", code, out)
	}
	for _, want := range []string{"go1.25.9 is too old", "1.77.2 is too old", "is there but cannot build a small program",
		"pip for python3: not found"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("the report does not say %q once:\n%s", want, out)
		}
	}
	write(t, 0o755, "#!/bin/sh\necho cargo 1.78.0\n", box, "cargo")
	write(t, 0o755, "#!/bin/sh\n"+`[ "$2" = CC ] && echo cc || echo go1.27rc1`+"\n", box, "go")
	write(t, 0o755, "#!/bin/sh\n"+works+"\n", box, "c++")
	// A folder of packages needs no pip.
	env := []string{"PATH=" + box, "PIDSBENCH_SOURCES=/a"}
	if out, code := run(t, t.TempDir(), env, script); code != 0 || out != "" {
		t.Errorf("with all tools: exit status %d:\n%s", code, out)
	}
}

func TestRuntimeScriptReadsOnlyTheSourcesFolder(t *testing.T) {
	need(t, "python3")
	names := map[string]string{
		"linux/amd64":  "onnxruntime-1.30.0-cp311-cp311-manylinux_2_28_x86_64.whl",
		"linux/arm64":  "onnxruntime-1.30.0-cp311-cp311-manylinux_2_28_aarch64.whl",
		"darwin/arm64": "onnxruntime-1.30.0-cp311-cp311-macosx_14_0_arm64.whl",
	}
	name := names[runtime.GOOS+"/"+runtime.GOARCH]
	script := filepath.Join(testenv.Root(t), "tools", "setup", "onnxruntime.py")
	sources, to := t.TempDir(), filepath.Join(t.TempDir(), "a b")
	fetch := func() (string, int) {
		return run(t, t.TempDir(), []string{"PIDSBENCH_SOURCES=" + sources}, "python3", script, "--mirror", to)
	}
	if name == "" {
		if out, code := fetch(); code != 1 || !strings.Contains(out, "no ONNX Runtime is pinned for") {
			t.Errorf("exit status %d:\n%s", code, out)
		}
		return
	}
	out, code := fetch()
	if code != 1 || !strings.Contains(out, "no file "+name) || !strings.Contains(out, "make mirror") {
		t.Errorf("without the file: exit status %d:\n%s", code, out)
	}
	write(t, 0o644, "other", sources, name)
	const other = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"
	out, code = fetch()
	if code != 1 || !strings.Contains(out, name+": SHA-256 is "+other+", expected ") {
		t.Errorf("with another file: exit status %d:\n%s", code, out)
	}
	if strings.Contains(out, "Traceback") || strings.Count(out, "\n") != 1 {
		t.Errorf("that is not one sentence:\n%s", out)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("a refused file was mirrored")
	}
}

// project makes a checkout in a folder with a space in its name: the real Makefile, and in place of the program a
// script that writes down how it is called.
func project(t *testing.T) string {
	t.Helper()
	need(t, "make")
	root := filepath.Join(t.TempDir(), "a checkout")
	makefile, err := os.ReadFile(filepath.Join(testenv.Root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, 0o644, string(makefile), root, "Makefile")
	for _, path := range []string{"go.mod", "go.sum", "cmd/pidsbench/main.go", "internal/a/a.go", "configs/builder.yaml",
		"configs/detectors.yaml", "data/sources.lock.yaml", "FREEZE_MANIFEST.txt", "tools/setup/check-tools.sh",
		"tools/setup/tokenizers.sh", "tools/setup/onnxruntime.py"} {
		write(t, 0o644, "", root, path)
	}
	for _, path := range []string{".build/stamps/tools", "third_party/lib/libtokenizers.a",
		"third_party/lib/libonnxruntime.so", "third_party/lib/libonnxruntime.dylib"} {
		write(t, 0o644, "", root, path)
	}
	write(t, 0o755, `#!/bin/sh
echo "$*" >> calls
case "$*" in
"data build") [ -f broken ] && exit 3; mkdir -p data/open && : > data/open/test.csv ;;
"models pull"*) mkdir -p "models/.pulled/$3" && : > "models/.pulled/$3/model.lock.json" ;;
esac
`, root, "bin", "pidsbench")
	return root
}

// calls runs make and returns how it called the program.
func calls(t *testing.T, root string, wantCode int, goals ...string) string {
	t.Helper()
	os.Remove(filepath.Join(root, "calls"))
	out, code := run(t, root, nil, "make", goals...)
	if code != wantCode {
		t.Fatalf("make %v: exit status %d:\n%s", goals, code, out)
	}
	data, _ := os.ReadFile(filepath.Join(root, "calls"))
	return strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", "; ")
}

func touch(t *testing.T, path ...string) {
	t.Helper()
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(filepath.Join(path...), later, later); err != nil {
		t.Fatal(err)
	}
}

func TestMakeEvalBuildsTheDataOnlyWhenItMust(t *testing.T) {
	const evaluate = "verify; eval --detector deberta"
	root := project(t)
	expect := func(when, want string) {
		t.Helper()
		if got := calls(t, root, 0, "eval"); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	write(t, 0o644, "", root, "broken")
	if got := calls(t, root, 2, "eval"); got != "data build" {
		t.Errorf("a failing build: %q", got)
	}
	os.Remove(filepath.Join(root, "broken"))
	expect("after a failed build", "data build; "+evaluate)
	expect("the second time", evaluate)
	os.RemoveAll(filepath.Join(root, "data", "open"))
	expect("with the data gone", "data build; "+evaluate)
	expect("the second time", evaluate)
	touch(t, root, "data", "sources.lock.yaml")
	expect("with newer sources", "data build; "+evaluate)
}

func TestMakeModelsPullsOnlyWhenTheConfigurationIsNewer(t *testing.T) {
	root := project(t)
	all := "models pull stackone-defender; models pull stackone-defender-0.7.4; models pull stackone-defender-0.6.3; " +
		"models pull metatronnanoguard; models pull securevector-guardian"
	if _, err := exec.LookPath("npm"); err == nil {
		all += "; models pull vard"
	}
	for _, want := range []string{all, ""} {
		if got := calls(t, root, 0, "models"); got != want {
			t.Errorf("make models: %q, want %q", got, want)
		}
	}
	touch(t, root, "configs", "detectors.yaml")
	if got := calls(t, root, 0, "models"); got != all {
		t.Errorf("with a newer configuration: %q", got)
	}
}

func TestMakeMirrorNeedsAFolder(t *testing.T) {
	root := project(t)
	out, code := run(t, root, nil, "make", "mirror")
	if code != 2 || !strings.Contains(out, "make mirror TO=DIR") {
		t.Errorf("exit status %d:\n%s", code, out)
	}
	need(t, "python3")
	if got := calls(t, root, 0, "mirror", "TO=it's a folder"); got != "data mirror --to it's a folder" {
		t.Errorf("make mirror: %q", got)
	}
}

func TestMakeCleanKeepsWhatIsDearAndMakeDistcleanKeepsScores(t *testing.T) {
	root := project(t)
	dear := []string{".build/packages/a.whl", "third_party/lib/libtokenizers.a", "models/.pulled/a/model.onnx"}
	scores := "out/open/rule/seed-0/max/test.jsonl"
	for _, path := range append(dear, scores, "data/open/test.csv", ".build/models/tfidf") {
		write(t, 0o644, "", root, path)
	}
	calls(t, root, 0, "clean")
	has := func(path string) bool {
		_, err := os.Stat(filepath.Join(root, path))
		return err == nil
	}
	for _, path := range append(dear, scores) {
		if !has(path) {
			t.Errorf("make clean removed %s", path)
		}
	}
	for _, path := range []string{"bin", "data/open", ".build/stamps", ".build/models"} {
		if has(path) {
			t.Errorf("make clean left %s", path)
		}
	}
	calls(t, root, 0, "distclean")
	for _, path := range append(dear, "third_party", ".build") {
		if has(path) {
			t.Errorf("make distclean left %s", path)
		}
	}
	if !has(scores) || !has("data/sources.lock.yaml") {
		t.Error("make distclean removed scores or sources")
	}
}
