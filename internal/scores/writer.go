package scores

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
)

// Options say how to open a score file for writing.
type Options struct {
	Fresh bool // score every row again; finished scores stay until all rows are done, then they are replaced
}

// Writer adds rows to a score file, from where an earlier process left off. Its methods are safe for concurrent use.
//
// Rows are appended to FILE.part as they come, under a lock that keeps other processes out; each line is handed to the
// system at once, so a killed process loses at most the line it was writing. Finish writes FILE in row order and
// removes FILE.part. When FILE is there already, only its rows with errors are left to do, or all after a fresh start.
type Writer struct {
	path   string
	header Header

	mu       sync.Mutex
	lock     *flock.Flock // nil when there is nothing to write, or no more
	out      *os.File     // FILE.part
	lines    map[int]Line // rows of the finished file and of the part
	todo     map[int]bool // rows that have no final line
	deaths   map[int]int  // times that the process died while they were in flight
	inFlight map[int]bool // begun by this process
	setups   []Setup      // that lines come from
	servers  []Server     // that were asked
	partHas  bool         // the part holds more than its header
	fresh    bool         // the finished file does not count and will be replaced
	removed  []string
	err      error // of a failed write: nothing is written after it
	done     bool  // the finished file holds everything
}

// Removed returns the files whose scores Fresh gives up, to be told to the user: the finished ones, which Finish
// replaces, and the unfinished one.
func (w *Writer) Removed() []string { return w.removed }

// Todo returns the rows that are left to be scored, in order: those without a line and those with an error, except
// DiedTwice. When it is empty, Finish is due.
func (w *Writer) Todo() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.todo))
}

// Suspect reports whether the process died once while the row was in flight: it is to run alone.
func (w *Writer) Suspect(row int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.todo[row] && w.deaths[row] > 0
}

// Lines returns the lines known so far, in row order.
func (w *Writer) Lines() []Line {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sorted()
}

func (w *Writer) sorted() []Line {
	lines := make([]Line, 0, len(w.lines))
	for _, row := range slices.Sorted(maps.Keys(w.lines)) {
		lines = append(lines, w.lines[row])
	}
	return lines
}

// Begin notes that the rows go to the detector now. It is made for engine.Options.
func (w *Writer) Begin(rows []int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	fresh := make([]int, 0, len(rows))
	for _, row := range rows {
		if !w.todo[row] {
			return w.notLeft(row)
		}
		if !w.inFlight[row] {
			fresh = append(fresh, row)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := w.write(appendRows(nil, "begin", fresh)); err != nil {
		return err
	}
	for _, row := range fresh {
		w.inFlight[row] = true
	}
	w.partHas = true
	return nil
}

// Append adds the line of a row that is left to be scored.
func (w *Writer) Append(l Line) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.todo[l.Row] {
		return w.notLeft(l.Row)
	}
	return w.append(l)
}

func (w *Writer) append(l Line) error {
	if err := l.check(&w.header); err != nil {
		return fault.New(fault.Failed, "cannot write scores to %s: %w", w.path, err)
	}
	if err := w.write(l.appendTo(nil)); err != nil {
		return err
	}
	w.lines[l.Row] = l
	delete(w.todo, l.Row)
	delete(w.inFlight, l.Row)
	if !slices.Contains(w.setups, w.header.Info.Setup) {
		w.setups = append(w.setups, w.header.Info.Setup)
	}
	w.partHas = true
	return nil
}

// ServedBy notes a server that was asked for scores. Its names are short, as fault.Line makes them.
func (w *Writer) ServedBy(s Server) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains(w.servers, s) || len(w.servers) >= maxServers {
		return nil
	}
	mark, err := marks{Server: &s}.line()
	if err != nil {
		return cannotWrite(err)
	}
	w.servers = append(w.servers, s)
	return w.write(mark)
}

// Header returns the header that the finished file gets by what has been written so far.
func (w *Writer) Header() Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.finalHeader()
}

func (w *Writer) finalHeader() Header {
	h := w.header
	if len(w.setups) > 0 {
		h.Info.Setup, h.Info.Also = w.setups[0], slices.Clone(w.setups[1:])
	}
	h.Info.Servers = w.sortedServers()
	return h
}

func (w *Writer) sortedServers() []Server {
	s := slices.Compact(slices.SortedFunc(slices.Values(w.servers), func(a, b Server) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Fingerprint, b.Fingerprint))
	}))
	return s[:min(len(s), maxServers)]
}

func (w *Writer) notLeft(row int) error {
	return fault.New(fault.Failed, "cannot write scores to %s: row %d is not left to be scored", w.path, row)
}

func (w *Writer) closed() error {
	return fault.New(fault.Failed, "cannot write scores to %s: it is closed", w.path)
}

func (w *Writer) write(b []byte) error {
	switch {
	case w.err != nil:
		return w.err
	case w.lock == nil:
		return w.closed()
	}
	if _, err := w.out.Write(b); err != nil {
		w.err = cannotWrite(err)
	}
	return w.err
}

// Finish writes the score file and removes the part. It fails when a row has no line; then the part stays. Without
// anything new to write it does nothing.
func (w *Writer) Finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.done:
		return nil
	case w.err != nil:
		return w.err
	case w.lock == nil:
		return w.closed()
	}
	if want := w.header.Info.Shard.Len(w.header.Rows); len(w.lines) != want {
		missing := slices.Sorted(maps.Keys(w.todo))
		missing = slices.DeleteFunc(missing, func(row int) bool { _, ok := w.lines[row]; return ok })
		return fault.New(fault.Incomplete, "%s: %d of %d rows have no score yet, the first of them row %d",
			w.part(), want-len(w.lines), want, missing[0]).WithCure("score them by running the command again")
	}
	f := File{Header: w.finalHeader(), Lines: w.sorted()}
	if err := atomicfile.Write(w.path, 0o644, f.encode); err != nil {
		return cannotWrite(err)
	}
	if w.fresh {
		if err := os.Remove(w.path + ".gz"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotWrite(err)
		}
	}
	w.done = true
	return w.drop()
}

// drop removes the part, while it is locked.
func (w *Writer) drop() error {
	err := os.Remove(w.part())
	w.letGo()
	if err != nil {
		return cannotWrite(err)
	}
	return nil
}

// letGo closes the part and unlocks it.
func (w *Writer) letGo() {
	if w.lock == nil {
		return
	}
	if w.out != nil {
		_ = w.out.Close()
	}
	_ = w.lock.Close()
	w.lock, w.out = nil, nil
}

// Close leaves the part as it is, for a later Open to go on from, with the rows that are in flight given back. A part
// without any row is removed. After Finish it does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lock == nil {
		return nil
	}
	if !w.partHas && w.err == nil {
		return w.drop()
	}
	var err error
	if len(w.inFlight) > 0 && w.err == nil {
		err = w.write(appendRows(nil, "end", slices.Sorted(maps.Keys(w.inFlight))))
	}
	w.inFlight = map[int]bool{}
	w.letGo()
	return err
}

func cannotWrite(err error) error {
	return fault.New(fault.Failed, "cannot write scores: %w", err).WithCure("make room or choose another --out")
}
