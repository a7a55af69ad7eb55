package cli

import (
	"fmt"
	"slices"
	"strconv"

	"pidsbench/internal/comparison"
	"pidsbench/internal/gate"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// gateRun holds what the limits of one file are judged by.
type gateRun struct {
	st     *State
	p      *project
	opts   *gateOptions
	limits *gate.Config

	frame    *frame
	places   []gate.Place
	chosen   []selected
	policies []threshold.Policy

	now, then *results.Results
	detectors map[string]results.Detector
	baseline  map[string]baseline
	data      *comparison.Data
}

// judge reads what the limits need and says what becomes of each.
func (g *gateRun) judge() (*gate.Report, error) {
	if err := g.find(); err != nil {
		return nil, err
	}
	in, err := g.readNow()
	if err != nil {
		return nil, err
	}
	r := &gate.Report{Edition: g.frame.edition, ManifestSHA256: g.frame.manifestSHA, WindowMode: g.opts.score.windows,
		Undecided: map[bool]string{true: "passes", false: "fails"}[g.opts.allowUndecided]}
	switch {
	case !g.compares() && g.opts.baseline != "":
		g.st.note("note: no limit is on a regression: --baseline is not needed")
	case g.compares():
		dir := g.baselineDir()
		r.Baseline = g.shown(dir)
		if err := g.readBaseline(dir); err != nil {
			return nil, err
		}
	}
	wanted := map[*results.Cell]bool{}
	for i := range g.limits.Limits {
		if l := &g.limits.Limits[i]; l.Regression == nil {
			wanted[g.cell(i)] = true
		}
	}
	g.now.Resample(in, func(c *results.Cell) bool { return wanted[c] })
	for i := range g.limits.Limits {
		r.Limits = append(r.Limits, g.one(i))
	}
	r.Detectors = g.now.Detectors
	r.Sum()
	return r, nil
}

// find resolves the names in the file: detectors, then splits and slices. Only the splits that limits are on are kept.
func (g *gateRun) find() error {
	o := g.opts
	e, _, own, err := g.p.edition(g.st, &o.data)
	if err != nil {
		return err
	}
	o.score.from = func(p *project) []string { return scoreDirs(g.st, p, o.scores) }
	if !own {
		g.p.addImported(o.score.from(g.p), e.ID)
	}
	var known []gate.Detector
	for _, d := range g.p.detectors.Detectors {
		known = append(known, gate.Detector{ID: d.ID, Native: d.Native != nil})
	}
	if err := g.limits.CheckDetectors(known); err != nil {
		return err
	}
	for _, l := range g.limits.Limits {
		if !slices.Contains(o.score.detectors, l.Detector) {
			o.score.detectors = append(o.score.detectors, l.Detector)
		}
		if l.Policy == "" {
			continue
		}
		policy, err := threshold.Parse(l.Policy)
		if err != nil {
			return err
		}
		if !slices.Contains(g.policies, policy) {
			g.policies = append(g.policies, policy)
		}
	}
	if g.chosen, err = selectDetectors(g.p, &o.score); err != nil {
		return err
	}
	g.chosen = slices.DeleteFunc(g.chosen, func(s selected) bool { return !s.named })
	if g.frame, err = g.p.openFrame(g.st, &o.data); err != nil {
		return err
	}
	all := slices.Clone(g.frame.splits)
	if g.places, err = g.limits.Places(all, splitNames(g.p.benchmark)); err != nil {
		return err
	}
	g.frame.splits = slices.DeleteFunc(g.frame.splits, func(s results.Split) bool {
		return !slices.ContainsFunc(g.places, func(at gate.Place) bool {
			return at.Split != nil && at.Split.Spec.Name == s.Spec.Name
		})
	})
	for i := range g.frame.splits { // a set beside the edition that a limit names is asked for
		g.frame.splits[i].Asked = g.frame.splits[i].External
	}
	return nil
}

// readNow reads the scores of the run at hand.
func (g *gateRun) readNow() (*results.Input, error) {
	own := g.opts.data.data
	if own != "" && g.frame.edition != ownEdition {
		own += " --edition " + g.opts.data.edition
	}
	dirs := g.opts.score.from(g.p)
	g.detectors = map[string]results.Detector{}
	var detectors []results.Detector
	for _, c := range g.chosen {
		d, err := g.frame.read(dirs, c, g.opts.score.windows, own, needsVal(g.policies))
		if err != nil {
			return nil, err
		}
		g.explainPartial(dirs, c, &d)
		detectors = append(detectors, d)
		g.detectors[d.ID] = d
	}
	in := g.frame.input(&g.opts.score, &tableOptions{}, g.policies, detectors)
	g.now = results.Build(*in)
	return in, nil
}

// cell returns the cell that a limit is on, nil when there is none.
func (g *gateRun) cell(i int) *results.Cell {
	if g.places[i].Split == nil {
		return nil
	}
	return g.limits.Limits[i].Cell(g.now, g.places[i].Split.Spec.Name)
}

// one judges a limit.
func (g *gateRun) one(i int) gate.Item {
	l, at := &g.limits.Limits[i], g.places[i]
	if at.Split == nil {
		return g.limits.Judge(i, "", gate.Measure{Reason: at.Reason}, g.opts.allowUndecided)
	}
	split := at.Split.Spec.Name
	d := g.detectors[l.Detector]
	var m gate.Measure
	var flips *gate.Flips
	switch c := g.cell(i); {
	case d.Unavailable != "":
		m.Reason = d.Unavailable
	case l.Regression != nil:
		m, flips = g.compare(l, at.Split)
	case c == nil:
		m.Reason = fmt.Sprintf("%s has no such slice", split)
	default:
		m = l.FromCell(c, agreed(g.now, c))
	}
	item := g.limits.Judge(i, split, m, g.opts.allowUndecided)
	item.Flips = flips
	for _, s := range d.Seeds {
		item.Seeds = append(item.Seeds, s.Seed)
	}
	if l.Regression != nil {
		item.Differs = g.baseline[l.Detector].differs
	}
	return item
}

// agreed reports whether the user agreed to go without the rows that a cell lacks: withheld ones, by --public-subset.
func agreed(r *results.Results, c *results.Cell) bool {
	return r.PublicSubset && c.Total() > c.N && r.Lacking(c) == 0
}

// tau returns the threshold of a seed in results.
func tau(r *results.Results, detector, policy string, seed int) (float64, bool) {
	for _, d := range r.Detectors {
		if d.ID == detector {
			t, ok := d.Tau[policy][strconv.Itoa(seed)]
			return t, ok
		}
	}
	return 0, false
}
