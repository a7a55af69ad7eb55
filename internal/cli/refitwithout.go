package cli

import (
	"pidsbench/internal/detect"
	"pidsbench/internal/refit"
	"pidsbench/internal/results"
)

// withoutSources reads the scores of detectors that were trained without a source, and of those that they are otherwise.
// Of each of the latter it returns the pair that refits compare, and its two detectors; none where there are no scores.
// Each design is compared at the first seed of the entry that leaves sources out.
func (f *frame) withoutSources(dirs []string, entries []detect.Entry, windows string) (pairs []refit.Pair,
	of []results.Detector, err error) {
	test := f.splits[0].Data
	for _, whole := range entries {
		var seed []int
		by := map[string][]results.Outcome{}
		for _, e := range entries {
			if e.LeftOut == "" || e.WithoutOf != whole.ID {
				continue
			}
			seed = seedsOf(e)[:1]
			d, err := f.read(dirs, selected{entry: e, seeds: seed}, windows, "", false)
			if err != nil {
				return nil, nil, err
			}
			if d.Unavailable == "" && d.Seeds[0].Outcomes[test.Name] != nil {
				by[e.LeftOut] = d.Seeds[0].Outcomes[test.Name]
			}
		}
		if len(by) == 0 {
			continue
		}
		with, err := f.read(dirs, selected{entry: whole, seeds: seed}, windows, "", true)
		if err != nil {
			return nil, nil, err
		}
		if with.Unavailable != "" || with.Seeds[0].Outcomes[test.Name] == nil {
			continue
		}
		with.ID += "/train"
		without := with
		without.ID, without.Name = whole.ID+"/without-source", whole.Name+" without the source"
		run := with.Seeds[0]
		run.Outcomes = map[string][]results.Outcome{test.Name: refit.Compose(test, by)}
		without.Seeds = []results.Seed{run}
		pairs = append(pairs, refit.Pair{Name: whole.Name, Whole: with.ID, Without: without.ID})
		of = append(of, with, without)
	}
	return pairs, of, nil
}
