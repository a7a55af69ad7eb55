package builder

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"pidsbench/internal/fault"
	"pidsbench/internal/neardup"
)

// outcome is what a stage made: named sets of records in canonical order, near pairs by position, leaks, and what it
// removed.
type outcome struct {
	sets    map[string][]Record
	pairs   []neardup.Pair
	leaks   []Leak
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
// are as it left them, is not run. Sets go from stage to stage by these files: a stage gets no other records than its
// manifest names, and nothing is decoded that nobody reads.
type workshop struct {
	ctx     context.Context
	dir     string
	prefix  string // of the folders of stages that are run now: that of the round, or ""
	program string
	inputs  map[string]string                         // files that steer the build → SHA-256
	done    func(name string, records int, kept bool) // as a stage ends
	removed []string                                  // the files of removals of all stages, in their order
	hashes  map[string]string                         // "stage/file" → SHA-256
	rows    map[string]int                            // "stage/set.jsonl" → rows
}

// files of a stage's outcome beside its sets
const (
	pairsFile    = "pairs.jsonl"
	leaksFile    = "leaks.jsonl"
	removedFile  = "removed.jsonl"
	manifestFile = "stage.json"
)

const removedCount = "removed: " // before the reason, in the counts of a manifest

// step runs the stage, which reads the named inputs (files of the repository, or "stage/file" of an earlier stage),
// unless its folder holds the outcome already. The files of a stage are put in place before its manifest, so a build
// that is killed leaves no manifest without its files.
func (w *workshop) step(name string, inputs []string, parameters any, run func(reads) (outcome, error)) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	name = w.prefix + name
	m, err := w.manifest(name, inputs, parameters)
	if err != nil {
		return err
	}
	dir := filepath.Join(w.dir, filepath.FromSlash(name))
	left, kept := keptStage(dir, m)
	kept = kept && w.soundPairs(name, left)
	if !kept {
		in, err := w.read(inputs...)
		if err != nil {
			return err
		}
		o, err := unlessStopped(w.ctx, func() (outcome, error) { return run(in) })
		if err != nil {
			return err
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if left, err = writeStage(dir, m, o); err != nil {
			return err
		}
	}
	for file, sum := range left.Outputs {
		w.hashes[name+"/"+file] = sum
	}
	if w.rows == nil {
		w.rows = map[string]int{}
	}
	for set, count := range left.Counts {
		w.rows[input(name, set)] = count
	}
	if left.Outputs[removedFile] != "" {
		w.removed = append(w.removed, name+"/"+removedFile)
	}
	n := 0
	for what, count := range left.Counts {
		if !strings.HasPrefix(what, removedCount) {
			n += count
		}
	}
	w.done(name, n, kept)
	return nil
}

// manifest says what the outcome of a stage depends on. An input that nobody made or hashed is a mistake of the
// program: a change of it would never be seen.
func (w *workshop) manifest(name string, inputs []string, parameters any) (m stageManifest, err error) {
	m = stageManifest{Stage: name, Program: w.program, Inputs: map[string]string{}}
	if m.Parameters, err = json.Marshal(parameters); err != nil {
		return m, err
	}
	for _, in := range inputs {
		at, sum := w.find(in)
		if sum == "" {
			sum = w.inputs[in]
		}
		if sum == "" {
			return m, fault.New(fault.Failed, "stage %s reads %s, which has no hash", name, in).
				WithCure("delete the folder of the build")
		}
		m.Inputs[at] = sum
	}
	return m, nil
}

// find says where the file of an earlier stage lies, among those of the round first, and its hash: "" for none.
func (w *workshop) find(in string) (at, sum string) {
	if sum := w.hashes[w.prefix+in]; sum != "" {
		return w.prefix + in, sum
	}
	return in, w.hashes[in]
}

// patience is how long a stopped build waits for its stage, so that one that runs other programs can end them.
const patience = time.Second

// unlessStopped runs a stage and leaves it behind when the context ends. It only computes, and is forgotten.
func unlessStopped(ctx context.Context, run func() (outcome, error)) (o outcome, err error) {
	ended := make(chan struct{})
	var made outcome
	var failed error
	go func() {
		defer close(ended)
		made, failed = run()
	}()
	select {
	case <-ended:
		return made, failed
	case <-ctx.Done():
	}
	select {
	case <-ended:
		return made, failed
	case <-time.After(patience):
		return outcome{}, ctx.Err()
	}
}
