package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
	"pidsbench/internal/testenv"
)

// TestMain lets scripts run the program as `exec pidsbench …`, and other tests run this binary as the program.
func TestMain(m *testing.M) {
	run := func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		context.AfterFunc(ctx, stop)
		os.Exit(runAsProgram(ctx))
	}
	if os.Getenv(asProgram) != "" {
		run()
	}
	testscript.Main(cleaner{m}, map[string]func(){"pidsbench": run})
}

// cleaner removes the common folder of scores after the tests.
type cleaner struct{ *testing.M }

func (c cleaner) Run() int {
	code := c.M.Run()
	if dir, err := scoredDir(); err == nil {
		os.RemoveAll(dir)
	}
	return code
}

// TestScripts runs the program as a user would: each script is a small project of its own.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

func runScripts(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   cmdExits,
			"failrow": cmdFailRow,
			"freeze":  cmdFreeze,
			"makev3":  cmdMakeV3,
			"sedrow":  cmdSedRow,
			"head":    cmdHead,
		},
		Setup: func(env *testscript.Env) error {
			root := testenv.Root(t)
			env.Setenv("REPO", root)
			env.Setenv("SHARED", filepath.Join(filepath.Dir(root), "shared"))
			return copyConfig(root, env.WorkDir)
		},
		Condition: func(cond string) (bool, error) {
			if cond == "shared" {
				_, err := os.Stat(filepath.Join(filepath.Dir(testenv.Root(t)), "shared", "realdata"))
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// copyConfig gives the script's project the detectors of the repository, unless the script brings its own.
func copyConfig(root, dir string) error {
	to := filepath.Join(dir, "configs", "detectors.yaml")
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(root, "configs", "detectors.yaml"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// cmdExits runs a program and checks its exit status: exits 3 pidsbench verify.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// cmdFreeze writes FREEZE_MANIFEST.txt over the files of data/open.
func cmdFreeze(ts *testscript.TestScript, neg bool, args []string) {
	m, err := manifest.Freeze(ts.MkAbs("data/open"), "open", "data/open")
	ts.Check(err)
	f, err := os.Create(ts.MkAbs("FREEZE_MANIFEST.txt"))
	ts.Check(err)
	ts.Check(manifest.Write(f, m))
	ts.Check(f.Close())
}

func TestEveryKindOfErrorHasItsExitStatus(t *testing.T) {
	for kind, want := range map[fault.Kind]int{fault.Failed: 1, fault.Usage: 2, fault.Integrity: 3, fault.Incomplete: 4,
		fault.Broken: 5, fault.Interrupted: 130} {
		err := fmt.Errorf("wrapped: %w", fault.New(kind, "x"))
		if got := fault.ExitCode(err); got != want {
			t.Errorf("kind %d: exit status %d, want %d", kind, got, want)
		}
	}
}
