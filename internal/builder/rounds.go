package builder

// rounds runs the stages that follow the near pairs; their folders lie below that of the round.
type rounds struct {
	*workshop
	plan
}

// written are the sets that the files of the edition are made of.
func written() (inputs []string) {
	for _, s := range []struct {
		stage string
		sets  []string
	}{
		{stageHoldOut, []string{"hard_benign", "curated", "control", "domain", "structural", "seeds", "negative_train",
			"negative_val", "thirdparty", "ordinary"}},
		{stageObfuscate, []string{"train", "val", "test", "twins"}},
		{stageSlices, []string{"balanced", "held_out", "held_out_seeds"}},
	} {
		for _, set := range s.sets {
			inputs = append(inputs, input(s.stage, set))
		}
	}
	return inputs
}

// run makes the edition, and says which families must be joined before it can be one.
func (r rounds) run(kin []Kin) (e *edition, leaks []Leak, err error) {
	for _, stage := range []func() error{
		func() error { return r.families(kin) }, r.holdOut, r.balance, r.split, r.obfuscate, r.slice,
	} {
		if err := stage(); err != nil {
			return nil, nil, err
		}
	}
	in, err := r.read(written()...)
	if err != nil {
		return nil, nil, err
	}
	e = &edition{files: layOut(in, r.cfg.Seed)}
	if leaks, err = r.check(e.files); err != nil || len(leaks) > 0 {
		return e, leaks, err
	}
	if e.files, err = r.addSiblings(e.files); err != nil {
		return nil, nil, err
	}
	if in, err = r.read(input(stageFamilies, records)); err != nil {
		return nil, nil, err
	}
	e.families = familySizes(in.set(stageFamilies, records))
	return e, nil, nil
}

func (r rounds) families(kin []Kin) error {
	return r.step(stageFamilies, []string{input(stageCarriers, records), stageNear + "/" + pairsFile}, kin,
		func(in reads) (outcome, error) {
			joined := Families(in.set(stageCarriers, records), in.pairs, kin)
			return outcome{sets: map[string][]Record{records: joined}}, nil
		})
}

func (r rounds) balance() error {
	cfg := r.cfg
	return r.step(stageBalance, []string{input(stageHoldOut, rest)}, []any{cfg.Seed, cfg.Balance, cfg.Quotas},
		func(in reads) (outcome, error) {
			pool, removed := Balance(in.set(stageHoldOut, rest), cfg.Quotas, cfg.Balance, cfg.Seed)
			return outcome{sets: map[string][]Record{records: pool}, removed: removed}, nil
		})
}

func (r rounds) split() error {
	cfg := r.cfg
	return r.step(stageSplit, []string{input(stageBalance, records)}, []any{cfg.Seed, cfg.Quotas, cfg.Balance},
		func(in reads) (outcome, error) {
			parts, removed := Split(in.set(stageBalance, records), cfg.Quotas, cfg.Seed)
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

// partNames name the main splits by part.
var partNames = [...]string{"train", "val", "test"}

func (r rounds) obfuscate() error {
	cfg, seed := r.cfg, r.cfg.Seed
	inputs := []string{input(stageHoldOut, "fillers")}
	for _, name := range partNames {
		inputs = append(inputs, input(stageSplit, name))
	}
	params := []any{seed, cfg.Obfuscation, cfg.Structural.FillerChars, cfg.Structural.FillerMax}
	return r.step(stageObfuscate, inputs, params, func(in reads) (o outcome, err error) {
		ob := obfuscator{seed: seed, fillers: in.set(stageHoldOut, "fillers"), cfg: cfg.Structural,
			weights: cfg.Obfuscation.Weights}
		o.sets = map[string][]Record{}
		for i, want := range []Classes{cfg.Obfuscation.Train, cfg.Obfuscation.Val} {
			name := partNames[i]
			if o.sets[name], err = ob.Obfuscate(in.set(stageSplit, name), want); err != nil {
				return o, err
			}
			if err := checkHeldOut(name, o.sets[name]); err != nil {
				return o, err
			}
		}
		o.sets["test"], o.sets["twins"], err = ob.ObfuscateEvenly(in.set(stageSplit, "test"), cfg.Obfuscation.Test,
			cfg.Obfuscation.Twins)
		return o, err
	})
}

func (r rounds) slice() error {
	cfg := r.cfg
	return r.step(stageSlices, []string{input(stageObfuscate, "test")}, []any{cfg.Seed, cfg.Slices, cfg.HeldOut},
		func(in reads) (outcome, error) {
			test := in.set(stageObfuscate, "test")
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

// check compares the files, which are made of the sets that it reads.
func (r rounds) check(files []File) ([]Leak, error) {
	err := r.step(stageCheck, written(), []any{r.cfg.Seed, r.cfg.Family}, func(reads) (outcome, error) {
		leaks, err := Leaks(r.ctx, files, r.cfg.Family)
		return outcome{leaks: append([]Leak{}, leaks...)}, err
	})
	if err != nil {
		return nil, err
	}
	at, sum := r.find(stageCheck + "/" + leaksFile)
	return decodeFile[Leak](r.dir, at, sum)
}
