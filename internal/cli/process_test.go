package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowProgram answers the probe texts and some rows, then sits on a text for a minute. It writes its process id to pid
// and ignores the end of its input, unless it is killed.
const slowProgram = `#!/bin/sh
echo $$ >> pid
trap '' INT TERM HUP
while IFS= read -r line; do
	id=${line#*:}
	case $line in
	*slow*) : > busy; sleep 60 ;;
	esac
	echo "{\"id\":${id%%,*},\"score\":0.5}"
done
sleep 60
`

// slowly starts to score with the slow program and returns once it sits on its text.
func slowly(t *testing.T) (root string, cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	root = t.TempDir()
	for name, text := range map[string]string{
		"configs/benchmark.yaml": "editions:\n  - id: open\n    name: none\n    dir: data/open\n    manifest: FREEZE_MANIFEST.txt\n" +
			"    splits:\n      - {name: test, path: test.csv, axis: iid}\n",
		"configs/detectors.yaml": "detectors:\n  - {id: mine, kind: process, process: {command: [./mine.sh], processes: 2}}\n",
		"mine.sh":                slowProgram,
		"rows.csv":               "text,label\nOne.,0\nTwo.,1\nA slow one.,1\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd = program(t, root, "score", "--root", root, "--detector", "mine", "--data", "rows.csv")
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(root, "busy")); err == nil {
			return root, cmd, stderr
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program was not started: %s", stderr)
		}
	}
}

// wantGone waits until no program of the project runs any more.
func wantGone(t *testing.T, root string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(data))
	if len(pids) != 2 {
		t.Errorf("%d programs were started, want 2", len(pids))
	}
	for _, s := range pids {
		pid, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); running(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				syscall.Kill(-pid, syscall.SIGKILL)
				t.Fatalf("the program, process %d, still runs", pid)
			}
		}
		syscall.Kill(-pid, syscall.SIGKILL) // what it started: after a kill of this process nobody else ends it
	}
}

// running reports whether there is such a process and it is no zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err != nil || !strings.HasPrefix(after, "Z")
}

func TestAnInterruptEndsTheProgramsOfADetector(t *testing.T) {
	root, cmd, stderr := slowly(t)
	start := time.Now()
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	if took := time.Since(start); took > time.Second {
		t.Errorf("it took %v to stop", took)
	}
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(stderr.String(), "interrupted: mine has 2 of 3 rows") {
		t.Errorf("exit status %d, want 130; stderr: %s", code, stderr)
	}
	wantGone(t, root)
}

func TestAKilledRunLeavesNoProgramOfADetector(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs Linux: elsewhere a program has to end with its input")
	}
	root, cmd, _ := slowly(t)
	cmd.Process.Kill()
	cmd.Wait()
	wantGone(t, root)
}
