package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/models"
	"pidsbench/internal/results"
	"pidsbench/internal/scores"
)

// publishedFolder holds the score files that are published with the project, gzipped.
const publishedFolder = "results"

// lockOnlyError is the unavailableError of a detector of which the lock alone is here: its weights are known by their
// hashes and not shipped.
type lockOnlyError struct {
	unavailableError
	lock *models.Lock
}

// newLockOnlyError names the folder that holds the lock as its entry does.
func newLockOnlyError(lock *models.Lock, folder string) error {
	return &lockOnlyError{unavailableError{"its weights are not shipped; train it with tools/train (" + folder +
		"/README.md has the command), or let `pidsbench eval` take its scores from " + publishedFolder}, lock}
}

func (e *lockOnlyError) Unwrap() error { return &e.unavailableError }

// standFor describes a detector by its lock. Only published scores can stand for it.
func (c *candidate) standFor(alone *lockOnlyError) {
	c.lock = alone.lock
	c.open = func() (detect.Detector, error) { return nil, alone }
	c.info = detect.Info{ID: c.entry.ID, DisplayName: c.entry.Name, Kind: c.entry.Kind, Seed: c.seed,
		ConfigHash: c.entry.Hash(), Precision: c.entry.Precision, MaxLength: c.entry.MaxLength, Stride: c.entry.Stride}
	if t := alone.lock.Training; t != nil {
		c.info.TrainSHA256 = t.TrainSHA256
	}
}

// stamp completes the identity of a score file by what the detector's files say. What a lock does not tell (precision
// and lengths, where the entry leaves them open) is taken from the file that was found.
func (c *candidate) stamp(id, found scores.Identity) scores.Identity {
	id.Files, id.Precision, id.MaxLength, id.Stride = c.info.Files, c.info.Precision, c.info.MaxLength, c.info.Stride
	if c.lock == nil {
		return id
	}
	id.Precision = cmp.Or(id.Precision, found.Precision)
	id.MaxLength, id.Stride = cmp.Or(id.MaxLength, found.MaxLength), cmp.Or(id.Stride, found.Stride)
	for _, f := range c.lock.Files {
		named := slices.ContainsFunc(found.Files, func(g detect.File) bool { return g.Path == f.Path })
		if named || c.reads(f.Path) {
			id.Files = append(id.Files, detect.File{Path: f.Path, SHA256: f.SHA256})
		}
	}
	return id
}

// reads reports whether a model is run with the file of this name wherever its folder holds one. A lock may list others.
func (c *candidate) reads(name string) bool {
	return slices.Contains([]string{c.entry.File, "model.onnx", "onnx/model.onnx", "tokenizer.json", "config.json"}, name)
}

// published takes the scores of a detector whose weights are not here from the published files. Without those of a
// split of the edition the detector is unavailable; an imported set that has none is n/a.
func (s *scorer) published(c *candidate, val bool) (*results.Seed, error) {
	run := &results.Seed{Seed: c.seed, Outcomes: map[string][]results.Outcome{}, Missing: map[string]string{}}
	for _, split := range s.frame.here() {
		out, err := s.publishedSplit(c, s.frame.editionOf(split), split.Data, run)
		var none *unavailableError
		switch {
		case err == nil:
			run.Outcomes[split.Spec.Name] = out
		case split.External && errors.As(err, &none):
			run.Missing[split.Spec.Name] = none.reason
		default:
			return nil, err
		}
	}
	if val && s.frame.val != nil && !s.frame.borrowed {
		var err error
		if run.Val, err = s.publishedSplit(c, s.frame.valEdition, s.frame.val, run); err != nil {
			return nil, err
		}
	}
	return run, nil
}

func (s *scorer) publishedSplit(c *candidate, edition string, split *dataset.Split, run *results.Seed) (
	[]results.Outcome, error) {
	dirs := []string{s.p.path(publishedFolder)}
	file, err := s.frame.find(dirs, edition, split, c.entry, c.seed, s.opts.windows)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &unavailableError{"its weights are not shipped and " + publishedFolder + " has no scores of split " +
			fault.Name(split.Name) + " (windows " + s.opts.windows + "); train it with tools/train"}
	}
	if err == nil {
		err = file.Check(c.stamp(s.frame.identity(edition, split, c.entry, c.seed, s.opts.windows), file.Header.Identity))
	}
	if err != nil { // nothing can be scored again
		return nil, recure(err, "restore the file from a fresh checkout, or train the weights that the lock of "+
			filepath.Base(s.p.modelDir(c.entry, c.seed))+" names")
	}
	addMade(run, file.Header)
	return outcomes(file.Lines, len(split.Rows), s.opts.limit), nil
}

// recure gives an error another cure.
func recure(err error, cure string) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return fault.New(f.Kind, "%s", f.Msg).WithCure("%s", cure)
	}
	return err
}

// notePublished says of which seeds the scores were not made here.
func (s *scorer) notePublished(e detect.Entry, seeds []int) {
	name := e.ID
	switch {
	case len(seeds) == 0:
		return
	case len(seeds) == 1:
		name = runName(e, seeds[0])
	default:
		name += " seeds " + joinInts(seeds)
	}
	s.st.note("%s: weights are not here; scores from %s/", name, publishedFolder)
}

// runName is a detector with its seed, if it has any, as people write it.
func runName(e detect.Entry, seed int) string {
	if len(e.Seeds) == 0 {
		return e.ID
	}
	return e.ID + " seed " + strconv.Itoa(seed)
}

// evalRun is the command that makes the score files of a detector at a seed, for messages.
func evalRun(e detect.Entry, seed int, windows string) string {
	command := evalCommand(e.ID, windows, "")
	if len(e.Seeds) > 0 && seed != e.Seeds[0] {
		command += " --seeds " + strconv.Itoa(seed)
	}
	return command
}
