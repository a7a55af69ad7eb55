package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"pidsbench/internal/fault"
)

// Times that nobody needs to set.
const (
	lingering = time.Second     // how long what a program started may hold its output open after its end
	farewell  = 2 * time.Second // how long a program may take to end after its input has
)

// cancelled is why a program is killed when the context of a text ends.
var cancelled = &misuse{what: "was stopped"}

// child is one running program.
type child struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stderr  tail
	version string        // what it must call itself, if it says
	hello   chan struct{} // closed when it has said that it is ready
	dead    chan struct{} // closed when it has ended and all it wrote is read

	writing sync.Mutex // one request at a time

	mu      sync.Mutex
	waiting map[int64]chan<- message // by the id of the request
	last    int64                    // id
	spoken  bool                     // it has written a line
	warm    bool                     // it has said that it is ready, or has answered
	lost    *misuse                  // why it was killed
	status  string                   // how it ended
	failed  bool                     // with another exit status than 0
	counted bool                     // its death is taken into account; the detector's
}

// start runs the command in the folder.
func start(path string, args, env []string, dir, version string) (*child, error) {
	c := &child{
		cmd: exec.Command(path, args...), version: version, hello: make(chan struct{}), dead: make(chan struct{}),
		waiting: map[int64]chan<- message{},
	}
	c.cmd.Dir, c.cmd.Env, c.cmd.SysProcAttr, c.cmd.WaitDelay = dir, env, group(), lingering
	out := &lines{take: c.take, long: func() {
		c.kill(&misuse{fmt.Sprintf("wrote a line of more than %d bytes", maxLine), stdoutCure})
	}}
	c.cmd.Stdout, c.cmd.Stderr = out, &c.stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // see group
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.watch(out)
		}
	}()
	return c, <-started
}

// watch waits for the end of the program.
func (c *child) watch(out *lines) {
	err := c.cmd.Wait()
	killGroup(c.cmd.Process.Pid) // what it started and left behind
	out.end()
	c.mu.Lock()
	c.status, c.failed = c.cmd.ProcessState.String(), !c.cmd.ProcessState.Success()
	if err != nil && !c.failed && !errors.Is(err, exec.ErrWaitDelay) {
		c.status = err.Error()
	}
	c.mu.Unlock()
	close(c.dead)
}

// take is called with each line that the program writes.
func (c *child) take(line []byte) bool {
	m, bad := parse(line)
	c.mu.Lock()
	first := !c.spoken
	c.spoken = true
	to := c.waiting[m.id]
	switch {
	case bad != nil:
	case m.ready && !first:
		bad = &misuse{"said that it is ready after it had written something else", "see docs/process.md"}
	case m.ready && m.version != "" && c.version != "" && m.version != c.version:
		bad = &misuse{"calls itself version " + fault.Quote(m.version) + ", but its entry says " + fault.Quote(c.version),
			"write the version into process.version: scores of several versions are never mixed"}
	case m.ready:
		c.warm = true
		close(c.hello)
	case to == nil:
		bad = &misuse{"wrote an answer to " + strconv.FormatInt(m.id, 10) + ", which no open request has as its id",
			"let it answer each request once, with the id of the request"}
	default:
		c.warm = true
		delete(c.waiting, m.id)
		to <- m
	}
	c.mu.Unlock()
	if bad != nil {
		c.kill(bad)
	}
	return bad == nil
}

// kill ends the program and its group now, for that reason.
func (c *child) kill(why *misuse) {
	c.mu.Lock()
	if c.lost == nil {
		c.lost = why
	}
	c.mu.Unlock()
	select {
	case <-c.dead:
	default:
		killGroup(c.cmd.Process.Pid)
		_ = c.stdin.Close()
	}
}

// death is the error of a text that was in flight when the program ended or had to be ended.
type death struct{ child *child }

// Error says how the program ended and what it wrote to stderr last.
func (d *death) Error() string {
	s := "it " + d.what()
	if said := d.child.stderr.summary(); said != "" {
		s += "; its stderr ends with " + strconv.Quote(said)
	}
	return s
}

func (d *death) what() string {
	if why := d.child.cause(); why != nil {
		return why.what
	}
	return "ended with " + d.child.status // set before it was dead
}

// killed reports whether the program did not end by itself.
func (d *death) killed() bool { return d.child.cause() != nil }

// finished reports whether the program ended by itself and well, as one does that answers once.
func (d *death) finished() bool { return !d.killed() && !d.child.failed }

func (d *death) cure() string {
	if why := d.child.cause(); why != nil {
		return why.cure
	}
	if d.finished() {
		return stayCure
	}
	return "run its command by hand; docs/process.md says what it has to read and write, and which variables it finds"
}

// stayCure is for a program that is finished while its input goes on.
const stayCure = "let it read line after line of stdin until that ends, and write and flush an answer for each"

// waitReady waits until the program has said that it is ready. It returns a death when that does not come in time.
func (c *child) waitReady(ctx context.Context, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case <-c.hello:
			return nil
		case <-c.dead:
			return &death{c}
		case <-timer.C:
			c.kill(&misuse{"did not say within " + inSeconds(limit) + " that it is ready",
				`let it write {"ready":true} and flush it, or raise start_timeout in its entry`})
		case <-ctx.Done():
			c.kill(cancelled)
			return ctx.Err()
		}
	}
}

// ask sends a text and waits for the answer. It returns a death when the program ends before it, or has to be ended.
func (c *child) ask(ctx context.Context, text string, start, limit time.Duration) (message, error) {
	answer := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = answer
	if !c.warm {
		limit += start
	}
	c.mu.Unlock()
	go c.send(request(id, text))
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case m := <-answer:
			return m, nil
		case <-c.dead:
			select {
			case m := <-answer: // with its last breath
				return m, nil
			default:
				return message{}, &death{c}
			}
		case <-timer.C:
			c.kill(&misuse{"gave no answer within " + inSeconds(limit),
				"let it answer each line before it reads the next one, and flush its output, or raise timeout in its entry"})
		case <-ctx.Done():
			c.kill(cancelled)
			return message{}, ctx.Err()
		}
	}
}

// send writes a request. A program that has ended says so better than the failing write does.
func (c *child) send(line []byte) {
	c.writing.Lock()
	_, err := c.stdin.Write(line)
	c.writing.Unlock()
	if err == nil {
		return
	}
	select {
	case <-c.dead:
	case <-time.After(lingering):
		c.kill(&misuse{"closed its stdin while it was running", "let it read one request a line until its input ends"})
	}
}

// cause returns why the program was killed, nil when it was not.
func (c *child) cause() *misuse {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// ended reports whether the program has ended or is about to, being killed.
func (c *child) ended() bool {
	select {
	case <-c.dead:
		return true
	default:
		return c.cause() != nil
	}
}

// seconds is a duration from an entry, or the default where that says 0.
func seconds(v float64, otherwise int) time.Duration {
	if v == 0 {
		v = float64(otherwise)
	}
	return time.Duration(v * float64(time.Second))
}

func inSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', 4, 64) + " s" }
