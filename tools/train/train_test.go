// Package train_test checks what of tools/train works without its packages; `python tools/train/selfcheck.py` checks
// the rest.
package train_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/testenv"
)

// command returns a command of the host's Python in dir, without byte code left behind.
func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		testenv.Missing(t, "python3")
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PIDSBENCH_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// output runs cmd and returns what it printed, on both streams, and its exit status.
func output(t *testing.T, cmd *exec.Cmd) (string, int) {
	t.Helper()
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

func TestEveryScriptIsValidPython(t *testing.T) {
	root := testenv.Root(t)
	scripts, err := filepath.Glob(filepath.Join(root, "tools", "train", "*.py"))
	more, err2 := filepath.Glob(filepath.Join(root, "tools", "train", "selfchecks", "*.py"))
	if err = errors.Join(err, err2); err != nil || len(scripts) < 10 || len(more) == 0 {
		t.Fatalf("%d and %d scripts, error %v", len(scripts), len(more), err)
	}
	const parse = "import ast, sys\nfor p in sys.argv[1:]:\n    ast.parse(open(p, encoding='utf-8').read(), p)"
	cmd := command(t, root, "python3", append([]string{"-c", parse}, append(scripts, more...)...)...)
	if out, code := output(t, cmd); code != 0 {
		t.Errorf("exit status %d:\n%s", code, out)
	}
}

// plan returns the arguments of every training that runs.py prints, by the name of its folder.
func plan(t *testing.T, root string, designs ...string) map[string][]string {
	t.Helper()
	out, code := output(t, command(t, root, "python3", append([]string{"tools/train/runs.py"}, designs...)...))
	if code != 0 {
		t.Fatalf("runs.py: exit status %d:\n%s", code, out)
	}
	trainings := map[string][]string{}
	for line := range strings.Lines(out) {
		args, found := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(line), "# done: "), "python tools/train/train.py ")
		if !found {
			t.Fatalf("runs.py prints %q, which is no training", line)
		}
		fields := strings.Fields(args)
		name, found := strings.CutPrefix(fields[len(fields)-1], "models/")
		if !found || trainings[name] != nil {
			t.Errorf("runs.py has %q twice, or without a folder at the end", name)
		}
		trainings[name] = fields
	}
	return trainings
}

func TestEverySeededModelOfTheConfigurationHasATraining(t *testing.T) {
	root := testenv.Root(t)
	trainings := plan(t, root)
	config, err := detect.LoadConfig(filepath.Join(root, "configs", "detectors.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	seeded := 0
	for _, e := range config.Detectors {
		if !strings.Contains(e.Model, "{seed}") {
			continue
		}
		for _, seed := range e.Seeds {
			seeded++
			name := filepath.Base(strings.ReplaceAll(e.Model, "{seed}", fmt.Sprint(seed)))
			args := strings.Join(trainings[name], " ")
			if !strings.Contains(args, fmt.Sprintf(" --seed %d ", seed)) {
				t.Errorf("%s: runs.py has no training of %s with seed %d: %q", e.ID, name, seed, args)
			}
		}
	}
	if seeded == 0 {
		t.Error("no detector of the configuration has seeds")
	}
}

func TestRunsNamesTheDesignsThatThereAre(t *testing.T) {
	root := testenv.Root(t)
	for name := range plan(t, root, "distilbert") {
		if !strings.HasPrefix(name, "distilbert-") {
			t.Errorf("runs.py distilbert has %s", name)
		}
	}
	out, code := output(t, command(t, root, "python3", "tools/train/runs.py", "bart"))
	if code != 2 || !strings.Contains(out, "'bart' is no design, expected some of deberta, deberta-pools, deberta-without, distilbert, minilm, deberta-v3-ft, distilbert-ft") {
		t.Errorf("exit status %d:\n%s", code, out)
	}
	out, code = output(t, command(t, root, "python3", "tools/train/runs.py", "--run"))
	if code != 2 || !strings.Contains(out, "--run needs to know what, expected some of deberta, ") {
		t.Errorf("--run without designs: exit status %d:\n%s", code, out)
	}
	out, code = output(t, command(t, root, "sh", "-c", "python3 tools/train/runs.py | head -n 1"))
	if code != 0 || strings.Count(out, "\n") != 1 {
		t.Errorf("into head: exit status %d:\n%s", code, out)
	}
}

// project makes a checkout with the real runs.py and a train.py that a test writes.
func project(t *testing.T, train string) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(testenv.Root(t), "tools", "train", "runs.py"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	write(t, 0o644, string(script), root, "tools", "train", "runs.py")
	write(t, 0o644, train, root, "tools", "train", "train.py")
	return root
}

func TestRunsTrainsWhatIsNotThereAndGoesOnAfterAFailure(t *testing.T) {
	root := project(t, `import os, sys
out = sys.argv[-1]
open("calls", "a").write(out + "\n")
if out.endswith("hn-s13"):
    sys.exit(1)
os.makedirs(out)
open(os.path.join(out, "model.lock.json"), "w").write('{"training": {"train_sha256": "another", "val_sha256": ""}}')
`)
	train := func() (string, int) {
		return output(t, command(t, root, "python3", "tools/train/runs.py", "--run", "distilbert", "--workers", "3"))
	}
	out, code := train()
	if code != 1 || strings.Count(out, ": done;") != 9 || strings.Count(out, "ended with status 1, see ") != 1 {
		t.Errorf("the first time: exit status %d:\n%s", code, out)
	}
	if out, code = train(); code != 1 || strings.Contains(out, "done") || strings.Count(out, "\n") != 1 {
		t.Errorf("the second time: exit status %d:\n%s", code, out)
	}
	// The folders were trained on other rows than those that are there now.
	write(t, 0o644, "text,label\n", root, "data", "open", "train.csv")
	if done := plan(t, root, "distilbert"); len(done) != 10 {
		t.Errorf("%d trainings are planned", len(done))
	}
	out, _ = output(t, command(t, root, "python3", "tools/train/runs.py", "distilbert"))
	if strings.Contains(out, "# done") {
		t.Errorf("with other data, folders still count as done:\n%s", out)
	}
}

func TestRunsPassesAnInterruptOn(t *testing.T) {
	root := project(t, `import os, sys, time
out = sys.argv[-1].replace("/", "-")
try:
    open("began-" + out, "w")
    time.sleep(60)
except KeyboardInterrupt:
    open("stopped-" + out, "w")
    sys.exit(130)
`)
	cmd := command(t, root, "python3", "tools/train/runs.py", "--run", "minilm")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	count := func(pattern string) int {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	for deadline := time.Now().Add(20 * time.Second); count("began-*") < 2 && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(said.String(), "stopped; the same command goes on") ||
		strings.Contains(said.String(), "Traceback") {
		t.Errorf("error %v, exit status %d:\n%s", err, code, said.String())
	}
	if began, stopped := count("began-*"), count("stopped-*"); began != 2 || stopped != 2 {
		t.Errorf("%d trainings began and %d were stopped, want 2 of each", began, stopped)
	}
}

func TestExportSaysWhatIsMissing(t *testing.T) {
	root := testenv.Root(t)
	tool := filepath.Join(root, "tools", "export")
	bare := write(t, 0o755, "#!/bin/sh\nexec python3 -S -E \"$@\"\n", t.TempDir(), "python") // sees no installed package
	cmd := command(t, t.TempDir(), tool, "--checkpoint", "a", "--out", "b")
	cmd.Env = append(cmd.Env, "PIDSBENCH_PYTHON="+bare)
	out, code := output(t, cmd)
	for _, want := range []string{"lacks ", "torch", "onnxruntime", "pip install -r tools/train/requirements.txt"} {
		if code != 1 || strings.Count(out, want) < 1 || strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "error: ") {
			t.Errorf("exit status %d, want one sentence that says %q:\n%s", code, want, out)
		}
	}
	cmd = command(t, t.TempDir(), tool, "--help")
	cmd.Env = append(cmd.Env, "PIDSBENCH_PYTHON=no-such-python")
	if out, code := output(t, cmd); code != 1 || !strings.Contains(out, "no program no-such-python here") {
		t.Errorf("without Python: exit status %d:\n%s", code, out)
	}
}
