package builder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pidsbench/internal/fault"
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
	authored []string                 // the files of texts of our own
	texts    func() ([]Record, error) // the texts they give
	carriers func() (carriers, error) // the injections of documents
	further  func() ([]Record, error) // the texts of the frames of hard negatives, and further ones
	// paraphrase rewords seeds so often; every result bears its seed, round and generator.
	paraphrase func(ctx context.Context, seeds []Record, rounds int) ([]Record, error)
}

// edition is what the stages make.
type edition struct {
	files    []File
	removed  []Removal
	families []FamilySize // of the pool, before anything is held out; greatest first
	rounds   int          // how often families were joined: once, and again while written texts came near
}

// sets of records that stages hand on
const (
	records = "records"
	rest    = "rest"
)

// assemble runs the stages.
//
// Families are joined over the clean texts, a margin below the threshold, because the document frequencies of the final
// set move cosines a little. Where disguise or other surroundings still bring two written texts of different files
// within the threshold, their families are joined and everything after is done again, until nothing leaks.
func assemble(w *workshop, p plan) (*edition, error) {
	if err := w.prepare(p); err != nil {
		return nil, err
	}
	before := slices.Clone(w.removed)
	kin := []Kin{}
	for round := 1; ; round++ {
		w.prefix, w.removed = roundDir(round)+"/", slices.Clone(before)
		e, leaks, err := rounds{w, p}.run(kin)
		if err != nil {
			return nil, err
		}
		if len(leaks) == 0 {
			e.rounds = round
			if e.removed, err = w.removals(); err != nil {
				return nil, err
			}
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
func (w *workshop) prepare(p plan) error {
	cfg, seed := p.cfg, p.cfg.Seed
	threshold := cfg.Family - cfg.FamilyMargin
	for _, stage := range []struct {
		name   string
		inputs []string
		params any
		run    func(reads) ([]Record, []Removal, error)
	}{
		{stageImport, []string{LockPath, GoalsPath, dropPath}, seed, func(reads) ([]Record, []Removal, error) {
			items, err := p.items()
			if err != nil {
				return nil, nil, err
			}
			kept, removed := Import(p.lock, items, p.lists, seed)
			return kept, removed, nil
		}},
		{stageAuthored, p.authored, []any{seed, cfg.Authored, len(p.lock.Sources)},
			func(reads) ([]Record, []Removal, error) {
				texts, err := p.texts()
				return texts, nil, err
			}},
		{stageClassify, []string{input(stageImport, records), input(stageAuthored, records), subtypePath,
			dropPath, domainPath}, nil,
			func(in reads) ([]Record, []Removal, error) {
				all := slices.Concat(in.set(stageImport, records), in.set(stageAuthored, records))
				return Classify(all, p.lists), nil, nil
			}},
		{stageClean, []string{input(stageClassify, records), LockPath, adjacentPath, dropPath, hardBenignPath},
			cfg.NearDuplicate, func(in reads) ([]Record, []Removal, error) {
				kept, removed := Clean(in.set(stageClassify, records), p.lock, p.lists, cfg.NearDuplicate)
				return kept, removed, nil
			}},
		{stageParaphrase, []string{input(stageClean, records), paraphrasePath}, []any{seed, cfg.Paraphrase},
			func(in reads) ([]Record, []Removal, error) {
				return Paraphrase(w.ctx, in.set(stageClean, records), cfg.Paraphrase, seed, p.paraphrase)
			}},
		{stageSelect, []string{input(stageParaphrase, records), LockPath}, seed,
			func(in reads) ([]Record, []Removal, error) {
				kept, removed := Select(in.set(stageParaphrase, records), p.lock, seed)
				return kept, removed, nil
			}},
		{stageCarriers, slices.Concat(p.authored, []string{input(stageSelect, records)}),
			[]any{seed, cfg.Carriers, cfg.Authored, len(p.lock.Sources)},
			func(in reads) ([]Record, []Removal, error) {
				c, err := p.carriers()
				if err != nil {
					return nil, nil, err
				}
				kept, removed := Carry(in.set(stageSelect, records), c, cfg.Carriers, seed)
				return kept, removed, nil
			}},
	} {
		err := w.step(stage.name, stage.inputs, stage.params, func(in reads) (outcome, error) {
			kept, removed, err := stage.run(in)
			return outcome{sets: map[string][]Record{records: kept}, removed: removed}, err
		})
		if err != nil {
			return err
		}
	}
	return w.step(stageNear, []string{input(stageCarriers, records)}, threshold, func(in reads) (outcome, error) {
		return outcome{pairs: nearPairs(in.set(stageCarriers, records), threshold)}, nil
	})
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
