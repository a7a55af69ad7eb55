package cli

import (
	"slices"
	"strings"

	"pidsbench/internal/breakdown"
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
	"pidsbench/internal/probe"
)

// statsInput is what the command works on.
type statsInput struct {
	edition, manifest string
	shown             []*dataset.Split
	absent            []string // what was asked for and is not here, a clause each
	probe             probe.Data
}

// openStats reads the splits that are shown and, when probes are asked for, those that they need. What is read of an
// edition is verified in the same pass.
func (p *project) openStats(st *State, opts *statsOptions) (*statsInput, error) {
	e, dir, own, err := p.edition(st, &opts.data)
	if err != nil {
		return nil, err
	}
	var splits []*dataset.Split
	in := &statsInput{edition: ownEdition}
	if own {
		var notes []string
		if splits, notes, err = dataset.OpenOwn(st.abs(opts.data.data), opts.data.mapping()); err != nil {
			return nil, err
		}
		for _, n := range notes {
			st.note("note: %s", n)
		}
	}
	var names []string
	axis := map[string]dataset.Axis{"hard_benign_test": dataset.HardBenign}
	for _, s := range splits {
		names = append(names, s.Name)
	}
	if !own {
		for _, s := range e.Splits {
			names, axis[s.Name] = append(names, s.Name), s.Axis
		}
	}
	all := len(opts.splits) == 0 || slices.Contains(opts.splits, "all")
	for _, name := range opts.splits {
		if name != "all" && !slices.Contains(names, name) {
			return nil, fault.New(fault.Usage, "there is no split %q%s", name, suggest(name, names)).
				WithCure("choose from %s, or all", strings.Join(names, ", "))
		}
	}
	shown := func(name string) bool { return all || slices.Contains(opts.splits, name) }
	if !own {
		if err := opts.data.checkEdition(e); err != nil {
			return nil, err
		}
		probed := func(name string) bool {
			return len(opts.probeNames()) > 0 && (name == "train" || name == "test" || axis[name] == dataset.HardBenign ||
				axis[name] == dataset.OrdinaryBenign)
		}
		m, err := p.loadManifest(e)
		if err != nil {
			return nil, err
		}
		in.edition, in.manifest = e.ID, m.Hash()
		names = slices.DeleteFunc(names, func(n string) bool { return !shown(n) && !probed(n) })
		if splits, in.absent, err = loadSplits(e, m, dir, names); err != nil {
			return nil, err
		}
	}
	for _, s := range splits {
		if shown(s.Name) {
			in.shown = append(in.shown, s)
		}
		in.probes(s, axis[s.Name])
	}
	return in, nil
}

// probes gives the probes a split that they have a use for.
func (in *statsInput) probes(s *dataset.Split, axis dataset.Axis) {
	switch {
	case s.Name == "train":
		in.probe.Train = s
	case s.Name == "test":
		in.probe.Test = s
	case axis == dataset.HardBenign && in.probe.HardBenign == nil: // the first, as in every table
		in.probe.HardBenign = s
	case axis == dataset.OrdinaryBenign:
		in.probe.Ordinary = s
	}
}

// loadSplits verifies and reads splits of an edition by name. In a folder of the user's, files may be absent or in the
// form for the public.
func loadSplits(e *dataset.Edition, m *manifest.Manifest, dir string, names []string) (splits []*dataset.Split,
	absent []string, err error) {
	if e.Dir == "" {
		report, err := examineEdition(e, m, dir)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			spec, _ := e.Split(name)
			found, _ := report.Result(spec.Path)
			if s := found.Split(); s != nil {
				s.Name = name
				splits = append(splits, s)
			} else {
				absent = append(absent, spec.Path+" is "+string(found.Status))
			}
		}
		return splits, absent, nil
	}
	var paths []string
	for _, name := range names {
		spec, _ := e.Split(name)
		paths = append(paths, spec.Path)
	}
	splits, err = manifest.Load(m, dir, paths...)
	if err != nil {
		return nil, nil, withBuildCure(e, dir, err)
	}
	for i := range splits {
		splits[i].Name = names[i]
	}
	return splits, nil, nil
}

// checkBy refuses a breakdown that none of the splits has.
func checkBy(splits []*dataset.Split, by []string) error {
	var known []string
	for _, s := range splits {
		for _, name := range breakdown.Names(s) {
			if !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	for _, name := range by {
		if !slices.Contains(known, name) {
			return fault.New(fault.Usage, "no split has a column %q to go by%s", name, suggest(name, known)).
				WithCure("choose from %s, or all", strings.Join(known, ", "))
		}
	}
	return nil
}
