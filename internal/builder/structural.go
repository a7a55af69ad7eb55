package builder

import (
	"slices"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

const stageStructural = "structural"

const fillerJoiner = " "

// HoldOut takes n families of one class out of the pool, in hash order of the row that stands for each: the first
// suitable one (by length) in hash order. A family is suitable when all its rows are pool rows of that class and it is
// not greater than cfg.MaxFamily. The other rows of a chosen family leave the pool too.
func HoldOut(in []Record, label dataset.Label, n int, cfg StructuralConfig, seed int64) (
	pool, seeds []Record, removed []Removal, err error,
) {
	_, members := byFamily(in)
	chosen := map[string]string{} // family → ID of its row
	for _, r := range inHashOrder(in, seed, stageStructural) {
		if len(seeds) == n {
			break
		}
		if r.Role != Pool || r.Label != label || !cfg.fits(r) || chosen[r.Family] != "" ||
			!pure(in, members[r.Family], cfg.MaxFamily) {
			continue
		}
		chosen[r.Family] = r.ID
		seeds = append(seeds, r)
	}
	if len(seeds) < n {
		return nil, nil, nil, fault.New(fault.Integrity,
			"%s: field structural.seeds asks for %d %s families, expected at most %d: so many are suitable", ConfigPath, n,
			label.Name(), len(seeds)).WithCure("lower it or add sources")
	}
	pool, removed = withoutFamilies(in, chosen, stageStructural)
	return pool, seeds, removed, nil
}

// fits reports whether a text is neither too short nor too long for a seed, in no disguise, and as its source has it.
func (c StructuralConfig) fits(r Record) bool {
	n := utf8.RuneCountInString(r.Text)
	return n >= c.MinChars && n <= c.MaxChars && r.Obfuscation == "none" && r.Round == 0
}

func pure(in []Record, family []int, limit int) bool {
	if len(family) > limit {
		return false
	}
	for _, i := range family {
		if in[i].Role != Pool || in[i].Label != in[family[0]].Label {
			return false
		}
	}
	return true
}

// Surround puts every held-out text into the three surroundings. Seeds are given in hash order by class.
func Surround(seeds [2][]Record, fillers []Record, cfg StructuralConfig, seed int64) ([]Record, error) {
	var out []Record
	for _, name := range disguise.Surroundings {
		for _, label := range []dataset.Label{dataset.Injection, dataset.Benign} {
			for i, r := range seeds[label] {
				s := &Shift{Transform: name, SeedIndex: i}
				pad := ""
				if name == disguise.PromptDilute {
					var err error
					if pad, s.Fillers, err = padding(r.ID, stageStructural, fillers, cfg, seed); err != nil {
						return nil, err
					}
				}
				p := disguise.Surround(r.Text, name, pad)
				r.Clean, r.Text, s.Start, s.Length, r.Shift = r.Text, p.Text, p.Start, p.Length, s
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// padding joins filler texts, in an order that belongs to the row and its purpose, until there are enough characters. A
// filler is never the row itself.
func padding(id, purpose string, fillers []Record, cfg StructuralConfig, seed int64) (
	pad string, ids []string, err error,
) {
	order := slices.Clone(fillers)
	draw.Order(order, seed, purpose+" filler "+id, byID)
	for _, f := range order {
		if utf8.RuneCountInString(pad) >= cfg.FillerChars {
			break
		}
		if f.ID == id {
			continue
		}
		if pad != "" {
			pad += fillerJoiner
		}
		pad += strings.TrimSpace(f.Text)
		ids = append(ids, f.ID)
	}
	if utf8.RuneCountInString(pad) < cfg.FillerChars {
		return "", nil, fault.New(fault.Integrity, "%s: %d filler rows cannot make %d characters", LockPath,
			len(fillers), cfg.FillerChars).WithCure("raise select.filler of a source")
	}
	if r := []rune(pad); len(r) > cfg.FillerMax {
		pad = string(r[:cfg.FillerMax])
	}
	return pad, ids, nil
}
