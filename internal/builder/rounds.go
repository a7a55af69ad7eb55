package builder

import "pidsbench/internal/neardup"

// rounds runs the stages that follow the near pairs; their folders lie below that of the round.
type rounds struct {
	*workshop
	plan
	prefix string
}

// stage runs one stage of the round, which reads sets of earlier ones.
func (r rounds) stage(name string, inputs []string, params any, run func() (outcome, error)) (outcome, error) {
	for i, in := range inputs {
		if _, ok := r.hashes[r.prefix+in]; ok {
			inputs[i] = r.prefix + in
		}
	}
	return r.step(r.prefix+name, inputs, params, run)
}

func (r rounds) run(in []Record, near []neardup.Pair, kin []Kin) (*edition, error) {
	cfg, seed := r.cfg, r.cfg.Seed
	families, err := r.stage(stageFamilies, []string{input(stageSelect, records), stageNear + "/" + pairsFile}, kin,
		func() (outcome, error) {
			return outcome{sets: map[string][]Record{records: Families(in, near, kin)}}, nil
		})
	if err != nil {
		return nil, err
	}
	e := &edition{families: familySizes(families.sets[records])}
	held, err := r.holdOut(families.sets[records])
	if err != nil {
		return nil, err
	}
	balanced, err := r.stage(stageBalance, []string{input(stageHoldOut, rest)}, []any{seed, cfg.Balance, cfg.Quotas},
		func() (outcome, error) {
			pool, removed := Balance(held.sets[rest], cfg.Quotas, cfg.Balance, seed)
			return outcome{sets: map[string][]Record{records: pool}, removed: removed}, nil
		})
	if err != nil {
		return nil, err
	}
	split, err := r.split(balanced.sets[records])
	if err != nil {
		return nil, err
	}
	obfuscated, err := r.obfuscate(split, held.sets["fillers"])
	if err != nil {
		return nil, err
	}
	for _, name := range partNames[:testPart] {
		if err := checkHeldOut(name, obfuscated.sets[name]); err != nil {
			return nil, err
		}
	}
	sliced, err := r.slice(obfuscated.sets["test"])
	if err != nil {
		return nil, err
	}
	e.layOut(held, obfuscated, sliced, seed)
	return e, nil
}

func (r rounds) split(pool []Record) (outcome, error) {
	cfg := r.cfg
	return r.stage(stageSplit, []string{input(stageBalance, records)}, []any{cfg.Seed, cfg.Quotas, cfg.Balance},
		func() (outcome, error) {
			parts, removed := Split(pool, cfg.Quotas, cfg.Seed)
			o := outcome{sets: map[string][]Record{}, removed: removed}
			for i, quota := range []Quota{cfg.Quotas.Train, cfg.Quotas.Val, cfg.Quotas.Test} {
				if err := checkShares(partNames[i], parts[i], quota, cfg.Balance); err != nil {
					return o, err
				}
				o.sets[partNames[i]] = parts[i]
			}
			return o, nil
		})
}

func (r rounds) slice(test []Record) (outcome, error) {
	cfg := r.cfg
	return r.stage(stageSlices, []string{input(stageObfuscate, "test")}, []any{cfg.Seed, cfg.Slices, cfg.HeldOut},
		func() (outcome, error) {
			subtypes, err := BalancedSubtypes(test, cfg.Slices, cfg.Seed)
			if err != nil {
				return outcome{}, err
			}
			heldOut, seeds, err := HeldOutObfuscation(test, cfg.HeldOut.Seeds, cfg.Seed)
			return outcome{sets: map[string][]Record{
				"balanced": subtypes, "held_out": heldOut, "held_out_seeds": seeds,
			}}, err
		})
}

// partNames name the main splits by part.
var partNames = [...]string{"train", "val", "test"}

func (r rounds) obfuscate(split outcome, fillers []Record) (outcome, error) {
	cfg, seed := r.cfg, r.cfg.Seed
	inputs := []string{input(stageHoldOut, "fillers")}
	for _, name := range partNames {
		inputs = append(inputs, input(stageSplit, name))
	}
	params := []any{seed, cfg.Obfuscation, cfg.Structural.FillerChars, cfg.Structural.FillerMax}
	return r.stage(stageObfuscate, inputs, params,
		func() (o outcome, err error) {
			ob := obfuscator{seed: seed, fillers: fillers, cfg: cfg.Structural, weights: cfg.Obfuscation.Weights}
			o.sets = map[string][]Record{}
			for i, want := range []Classes{cfg.Obfuscation.Train, cfg.Obfuscation.Val} {
				if o.sets[partNames[i]], err = ob.Obfuscate(split.sets[partNames[i]], want); err != nil {
					return o, err
				}
			}
			o.sets["test"], o.sets["twins"], err = ob.ObfuscateEvenly(split.sets["test"], cfg.Obfuscation.Test,
				cfg.Obfuscation.Twins)
			return o, err
		})
}
