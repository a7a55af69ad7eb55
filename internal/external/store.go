package external

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// Store is the folder that holds the imported sets, a folder each. Names that begin with a dot are not sets: what an
// import writes before it is whole, and what a replaced set was.
type Store struct {
	Dir string
}

// Names returns the names of the imported sets, sorted; none when nothing was ever imported.
func (s Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot list the imported sets: %w", err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() {
			continue
		}
		if err := CheckName(e.Name(), nil); err != nil {
			return nil, fault.New(fault.Integrity, "the folder %s in %s is no imported set", fault.Name(e.Name()), s.Dir).
				WithCure("move it away")
		}
		names = append(names, e.Name())
	}
	return names, nil // ReadDir sorts them
}

// Read returns what set.yaml says of a set. A set that is not there is a Usage error that lists those that are, a
// damaged description an Integrity error.
func (s Store) Read(name string) (*Set, error) {
	if err := s.exists(name); err != nil {
		return nil, err
	}
	set := &Set{}
	f := &strictyaml.File{Name: filepath.Join(s.Dir, name, setFile), Kind: fault.Integrity, Cure: reimport(name)}
	if err := f.Load(f.Name, set); err != nil {
		return nil, err
	}
	wrong := func(field, found, expected string) error {
		return f.Fail(f.Line(field), "field %s holds %s, expected %s", field, fault.Quote(found), expected)
	}
	switch {
	case set.Schema != Schema:
		return nil, wrong("schema", set.Schema, Schema)
	case set.Name != name:
		return nil, wrong("name", set.Name, "the folder's name "+name)
	case set.Provenance != "" && set.Provenance != HardBenign:
		return nil, wrong("provenance", set.Provenance, HardBenign+" or nothing")
	case set.Axis != string(axis(set.Provenance)):
		return nil, wrong("axis", set.Axis, string(axis(set.Provenance)))
	case !slices.Contains(LicenceClasses, set.LicenceClass):
		return nil, wrong("licence_class", set.LicenceClass, strings.Join(LicenceClasses, ", "))
	}
	return set, nil
}

func reimport(name string) string {
	return "import the set again with --replace, or delete it with `pidsbench data import --remove " + name + "`"
}

func (s Store) exists(name string) error {
	info, err := os.Lstat(filepath.Join(s.Dir, name))
	if err == nil && info.IsDir() && CheckName(name, nil) == nil {
		return nil
	}
	have, err := s.Names()
	if err != nil {
		return err
	}
	e := fault.New(fault.Usage, "there is no external set %s", fault.Quote(name))
	if len(have) == 0 {
		return e.WithCure("import one with `pidsbench data import`")
	}
	return e.WithCure("choose from %s", strings.Join(have, ", "))
}

// Load reads a set and its rows and checks that these are what was imported: otherwise it is an Integrity error.
func (s Store) Load(name string) (*Set, *dataset.Split, error) {
	set, err := s.Read(name)
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(s.Dir, name, rowsFile)
	changed := func(format string, args ...any) error {
		return fault.New(fault.Integrity, "%s: "+format, append([]any{fault.Name(path)}, args...)...).
			WithCure("%s", reimport(name))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, changed("the rows of external set %s are missing", name)
	case err == nil && !info.Mode().IsRegular():
		return nil, nil, changed("the rows are no regular file")
	case err == nil && info.Size() > dataset.MaxFileSize:
		return nil, nil, changed("the rows have %d bytes, more than an import writes", info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fault.New(fault.Failed, "cannot read the rows of an external set: %w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != set.RowsSHA256 {
		return nil, nil, changed("its SHA-256 is %s, expected %s as imported", fault.Quote(hex.EncodeToString(sum[:])),
			fault.Quote(set.RowsSHA256))
	}
	split, err := dataset.ReadBytes(path, data, dataset.Mapping{})
	if err != nil {
		return nil, nil, err
	}
	split.Name = name
	if benign, injection := split.Counts(); benign != set.Benign || injection != set.Injection {
		return nil, nil, changed("it holds %d benign and %d injection rows, expected %d and %d as imported", benign,
			injection, set.Benign, set.Injection)
	}
	for _, c := range set.Spec().Slices {
		if _, ok := split.Column(c); !ok {
			return nil, nil, changed("it has no column %s, by which %s breaks it down", fault.Quote(c), setFile)
		}
	}
	return set, split, nil
}

// Import reads files by a mapping and stores the set. Done is false when the same set is there already. Another set of
// that name is a Usage error unless replace is given. Whatever stops an import, the store holds the set as it was
// before or the whole new one.
func (s Store) Import(ctx context.Context, name string, m *Mapping, in Input, replace bool) (set *Set, done bool,
	err error) {
	c := &collection{name: name, mapping: m}
	origins, err := in.read(ctx, m, c.add)
	if err != nil {
		return nil, false, err
	}
	if err := c.finish(); err != nil {
		return nil, false, err
	}
	set, files, err := c.files(origins)
	if err != nil {
		return nil, false, err
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, false, err
	}
	defer unlock()
	if _, err := os.Lstat(s.path(name)); err == nil {
		if s.same(name, files) {
			return set, false, nil
		}
		if !replace {
			return nil, false, fault.New(fault.Usage, "external set %s is there already and holds something else",
				name).WithCure("choose another name, or add --replace; its scores must then be made again with --fresh")
		}
	}
	return set, true, s.put(ctx, name, files)
}

func (s Store) path(name string) string { return filepath.Join(s.Dir, name) }

// same reports whether the set holds exactly these files.
func (s Store) same(name string, files map[string][]byte) bool {
	for file, want := range files {
		if got, err := os.ReadFile(filepath.Join(s.path(name), file)); err != nil || !bytes.Equal(got, want) {
			return false
		}
	}
	return true
}

// What stands beside a set while it changes places.
func (s Store) coming(name string) string { return s.path(".new-" + name) }
func (s Store) going(name string) string  { return s.path(".old-" + name) }

// lock makes the store its caller's alone and clears up after a process that was killed.
func (s Store) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return nil, fault.New(fault.Failed, "cannot make the folder of external sets: %w", err)
	}
	l := flock.New(s.path(".lock"), flock.SetPermissions(0o666))
	if _, err := l.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fault.New(fault.Failed, "cannot lock the folder of external sets: %w", err)
	}
	entries, err := os.ReadDir(s.Dir)
	for _, e := range entries {
		name, old := strings.CutPrefix(e.Name(), ".old-")
		if _, gone := os.Lstat(s.path(name)); old && errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, os.Rename(s.going(name), s.path(name)))
		} else if old || strings.HasPrefix(e.Name(), ".new-") {
			err = errors.Join(err, os.RemoveAll(s.path(e.Name())))
		}
	}
	if err != nil {
		_ = l.Unlock()
		return nil, fault.New(fault.Failed, "cannot clear up the folder of external sets: %w", err)
	}
	return func() { _ = l.Unlock() }, nil
}

// put writes the files beside the set's place and changes places.
func (s Store) put(ctx context.Context, name string, files map[string][]byte) (err error) {
	defer func() {
		var f *fault.Error
		if err != nil {
			_ = os.RemoveAll(s.coming(name))
			if !errors.As(err, &f) && ctx.Err() == nil {
				err = fault.New(fault.Failed, "cannot write external set %s: %w", name, err)
			}
		}
	}()
	if err := os.Mkdir(s.coming(name), 0o777); err != nil {
		return err
	}
	for file, data := range files {
		err := atomicfile.Write(filepath.Join(s.coming(name), file), 0o666, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = os.Rename(s.path(name), s.going(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	replaced := err == nil
	if err := os.Rename(s.coming(name), s.path(name)); err != nil {
		if replaced {
			err = errors.Join(err, os.Rename(s.going(name), s.path(name)))
		}
		return err
	}
	return os.RemoveAll(s.going(name))
}

// Remove deletes a set; one that is not there is a Usage error.
func (s Store) Remove(ctx context.Context, name string) error {
	if err := s.exists(name); err != nil {
		return err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	// Out of sight in one step; a rest is cleared up by the next command.
	if err := os.Rename(s.path(name), s.coming(name)); err != nil {
		return fault.New(fault.Failed, "cannot remove external set %s: %w", name, err)
	}
	if err := os.RemoveAll(s.coming(name)); err != nil {
		return fault.New(fault.Failed, "cannot remove external set %s: %w", name, err)
	}
	return nil
}
