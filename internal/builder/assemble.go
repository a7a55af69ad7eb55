package builder

import (
	"context"
	"slices"

	"pidsbench/internal/dataset"
)

// maxRounds bounds how often families are joined again. Each round joins at least two, and the pinned sources need
// very few.
const maxRounds = 20

// edition is what the stages make.
type edition struct {
	files    []File
	removed  []Removal
	families []FamilySize
	rounds   int
}

func (e *edition) log(more []Removal) { e.removed = append(e.removed, more...) }

// assemble runs the stages on the rows of every source, in the order of the lock.
//
// Families are joined over the clean texts, a margin below the threshold, because the document frequencies of the final
// set move cosines a little. Where disguise or other surroundings still bring two written texts of different files
// within the threshold, their families are joined and everything after is done again, until nothing leaks.
func assemble(ctx context.Context, cfg *Config, lock *Lock, lists Lists, items [][]Item,
	stage func(string, int)) (*edition, error) {
	records, imported := Import(lock, items, cfg.Seed)
	stage(stageImport, len(records))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	records, cleaned := Clean(records, lock, lists, cfg.NearDuplicate)
	stage(stageClean, len(records))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	records, selected := Select(records, lock, cfg.Seed)
	stage(stageSelect, len(records))
	near := nearPairs(records, cfg.Family-cfg.FamilyMargin)
	stage("near pairs", len(near))

	var kin []Kin
	for round := 1; ; round++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := &edition{rounds: round, removed: slices.Concat(imported, cleaned, selected)}
		if err := e.build(Families(records, near, kin), cfg, lock, lists, stage); err != nil {
			return nil, err
		}
		leaks := Leaks(e.files, cfg.Family)
		stage("leaks", len(leaks))
		if len(leaks) == 0 {
			return e, nil
		}
		if round == maxRounds {
			return nil, leakError(leaks)
		}
		for _, l := range leaks {
			kin = append(kin, l.Kin)
		}
	}
}

// build runs the stages that follow the families.
func (e *edition) build(records []Record, cfg *Config, lock *Lock, lists Lists, stage func(string, int)) error {
	seed := cfg.Seed
	e.families = familySizes(records)
	stage("families", len(records))

	records, hard, removed := HardBenign(records, lists.Adjacent)
	e.log(removed)
	stage(stageHardBenign, len(hard))

	records, seeds, removed, err := HoldOut(records, cfg.Structural, seed)
	if err != nil {
		return err
	}
	e.log(removed)
	pool, fillers, control := byRole(records)
	used := map[string]bool{}
	for _, rows := range [][]Record{pool, hard, seeds[dataset.Benign], seeds[dataset.Injection]} {
		for _, r := range rows {
			used[r.Family] = true
		}
	}
	fillers, removed = unused(fillers, used, stageStructural)
	e.log(removed)
	shifted, err := Shift(seeds, fillers, cfg.Structural, seed)
	if err != nil {
		return err
	}
	stage(stageStructural, len(shifted))

	drawn := map[string]bool{}
	for _, s := range shifted {
		for _, id := range s.Fillers {
			drawn[id] = true
		}
	}
	for _, r := range fillers {
		used[r.Family] = true
		if !drawn[r.ID] {
			e.log([]Removal{r.remove(stageStructural, "padding that no diluted text drew")})
		}
	}
	control, removed = unused(control, used, stageControl)
	e.log(removed)
	control, removed = Ordinary(control, lock, seed)
	e.log(removed)
	stage(stageControl, len(control))

	split := Split(pool, cfg.Split, seed)
	stage(stageSplit, len(pool))
	for p := range split {
		split[p] = Obfuscate(split[p], cfg.Obfuscation, seed)
	}
	clean := func(r Record) bool { return r.Obfuscation == "none" }
	obfuscated := slices.DeleteFunc(slices.Clone(split[testPart]), clean)
	stage(stageObfuscate, len(obfuscated))

	e.files = []File{
		mainFile(trainFile, split[trainPart], seed),
		mainFile(valFile, split[valPart], seed),
		mainFile(testFile, split[testPart], seed),
		evalFile(hardBenignFile, hard, seed),
		evalFile(ordinaryFile, control, seed),
		sliceFile(obfuscatedAttacksFile, ofLabel(obfuscated, dataset.Injection), seed),
		sliceFile(obfuscatedBenignFile, ofLabel(obfuscated, dataset.Benign), seed),
		shiftedFile(structuralFile, shifted, seed),
	}
	return nil
}

func (e *edition) report() *Report {
	r := &Report{Removed: e.removed, Families: e.families, Rounds: e.rounds}
	for _, f := range e.files {
		r.Files = append(r.Files, countFile(f))
	}
	return r
}

func byRole(records []Record) (pool, fillers, control []Record) {
	for _, r := range records {
		switch r.Role {
		case Pool:
			pool = append(pool, r)
		case Filler:
			fillers = append(fillers, r)
		case Control:
			control = append(control, r)
		}
	}
	return pool, fillers, control
}

func ofLabel(records []Record, l dataset.Label) (out []Record) {
	for _, r := range records {
		if r.Label == l {
			out = append(out, r)
		}
	}
	return out
}

// unused keeps the records whose family has no row in another file.
func unused(records []Record, used map[string]bool, stage string) (kept []Record, removed []Removal) {
	for _, r := range records {
		if used[r.Family] {
			removed = append(removed, r.remove(stage, "in a family of another split"))
		} else {
			kept = append(kept, r)
		}
	}
	return kept, removed
}

// familySizes counts the families of the pool by size, greatest first.
func familySizes(records []Record) []FamilySize {
	pool, _, _ := byRole(records)
	_, members := byFamily(pool)
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
