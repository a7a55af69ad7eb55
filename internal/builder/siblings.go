package builder

import (
	"cmp"
	"context"
	"slices"

	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/textnorm"
)

const stageSiblings = "siblings"

// siblingTries is how many further texts of a frame are looked at for each that a frame may give.
const siblingTries = 3

// siblingFrames are the frames of hard negatives, with further texts behind those that the other files are drawn from.
func (c *Config) siblingFrames() (a AuthoredConfig) {
	for _, f := range c.Authored.Frames {
		if f.Use == HardNegative {
			f.PerFrame += siblingTries * c.Siblings.PerFrame
			a.Frames = append(a.Frames, f)
		}
	}
	return a
}

// addSiblings adds the siblings to the files of a build that leaks nowhere. The other files are as they would be
// without them: nothing is drawn or joined after this.
func (r rounds) addSiblings(files []File) ([]File, error) {
	if r.cfg.Siblings.Rows == 0 {
		return files, nil
	}
	cfg := r.cfg
	inputs := slices.Concat(written(), r.authored, []string{dropPath, adjacentPath, hardBenignPath, subtypePath,
		domainPath, LockPath})
	params := []any{cfg.Seed, cfg.Siblings, cfg.siblingFrames(), cfg.Family, cfg.FamilyMargin}
	err := r.step(stageSiblings, inputs, params, func(reads) (outcome, error) {
		texts, err := r.further()
		if err != nil {
			return outcome{}, err
		}
		texts, unfit := fit(Classify(texts, r.lists), r.lock, r.lists)
		rows, removed, err := Siblings(r.ctx, texts, files, cfg)
		return outcome{sets: map[string][]Record{records: rows}, removed: append(unfit, removed...)}, err
	})
	if err != nil {
		return nil, err
	}
	in, err := r.read(input(stageSiblings, records))
	if err != nil {
		return nil, err
	}
	return append(files, siblingsOf(in.set(stageSiblings, records), cfg.Seed)), nil
}

// siblingsOf lays out siblings.
func siblingsOf(rows []Record, seed int64) File {
	return negativeFile(siblingsFile, "test", "hardneg_curated", rows, seed)
}

// fit keeps the texts that a split may hold by themselves.
func fit(in []Record, lock *Lock, lists Lists) (kept []Record, removed []Removal) {
	for _, r := range in {
		if reason := unfit(r, textnorm.Exact(r.Text), lock, lists); reason != "" {
			removed = append(removed, r.remove(stageSiblings, reason))
		} else {
			kept = append(kept, r)
		}
	}
	return kept, removed
}

// Siblings draws further texts of the frames whose texts hard_negative_train holds: from all these frames in turn, in
// hash order, and at most so many of each. A sibling has the family of its frame. None is equal in exact form to another
// or to a row of that file, though it may be near to one; from the rows of every other file they keep the distance that
// families keep.
func Siblings(ctx context.Context, texts []Record, files []File, cfg *Config) (
	out []Record, removed []Removal, err error,
) {
	family, seen := map[string]string{}, map[string]string{}
	for _, f := range files {
		if f.Path != negativeTrainFile {
			continue
		}
		for _, r := range f.Records {
			family[r.Frame] = r.Family
			seen[textnorm.Exact(r.Text)] = r.ID
		}
	}
	var fresh []Record
	for _, r := range inHashOrder(texts, cfg.Seed, stageSiblings) {
		if r.Family = family[r.Frame]; r.Family == "" {
			continue // of a frame that the file does not hold
		}
		form := textnorm.Exact(r.Text)
		first, ok := seen[form]
		if ok && first == r.ID {
			continue // the row of that file
		}
		if ok {
			m := r.remove(stageSiblings, "exact repeat")
			m.Partner = first
			removed = append(removed, m)
			continue
		}
		seen[form] = r.ID
		fresh = append(fresh, r)
	}
	leaks, err := Leaks(ctx, append(slices.Clone(files), siblingsOf(fresh, cfg.Seed)), cfg.Family-cfg.FamilyMargin)
	if err != nil {
		return nil, nil, err
	}
	near := map[string]string{}
	for _, l := range leaks {
		if i := slices.Index(l.Files[:], siblingsFile); i >= 0 {
			near[l.Kin[i]] = cmp.Or(near[l.Kin[i]], l.Kin[1-i])
		}
	}
	byFrame := map[string][]Record{}
	var frames []string
	for _, r := range fresh {
		if partner := near[r.ID]; partner != "" {
			m := r.remove(stageSiblings, "near a row of another split")
			m.Partner = partner
			removed = append(removed, m)
			continue
		}
		if byFrame[r.Frame] == nil {
			frames = append(frames, r.Frame)
		}
		byFrame[r.Frame] = append(byFrame[r.Frame], r)
	}
	draw.Order(frames, cfg.Seed, stageSiblings+" frames", func(f string) string { return f })
	for turn := range cfg.Siblings.PerFrame {
		for _, f := range frames {
			if turn < len(byFrame[f]) && len(out) < cfg.Siblings.Rows {
				out = append(out, byFrame[f][turn])
				byFrame[f][turn].Family = "" // taken
			}
		}
	}
	for _, f := range frames {
		for _, r := range byFrame[f] {
			if r.Family != "" {
				removed = append(removed, r.remove(stageSiblings, "beyond the quota"))
			}
		}
	}
	if len(out) < cfg.Siblings.Rows {
		return nil, nil, fault.New(fault.Integrity,
			"%s: field siblings.rows holds %d, expected at most %d: the frames of %s give no more further texts", ConfigPath,
			cfg.Siblings.Rows, len(out), negativeTrainFile).WithCure("lower it")
	}
	canonical(out)
	if leaks, err = Leaks(ctx, append(slices.Clone(files), siblingsOf(out, cfg.Seed)), cfg.Family); err != nil {
		return nil, nil, err
	}
	if len(leaks) > 0 {
		return nil, nil, leakError(leaks)
	}
	return out, removed, nil
}
