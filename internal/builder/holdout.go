package builder

import (
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

const stageHoldOut = "hold_out"

// holdOut takes everything out of the pool that no split may train on, each from families of its own: hard-benign rows,
// the rows of the augmented arms, the rows of the shifted domains, the seeds of the structural split, the padding of
// diluted texts, the authored rows of other files, and the ordinary control. What is left is the set rest.
func (r rounds) holdOut() error {
	cfg := r.cfg
	params := []any{cfg.Seed, cfg.HardBenign, cfg.Augmentation, cfg.Structural, cfg.Domain}
	return r.step(stageHoldOut, []string{input(stageFamilies, records), hardBenignPath, LockPath}, params,
		func(in reads) (outcome, error) {
			h := newHolding(r.plan, in.set(stageFamilies, records))
			for _, take := range []func() error{
				h.takeHardBenign, h.takeDomains, h.takeSeeds, h.takeAuthored, h.takeFillersAndControl,
			} {
				if err := take(); err != nil {
					return outcome{}, err
				}
			}
			h.sets[rest] = h.pool
			return h.outcome, nil
		})
}

// holding is what is held out so far.
type holding struct {
	plan
	outcome
	roles map[Role][]Record
	pool  []Record
	seeds [2][]Record // of the structural split, by class
}

func newHolding(p plan, in []Record) *holding {
	roles := byRole(in)
	return &holding{plan: p, outcome: outcome{sets: map[string][]Record{}}, roles: roles, pool: roles[Pool]}
}

func (h *holding) log(removed []Removal) { h.removed = append(h.removed, removed...) }

// takeHardBenign takes the security-adjacent rows: some of them are seeds of the structural split.
func (h *holding) takeHardBenign() error {
	cfg := h.cfg
	pool, hard, removed := HardBenign(h.pool, h.lists.Verdicts)
	h.pool = pool
	h.log(removed)
	// A family with a row of another role cannot be parted from it.
	foreign := map[string]bool{}
	for _, role := range []Role{Curated, HardNegative, DomainShift} {
		markFamilies(foreign, h.roles[role])
	}
	hard, removed = unused(hard, foreign, stageHardBenign)
	h.log(removed)
	hard, removed = asWritten(hard, stageHardBenign)
	h.log(removed)
	dealt, removed, err := Deal(hard, []share{
		{"adjacent_seeds", cfg.Structural.Adjacent, 1, cfg.Structural.fits},
		{"hard_benign", cfg.HardBenign.Real, cfg.HardBenign.MaxFamily, nil},
		{"thirdparty", cfg.Augmentation.SecurityAdjacent, cfg.HardBenign.MaxFamily, nil},
	}, cfg.Seed)
	if err != nil {
		return err
	}
	h.log(removed)
	h.sets["hard_benign"], h.sets["thirdparty"] = dealt["hard_benign"], dealt["thirdparty"]
	h.seeds[dataset.Benign] = dealt["adjacent_seeds"]
	return nil
}

// takeDomains takes the rows of the domains that the domain split holds.
func (h *holding) takeDomains() error {
	pool, rows, removed, err := ShiftedDomains(h.pool, h.cfg.Domain, h.cfg.Structural.MaxFamily, h.cfg.Seed)
	h.pool, h.sets["domain"] = pool, rows
	h.log(removed)
	return err
}

// takeSeeds takes the other seeds of the structural split, and the ordinary arm.
func (h *holding) takeSeeds() error {
	cfg, seed := h.cfg, h.cfg.Seed
	for _, take := range []struct {
		label dataset.Label
		n     int
	}{{dataset.Injection, cfg.Structural.Seeds}, {dataset.Benign, cfg.Structural.Seeds - cfg.Structural.Adjacent}} {
		pool, seeds, removed, err := HoldOut(h.pool, take.label, take.n, cfg.Structural, seed)
		if err != nil {
			return err
		}
		h.pool = pool
		h.seeds[take.label] = append(seeds, h.seeds[take.label]...)
		h.log(removed)
	}
	draw.Order(h.seeds[dataset.Benign], seed, stageStructural, byID)
	pool, arm, removed, err := ordinaryArm(h.pool, h.sets["thirdparty"], cfg.Augmentation.Ordinary,
		cfg.Structural.MaxFamily, seed)
	if err != nil {
		return err
	}
	h.pool, h.sets["ordinary"] = pool, arm
	h.log(removed)
	h.sets["seeds"] = slices.Concat(h.seeds[dataset.Benign], h.seeds[dataset.Injection])
	canonical(h.sets["seeds"])
	return nil
}

// takeAuthored places the authored rows that no split trains on.
func (h *holding) takeAuthored() error {
	const stageNegative = "hard_benign.hard_negative"
	cfg, seed, taken := h.cfg, h.cfg.Seed, h.taken()
	curated, removed := unused(h.roles[Curated], taken, stageCurated)
	h.log(removed)
	curated, removed, err := CuratedRows(curated, cfg.HardBenign, seed)
	if err != nil {
		return err
	}
	h.log(removed)
	markFamilies(taken, curated)
	h.sets["curated"] = curated

	negative, removed := unused(h.roles[HardNegative], taken, stageNegative)
	h.log(removed)
	for _, part := range []struct {
		set string
		n   int
	}{{"negative_train", cfg.HardBenign.Negative.Train}, {"negative_val", cfg.HardBenign.Negative.Val}} {
		var err error
		if h.sets[part.set], negative, removed, err = wholeFamilies(negative, part.n, seed, stageNegative); err != nil {
			return err
		}
		h.log(removed)
		markFamilies(taken, h.sets[part.set])
	}
	h.log(removeAll(negative, stageNegative, "beyond the quota"))

	domain, removed, err := DomainRows(h.roles[DomainShift], h.sets["domain"], cfg.Domain, taken, seed)
	h.sets["domain"] = domain
	h.log(removed)
	return err
}

// takeFillersAndControl takes the padding, puts it around the seeds, and draws the control.
func (h *holding) takeFillersAndControl() (err error) {
	cfg, seed, taken := h.cfg, h.cfg.Seed, h.taken()
	fillers, removed := unused(h.roles[Filler], taken, stageStructural)
	h.log(removed)
	// The diluted texts of test and of the structural split share no padding.
	fillers = inHashOrder(fillers, seed, "fillers")
	half := len(fillers) / 2
	h.sets["structural_fillers"], h.sets["fillers"] = fillers[:half], fillers[half:]
	if h.sets["structural"], err = Surround(h.seeds, fillers[:half], cfg.Structural, seed); err != nil {
		return err
	}
	markFamilies(taken, fillers)
	control, removed := unused(h.roles[Control], taken, stageControl)
	h.log(removed)
	control, removed = asWritten(control, stageControl)
	h.log(removed)
	h.sets["control"], removed = Ordinary(control, h.lock, seed)
	h.log(removed)
	return nil
}

// taken names the families that the pool and the sets hold.
func (h *holding) taken() map[string]bool {
	out := map[string]bool{}
	markFamilies(out, h.pool)
	for _, set := range h.sets {
		markFamilies(out, set)
	}
	return out
}

func markFamilies(to map[string]bool, records []Record) {
	for _, r := range records {
		to[r.Family] = true
	}
}

// wholeFamilies takes families in hash order until there are n rows; rows of the last one beyond n are removed. It
// returns the rows of the families that are left.
func wholeFamilies(in []Record, n int, seed int64, stage string) (taken, left []Record, removed []Removal, err error) {
	names, members := familyOrder(in, seed, string(HardNegative))
	for _, name := range names {
		full := len(taken) >= n
		for _, i := range members[name] {
			switch {
			case full:
				left = append(left, in[i])
			case len(taken) < n:
				taken = append(taken, in[i])
			default:
				removed = append(removed, in[i].remove(stage, "beyond what a family gives"))
			}
		}
	}
	if len(taken) < n {
		return nil, nil, nil, fault.New(fault.Integrity, "%s: field %s asks for %d authored rows, found %d", ConfigPath,
			stage, n, len(taken)).WithCure("lower it, or write more texts")
	}
	canonical(taken)
	canonical(left)
	return taken, left, removed, nil
}

// asWritten keeps the texts that their source ships in no disguise.
func asWritten(in []Record, stage string) (kept []Record, removed []Removal) {
	for _, r := range in {
		if r.Obfuscation == "none" {
			kept = append(kept, r)
		} else {
			removed = append(removed, r.remove(stage, "looks disguised"))
		}
	}
	return kept, removed
}
