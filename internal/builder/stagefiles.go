package builder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
	"pidsbench/internal/neardup"
)

// input names a set of a stage as an input of another one.
func input(stage, set string) string { return stage + "/" + set + ".jsonl" }

// reads is what a stage reads of earlier ones.
type reads struct {
	sets  map[string][]Record // by input
	pairs []neardup.Pair
}

// set returns a set that the stage named as an input. It panics on another one, which the manifest would not name.
func (r reads) set(stage, set string) []Record {
	records, ok := r.sets[input(stage, set)]
	if !ok {
		panic("builder: " + input(stage, set) + " is read, but is none of the inputs")
	}
	return records
}

// read decodes those of the inputs that stages made.
func (w *workshop) read(inputs ...string) (in reads, err error) {
	in.sets = map[string][]Record{}
	for _, name := range inputs {
		at, sum := w.find(name)
		switch {
		case sum == "": // a file of the repository
		case filepath.Base(at) == pairsFile:
			in.pairs, err = decodeFile[neardup.Pair](w.dir, at, sum)
		default:
			in.sets[name], err = decodeFile[Record](w.dir, at, sum)
		}
		if err != nil {
			return reads{}, err
		}
	}
	most := 0
	for _, records := range in.sets {
		most = max(most, len(records))
	}
	if !pairsWithin(in.pairs, most) { // with rows that their manifest miscounts
		return reads{}, fault.New(fault.Integrity, "%s in the folder of the build names rows that are not there",
			pairsFile).WithCure("delete that folder and build again")
	}
	return in, nil
}

// pairsWithin reports whether every pair is one of two of n rows, in their order.
func pairsWithin(pairs []neardup.Pair, n int) bool {
	return !slices.ContainsFunc(pairs, func(p neardup.Pair) bool { return p.I < 0 || p.I >= p.J || p.J >= n })
}

// soundPairs reports whether the pairs that a stage left, if any, are pairs of rows of what it read. A hash that is
// right does not say so: whoever changed the file may have changed the manifest too.
func (w *workshop) soundPairs(name string, left stageManifest) bool {
	sum, ok := left.Outputs[pairsFile]
	if !ok {
		return true
	}
	rows := 0
	for in := range left.Inputs {
		rows += w.rows[in]
	}
	pairs, err := decodeFile[neardup.Pair](w.dir, name+"/"+pairsFile, sum)
	return err == nil && pairsWithin(pairs, rows)
}

// removals are those of all stages, in their order.
func (w *workshop) removals() (all []Removal, err error) {
	for _, at := range w.removed {
		more, err := decodeFile[Removal](w.dir, at, w.hashes[at])
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// decodeFile reads a file of a stage, which must still have its hash.
func decodeFile[T any](dir, name, sum string) ([]T, error) {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err == nil && hashOf(data) != sum {
		err = errors.New("it is not what the stage wrote")
	}
	var out []T
	if err == nil {
		out, err = decodeLines[T](data)
	}
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot read %s in the folder of the build: %w", name, withoutPath(err)).
			WithCure("build again, and leave that folder alone meanwhile")
	}
	return out, nil
}

// keptStage returns the manifest that a stage left, when it depends on just what is wanted and its files are whole.
func keptStage(dir string, want stageManifest) (m stageManifest, ok bool) {
	path := filepath.Join(dir, manifestFile)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return stageManifest{}, false
	}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &m) != nil {
		return stageManifest{}, false
	}
	var have, need bytes.Buffer
	if json.Compact(&have, m.Parameters) != nil || json.Compact(&need, want.Parameters) != nil ||
		have.String() != need.String() || m.Program != want.Program || m.Stage != want.Stage ||
		!maps.Equal(m.Inputs, want.Inputs) {
		return stageManifest{}, false
	}
	for file, sum := range m.Outputs {
		if have, err := hashFile(filepath.Join(dir, file)); err != nil || have != sum {
			return stageManifest{}, false
		}
	}
	return m, true
}

// writeStage puts the outcome of a stage into its folder, which holds nothing else then, and completes the manifest.
func writeStage(dir string, m stageManifest, o outcome) (stageManifest, error) {
	m.Counts, m.Outputs = map[string]int{}, map[string]string{}
	files := map[string]any{}
	for set, records := range o.sets {
		files[set+".jsonl"] = records
		m.Counts[set] = len(records)
	}
	if o.pairs != nil {
		files[pairsFile] = o.pairs
		m.Counts["pairs"] = len(o.pairs)
	}
	if o.leaks != nil {
		files[leaksFile] = o.leaks
		m.Counts["leaks"] = len(o.leaks)
	}
	if o.removed != nil {
		files[removedFile] = o.removed
		for _, r := range o.removed {
			m.Counts[removedCount+r.Reason]++
		}
	}
	for _, path := range []string{filepath.Join(dir, manifestFile), dir} {
		if err := os.RemoveAll(path); err != nil {
			return m, fault.New(fault.Failed, "cannot clear the folder of a stage: %w", err)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		data, err := encodeLines(files[file])
		if err != nil {
			return m, err
		}
		m.Outputs[file] = hashOf(data)
		if err := replaceFile(filepath.Join(dir, file), data); err != nil {
			return m, err
		}
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return m, err
	}
	return m, replaceFile(filepath.Join(dir, manifestFile), append(data, '\n'))
}

// encodeLines writes the elements of a slice, one JSON value a line.
func encodeLines(slice any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	v := reflect.ValueOf(slice)
	for i := range v.Len() {
		if err := e.Encode(v.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func decodeLines[T any](data []byte) ([]T, error) {
	var lines [][]byte
	for line := range bytes.Lines(data) {
		lines = append(lines, line)
	}
	out := make([]T, len(lines))
	errs := make([]error, len(lines))
	forEach(len(lines), func(i int) { errs[i] = json.Unmarshal(lines[i], &out[i]) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// programHash is the SHA-256 of the running program: a stage made by other code is made again.
var programHash = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return hashFile(path)
})

// hashFile is the SHA-256 of a file. A pipe would be waited for and a device read for ever, so neither is opened.
func hashFile(path string) (string, error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w", path, atomicfile.ErrNotRegular)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// withoutPath is an error of the file system without the path, which the message names itself.
func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
