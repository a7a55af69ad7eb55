// Package builder makes the open edition out of pinned packages and authored texts. Build runs a line of stages:
// import, authored, classify, clean, paraphrase, select, carriers, near, and then, in rounds until no two files leak
// into each other, families, hold-out, balance, split, obfuscate, slices; and last, siblings, which
// decides nothing of the other files. A stage is a pure function from records to
// records and a log of what it removed; nothing in it depends on the order of rows, on the machine, on time or on any
// detector's score. What it made stays in a folder with a manifest, and is read instead of made while nothing it
// depends on changes.
package builder

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
)

// Options says where a build reads and writes.
type Options struct {
	Root  string // the repository: configs/, data/, FREEZE_MANIFEST.txt
	Out   string // the edition's folder; default Root/data/open
	Work  string // the folders of the stages and the log of the build; default Root/.build/builder
	Cache string // downloaded packages; default Root/.build/packages
	// Draft leaves out the comparison with the expected counts and the manifest, for a change to the pipeline.
	Draft bool
	Log   func(format string, args ...any) // one line a slow step; nil for silence
	// Stage is called as each stage ends; kept says that nothing it depends on had changed. Nil for silence.
	Stage func(name string, records int, kept bool)
}

func (o Options) filled() Options {
	for _, d := range []struct {
		path *string
		def  string
	}{{&o.Out, "data/open"}, {&o.Work, ".build/builder"}, {&o.Cache, ".build/packages"}} {
		if *d.path == "" {
			*d.path = filepath.Join(o.Root, filepath.FromSlash(d.def))
		}
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Stage == nil {
		o.Stage = func(string, int, bool) {}
	}
	return o
}

// Report says what a build made.
type Report struct {
	Files   []Expected // rows by file and class, and by source
	Removed []Removal  // in the order of the stages
}

// FamilySize says how many families have so many rows.
type FamilySize struct {
	Rows     int `json:"rows"`
	Families int `json:"families"`
}

// memoryLimit is how many bytes a build holds before it collects garbage more often.
const memoryLimit = 720 << 20

// Build makes the edition and writes it to opts.Out. Counts that differ from the configuration and a difference from
// the freeze manifest are Integrity errors; then opts.Out is left as it was, as it is after a cancelled context. The
// report comes with such an error too.
func Build(ctx context.Context, opts Options) (*Report, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(memoryLimit, debug.SetMemoryLimit(-1))))
	opts = opts.filled()
	program, err := programHash()
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot read the running program: %w", err)
	}
	if err := os.MkdirAll(opts.Work, 0o777); err != nil {
		return nil, fault.New(fault.Failed, "cannot make the folder of the build: %w", err)
	}
	// Two builds would clear each other's files.
	lock := flock.New(filepath.Join(opts.Work, ".lock"), flock.SetPermissions(0o666))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return nil, stopped(ctx, fault.New(fault.Failed, "cannot lock the folder of the build: %w", err))
	}
	defer lock.Unlock()
	p, inputs, err := opts.plan(ctx)
	if err != nil {
		return nil, err
	}
	w := &workshop{ctx: ctx, dir: opts.Work, program: program, inputs: inputs, hashes: map[string]string{},
		done: opts.Stage}
	e, err := assemble(w, p)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	report := e.report()
	if !opts.Draft {
		if err := checkCounts(report.Files, p.cfg.Expect); err != nil {
			return report, err
		}
	}
	return report, stopped(ctx, publish(ctx, opts, e))
}

// plan reads what steers a build, and returns the hashes of these files. They are hashed before they are read: a change
// in between is at worst taken for a further change by the next build.
func (o Options) plan(ctx context.Context) (p plan, inputs map[string]string, err error) {
	if p.cfg, err = LoadConfig(o.Root); err != nil { // its values are parameters of the stages
		return p, nil, err
	}
	if p.authored, err = p.cfg.authoredPaths(o.Root); err != nil {
		return p, nil, err
	}
	if inputs, err = hashInputs(o.Root, slices.Concat(p.authored, []string{
		LockPath, GoalsPath, adjacentPath, dropPath, hardBenignPath, domainPath, subtypePath, paraphrasePath,
	})); err != nil {
		return p, nil, err
	}
	if p.lock, err = LoadLock(o.Root); err != nil {
		return p, nil, err
	}
	if err := p.cfg.checkSources(p.lock); err != nil {
		return p, nil, err
	}
	if p.lists, err = LoadLists(o.Root); err != nil {
		return p, nil, err
	}
	p.items = func() ([][]Item, error) {
		return openSources(ctx, p.lock, packages.Options{Cache: o.Cache, Log: o.Log})
	}
	p.texts = func() ([]Record, error) {
		return Authored(o.Root, p.cfg.Authored, len(p.lock.Sources), p.cfg.Seed)
	}
	p.further = func() ([]Record, error) {
		return Authored(o.Root, p.cfg.siblingFrames(), len(p.lock.Sources), p.cfg.Seed)
	}
	p.carriers = func() (carriers, error) { return loadCarriers(o.Root, p.cfg.Authored, len(p.lock.Sources)) }
	p.paraphrase = rewording(o.Root, p.cfg.Seed)
	return p, inputs, nil
}

// stopped says so when the context's end is the true reason of err.
func stopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fault.New(fault.Interrupted, "the build was stopped; nothing was changed: %w", ctx.Err())
}
