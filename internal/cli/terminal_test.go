package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"pidsbench/internal/testenv"
)

// inside runs the program in this process, as on a terminal where st says so, on the real project.
func inside(t *testing.T, st State, env map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, notes bytes.Buffer
	root := testenv.Root(t)
	st.Args, st.Stdout, st.Stderr, st.Stdin, st.Executable = args, &out, &notes, strings.NewReader(""), root+"/bin/pidsbench"
	if st.Dir == "" {
		st.Dir = root
	}
	st.Getenv = func(name string) string { return env[name] }
	code = Main(context.Background(), &st)
	return out.String(), notes.String(), code
}

func TestOnlyTheWordBeforeAnErrorIsColoured(t *testing.T) {
	const red = "\x1b[31mpidsbench:\x1b[0m "
	for name, c := range map[string]struct {
		tty    bool
		env    map[string]string
		args   []string
		colour bool
	}{
		"a terminal":     {true, map[string]string{"TERM": "xterm"}, nil, true},
		"a pipe":         {false, map[string]string{"TERM": "xterm"}, nil, false},
		"NO_COLOR":       {true, map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, nil, false},
		"empty NO_COLOR": {true, map[string]string{"TERM": "xterm", "NO_COLOR": ""}, nil, true},
		"--no-color":     {true, map[string]string{"TERM": "xterm"}, []string{"--no-color"}, false},
		"dumb":           {true, map[string]string{"TERM": "dumb"}, nil, false},
		"no TERM":        {true, nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := inside(t, State{StderrTTY: c.tty}, c.env, append(c.args, "detectors", "show", "\x1b[2Jevil")...)
			if code != 2 || strings.HasPrefix(stderr, red) != c.colour || strings.Contains(strings.TrimPrefix(stderr, red), "\x1b") {
				t.Errorf("exit status %d, stderr %q", code, stderr)
			}
			if plain := strings.Replace(stderr, red, "pidsbench: ", 1); !strings.HasPrefix(plain, "pidsbench: there is no detector") {
				t.Errorf("stderr %q", plain)
			}
		})
	}
}

func TestTablesFitTheTerminalThatShowsThem(t *testing.T) {
	testenv.Built(t, "data/open/test.csv")
	args := []string{"report", "--detector", "tfidf", "--external", "none", "--split", "test", "--threshold", "fixed:0.5"}
	dir := t.TempDir()
	env := map[string]string{"PIDSBENCH_ROOT": testenv.Root(t)}
	piped, _, code := inside(t, State{Dir: dir}, env, args...)
	if code != 0 {
		t.Fatalf("exit status %d", code)
	}
	for _, columns := range []int{60, 80} {
		shown, _, _ := inside(t, State{Dir: dir, Columns: columns}, env, args...)
		for line := range strings.Lines(shown) {
			if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > columns {
				t.Errorf("%d columns: a line takes %d: %s", columns, w, line)
			}
		}
		if shown == piped {
			t.Errorf("a terminal of %d columns shows what a pipe gets", columns)
		}
	}
	if wide, _, _ := inside(t, State{Dir: dir, Columns: 300}, env, args...); wide != piped {
		t.Error("a wide terminal shows something else than a pipe gets")
	}
}

func TestTheStateKnowsThatAPipeIsNoTerminal(t *testing.T) {
	st, err := NewState()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice == 0 && st.Columns != 0 {
		t.Errorf("it has %d columns", st.Columns)
	}
}
