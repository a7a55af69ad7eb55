package builder

import (
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

const stageHoldOut = "hold_out"

// holdOut takes everything out of the pool that no split may train on, each from families of its own: hard-benign rows,
// the rows of the augmented arms, the seeds of the structural split, the padding of diluted texts, the authored rows of
// other files, and the ordinary control. What is left is the set rest.
func (r rounds) holdOut(in []Record) (outcome, error) {
	cfg, seed := r.cfg, r.cfg.Seed
	params := []any{seed, cfg.HardBenign, cfg.Augmentation, cfg.Structural, cfg.Domain}
	return r.stage(stageHoldOut, []string{input(stageFamilies, records), hardBenignPath, LockPath}, params,
		func() (o outcome, err error) {
			o.sets = map[string][]Record{}
			log := func(more []Removal) { o.removed = append(o.removed, more...) }
			roles := byRole(in)
			pool, hard, removed := HardBenign(roles[Pool], r.lists.Verdicts)
			log(removed)
			// A family with a row of another role cannot be parted from it.
			foreign := map[string]bool{}
			for role, rows := range roles {
				for _, x := range rows {
					if role == Curated || role == HardNegative || role == DomainShift {
						foreign[x.Family] = true
					}
				}
			}
			hard, removed = unused(hard, foreign, stageHardBenign)
			log(removed)
			hard, removed = asWritten(hard, stageHardBenign)
			log(removed)
			dealt, removed, err := Deal(hard, []share{
				{"adjacent_seeds", cfg.Structural.Adjacent, 1, cfg.Structural.fits},
				{"hard_benign", cfg.HardBenign.Real, cfg.HardBenign.MaxFamily, nil},
				{"thirdparty", cfg.Augmentation.SecurityAdjacent, cfg.HardBenign.MaxFamily, nil},
			}, seed)
			if err != nil {
				return o, err
			}
			log(removed)
			o.sets["hard_benign"], o.sets["thirdparty"] = dealt["hard_benign"], dealt["thirdparty"]

			var seeds [2][]Record
			if pool, seeds[dataset.Injection], removed, err = HoldOut(pool, dataset.Injection, cfg.Structural.Seeds,
				cfg.Structural, seed); err != nil {
				return o, err
			}
			log(removed)
			if pool, seeds[dataset.Benign], removed, err = HoldOut(pool, dataset.Benign,
				cfg.Structural.Seeds-cfg.Structural.Adjacent, cfg.Structural, seed); err != nil {
				return o, err
			}
			log(removed)
			seeds[dataset.Benign] = append(seeds[dataset.Benign], dealt["adjacent_seeds"]...)
			draw.Order(seeds[dataset.Benign], seed, stageStructural, byID)
			if pool, o.sets["ordinary"], removed, err = ordinaryArm(pool, o.sets["thirdparty"], cfg.Augmentation.Ordinary,
				cfg.Structural.MaxFamily, seed); err != nil {
				return o, err
			}
			log(removed)
			for _, label := range []dataset.Label{dataset.Benign, dataset.Injection} {
				o.sets["seeds"] = append(o.sets["seeds"], seeds[label]...)
			}
			canonical(o.sets["seeds"])

			if err := r.holdOutAuthored(&o, roles, used(pool, o.sets)); err != nil {
				return o, err
			}
			taken := used(pool, o.sets)
			fillers, removed := unused(roles[Filler], taken, stageStructural)
			log(removed)
			// The diluted texts of test and of the structural split share no padding.
			fillers = inHashOrder(fillers, seed, "fillers")
			half := len(fillers) / 2
			if o.sets["structural"], err = Surround(seeds, fillers[:half], cfg.Structural, seed); err != nil {
				return o, err
			}
			for _, f := range fillers {
				taken[f.Family] = true
			}
			control, removed := unused(roles[Control], taken, stageControl)
			log(removed)
			control, removed = asWritten(control, stageControl)
			log(removed)
			control, removed = Ordinary(control, r.lock, seed)
			log(removed)
			o.sets["control"], o.sets[rest] = control, pool
			o.sets["structural_fillers"], o.sets["fillers"] = fillers[:half], fillers[half:]
			return o, nil
		})
}

// holdOutAuthored places the authored rows that no split trains on.
func (r rounds) holdOutAuthored(o *outcome, roles map[Role][]Record, taken map[string]bool) error {
	cfg, seed := r.cfg, r.cfg.Seed
	take := func(role Role, stage string, n int) ([]Record, error) {
		rows, removed := unused(roles[role], taken, stage)
		o.removed = append(o.removed, removed...)
		rows = inHashOrder(rows, seed, stage)
		if len(rows) < n {
			return nil, fault.New(fault.Integrity, "%s: %s asks for %d authored rows, found %d", ConfigPath, stage, n,
				len(rows)).WithCure("lower it, or write more texts")
		}
		for _, x := range rows[n:] {
			o.removed = append(o.removed, x.remove(stage, "beyond the quota"))
		}
		return rows[:n], nil
	}
	curated, err := take(Curated, "hard_benign.curated", cfg.HardBenign.Curated)
	if err != nil {
		return err
	}
	for _, x := range curated {
		taken[x.Family] = true
	}
	negative, removed := unused(roles[HardNegative], taken, "hard_benign.hard_negative")
	o.removed = append(o.removed, removed...)
	want := cfg.HardBenign.Negative
	if o.sets["negative_train"], negative, err = wholeFamilies(negative, want.Train, seed, o); err != nil {
		return err
	}
	if o.sets["negative_val"], negative, err = wholeFamilies(negative, want.Val, seed, o); err != nil {
		return err
	}
	for _, x := range negative {
		o.removed = append(o.removed, x.remove("hard_benign.hard_negative", "beyond the quota"))
	}
	for _, x := range slices.Concat(o.sets["negative_train"], o.sets["negative_val"]) {
		taken[x.Family] = true
	}
	canonical(curated)
	o.sets["curated"] = curated
	domain, removed, err := DomainRows(roles[DomainShift], cfg.Domain, taken, seed)
	o.sets["domain"] = domain
	o.removed = append(o.removed, removed...)
	return err
}

// wholeFamilies takes families in hash order until there are n rows; rows of the last one beyond n are removed. It
// returns the rows of the families that are left.
func wholeFamilies(in []Record, n int, seed int64, o *outcome) (taken, left []Record, err error) {
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
				o.removed = append(o.removed, in[i].remove("hard_benign.hard_negative", "beyond what a family gives"))
			}
		}
	}
	if len(taken) < n {
		return nil, nil, fault.New(fault.Integrity, "%s: field hard_benign.hard_negative asks for %d authored rows, found %d",
			ConfigPath, n, len(taken)).WithCure("lower it, or write more texts")
	}
	canonical(taken)
	canonical(left)
	return taken, left, nil
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

// used names the families that the pool and the sets hold.
func used(pool []Record, sets map[string][]Record) map[string]bool {
	out := map[string]bool{}
	for _, r := range pool {
		out[r.Family] = true
	}
	for _, set := range sets {
		for _, r := range set {
			out[r.Family] = true
		}
	}
	return out
}
