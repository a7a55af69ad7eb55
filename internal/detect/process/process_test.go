package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// opened is a detector with what it said.
type opened struct {
	*Detector
	mu   sync.Mutex
	said []string
}

func (o *opened) notes() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.said, "\n")
}

// entryOf is an entry whose program is this test with some manners.
func entryOf(how string, edit func(*detect.Process)) detect.Entry {
	p := &detect.Process{Command: []string{os.Args[0]}, Env: map[string]string{asProgram: how}, Timeout: 20}
	if edit != nil {
		edit(p)
	}
	return detect.Entry{ID: "mine", Name: "Mine", Kind: "process", Process: p}
}

func open(t *testing.T, how string, edit func(*detect.Process)) *opened {
	t.Helper()
	o := &opened{}
	d, err := Open(t.TempDir(), entryOf(how, edit), 0, func(format string, args ...any) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.said = append(o.said, fmt.Sprintf(format, args...))
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Detector = d
	t.Cleanup(func() { d.Close() })
	return o
}

// want scores a text.
func (o *opened) want(t *testing.T, text string, score float64) {
	t.Helper()
	got, err := o.Score(context.Background(), text)
	if err != nil || got != score {
		t.Errorf("%.40q has score %v, %v, want %v", text, got, err, score)
	}
}

// wantRowError scores a text that gets no score for a reason of its own.
func (o *opened) wantRowError(t *testing.T, text string, parts ...string) {
	t.Helper()
	_, err := o.Score(context.Background(), text)
	if stop := (*detect.StopError)(nil); err == nil || errors.As(err, &stop) {
		t.Fatalf("%.40q gives %v, want an error of the row", text, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%.40q gives %q, which does not say %q", text, err, part)
		}
	}
}

// wantStop scores a text and expects that nothing can be scored any more.
func (o *opened) wantStop(t *testing.T, text string, parts ...string) {
	t.Helper()
	_, err := o.Score(context.Background(), text)
	var stop *detect.StopError
	if !errors.As(err, &stop) {
		t.Fatalf("%.40q gives %v, want the end of the run", text, err)
	}
	testenv.WantFault(t, stop.Err, fault.Failed, append(parts, "detector mine: ")...)
	start := time.Now()
	if _, again := o.Score(context.Background(), "x"); again == nil || again.Error() != err.Error() {
		t.Errorf("after the end another text gives %v", again)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("after the end another text took %v", took)
	}
}

func TestAProgramIsKeptAlive(t *testing.T) {
	o := open(t, "plain", nil)
	o.want(t, "", 0)
	_, first := o.Score(context.Background(), "pid")
	o.want(t, strings.Repeat("x", 1000), 1)
	if _, second := o.Score(context.Background(), "pid"); first == nil || second.Error() != first.Error() {
		t.Errorf("one text has %v, a later one %v", first, second)
	}
	if err := o.Close(); err != nil || o.notes() != "" {
		t.Errorf("Close = %v, said %q", err, o.notes())
	}
}

func TestTextsArriveAsTheyAre(t *testing.T) {
	o := open(t, "plain", nil)
	for _, text := range []string{"", "plain", "two\nlines\r\n\u2028\u0085", `"quotes" \ </script>&`, "ünïcödé 😀 \U0010FFFF",
		"\x1b[31m\u202e\x7f"} {
		_, err := o.Score(context.Background(), "echo "+text)
		if want := "the program gave an error: " + fault.Line("echo "+text); err == nil || err.Error() != want {
			t.Errorf("%q came through as %v", text, err)
		}
	}
	o.want(t, "a\x00b", 0.003)
	o.want(t, "a\xffb", 0.005) // U+FFFD has three bytes
	long := strings.Repeat("long ", 200_000)
	o.wantRowError(t, long, "the score 1000,")
}

func TestOneAnswerInTime(t *testing.T) {
	for name, c := range map[string]struct {
		how   string
		edit  func(*detect.Process)
		score float64
	}{
		"ready, unasked":       {"ready=1.2", nil, 0.005},
		"ready, waited for":    {"ready=1.2", func(p *detect.Process) { p.Ready = true }, 0.005},
		"ready, right version": {"ready=1.2", func(p *detect.Process) { p.Ready, p.Version = true, "1.2" }, 0.005},
		"slow, waited for":     {"slow", func(p *detect.Process) { p.Ready = true }, 0.005},
		"the first may take as long as a start": {"late", func(p *detect.Process) { p.Timeout, p.StartTimeout = 0.2, 20 },
			0.005},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := open(t, c.how, c.edit)
			o.want(t, "hello", c.score)
			if o.Close(); o.notes() != "" {
				t.Errorf("said %q", o.notes())
			}
		})
	}
}

func TestAnswersMayHaveAnyShapeThatIsClear(t *testing.T) {
	o := open(t, "plain", nil)
	o.want(t, `say {"id":%d,"score":0.25,"why":["x"],"error":null}`, 0.25)
	o.want(t, `say  { "label": 1 , "id": %d } `, 1)
	o.want(t, `say {"id":%d,"label":0}`, 0)
	o.want(t, `say {"id":%d,"score":1}`+"\n", 1)
	o.want(t, "say \r\n\n"+`{"id":%d,"score":1e-3}`+"\r", 0.001)
	for answer, say := range map[string]string{
		`{"id":%d,"error":"too \u001b[31m long"}`:  "the program gave an error: too [31m long",
		`{"id":%d,"error":""}`:                     "no reason given",
		`{"id":%d,"error":{"code":7}}`:             `{"code":7}`,
		`{"id":%d}`:                                "no score, label or error",
		`{"id":%d,"score":null}`:                   "no score, label or error",
		`{"id":%d,"score":0.5,"label":1}`:          "more than one of",
		`{"id":%d,"score":0.5,"error":"x"}`:        "more than one of",
		`{"id":%d,"score":1.0000001}`:              "the score 1.0000001, expected a number from 0 to 1",
		`{"id":%d,"score":-0.1}`:                   "the score -0.1,",
		`{"id":%d,"score":1e999}`:                  "the score 1e999,",
		`{"id":%d,"score": NaN}`:                   `the score "NaN",`,
		`{"id":%d,"score":-Infinity,"x":NaN}`:      `the score "-Infinity",`,
		`{"id":%d,"score":"0.97"}`:                 `the score "0.97",`,
		`{"id":%d,"label":true}`:                   "the label true, expected 0 or 1",
		`{"id":%d,"label":0.5}`:                    "the label 0.5,",
		`{"id":%d,"score":[0.1,0.9],"label":null}`: "the score [0.1,0.9],",
	} {
		o.wantRowError(t, "say "+answer, say)
	}
	if o.Close(); o.notes() != "" {
		t.Errorf("the program was not kept: %q", o.notes())
	}
}

func TestMisuseOfStdoutIsNamedAndEndsTheProgram(t *testing.T) {
	for name, c := range map[string]struct{ answer, say string }{
		"no JSON":         {"Loading \x1b[31m", `wrote a line that is no JSON object: "Loading \x1b[31m"`},
		"no object":       {"[1]", `no JSON object: "[1]"`},
		"nothing":         {"null", `no JSON object: "null"`},
		"two on a line":   {`{"id":%d,"score":0}{}`, "no JSON object"},
		"no id":           {`{"score":0}`, `wrote an answer without id: "{\"score\":0}", expected {"id":N,`},
		"id as text":      {`{"id":"%d","score":0}`, "the id"},
		"unknown id":      {`{"id":77,"score":0}`, "wrote an answer to 77, which no open request has as its id"},
		"ready afterward": {`{"ready":true}`, "ready after"},
		"not ready":       {`{"ready":"yes"}`, `field ready holds "\"yes\""`},
		"overlong":        {strings.Repeat("x", maxLine+1), "a line of more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := open(t, "ready", nil)
			o.want(t, "hello", 0.005)
			o.wantRowError(t, "say "+c.answer, "did not survive this text, twice: it ", c.say)
			o.want(t, "hello", 0.005)
			if o.Close(); !strings.Contains(o.notes(), "was started again 2 times") {
				t.Errorf("said %q", o.notes())
			}
		})
	}
}

func TestATextThatEndsTheProgramTwiceIsTheRowsError(t *testing.T) {
	t.Parallel()
	o := open(t, "plain", func(p *detect.Process) { p.Timeout = 2 })
	o.wantRowError(t, "crash bad", "twice: it ended with exit status 1; its stderr ends with \"ValueError: the text is bad\"")
	o.want(t, "hello", 0.005)
	o.wantRowError(t, "hang", "twice: it gave no answer within 2 s")
	o.want(t, "crash-once "+filepath.Join(o.root, "x"), float64(len("crash-once "+filepath.Join(o.root, "x")))/1000)
}

func TestManyTextsThatEndTheProgramDoNotEndTheRun(t *testing.T) {
	o := open(t, "plain", nil)
	for i := range 6 {
		o.wantRowError(t, fmt.Sprintf("crash %d", i), "twice", strconv.Itoa(i))
	}
	o.want(t, "hello", 0.005)
}

func TestAProgramThatCannotWorkStopsTheRun(t *testing.T) {
	soon := func(p *detect.Process) { p.Timeout, p.StartTimeout = 0.2, 0.1 }
	ready := func(p *detect.Process) { p.Ready = true }
	readySoon := func(p *detect.Process) { p.Ready, p.StartTimeout = true, 0.2 }
	for name, c := range map[string]struct {
		how  string
		edit func(*detect.Process)
		say  string
	}{
		"crashes at once": {"broken", nil, `does not answer: it ended with exit status 3; its stderr ends with ` +
			`"Traceback (most recent call last): / ImportError: no [31mmodule"; run its command by hand`},
		"crashes before it is ready": {"broken", ready,
			"was not ready: it ended with exit status 3"},
		"never answers":     {"silent", soon, "does not answer: it gave no answer within 0.3 s; let it answer"},
		"is never ready":    {"silent", readySoon, "was not ready: it did not say within 0.2 s that it is ready; let it write"},
		"prints to stdout":  {"chatter", nil, `no JSON object: "Loading the model …"; let it write its answers alone`},
		"prints, not ready": {"chatter", ready, "no JSON object"},
		"answers unasked":   {"early", ready, "wrote an answer to 1, which no open request has"},
		"closes its stdin":  {"deaf", ready, "closed its stdin while it was running"},
		"ends at once": {"status=0", func(p *detect.Process) { p.Command = []string{"true"} },
			"does not answer: it ended with exit status 0; let it read line after line of stdin until that ends"},
		"another version": {"ready=1.3", func(p *detect.Process) { p.Version = "1.2" },
			`calls itself version "1.3", but its entry says "1.2"; write the version into process.version`},
		"not started": {"plain", func(p *detect.Process) { p.Command = []string{"./script"} }, "cannot be started"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entry := entryOf(c.how, c.edit)
			root := t.TempDir()
			if entry.Process.Command[0] == "./script" { // found and allowed to run, but for no machine
				if err := os.WriteFile(filepath.Join(root, "script"), []byte("\x7fELF nonsense"), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			o := &opened{}
			d, err := Open(root, entry, 0, func(format string, args ...any) { o.said = append(o.said, fmt.Sprintf(format, args...)) })
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			o.Detector = d
			o.wantStop(t, "hello", c.say)
			if c.how == "broken" && !strings.Contains(o.notes(), "mine: stderr: File \"x.py\", line 1\nmine: stderr: ImportError") {
				t.Errorf("said %q", o.notes())
			}
		})
	}
}

func TestAProgramThatStopsWorkingStopsTheRun(t *testing.T) {
	o := open(t, "plain", nil)
	o.want(t, "hello", 0.005)
	o.Detector.entry.Env[asProgram] = "broken" // from the next start on
	o.wantStop(t, "crash x", "does not answer: it ended with exit status 3")
}

func TestAProgramThatEndsBetweenTextsIsStartedAgain(t *testing.T) {
	o := open(t, "quits=1", nil)
	for range 8 {
		o.want(t, "hello", 0.005)
	}
	o.Close()
	for _, want := range []string{"was started again", "exit status 0; let it read line after line", "flush an answer for each"} {
		if !strings.Contains(o.notes(), want) {
			t.Errorf("said %q, which does not say %q", o.notes(), want)
		}
	}
}

func TestTheExitStatusAfterTheLastAnswerIsNotedAndNoError(t *testing.T) {
	o := open(t, "status=1", nil)
	o.want(t, "hello", 0.005)
	if err := o.Close(); err != nil || o.notes() != "mine: after its last answer its program ended with exit status 1" {
		t.Errorf("Close = %v, said %q", err, o.notes())
	}
}

func TestAProgramThatStaysAfterItsInputIsKilled(t *testing.T) {
	t.Parallel()
	o := open(t, "stays", nil)
	o.want(t, "hello", 0.005)
	start := time.Now()
	if err := o.Close(); err != nil || !strings.Contains(o.notes(), "still ran when its input had ended, and was killed") {
		t.Errorf("Close = %v, said %q", err, o.notes())
	}
	if took := time.Since(start); took < farewell || took > farewell+10*time.Second {
		t.Errorf("Close took %v", took)
	}
}

// TestTextsInFlightAtADeathAreSentAgain has one process that holds many texts, one of which is deadly.
func TestTextsInFlightAtADeathAreSentAgain(t *testing.T) {
	o := open(t, "plain", func(p *detect.Process) { p.InFlight = 8 })
	var items []engine.Item
	for i := range 100 {
		items = append(items, engine.Item{Row: i, Text: strings.Repeat("x", i+1)})
	}
	items[37].Text, items[61].Text = "crash a", "crash b"
	got := map[int]engine.Result{}
	_, err := engine.Run(context.Background(), o, items, engine.Options{}, func(r engine.Result) error {
		got[r.Row] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		r := got[i]
		switch {
		case strings.HasPrefix(item.Text, "crash"):
			if !strings.Contains(r.Err, "ValueError: the text is "+item.Text[6:]) {
				t.Errorf("row %d: %+v", i, r)
			}
		case r.Err != "" || r.Score != float64(i+1)/1000:
			t.Errorf("row %d: %+v", i, r)
		}
	}
}

func TestAnswersComeInAnyOrderOverAllTextsInFlight(t *testing.T) {
	o := open(t, "plain", func(p *detect.Process) { p.InFlight = 5 })
	if n := o.Concurrency(); n != 5 {
		t.Fatalf("Concurrency = %d", n)
	}
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { o.want(t, "held 5", 0.006) })
	}
	wg.Wait()
}

func TestSeveralProcessesShareTheTexts(t *testing.T) {
	o := open(t, "plain", func(p *detect.Process) { p.Processes, p.InFlight = 3, 2 })
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 60 {
		wg.Go(func() {
			_, err := o.Score(context.Background(), "pid")
			mu.Lock()
			defer mu.Unlock()
			seen[err.Error()] = true
		})
	}
	wg.Wait()
	if len(seen) != 3 {
		t.Errorf("%d processes answered, want 3: %v", len(seen), seen)
	}
}

func TestAProgramRunsInTheRootWithItsEnvironment(t *testing.T) {
	t.Setenv("PIDSBENCH_TEST_PASSED", "yes")
	t.Setenv("HF_TOKEN", "hf_secret")
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("TZ", "Asia/Tokyo")
	o := open(t, "plain", func(p *detect.Process) {
		p.Env["PIDSBENCH_TEST_MINE"] = "a=b"
		p.PassEnv = []string{"PIDSBENCH_TEST_PASSED", "PIDSBENCH_TEST_UNSET"}
	})
	for name, want := range map[string]string{
		"PIDSBENCH_TEST_PASSED": "yes", "PIDSBENCH_TEST_MINE": "a=b", "PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8",
		"TZ": "Asia/Tokyo", "PATH": fault.Line(os.Getenv("PATH")), "HOME": os.Getenv("HOME"),
		"HF_TOKEN": "no reason given", "PIDSBENCH_TEST_UNSET": "no reason given",
	} {
		o.wantRowError(t, "getenv "+name, "the program gave an error: "+want)
	}
	dir, err := filepath.EvalSymlinks(o.root)
	if err != nil {
		t.Fatal(err)
	}
	o.wantRowError(t, "getwd", dir)
}

func TestANamedVariableWinsOverTheDefault(t *testing.T) {
	t.Setenv("PYTHONUNBUFFERED", "0")
	passed := open(t, "plain", func(p *detect.Process) { p.PassEnv = []string{"HF_TOKEN", "PYTHONUNBUFFERED"} })
	passed.wantRowError(t, "getenv PYTHONUNBUFFERED", "error: 0")
	set := open(t, "plain", func(p *detect.Process) { p.Env["PATH"] = "/nowhere" })
	set.wantRowError(t, "getenv PATH", "error: /nowhere")
}

// alive reports whether a process runs that is no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func (o *opened) pid(t *testing.T) int {
	t.Helper()
	_, err := o.Score(context.Background(), "pid")
	var pid int
	if _, scan := fmt.Sscanf(err.Error(), "the program gave an error: pid %d", &pid); scan != nil {
		t.Fatal(err, scan)
	}
	return pid
}

func wantGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func TestCancellationEndsTheProgramAtOnce(t *testing.T) {
	o := open(t, "stays", func(p *detect.Process) { p.Processes = 2 })
	busy, idle := o.pid(t), o.pid(t)
	if busy == idle {
		t.Fatal("there is one process, want two")
	}
	ctx, cancel := context.WithCancel(context.Background())
	start := time.Now()
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := o.Score(ctx, "hang"); !errors.Is(err, context.Canceled) {
		t.Errorf("Score = %v", err)
	}
	if err := o.Close(); err != nil || o.notes() != "" {
		t.Errorf("Close = %v, said %q", err, o.notes())
	}
	if took := time.Since(start); took > farewell {
		t.Errorf("it took %v", took)
	}
	wantGone(t, busy)
	wantGone(t, idle)
}

func TestWhatAProgramStartedEndsWithIt(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "outer.sh")
	// The inner program holds the output open and outlives the outer one.
	text := "#!/bin/sh\nsleep 60 &\necho $! >&2\nread line\necho '{\"id\":1,\"error\":\"pid '$!'\"}'\nread line\n"
	if err := os.WriteFile(script, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	o := open(t, "plain", func(p *detect.Process) { p.Command = []string{script} })
	inner := o.pid(t)
	o.Close()
	wantGone(t, inner)
}

func TestAClosedDetectorStartsNothing(t *testing.T) {
	o := open(t, "plain", nil)
	o.Close()
	if _, err := o.Score(context.Background(), "hello"); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Score = %v", err)
	}
}
