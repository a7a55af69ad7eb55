package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pidsbench/internal/testenv"
)

// asProgram makes the test binary run as pidsbench.
const asProgram = "PIDSBENCH_TEST_AS_PROGRAM"

// program returns a command that runs pidsbench with the arguments, in a folder of its own, on the real project.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	return programOf(t, testenv.Root(t), dir, args...)
}

// programOf is program in another project.
func programOf(t *testing.T, root, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1", "PIDSBENCH_ROOT="+root)
	return cmd
}

// real skips the test unless data and the shipped model are here.
func real(t *testing.T) {
	t.Helper()
	testenv.Built(t, "data/open/test.csv")
	testenv.Built(t, "models/deberta-open-s42/model.onnx")
	testenv.Built(t, "third_party/lib")
}

// lines returns the number of rows with a score in a part file.
func lines(path string) int {
	data, _ := os.ReadFile(path)
	return bytes.Count(data, []byte(`"score"`))
}

// startScoring starts to score a few thousand rows with the real model and returns once some of them are done.
func startScoring(t *testing.T, dir string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := program(t, dir, "score", "--detector", "deberta", "--data", ownRows(t))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(60 * time.Second)
	for lines(part(dir)) < 20 {
		if time.Now().After(deadline) {
			cmd.Process.Kill()
			t.Fatalf("nothing was scored: %s", stderr.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
	return cmd, &stderr
}

func part(dir string) string { return finished(dir) + ".part" }

func finished(dir string) string {
	return filepath.Join(dir, "out", "custom", "deberta", "seed-42", "max", "structural_ood.jsonl")
}

func ownRows(t *testing.T) string { return testenv.Built(t, "data/open/ood/structural_ood.csv") }

func TestInterruptStopsWithinASecondAndKeepsFinishedScores(t *testing.T) {
	real(t)
	dir := t.TempDir()
	cmd, stderr := startScoring(t, dir)
	start := time.Now()
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	if took := time.Since(start); took > time.Second {
		t.Errorf("it took %v to stop", took)
	}
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit status %d, want 130; stderr: %s", code, stderr)
	}
	if !strings.Contains(stderr.String(), "interrupted: deberta has") {
		t.Errorf("stderr: %s", stderr)
	}
	if lines(part(dir)) < 20 {
		t.Error("finished scores are gone")
	}
}

func TestAKilledRunGoesOnAndEndsWithTheSameBytes(t *testing.T) {
	real(t)
	dir := t.TempDir()
	cmd, _ := startScoring(t, dir)
	cmd.Process.Kill()
	cmd.Wait()
	before := lines(part(dir))

	resume := program(t, dir, "score", "--detector", "deberta", "--data", ownRows(t))
	if out, err := resume.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := t.TempDir()
	again := program(t, whole, "score", "--detector", "deberta", "--data", ownRows(t), "--workers", "1")
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(finished(dir))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(finished(whole))
	if err != nil {
		t.Fatal(err)
	}
	if before == 0 || !bytes.Equal(got, want) {
		t.Errorf("after a kill with %d rows done the score file differs from that of an uninterrupted run", before)
	}
}

// scoredDir is a folder where deberta and tfidf are scored on the whole edition, once for all tests.
var scoredDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "pidsbench-test-") })

// eval runs `eval` in the common folder and returns what it printed.
func eval(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	real(t)
	dir, err := scoredDir()
	if err != nil {
		t.Fatal(err)
	}
	cmd := program(t, dir, append([]string{"eval", "--detector", "deberta,tfidf"}, args...)...)
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, notes.String())
	}
	return out.String(), notes.String()
}

func TestASecondEvalScoresNothingAndPrintsTheSame(t *testing.T) {
	first, _ := eval(t)
	second, notes := eval(t)
	if second != first {
		t.Error("the second eval prints other tables")
	}
	if notes != "" {
		t.Errorf("the second eval says: %s", notes)
	}
}

// runAsProgram is what TestMain calls in a process started by program.
func runAsProgram(ctx context.Context) int {
	st, err := NewState()
	if err != nil {
		return 1
	}
	return Main(ctx, st)
}
