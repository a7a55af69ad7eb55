package builder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"pidsbench/internal/fault"
	"pidsbench/internal/neardup"
)

// outcome is what a stage made: named sets of records in canonical order, near pairs by position, and what it removed.
type outcome struct {
	sets    map[string][]Record
	pairs   []neardup.Pair
	removed []Removal
}

// stageManifest is stage.json in the folder of a stage: all that its outcome depends on, and what that is. It holds no
// time and no path, so it is the same wherever the same program makes the same.
type stageManifest struct {
	Stage      string            `json:"stage"`
	Program    string            `json:"program_sha256"`
	Inputs     map[string]string `json:"inputs"` // a file of the repository or a set of another stage → SHA-256
	Parameters json.RawMessage   `json:"parameters"`
	Counts     map[string]int    `json:"counts"`  // rows by set; removed rows by reason
	Outputs    map[string]string `json:"outputs"` // file → SHA-256
}

// workshop runs stages. A stage whose manifest says that program, inputs and parameters are the same, and whose files
// are as it left them, is read instead of run.
type workshop struct {
	ctx     context.Context
	dir     string
	program string
	inputs  map[string]string                         // files that steer the build → SHA-256
	done    func(name string, records int, kept bool) // as a stage ends
	removed []Removal                                 // of all stages, in their order
	hashes  map[string]string                         // set → SHA-256
}

// files of a stage's outcome beside its sets
const (
	pairsFile    = "pairs.jsonl"
	removedFile  = "removed.jsonl"
	manifestFile = "stage.json"
)

// step runs the stage, which reads the named inputs (files of the repository, or "stage/set" of an earlier one), unless
// its folder holds the outcome already. The files of a stage are put in place before its manifest, so a build that is
// killed leaves no manifest without its files.
func (w *workshop) step(name string, inputs []string, parameters any, run func() (outcome, error)) (outcome, error) {
	if err := w.ctx.Err(); err != nil {
		return outcome{}, err
	}
	params, err := json.Marshal(parameters)
	if err != nil {
		return outcome{}, err
	}
	m := stageManifest{Stage: name, Program: w.program, Inputs: map[string]string{}, Parameters: params}
	for _, in := range inputs {
		sum := w.hashes[in]
		if sum == "" {
			sum = w.inputs[in]
		}
		m.Inputs[in] = sum
	}
	dir := filepath.Join(w.dir, filepath.FromSlash(name))
	o, outputs, ok := readStage(dir, m)
	if !ok {
		if o, err = run(); err != nil {
			return o, err
		}
		if err := w.ctx.Err(); err != nil {
			return o, err
		}
		if outputs, err = writeStage(dir, m, o); err != nil {
			return o, err
		}
	}
	n := 0
	for file, sum := range outputs {
		w.hashes[name+"/"+file] = sum
	}
	for _, set := range o.sets {
		n += len(set)
	}
	if len(o.sets) == 0 {
		n = len(o.pairs)
	}
	w.removed = append(w.removed, o.removed...)
	w.done(name, n, ok)
	return o, nil
}

func readStage(dir string, want stageManifest) (o outcome, outputs map[string]string, ok bool) {
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	var m stageManifest
	if err != nil || json.Unmarshal(data, &m) != nil {
		return o, nil, false
	}
	var have, need bytes.Buffer
	if json.Compact(&have, m.Parameters) != nil || json.Compact(&need, want.Parameters) != nil ||
		have.String() != need.String() || m.Program != want.Program || m.Stage != want.Stage ||
		!maps.Equal(m.Inputs, want.Inputs) {
		return o, nil, false
	}
	o.sets = map[string][]Record{}
	for file, sum := range m.Outputs {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || hashOf(data) != sum {
			return outcome{}, nil, false
		}
		switch file {
		case pairsFile:
			o.pairs, err = decodeLines[neardup.Pair](data)
		case removedFile:
			o.removed, err = decodeLines[Removal](data)
		default:
			o.sets[strings.TrimSuffix(file, ".jsonl")], err = decodeLines[Record](data)
		}
		if err != nil {
			return outcome{}, nil, false
		}
	}
	return o, m.Outputs, true
}

func writeStage(dir string, m stageManifest, o outcome) (map[string]string, error) {
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
	if o.removed != nil {
		files[removedFile] = o.removed
		for _, r := range o.removed {
			m.Counts["removed: "+r.Reason]++
		}
	}
	for _, path := range []string{filepath.Join(dir, manifestFile), dir} {
		if err := os.RemoveAll(path); err != nil {
			return nil, fault.New(fault.Failed, "cannot clear the folder of a stage: %w", err)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		data, err := encodeLines(files[file])
		if err != nil {
			return nil, err
		}
		m.Outputs[file] = hashOf(data)
		if err := replaceFile(filepath.Join(dir, file), data); err != nil {
			return nil, err
		}
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	return m.Outputs, replaceFile(filepath.Join(dir, manifestFile), append(data, '\n'))
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
	out := make([]T, 0, bytes.Count(data, []byte("\n")))
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var v T
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
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
})
