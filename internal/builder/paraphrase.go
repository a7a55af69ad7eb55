package builder

import (
	"context"
	"maps"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/textnorm"
)

const stageParaphrase = "paraphrase"

// paraphrasePath holds the rules of rewording, relative to the root.
const paraphrasePath = "data/lists/paraphrase.yaml"

// Paraphrase adds rewordings of third-party rows: of the injections of some attack types, and of some benign rows, so
// that a turn of the rewording tells no class. Texts of ours vary by themselves. A rewording belongs to the family of
// its seed, so both end in one split; it never repeats another text, and says truly what wrote it and which round it is
// of. Round 0 is the untouched text.
func Paraphrase(ctx context.Context, in []Record, cfg ParaphraseConfig, seed int64,
	reword func(ctx context.Context, seeds []Record, rounds int) ([]Record, error),
) (out []Record, removed []Removal, err error) {
	seeds := map[int][]Record{} // by rounds
	seen := map[string]string{}
	var benign []Record
	exact := forms(in, textnorm.Exact)
	for i, r := range in {
		seen[exact[i]] = r.ID
		switch {
		case r.Role != Pool || r.Own || r.Obfuscation != "none":
		case r.Label == dataset.Benign:
			benign = append(benign, r)
		case cfg.Rounds[r.AttackType] > 0:
			n := cfg.Rounds[r.AttackType]
			seeds[n] = append(seeds[n], r)
		}
	}
	if benign = inHashOrder(benign, seed, stageParaphrase); cfg.Benign > 0 {
		seeds[1] = append(seeds[1], benign[:min(cfg.Benign, len(benign))]...)
	}
	out = slices.Clone(in)
	for _, n := range slices.Sorted(maps.Keys(seeds)) {
		canonical(seeds[n])
		reworded, err := reword(ctx, seeds[n], n)
		if err != nil {
			return nil, nil, err
		}
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
	}
	canonical(out)
	return out, removed, nil
}
