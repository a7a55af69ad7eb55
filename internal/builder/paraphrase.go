package builder

import (
	"context"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/textnorm"
)

const stageParaphrase = "paraphrase"

// paraphrasePath holds the rules of rewording, relative to the root.
const paraphrasePath = "data/lists/paraphrase.yaml"

// Paraphrase adds rewordings of the third-party injections of the scarce attack types (frames of ours vary by
// themselves). A rewording belongs to the family of its seed, so both end in one split; it never repeats another text,
// and says truly what wrote it and which round it is of. Round 0 is the untouched text.
func Paraphrase(ctx context.Context, in []Record, cfg ParaphraseConfig,
	reword func(context.Context, []Record) ([]Record, error)) (out []Record, removed []Removal, err error) {
	if cfg.Rounds == 0 {
		return in, nil, nil
	}
	var seeds []Record
	seen := map[string]string{}
	for _, r := range in {
		seen[textnorm.Exact(r.Text)] = r.ID
		if r.Role == Pool && r.Label == dataset.Injection && r.Obfuscation == "none" && r.Source != TemplateSource &&
			slices.Contains(cfg.Types, r.AttackType) {
			seeds = append(seeds, r)
		}
	}
	reworded, err := reword(ctx, seeds)
	if err != nil {
		return nil, nil, err
	}
	out = slices.Clone(in)
	for _, r := range reworded {
		key := textnorm.Exact(r.Text)
		if first, ok := seen[key]; ok {
			m := r.remove(stageParaphrase, "repeats another text")
			m.Partner = first
			removed = append(removed, m)
			continue
		}
		seen[key] = r.ID
		out = append(out, r)
	}
	canonical(out)
	return out, removed, nil
}
