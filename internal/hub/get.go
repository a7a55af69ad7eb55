package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
)

// Get downloads a file to the path dest and returns its SHA-256 and size in bytes. While it comes it is dest.part. What
// an earlier call left there is gone on with; a whole file at dest is taken as it is when its hash is right, or when none
// is asked for. Failures that may pass are tried again, at most five times in a row without a new byte, after growing
// pauses or the time the hub asks for. A file with another hash than f.SHA256, or than the hub's own word for it, one of
// another commit and one that is too long are Integrity errors; a gated, absent or moved repository, an absent commit or
// file and a refused token are Usage errors; what the network or the disk does is a Failed one, a cancelled context an
// Interrupted one.
func (c *Client) Get(ctx context.Context, f File, dest string) (sum string, size int64, err error) {
	if err := os.MkdirAll(filepath.Dir(dest), 0o777); err != nil {
		return "", 0, diskError(err)
	}
	if info, err := os.Lstat(dest); err == nil && info.Mode().IsRegular() {
		if sum, err := packages.HashFile(dest); err == nil && (f.SHA256 == "" || sum == f.SHA256) {
			return sum, info.Size(), nil
		}
		if err := os.Remove(dest); err != nil {
			return "", 0, diskError(err)
		}
	}
	d := &download{Client: c, f: f, part: dest + ".part"}
	if sum, size, err = d.run(ctx); err != nil {
		if ctx.Err() != nil {
			err = fault.New(fault.Interrupted, "downloading %s was stopped: %w", f, ctx.Err()).
				WithCure("run the command again: it goes on from there")
		}
		return "", 0, err
	}
	if err := os.Rename(d.part, dest); err != nil {
		return "", 0, diskError(err)
	}
	return sum, size, nil
}

func diskError(err error) error {
	return fault.New(fault.Failed, "cannot write a downloaded file: %w", err).
		WithCure("check its folder and the free space")
}

// download is one file on its way.
type download struct {
	*Client
	f        File
	part     string
	restarts int // how often what was there had to be thrown away
}

// run brings the whole file to d.part.
func (d *download) run(ctx context.Context) (sum string, size int64, err error) {
	most := d.have()
	if d.f.SHA256 != "" && most > 0 { // it may have been stopped just before its renaming
		if sum, err := packages.HashFile(d.part); err == nil && sum == d.f.SHA256 {
			return sum, most, nil
		}
	}
	for failed := 0; ; {
		resumed := d.have() > 0
		sum, size, err = d.try(ctx)
		var t *temporary
		switch {
		case ctx.Err() != nil:
			return "", 0, ctx.Err()
		case errors.Is(err, errStale) && resumed && d.restarts == 0, errors.Is(err, errRange) && d.restarts == 0:
			// What was there is not the beginning of the file: begin anew, once.
			d.restarts++
			if err := os.Remove(d.part); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", 0, diskError(err)
			}
			continue
		case errors.Is(err, errStale):
			os.Remove(d.part) //nolint:errcheck // nobody takes it for the file
			return "", 0, d.tampered(err)
		case errors.Is(err, errRange):
			return "", 0, fault.New(fault.Failed, "%s does not give the range of %s that it was asked for", d.Host(), d.f).
				WithCure("try again later")
		case !errors.As(err, &t):
			return sum, size, err
		}
		if failed++; d.have() > most { // it moves
			most, failed = d.have(), 1
		}
		pause := min(d.pause<<(failed-1), maxPause)
		switch {
		case failed == tries:
			return "", 0, fault.New(fault.Failed, "%s could not be downloaded in %d tries: %s", d.f, tries, t.reason).
				WithCure("%s", t.cure)
		case t.after > longestWait:
			return "", 0, fault.New(fault.Failed, "%s; it asks to wait %s before %s is asked for again", t.reason,
				t.after.Round(time.Second), d.f).WithCure("try again then")
		case t.after > 0:
			pause = t.after
		}
		d.log("%s; trying again in %s", t.reason, pause.Round(time.Millisecond))
		if err := wait(ctx, pause); err != nil {
			return "", 0, err
		}
	}
}

// have returns the bytes that are here.
func (d *download) have() int64 {
	info, err := os.Lstat(d.part)
	if err != nil {
		return 0
	}
	return info.Size()
}

// staleError says that a whole file came and is not the one that was promised.
type staleError struct{ got, want, whose string }

func (e *staleError) Error() string   { return "SHA-256 is " + e.got }
func (e *staleError) Is(t error) bool { return t == errStale }

var errStale = errors.New("another file")

func (d *download) tampered(err error) error {
	var e *staleError
	errors.As(err, &e)
	return fault.New(fault.Integrity, "%s from %s has SHA-256 %s, expected %s as %s", d.f, d.Host(), e.got, e.want,
		e.whose).WithCure("do not use it: it is damaged, or not the file that was pinned")
}

// try asks for what is missing, takes it, and checks the whole.
func (d *download) try(ctx context.Context) (sum string, size int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	have := d.have()
	a, err := d.ask(ctx, d.f, have)
	if err != nil {
		return "", 0, err
	}
	defer a.body.Close()
	switch {
	case a.commit != "" && a.commit != d.f.Commit:
		return "", 0, fault.New(fault.Integrity, "%s gives %s at commit %s, expected %s", d.Host(), d.f,
			fault.Quote(a.commit), d.f.Commit).WithCure("do not use it; check %s", EndpointVar)
	case a.web && filepath.Ext(d.f.Path) != ".html":
		return "", 0, fault.New(fault.Failed, "%s was answered with a page for people, from a login or a proxy", d.f).
			WithCure("log in to the network, or check the proxy settings and %s", EndpointVar)
	case a.offset != 0 && a.offset != have:
		return "", 0, errRange
	case a.total > d.limit:
		return "", 0, d.tooLong()
	}
	if err := d.take(a, cancel); err != nil {
		return "", 0, err
	}
	size = d.have()
	if a.total >= 0 && size > a.total {
		return "", 0, errRange
	}
	if a.total >= 0 && size < a.total {
		return "", 0, d.cut(size, a.total)
	}
	if sum, err = packages.HashFile(d.part); err != nil {
		return "", 0, err
	}
	switch {
	case d.f.SHA256 != "" && sum != d.f.SHA256:
		return "", 0, &staleError{sum, d.f.SHA256, "pinned"}
	case a.sha256 != "" && sum != a.sha256:
		return "", 0, &staleError{sum, a.sha256, "the hub says"}
	}
	return sum, size, nil
}

func (d *download) tooLong() error {
	return fault.New(fault.Integrity, "%s is longer than %d bytes, the most that is taken", d.f, d.limit).
		WithCure("do not use this file")
}

func (d *download) cut(got, total int64) error {
	reason := fmt.Sprintf("the connection ended after %d bytes", got)
	if total >= 0 {
		reason += fmt.Sprintf(" of %d", total)
	}
	return &temporary{reason: reason, cure: "run the command again: it goes on from there"}
}

// take appends the body to what is here, or writes it anew when it begins at 0. A body that gives no byte for d.stall
// is given up by cancel.
func (d *download) take(a *answer, cancel func()) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if a.offset == 0 {
		flags |= os.O_TRUNC
	}
	out, err := os.OpenFile(d.part, flags, 0o666)
	if err != nil {
		return diskError(err)
	}
	defer out.Close()
	watch := time.AfterFunc(d.stall, cancel)
	defer watch.Stop()
	done, buf := a.offset, make([]byte, 1<<18)
	for {
		n, readErr := a.body.Read(buf)
		watch.Reset(d.stall)
		if _, err := out.Write(buf[:n]); err != nil {
			return diskError(err)
		}
		if done += int64(n); done > d.limit {
			os.Remove(d.part) //nolint:errcheck // it is not taken up again: the next try ends here too
			return d.tooLong()
		}
		d.progress(d.f.Path, done, a.total)
		switch {
		case readErr == io.EOF:
			if err := out.Close(); err != nil {
				return diskError(err)
			}
			return nil
		case readErr != nil:
			return d.cut(done, a.total)
		}
	}
}
