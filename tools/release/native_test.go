package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

// refused runs a program that must fail with the status, and returns what it says.
func refused(t *testing.T, status int, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("%s %q: %v, want exit status %d\n%s", name, args, err, status, out)
	}
	return string(out)
}

func TestNativeSaysWhichCompilerIsMissing(t *testing.T) {
	box := t.TempDir()
	for _, tool := range []string{"sh", "dirname", "tr"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			testenv.Missing(t, tool)
		}
		if err := os.Symlink(path, filepath.Join(box, tool)); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + box}
	script := filepath.Join(testenv.Root(t), "tools", "release", "native.sh")
	for arch, want := range map[string]string{
		"amd64": "x86_64-linux-gnu-gcc for linux/amd64; on Debian and Ubuntu the packages g++-x86-64-linux-gnu",
		"arm64": "aarch64-linux-gnu-gcc for linux/arm64; on Debian and Ubuntu the packages g++-aarch64-linux-gnu",
	} {
		if said := refused(t, 1, env, script, arch); !strings.Contains(said, want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: %q, want one line that says %q", arch, said, want)
		}
	}
	if said := refused(t, 2, env, script, "riscv64"); !strings.Contains(said, "linux/riscv64, expected amd64 or arm64") {
		t.Errorf("another processor: %q", said)
	}
}

func TestTheRuntimeOfAnotherProcessorIsAskedForByItsOwnName(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		testenv.Missing(t, "python3")
	}
	script := filepath.Join(testenv.Root(t), "tools", "setup", "onnxruntime.py")
	env := append(os.Environ(), "PIDSBENCH_SOURCES="+t.TempDir())
	for _, machine := range []string{"x86_64", "aarch64"} {
		said := refused(t, 1, env, "python3", script, "--machine", machine, "--into", t.TempDir())
		if !strings.Contains(said, "no file onnxruntime-1.30.0-cp311-cp311-manylinux_2_28_"+machine+".whl") {
			t.Errorf("%s: %q", machine, said)
		}
	}
	if said := refused(t, 1, env, "python3", script, "--machine", "mips"); !strings.Contains(said, "pinned for Linux mips") {
		t.Errorf("a processor without a library: %q", said)
	}
}
