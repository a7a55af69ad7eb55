package builder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pidsbench/internal/fault"
	"pidsbench/internal/neardup"
)

// maxRounds bounds how often families are joined again. Each round joins at least two, and the pinned sources need
// very few.
const maxRounds = 20

// plan is all that steers a build.
type plan struct {
	cfg      *Config
	lock     *Lock
	lists    Lists
	items    func() ([][]Item, error) // the rows of every source, in the order of the lock
	authored []string                 // the files of authored frames
	texts    func() ([]Record, error) // the texts they give
	// paraphrase rewords seeds; every result bears its seed, round and generator.
	paraphrase func(ctx context.Context, seeds []Record) ([]Record, error)
}

// edition is what the stages make.
type edition struct {
	files    []File
	removed  []Removal
	families []FamilySize
	rounds   int
}

// sets of records that stages hand on
const (
	records = "records"
	rest    = "rest"
)

// input names a set of a stage as an input of another one.
func input(stage, set string) string { return stage + "/" + set + ".jsonl" }

// assemble runs the stages.
//
// Families are joined over the clean texts, a margin below the threshold, because the document frequencies of the final set
// move cosines a little. Where disguise or other surroundings still bring two written texts of different files within the
// threshold, their families are joined and everything after is done again, until nothing leaks.
func assemble(w *workshop, p plan) (*edition, error) {
	selected, near, err := w.prepare(p)
	if err != nil {
		return nil, err
	}
	before := slices.Clone(w.removed)
	var kin []Kin
	for round := 1; ; round++ {
		w.removed = slices.Clone(before)
		r := rounds{workshop: w, plan: p, prefix: roundDir(round) + "/"}
		e, err := r.run(selected, near, kin)
		if err != nil {
			return nil, err
		}
		e.rounds, e.removed = round, w.removed
		leaks, err := Leaks(w.ctx, e.files, p.cfg.Family)
		if err != nil {
			return nil, err
		}
		w.done("leaks", len(leaks), false)
		if len(leaks) == 0 {
			return e, w.forgetRounds(round)
		}
		if round == maxRounds {
			return nil, leakError(leaks)
		}
		for _, l := range leaks {
			kin = append(kin, l.Kin)
		}
	}
}

// prepare runs the stages up to the near pairs, which go by the positions of the records.
func (w *workshop) prepare(p plan) (selected []Record, near []neardup.Pair, err error) {
	seed := p.cfg.Seed
	imported, err := w.records(stageImport, []string{LockPath, GoalsPath, dropPath}, seed,
		func() ([]Record, []Removal, error) {
			items, err := p.items()
			if err != nil {
				return nil, nil, err
			}
			kept, removed := Import(p.lock, items, seed)
			return kept, removed, nil
		})
	if err != nil {
		return nil, nil, err
	}
	authored, err := w.records(stageTemplates, p.authored, []any{seed, p.cfg.Authored, len(p.lock.Sources)},
		func() ([]Record, []Removal, error) {
			texts, err := p.texts()
			return texts, nil, err
		})
	if err != nil {
		return nil, nil, err
	}
	classified, err := w.records(stageClassify,
		[]string{input(stageImport, records), input(stageTemplates, records), subtypePath}, nil,
		func() ([]Record, []Removal, error) {
			return Classify(slices.Concat(imported, authored), p.lists), nil, nil
		})
	if err != nil {
		return nil, nil, err
	}
	clean, err := w.records(stageClean,
		[]string{input(stageClassify, records), LockPath, adjacentPath, dropPath, hardBenignPath}, p.cfg.NearDuplicate,
		func() ([]Record, []Removal, error) {
			kept, removed := Clean(classified, p.lock, p.lists, p.cfg.NearDuplicate)
			return kept, removed, nil
		})
	if err != nil {
		return nil, nil, err
	}
	reworded, err := w.records(stageParaphrase, []string{input(stageClean, records), paraphrasePath},
		[]any{seed, p.cfg.Paraphrase}, func() ([]Record, []Removal, error) {
			return Paraphrase(w.ctx, clean, p.cfg.Paraphrase, p.paraphrase)
		})
	if err != nil {
		return nil, nil, err
	}
	selected, err = w.records(stageSelect, []string{input(stageParaphrase, records), LockPath}, seed,
		func() ([]Record, []Removal, error) {
			kept, removed := Select(reworded, p.lock, seed)
			return kept, removed, nil
		})
	if err != nil {
		return nil, nil, err
	}
	threshold := p.cfg.Family - p.cfg.FamilyMargin
	o, err := w.step(stageNear, []string{input(stageSelect, records)}, threshold, func() (outcome, error) {
		return outcome{pairs: nearPairs(selected, threshold)}, nil
	})
	return selected, o.pairs, err
}

// records runs a stage that makes one set of records.
func (w *workshop) records(name string, inputs []string, params any, run func() ([]Record, []Removal, error)) (
	[]Record, error,
) {
	o, err := w.step(name, inputs, params, func() (outcome, error) {
		kept, removed, err := run()
		return outcome{sets: map[string][]Record{records: kept}, removed: removed}, err
	})
	return o.sets[records], err
}

func roundDir(round int) string { return fmt.Sprintf("round-%02d", round) }

// forgetRounds removes the folders of rounds that an earlier build needed and this one does not.
func (w *workshop) forgetRounds(last int) error {
	for round := last + 1; round <= maxRounds; round++ {
		if err := os.RemoveAll(filepath.Join(w.dir, roundDir(round))); err != nil {
			return fault.New(fault.Failed, "cannot clear the folder of a round: %w", err)
		}
	}
	return nil
}

func byRole(in []Record) map[Role][]Record {
	out := map[Role][]Record{}
	for _, r := range in {
		out[r.Role] = append(out[r.Role], r)
	}
	return out
}

// unused keeps the records whose family has no row in another file.
func unused(in []Record, used map[string]bool, stage string) (kept []Record, removed []Removal) {
	for _, r := range in {
		if used[r.Family] {
			removed = append(removed, r.remove(stage, "in a family of another split"))
		} else {
			kept = append(kept, r)
		}
	}
	return kept, removed
}

// familySizes counts the families of the pool by size, greatest first.
func familySizes(in []Record) []FamilySize {
	_, members := byFamily(byRole(in)[Pool])
	count := map[int]int{}
	for _, m := range members {
		count[len(m)]++
	}
	var out []FamilySize
	for rows, families := range count {
		out = append(out, FamilySize{rows, families})
	}
	slices.SortFunc(out, func(a, b FamilySize) int { return b.Rows - a.Rows })
	return out
}
