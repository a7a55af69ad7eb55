package scores

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"pidsbench/internal/fault"
)

// Open opens the score file at path, FILE.jsonl, for the rows that it lacks. Scores of another identity at that path
// are an integrity error that names the difference, and another process that writes the same file is an error.
//
// With Options.Fresh every row is left to do, whatever identity the scores there have, and what an earlier process left
// unfinished is dropped. The finished file stays until Finish replaces it; until then no row of it is taken over,
// neither by this Writer nor by a later one that goes on where this one stopped.
//
// A row that was in flight when a process died is a suspect; one that was in flight twice gets the error DiedTwice.
func Open(path string, h Header, opt Options) (*Writer, error) {
	h.Schema, h.Info.Also, h.Info.Servers = Schema, nil, nil
	h.Identity = h.normal()
	if err := h.check(); err != nil {
		return nil, fault.New(fault.Failed, "cannot write scores to %s: %w", path, err)
	}
	w := &Writer{path: path, header: h, inFlight: map[int]bool{}}
	_, err := os.Lstat(w.part())
	if !opt.Fresh && errors.Is(err, fs.ErrNotExist) {
		base, err := w.finished()
		if err != nil {
			return nil, err
		}
		if base != nil {
			if err := w.take(base, &part{}); err != nil {
				return nil, err
			}
			if len(w.todo) == 0 {
				w.done = true
				return w, nil
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, cannotWrite(err)
	}
	if w.lock, err = lock(w.part()); err != nil {
		return nil, err
	}
	if err := w.resume(opt.Fresh); err != nil {
		if info, stat := os.Stat(w.part()); stat == nil && info.Size() == 0 {
			_ = os.Remove(w.part()) // the lock made it
		}
		w.letGo()
		return nil, err
	}
	return w, nil
}

func (w *Writer) part() string { return w.path + ".part" }

// finals returns where finished scores may lie; the first that is there counts.
func (w *Writer) finals() []string { return []string{w.path, w.path + ".gz"} }

// finished reads the finished file, plain or gzipped; nil when there is none.
func (w *Writer) finished() (*File, error) {
	for _, path := range w.finals() {
		base, err := Read(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		return base, w.belongs(path, &base.Header)
	}
	return nil, nil
}

// belongs returns an error when a file's header is of another identity or shard.
func (w *Writer) belongs(path string, h *Header) error {
	d := differ(h.Identity, w.header.Identity)
	if d == nil && h.Info.Shard != w.header.Info.Shard {
		d = &difference{"shard", show(h.Info.Shard.String()), show(w.header.Info.Shard.String())}
	}
	if d == nil {
		return nil
	}
	return mismatch(path, d)
}

// take sets out what is known and what is left to do.
func (w *Writer) take(base *File, p *part) error {
	var err error
	if w.lines, w.setups, err = merge(base, p, w.part()); err != nil {
		return err
	}
	w.servers = p.servers
	if base != nil {
		w.servers = append(w.servers, base.Header.Info.Servers...)
	}
	w.deaths = p.deaths
	w.todo = map[int]bool{}
	for row := range w.header.Rows {
		if l, ok := w.lines[row]; w.header.Info.Shard.Has(row) && (!ok || !final(l)) {
			w.todo[row] = true
		}
	}
	return nil
}

// resume opens the locked part and brings it into a state to append to.
func (w *Writer) resume(fresh bool) (err error) {
	if w.out, err = os.OpenFile(w.part(), os.O_RDWR|os.O_APPEND, 0); err != nil {
		return cannotWrite(err)
	}
	if fresh {
		if err := w.clear(); err != nil {
			return err
		}
	}
	p, err := readPart(w.part(), w.out)
	if err != nil {
		return err
	}
	w.fresh = fresh || p.fresh
	var base *File
	if !w.fresh {
		if base, err = w.finished(); err != nil {
			return err
		}
	}
	if p.whole > 0 {
		if err := w.belongs(w.part(), &p.header); err != nil {
			return err
		}
	}
	if err := w.take(base, p); err != nil {
		return err
	}
	if base != nil && len(w.todo) == 0 { // the process died between the last two steps of Finish
		w.done = true
		return w.drop()
	}
	if err := w.out.Truncate(p.whole); err != nil {
		return cannotWrite(err)
	}
	w.partHas = len(p.lines)+len(p.deaths) > 0
	if p.whole == 0 {
		head, err := partHeader{w.header, w.fresh}.encode()
		if err != nil {
			return cannotWrite(err)
		}
		if err := w.write(head); err != nil {
			return err
		}
	} else if p.setup != w.header.Info.Setup {
		mark, err := marks{Setup: &w.header.Info.Setup}.line()
		if err != nil {
			return cannotWrite(err)
		}
		if err := w.write(mark); err != nil {
			return err
		}
	}
	for _, row := range slices.Sorted(maps.Keys(w.deaths)) {
		if w.todo[row] && w.deaths[row] > 1 {
			if err := w.append(Line{Row: row, Error: DiedTwice}); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear empties the part for a fresh start and notes what is given up.
func (w *Writer) clear() error {
	for _, path := range w.finals() {
		switch info, err := os.Lstat(path); {
		case err == nil && info.IsDir():
			return fault.New(fault.Integrity, "%s: is a folder, expected a score file", path).WithCure("move it away")
		case err == nil:
			w.removed = append(w.removed, path)
		case !errors.Is(err, fs.ErrNotExist):
			return cannotWrite(err)
		}
	}
	info, err := w.out.Stat()
	if err == nil && info.Size() > 0 {
		w.removed = append(w.removed, w.part())
		err = w.out.Truncate(0)
	}
	if err != nil {
		return cannotWrite(err)
	}
	return nil
}
