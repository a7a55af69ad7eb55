package scores

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestTwoCompleteRunsAreByteEqualWhateverTheOrder(t *testing.T) {
	h := header(60)
	want := whole(t, h)
	path := filepath.Join(t.TempDir(), "deep", "test.jsonl")
	w := open(t, path, h, Options{})
	if got := w.Todo(); len(got) != 60 || !slices.IsSorted(got) {
		t.Fatalf("todo is %v", got)
	}
	rows := w.Todo()
	slices.Reverse(rows)
	for _, row := range rows {
		if err := w.Begin([]int{row}); err != nil {
			t.Fatal(err)
		}
		add(t, w, row)
	}
	if exists(path) {
		t.Error("the file is there before it is complete")
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 {
		t.Errorf("the folder holds %v, %v, want the score file alone", names, err)
	}
}

func TestAFinishedFileIsOpenedWithoutWriting(t *testing.T) {
	h := header(5) // no row of these is an error
	for _, suffix := range []string{"", ".gz"} {
		text := whole(t, h)
		if suffix != "" {
			text = gzipped(t, text)
		}
		path := filepath.Join(t.TempDir(), "test.jsonl")
		place(t, path+suffix, text)
		if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
			t.Fatal(err)
		}
		w := open(t, path, h, Options{})
		if len(w.Todo()) != 0 || len(w.Lines()) != 5 || w.Lines()[4] != lineOf(4) {
			t.Errorf("todo %v, lines %v", w.Todo(), w.Lines())
		}
		if err := w.Append(lineOf(1)); err == nil {
			t.Error("a row was scored again")
		}
		if err := w.Finish(); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if exists(path+".part") || contents(t, path+suffix) != text {
			t.Error("something was written")
		}
	}
}

func TestAFileCutOffAnywhereIsMadeGood(t *testing.T) {
	h := header(8)
	want := whole(t, h)
	dir := t.TempDir()
	path := filepath.Join(dir, "test.jsonl")
	w := open(t, path, h, Options{})
	for _, row := range []int{4, 2, 7, 3} {
		if err := w.Begin([]int{row}); err != nil {
			t.Fatal(err)
		}
		add(t, w, row)
	}
	full := contents(t, path+".part")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for n := range len(full) + 1 {
		if n > 0 && n < strings.IndexByte(full, '\n')-2 && n%40 != 0 {
			continue // one place within the header is as good as another
		}
		place(t, path+".part", full[:n])
		w := open(t, path, h, Options{})
		whole := full[:strings.LastIndexByte(full[:n], '\n')+1]
		if got, want := len(w.Lines()), strings.Count(whole, `{"row"`); got != want {
			t.Fatalf("cut at byte %d: %d lines are left, want %d", n, got, want)
		}
		known := len(w.Lines())
		add(t, w, w.Todo()[0])
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w = open(t, path, h, Options{}) // what was cut off is gone for good
		if got := len(w.Lines()); got != known+1 {
			t.Fatalf("cut at byte %d: %d lines a run later, want %d", n, got, known+1)
		}
		if n%40 != 0 && n < len(full)-40 { // writing a whole file to disk takes its time
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		finish(t, w)
		if got := contents(t, path); got != want {
			t.Fatalf("cut at byte %d: got\n%s\nwant\n%s", n, got, want)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	// What a disk may leave at the end when the power fails.
	for _, tail := range []string{"\x00\x00\x00", "{\"row\":5,\"sc\n", "\x00\x00\n", "}{\n"} {
		place(t, path+".part", full+tail)
		w := open(t, path, h, Options{})
		if len(w.Lines()) != 4 {
			t.Errorf("tail %q: %d lines", tail, len(w.Lines()))
		}
		finish(t, w)
		if got := contents(t, path); got != want {
			t.Errorf("tail %q: got\n%s", tail, got)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABadLineBeforeTheEndIsNotRepaired(t *testing.T) {
	h := header(8)
	head, err := h.encode()
	if err != nil {
		t.Fatal(err)
	}
	good := `{"row":0,"score":1}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"torn", string(head) + "{\"row\":1,\n" + good, "F:2: unexpected end of JSON input"},
		{"joined", string(head) + strings.TrimSpace(good) + good + good, "F:2: invalid character '{' after top-level value"},
		{"other score", string(head) + good + `{"row":0,"score":0.5}` + "\n",
			"F:3: row 0 has another line before, expected one line a row"},
		{"last, but sound JSON", string(head) + good + `{"row":8,"score":0.5}` + "\n",
			"F:3: row is 8, expected one of the 8 rows of the split, counted from 0"},
		{"mark out of range", string(head) + `{"begin":[7,8]}` + "\n",
			"F:2: row is 8, expected one of the 8 rows of the split, counted from 0"},
		{"mark and line", string(head) + `{"begin":[1],"row":7,"score":1}` + "\n", `F:2: unknown field "row"`},
		{"header", "{\"schema\":1}\n", "F:1: no header of a score file: field schema holds a number, expected string"},
	} {
		path := filepath.Join(t.TempDir(), "test.jsonl")
		place(t, path+".part", c.text)
		_, err := Open(path, h, Options{})
		want := strings.Replace(c.want, "F", path+".part", 1) + "; restore the file, or give --fresh to score again"
		if err == nil || err.Error() != want || fault.ExitCode(err) != 3 {
			t.Errorf("%s: got  %v\nwant %s", c.name, err, want)
		}
		if got := contents(t, path+".part"); got != c.text {
			t.Errorf("%s: the file was changed to\n%s", c.name, got)
		}
		finish(t, open(t, path, h, Options{Fresh: true}))
	}
}

func TestScoresOfAnotherIdentityAreNeitherMixedInNorOverwritten(t *testing.T) {
	h := header(5)
	other := h
	other.ConfigHash = hashA
	shard := h
	shard.Info.Shard = Shard{1, 2}
	for _, c := range []struct {
		h    Header
		want string
	}{
		{other, `config_hash is "b2b2b2b2b2b2"…, expected "a1a1a1a1a1a1"…`},
		{shard, `shard is none, expected "1/2"`},
	} {
		for _, finished := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "test.jsonl")
			name := path + ".part"
			w := open(t, path, h, Options{})
			add(t, w, 1, 2)
			if finished {
				name = path
				finish(t, w)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			before := contents(t, name)
			_, err := Open(path, c.h, Options{})
			want := name + ": holds other scores: " + c.want + "; give --fresh to score again, or another --out"
			if err == nil || err.Error() != want || fault.ExitCode(err) != 3 {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if contents(t, name) != before || finished && exists(path+".part") {
				t.Error("something was written")
			}
			w = open(t, path, c.h, Options{Fresh: true})
			if got := w.Removed(); !slices.Equal(got, []string{name}) {
				t.Errorf("given up are %v, want %s", got, name)
			}
			if finished && contents(t, name) != before {
				t.Error("the finished file did not stay")
			}
			finish(t, w)
			if got, want := contents(t, path), whole(t, c.h); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		}
	}
}

// other gives a row another score than lineOf does.
func other(row int) Line { return Line{Row: row, Score: 0.123} }

func TestFreshReplacesFinishedScoresInTheLastStepAndSaysSo(t *testing.T) {
	h := header(5)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	finish(t, open(t, path, h, Options{}))
	before := contents(t, path)
	place(t, path+".gz", "anything")
	place(t, path+".part", "anything")
	w := open(t, path, h, Options{Fresh: true})
	if want := []string{path, path + ".gz", path + ".part"}; !slices.Equal(w.Removed(), want) {
		t.Errorf("given up are %v, want %v", w.Removed(), want)
	}
	if len(w.Todo()) != 5 || len(w.Lines()) != 0 {
		t.Errorf("todo %v, lines %v", w.Todo(), w.Lines())
	}
	for row := range 5 {
		if contents(t, path) != before || !exists(path+".gz") {
			t.Fatalf("the finished file is gone after %d rows", row)
		}
		if err := w.Append(other(row)); err != nil {
			t.Fatal(err)
		}
		if len(w.Lines()) != row+1 {
			t.Errorf("%d lines after %d rows", len(w.Lines()), row+1)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil || f.Lines[4] != other(4) || exists(path+".gz") || exists(path+".part") {
		t.Errorf("got %+v, %v", f, err)
	}
	if w := open(t, filepath.Join(t.TempDir(), "test.jsonl"), h, Options{Fresh: true}); len(w.Removed()) != 0 {
		t.Errorf("given up are %v of an empty folder", w.Removed())
	}
}

func TestAFreshStartThatStoppedGoesOnWithoutTheOldScores(t *testing.T) {
	h := header(5)
	old := h
	old.ConfigHash = hashA // and the old ones may be of another identity
	for name, before := range map[string]Header{"same identity": h, "another identity": old} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.jsonl")
			finish(t, open(t, path, before, Options{}))
			finished := contents(t, path)
			w := open(t, path, h, Options{Fresh: true})
			if err := w.Append(other(3)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for rows := 1; rows < 5; rows++ { // each run does one more
				w := open(t, path, h, Options{})
				if len(w.Lines()) != rows || len(w.Todo()) != 5-rows || len(w.Removed()) != 0 {
					t.Errorf("%d lines, todo %v, given up %v", len(w.Lines()), w.Todo(), w.Removed())
				}
				if err := w.Append(other(w.Todo()[0])); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				if contents(t, path) != finished {
					t.Fatal("the finished file changed before the new one was complete")
				}
			}
			// The process may die between the last two steps of Finish: then the part is left beside the new file.
			part := contents(t, path+".part")
			finish(t, open(t, path, h, Options{}))
			want := contents(t, path)
			place(t, path+".part", part)
			finish(t, open(t, path, h, Options{}))
			f, err := Read(path)
			if err != nil || contents(t, path) != want || exists(path+".part") {
				t.Fatalf("got %v, %v", f, err)
			}
			for row, l := range f.Lines {
				if l != other(row) {
					t.Errorf("row %d has the old line %+v", row, l)
				}
			}
		})
	}
}

func TestAFreshStartWithoutARowLeavesTheOldScores(t *testing.T) {
	h := header(5)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	finish(t, open(t, path, h, Options{}))
	before := contents(t, path)
	if err := open(t, path, h, Options{Fresh: true}).Close(); err != nil {
		t.Fatal(err)
	}
	w := open(t, path, h, Options{})
	if len(w.Todo()) != 0 || contents(t, path) != before || exists(path+".part") {
		t.Errorf("todo %v", w.Todo())
	}
}

func TestFreshRefusesWhatItCannotReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.jsonl")
	place(t, filepath.Join(path, "file"), "")
	_, err := Open(path, header(1), Options{Fresh: true})
	want := path + ": is a folder, expected a score file; move it away"
	if err == nil || err.Error() != want || fault.ExitCode(err) != 3 || exists(path+".part") {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestErrorsAreTriedAgainAndTheRestIsKept(t *testing.T) {
	h := header(40)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	finish(t, open(t, path, h, Options{}))
	before := contents(t, path)
	var failed []int
	for row := range 40 {
		if lineOf(row).Error != "" {
			failed = append(failed, row)
		}
	}

	w := open(t, path, h, Options{})
	if !slices.Equal(w.Todo(), failed) || len(failed) != 3 {
		t.Fatalf("todo is %v, want %v", w.Todo(), failed)
	}
	if err := w.Append(Line{Row: failed[0], Score: 0.25}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if contents(t, path) != before {
		t.Error("the finished file changed before it was complete again")
	}

	w = open(t, path, h, Options{})
	if !slices.Equal(w.Todo(), failed[1:]) {
		t.Fatalf("todo is %v, want %v", w.Todo(), failed[1:])
	}
	if l := w.Lines()[failed[0]]; l.Score != 0.25 || !l.Scored() {
		t.Errorf("got %+v", l)
	}
	finish(t, w) // fails on the others once more
	old := string(lineOf(failed[0]).appendTo(nil))
	want := strings.Replace(before, old, fmt.Sprintf(`{"row":%d,"score":0.25}`+"\n", failed[0]), 1)
	if got := contents(t, path); got != want || old == "" {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A part that was left behind when the process died right after the rename is of no use, and no harm.
	place(t, path+".part", strings.SplitAfter(want, "\n")[0]+fmt.Sprintf(`{"row":%d,"score":0.25}`+"\n", failed[0]))
	finish(t, open(t, path, h, Options{}))
	if got := contents(t, path); got != want || exists(path+".part") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAPartLeftBesideACompleteFileIsRemoved(t *testing.T) {
	h := header(5)
	text := whole(t, h)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	place(t, path, text)
	place(t, path+".part", text)
	w := open(t, path, h, Options{})
	if len(w.Todo()) != 0 || exists(path+".part") {
		t.Errorf("todo %v", w.Todo())
	}
	if err := w.Finish(); err != nil || contents(t, path) != text {
		t.Error(err)
	}
	place(t, path+".part", strings.Replace(text, `"row":0,"score":1,`, `"row":0,"score":0.5,`, 1))
	_, err := Open(path, h, Options{})
	want := path + ".part: row 0 has another line before, expected one line a row in the finished file; " +
		"give --fresh to score again"
	if err == nil || err.Error() != want || fault.ExitCode(err) != 3 {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestFinishNeedsEveryRow(t *testing.T) {
	h := header(10)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	w := open(t, path, h, Options{})
	add(t, w, 0, 1, 2, 9)
	err := w.Finish()
	want := path + ".part: 6 of 10 rows have no score yet, the first of them row 3; " +
		"score them by running the command again"
	if err == nil || err.Error() != want || fault.ExitCode(err) != 4 {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	add(t, w, 3) // and it goes on
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err == nil || exists(path) {
		t.Errorf("a closed writer finished: %v", err)
	}

	h.Info.Shard = Shard{2, 3} // rows 1, 4, 7
	path = filepath.Join(t.TempDir(), "test.2-of-3.jsonl")
	w = open(t, path, h, Options{})
	if got := w.Todo(); !slices.Equal(got, []int{1, 4, 7}) {
		t.Errorf("todo of shard 2/3 is %v", got)
	}
	finish(t, w)
	if f, err := Read(path); err != nil || len(f.Lines) != 3 || f.Header.Info.Shard != (Shard{2, 3}) {
		t.Errorf("got %+v, %v", f, err)
	}

	path = filepath.Join(t.TempDir(), "test.jsonl")
	finish(t, open(t, path, header(0), Options{}))
	if f, err := Read(path); err != nil || len(f.Lines) != 0 {
		t.Errorf("a split without rows: %+v, %v", f, err)
	}
}

func TestOnlySoundLinesOfRowsThatAreLeftAreWritten(t *testing.T) {
	h := header(5)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	w := open(t, path, h, Options{})
	add(t, w, 0)
	nan := 0.0
	nan /= nan
	for _, l := range []Line{
		{Row: 0, Score: 0.5}, {Row: 5, Score: 0.5}, {Row: -1, Score: 0.5}, {Row: 1, Score: nan}, {Row: 1, Score: 1.5},
		{Row: 1, Score: -0.5}, {Row: 1, Error: "x", Score: 0.5}, {Row: 1, Error: "\xff"},
		{Row: 1, MissingText: true, Error: "x"},
		{Row: 1, MissingText: true, NULs: 1}, {Row: 1, Tokens: 3}, {Row: 1, Windows: 1, Tokens: 3, TokensScored: 4},
		{Row: 1, Error: strings.Repeat("x", maxError+1)},
	} {
		if err := w.Append(l); err == nil {
			t.Errorf("%+v was written", l)
		}
	}
	for _, rows := range [][]int{{0}, {5}, {-1}, {1, 0}} {
		if err := w.Begin(rows); err == nil {
			t.Errorf("rows %v began", rows)
		}
	}
	if got, want := len(strings.Split(contents(t, path+".part"), "\n")), 3; got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
	bad := h
	bad.SplitSHA256 = "?"
	if _, err := Open(path, bad, Options{}); err == nil || !strings.Contains(err.Error(), "split_sha256") {
		t.Errorf("got %v", err)
	}
}

func TestAFullDiskStopsTheWriterAndLosesNothing(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		testenv.Missing(t, "/dev/full")
	}
	defer full.Close()
	h := header(5)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	w := open(t, path, h, Options{})
	add(t, w, 0, 1)
	part := w.out
	w.out = full
	const want = "cannot write scores: write /dev/full: no space left on device; make room or choose another --out"
	if err := w.Append(lineOf(2)); err == nil || err.Error() != want || fault.ExitCode(err) != 1 {
		t.Errorf("got %v", err)
	}
	w.out = part
	if err := w.Append(lineOf(3)); err == nil || err.Error() != want {
		t.Errorf("it went on after a failed write: %v", err)
	}
	if err := w.Finish(); err == nil {
		t.Error("it finished after a failed write")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	w = open(t, path, h, Options{})
	if got := w.Todo(); !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("todo is %v", got)
	}
}

func TestAnUnwritableFolderIsASentence(t *testing.T) {
	file := place(t, filepath.Join(t.TempDir(), "file"), "")
	_, err := Open(filepath.Join(file, "test.jsonl"), header(1), Options{})
	if err == nil || fault.ExitCode(err) != 1 || !strings.HasSuffix(err.Error(), "; make room or choose another --out") {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(t.TempDir(), "test.jsonl")
	if err := os.Symlink(file, path+".part"); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, header(1), Options{})
	if want := path + ".part: is no regular file, expected a score file; move it away"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestASecondWriterIsKeptOut(t *testing.T) {
	h := header(5)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	w := open(t, path, h, Options{})
	for _, fresh := range []bool{false, true} {
		_, err := Open(path, h, Options{Fresh: fresh})
		want := path + ".part: another process is writing these scores; wait until it is done, or choose another --out"
		if err == nil || err.Error() != want || fault.ExitCode(err) != 1 {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	finish(t, w)
	if w := open(t, path, h, Options{}); len(w.Todo()) != 0 {
		t.Errorf("todo is %v", w.Todo())
	}
}

func TestManyWritersInARowNeverLoseOrRepeatARow(t *testing.T) {
	h := header(50)
	h.Split = "race"
	path := filepath.Join(t.TempDir(), "test.jsonl")
	var mu sync.Mutex
	scored := map[int]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				w, err := Open(path, h, Options{})
				if err != nil {
					if !strings.Contains(err.Error(), "another process") {
						t.Error(err)
						return
					}
					continue
				}
				todo := w.Todo()
				if len(todo) == 0 {
					if err := w.Finish(); err != nil {
						t.Error(err)
					}
					return
				}
				for _, row := range todo[:min(3, len(todo))] {
					if err := w.Append(Line{Row: row, Score: 0.5}); err != nil {
						t.Error(err)
					}
					mu.Lock()
					scored[row]++
					mu.Unlock()
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for row := range 50 {
		if scored[row] != 1 || f.Lines[row].Score != 0.5 {
			t.Errorf("row %d was scored %d times", row, scored[row])
		}
	}
}

func TestRowsGivenBackAtCloseAreNoSuspects(t *testing.T) {
	h := header(3000)
	path := filepath.Join(t.TempDir(), "test.jsonl")
	for range 3 {
		w := open(t, path, h, Options{})
		if err := w.Begin(w.Todo()); err != nil {
			t.Fatal(err)
		}
		if err := w.Begin([]int{0}); err != nil { // nothing new
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w := open(t, path, h, Options{})
	for _, row := range []int{0, 1, 2999} {
		if w.Suspect(row) {
			t.Errorf("row %d is a suspect", row)
		}
	}
	if len(w.Todo()) != 3000 {
		t.Errorf("%d rows are left", len(w.Todo()))
	}
}

func TestOnlyDeathsSinceTheLastLineOfARowCount(t *testing.T) {
	h := header(8)
	head, err := h.encode()
	if err != nil {
		t.Fatal(err)
	}
	failed := `{"row":5,"error":"no"}` + "\n"
	begin, end := `{"begin":[5]}`+"\n", `{"end":[5]}`+"\n"
	for _, c := range []struct {
		name, marks string
		suspect     bool
		died        bool
	}{
		{"never begun", "", false, false},
		{"ended with an error", begin + failed, false, false},
		{"in flight", begin, true, false},
		{"given back", begin + end, false, false},
		{"given back without a begin", end, false, false},
		{"in flight, later given back", begin + begin + end, true, false},
		{"error, then in flight", begin + failed + begin, true, false},
		{"in flight twice", begin + begin, false, true},
		{"error, then in flight twice", failed + begin + begin, false, true},
	} {
		path := filepath.Join(t.TempDir(), "test.jsonl")
		place(t, path+".part", string(head)+c.marks)
		w := open(t, path, h, Options{})
		died := slices.Contains(w.Lines(), Line{Row: 5, Error: DiedTwice})
		if w.Suspect(5) != c.suspect || died != c.died || slices.Contains(w.Todo(), 5) == c.died {
			t.Errorf("%s: suspect %v, died twice %v, todo %v", c.name, w.Suspect(5), died, w.Todo())
		}
	}
}

func TestAPartWithoutRowsIsNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.jsonl")
	w := open(t, path, header(5), Options{})
	if err := w.Close(); err != nil || exists(path+".part") {
		t.Errorf("%v; the part is there: %v", err, exists(path+".part"))
	}
	if err := w.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestEverySetupThatScoredRowsIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.jsonl")
	setups := []Setup{
		{Tool: "pidsbench 1.0", CPU: "avx2"}, {Tool: "pidsbench 1.1", CPU: "avx2"}, {Tool: "pidsbench 1.1", CPU: "avx512f"},
	}
	at := func(i int, rows ...int) *Writer {
		h := header(16) // row 5 is an error
		h.Info.Setup = setups[i]
		w := open(t, path, h, Options{})
		add(t, w, rows...)
		return w
	}
	for _, w := range []*Writer{at(0, 0, 1)} {
		_ = w.Close()
	}
	_ = at(1).Close() // scores nothing
	_ = at(0, 2).Close()
	_ = at(2, 3).Close()
	w := at(0)
	finish(t, w)
	f, err := Read(path)
	if err != nil || f.Header.Info.Setup != setups[0] || !slices.Equal(f.Header.Info.Also, setups[2:]) {
		t.Fatalf("got %+v, %v", f.Header.Info, err)
	}
	finish(t, at(1)) // tries row 5 again
	f, err = Read(path)
	if want := []Setup{setups[2], setups[1]}; err != nil || f.Header.Info.Setup != setups[0] ||
		!slices.Equal(f.Header.Info.Also, want) {
		t.Fatalf("got %+v, %v", f.Header.Info, err)
	}
}

func TestEveryServerThatWasAskedIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.jsonl")
	a, b, c := Server{"m", "fp_1"}, Server{"m", "fp_2"}, Server{Model: "a"}
	at := func(servers []Server, rows ...int) *Writer {
		t.Helper()
		w := open(t, path, header(16), Options{}) // row 5 is an error
		for _, s := range servers {
			if err := w.ServedBy(s); err != nil {
				t.Fatal(err)
			}
		}
		add(t, w, rows...)
		return w
	}
	says := func(want ...Server) {
		t.Helper()
		f, err := Read(path)
		if err != nil || !slices.Equal(f.Header.Info.Servers, want) {
			t.Errorf("got %+v, %v, want %+v", f.Header.Info.Servers, err, want)
		}
	}
	_ = at([]Server{b, b}, 0, 1).Close()
	w := at([]Server{a}) // another one, asked by a later run
	finish(t, w)
	says(a, b)
	if got := w.Header().Info.Servers; !slices.Equal(got, []Server{a, b}) {
		t.Errorf("the writer says %+v", got)
	}
	finish(t, at([]Server{c, a})) // tries row 5 again
	says(c, a, b)
	w = open(t, path, header(16), Options{Fresh: true})
	if err := w.ServedBy(b); err != nil {
		t.Fatal(err)
	}
	finish(t, w)
	says(b)
	var many []Server
	for i := range 3 * maxServers {
		many = append(many, Server{"m", fmt.Sprint(i)})
	}
	finish(t, at(many))
	if f, err := Read(path); err != nil || len(f.Header.Info.Servers) != maxServers {
		t.Errorf("%+v, %v", f.Header.Info.Servers, err)
	}
}

func TestFromResult(t *testing.T) {
	for _, c := range []struct {
		in   engine.Result
		want Line
	}{
		{engine.Result{Row: 3, Score: 0.5, Windows: 2, Tokens: 9, TokensScored: 8, NULs: 1},
			Line{Row: 3, Score: 0.5, Windows: 2, Tokens: 9, TokensScored: 8, NULs: 1}},
		{engine.Result{Row: 3, Windows: 2, Tokens: 9, TokensScored: 8, NULs: 1, Err: "no"}, Line{Row: 3, Error: "no"}},
	} {
		if got := FromResult(c.in); got != c.want {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
	if n := reflect.TypeFor[engine.Result]().NumField(); n != 7 {
		t.Errorf("engine.Result has %d fields, FromResult knows 7", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	h := header(b.N)
	w := open(b, filepath.Join(b.TempDir(), "test.jsonl"), h, Options{})
	b.ResetTimer()
	for row := range b.N {
		if err := w.Append(Line{Row: row, Score: 0.123456789, Windows: 1, Tokens: 60, TokensScored: 60}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead reads a file of 10,000 rows.
func BenchmarkRead(b *testing.B) {
	h := header(10_000)
	path := filepath.Join(b.TempDir(), "test.jsonl")
	w := open(b, path, h, Options{})
	for row := range 10_000 {
		if err := w.Append(Line{Row: row, Score: 1 / float64(row+1), Windows: 1, Tokens: 60, TokensScored: 60}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Read(path); err != nil {
			b.Fatal(err)
		}
	}
}
