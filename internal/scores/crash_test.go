//go:build unix

package scores

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
)

// The tests of this file kill real processes: the test binary starts itself as a child that scores a file.
const childPath = "PIDSBENCH_TEST_SCORE_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const childRows = 400

func childHeader() Header { return header(childRows) }

// deadly is a text that kills the process that scores it.
const deadly = "deadly"

func childText(row int) string {
	switch row {
	case 17, 250:
		return "the same text twice"
	case 100, 300:
		if os.Getenv("PIDSBENCH_TEST_DEADLY") != "" {
			return deadly
		}
	}
	return fmt.Sprint("text ", row)
}

// child scores what is left of the file, as the program does.
func child(path string) error {
	w, err := Open(path, childHeader(), Options{Fresh: os.Getenv("PIDSBENCH_TEST_FRESH") != ""})
	if err != nil {
		return err
	}
	fmt.Println("open")
	if os.Getenv("PIDSBENCH_TEST_HOLD") != "" {
		time.Sleep(time.Hour)
	}
	var items []engine.Item
	for _, row := range w.Todo() {
		items = append(items, engine.Item{Row: row, Text: childText(row), Alone: w.Suspect(row)})
	}
	_, err = engine.Run(context.Background(), slowly{}, items, engine.Options{Workers: 2, Begin: w.Begin},
		func(r engine.Result) error { return w.Append(FromResult(r)) })
	if err != nil {
		return err
	}
	return w.Finish()
}

// slowly scores a text in about a millisecond, unless the text is deadly.
type slowly struct{}

func (slowly) Info() detect.Info { return detect.Info{ID: "slowly"} }
func (slowly) Close() error      { return nil }
func (slowly) Score(_ context.Context, text string) (float64, error) {
	time.Sleep(time.Millisecond)
	if text == deadly {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	}
	if os.Getenv("PIDSBENCH_TEST_OTHER") != "" {
		return float64(len(text)) / 200, nil
	}
	return float64(len(text)) / 100, nil
}

// start starts the child on a file and returns it once it has the file open.
func start(t *testing.T, path string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childPath+"="+path), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "open\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	return cmd
}

// killed waits for the child and fails the test unless it was killed.
func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended with %v, want a kill", err)
	}
}

func TestAKilledRunIsResumedToTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	path, once := filepath.Join(dir, "killed.jsonl"), filepath.Join(dir, "once.jsonl")
	if err := start(t, once).Wait(); err != nil {
		t.Fatal(err)
	}
	kills := 0
	for !exists(path) {
		before := 0
		if b, err := os.ReadFile(path + ".part"); err == nil {
			before = strings.Count(string(b), `{"row"`)
		}
		cmd := start(t, path)
		// By the time that 90 more rows are done the suspects of the last kill, at most 2 × 25, are done as well.
		for !exists(path) && before < childRows/2 {
			b, err := os.ReadFile(path + ".part")
			if err == nil && strings.Count(string(b), `{"row"`) > before+90 {
				_ = cmd.Process.Kill()
				break
			}
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Wait()
		if exists(path) {
			break
		}
		kills++
		suspects := 0
		w := open(t, path, childHeader(), Options{})
		for _, row := range w.Todo() {
			if w.Suspect(row) {
				suspects++
			}
		}
		if suspects == 0 || suspects > 50 {
			t.Errorf("%d rows are suspects after kill %d, want those in flight", suspects, kills)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if kills == 0 {
		t.Error("the child was done before it was killed")
	}
	if got, want := contents(t, path), contents(t, once); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if exists(path + ".part") {
		t.Error("the part is left")
	}
}

func TestAKilledFreshStartKeepsTheOldFileAndMixesNothing(t *testing.T) {
	dir := t.TempDir()
	path, once := filepath.Join(dir, "killed.jsonl"), filepath.Join(dir, "once.jsonl")
	const env = "PIDSBENCH_TEST_OTHER=1"
	for _, cmd := range []*exec.Cmd{start(t, path), start(t, once, env)} {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t, path)
	cmd := start(t, path, env, "PIDSBENCH_TEST_FRESH=1")
	for done := 0; done < 30; {
		time.Sleep(time.Millisecond)
		b, err := os.ReadFile(path + ".part")
		if err != nil {
			t.Fatalf("the child was done before it was killed: %v", err)
		}
		done = strings.Count(string(b), `{"row"`)
	}
	_ = cmd.Process.Kill()
	killed(t, cmd)
	if contents(t, path) != before {
		t.Error("the old file is gone or changed")
	}
	if err := start(t, path, env).Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := contents(t, path), contents(t, once); got != want || got == before {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestARowThatKillsTheProcessTwiceBecomesAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.jsonl")
	const env = "PIDSBENCH_TEST_DEADLY=1"
	killed(t, start(t, path, env))
	first := 0
	w := open(t, path, childHeader(), Options{})
	for _, row := range w.Todo() {
		if w.Suspect(row) {
			first++
		}
	}
	if !w.Suspect(100) || !w.Suspect(300) || first < 3 {
		t.Errorf("%d suspects after the first death: rows 100 and 300, which hold the same text, and bystanders", first)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	killed(t, start(t, path, env))
	w = open(t, path, childHeader(), Options{})
	var dead []int
	for _, l := range w.Lines() {
		if l.Error != "" {
			if l.Error != DiedTwice {
				t.Errorf("got %+v", l)
			}
			dead = append(dead, l.Row)
		}
	}
	if want := []int{100, 300}; !slices.Equal(dead, want) {
		t.Errorf("rows %v died twice, want %v and no bystander", dead, want)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := start(t, path, env).Wait(); err != nil {
		t.Fatalf("the third run: %v", err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for row, l := range f.Lines {
		if l.Scored() == (row == 100 || row == 300) {
			t.Errorf("got %+v", l)
		}
	}
	before := contents(t, path)
	if err := start(t, path, env).Wait(); err != nil || contents(t, path) != before {
		t.Errorf("rows that died twice were tried again: %v", err)
	}
	w = open(t, path, childHeader(), Options{Fresh: true})
	if len(w.Todo()) != childRows || w.Suspect(100) {
		t.Error("a fresh start remembers deaths")
	}
}

func TestAnotherProcessIsKeptOutUntilItDies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.jsonl")
	cmd := start(t, path, "PIDSBENCH_TEST_HOLD=1")
	if _, err := Open(path, childHeader(), Options{}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
	_ = cmd.Process.Kill()
	killed(t, cmd)
	open(t, path, childHeader(), Options{})
}
