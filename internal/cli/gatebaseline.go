package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pidsbench/internal/comparison"
	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/gate"
	"pidsbench/internal/results"
	"pidsbench/internal/scores"
)

// baseline is what earlier score files say of a detector.
type baseline struct {
	detector results.Detector
	differs  []string        // in what it was made otherwise than the run at hand, a clause each
	same     map[string]bool // splits whose file is the one of the run at hand
}

// compares reports whether a limit needs the baseline.
func (g *gateRun) compares() bool {
	return slices.ContainsFunc(g.limits.Limits, func(l gate.Limit) bool { return l.Regression != nil })
}

func (g *gateRun) baselineDir() string {
	if g.opts.baseline != "" {
		return g.st.abs(g.opts.baseline)
	}
	return g.p.path(publishedFolder)
}

// shown names a folder as the user did, the published scores by their name.
func (g *gateRun) shown(dir string) string {
	if g.opts.baseline != "" {
		return g.opts.baseline
	}
	return filepath.Base(dir)
}

// readBaseline reads the earlier scores of every detector that a limit compares.
func (g *gateRun) readBaseline(dir string) error {
	g.baseline = map[string]baseline{}
	var detectors []results.Detector
	for _, c := range g.chosen {
		compared := slices.ContainsFunc(g.limits.Limits, func(l gate.Limit) bool {
			return l.Detector == c.entry.ID && l.Regression != nil
		})
		if !compared || len(c.seeds) == 0 {
			continue
		}
		b, err := g.earlier(dir, c)
		if err != nil {
			return err
		}
		g.baseline[c.entry.ID] = b
		detectors = append(detectors, b.detector)
	}
	in := g.frame.input(&g.opts.score, &tableOptions{}, g.policies, detectors)
	g.then = results.Build(*in)
	g.data = comparison.NewData(g.frame.splits, false)
	return nil
}

// earlier reads the scores that a folder holds of a detector. They are of the same rows, but may be of another model or
// configuration: that is what a baseline is for.
func (g *gateRun) earlier(dir string, c selected) (baseline, error) {
	b := baseline{detector: c.result(), same: map[string]bool{}}
	for _, seed := range c.seeds {
		run := results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{}, Missing: map[string]string{}}
		for _, s := range g.frame.here() {
			out, err := g.earlierSplit(dir, c.entry, seed, g.frame.editionOf(s), s.Data, &b)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				run.Missing[s.Spec.Name] = "the baseline has no scores of it"
			case err != nil:
				return b, err
			default:
				run.Outcomes[s.Spec.Name] = out
			}
		}
		if needsVal(g.policies) && g.frame.val != nil {
			out, err := g.earlierSplit(dir, c.entry, seed, g.frame.valEdition, g.frame.val, &b)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return b, err
			}
			if run.Val = out; err != nil {
				run.NoVal = "the baseline has no val scores"
			}
		}
		b.detector.Seeds = append(b.detector.Seeds, run)
	}
	return b, nil
}

func (g *gateRun) earlierSplit(dir string, e detect.Entry, seed int, edition string, split *dataset.Split, b *baseline) (
	[]results.Outcome, error) {
	mode := engine.Mode(g.opts.score.windows)
	path, err := scores.Find([]string{dir}, edition, e.ID, seed, mode, split.Name)
	if err != nil {
		return nil, err
	}
	file, err := scores.Read(path)
	if err != nil {
		return nil, recure(err, "restore the baseline, or name another with --baseline")
	}
	h := file.Header
	want := g.frame.identity(edition, split, e, seed, g.opts.score.windows)
	current := want.ConfigHash
	want.ConfigHash, want.Files, want.Precision = h.ConfigHash, h.Files, h.Precision
	want.MaxLength, want.Stride = h.MaxLength, h.Stride
	if h.SplitSHA256 == g.frame.complete[split.Name] {
		want.SplitSHA256 = h.SplitSHA256
	}
	if err := file.Check(want); err != nil {
		return nil, recure(err, "name a baseline that was scored on these rows with --baseline")
	}
	if h.ConfigHash != current {
		b.differ("the baseline was scored with another entry of %s in detectors.yaml", e.ID)
	}
	if now, err := scores.Find(g.opts.score.from(g.p), edition, e.ID, seed, mode, split.Name); err == nil {
		b.same[split.Name] = b.same[split.Name] || sameFile(now, path)
		if other, err := scores.Read(now); err == nil && !slices.Equal(other.Header.Files, h.Files) {
			b.differ("the baseline was scored with other model files of %s", e.ID)
		}
	}
	return outcomes(file.Lines, len(split.Rows), 0), nil
}

// differ notes a difference once.
func (b *baseline) differ(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(b.differs, line) {
		b.differs = append(b.differs, line)
	}
}

// compare measures how much worse a run is than the baseline, and lists the rows that flipped.
func (g *gateRun) compare(l *gate.Limit, split *results.Split) (gate.Measure, *gate.Flips) {
	b, name := g.baseline[l.Detector], split.Spec.Name
	if b.same[name] {
		return gate.Measure{Reason: "the scores are those of the baseline: there is nothing to compare"}, nil
	}
	now := comparison.NewSide(g.detectors[l.Detector], g.now, false)
	then := comparison.NewSide(b.detector, g.then, false)
	then.ID = "the baseline of " + l.Detector
	pair := comparison.Match(now, then)
	if len(pair.Gone) > 0 {
		pair.Reason = pair.Gone[0]
	}
	result := g.data.Compare(pair, comparison.Spec{Name: l.ID, Split: name, Slice: l.SliceName(), Metric: l.Metric,
		Policy: l.Policy})
	m := l.FromComparison(&result)
	if m.Reason != "" {
		return m, nil
	}
	if c := l.Cell(g.then, name); c != nil {
		if m.Incomplete = gate.Lacking(c, agreed(g.then, c)); m.Incomplete != "" {
			m.Incomplete = "of the baseline " + m.Incomplete
		}
	}
	if c := l.Cell(g.now, name); c != nil {
		m.Incomplete = cmp.Or(gate.Lacking(c, agreed(g.now, c)), m.Incomplete)
	}
	if l.Policy == "" {
		return m, nil
	}
	flips := &gate.Flips{Split: name, Rows: []gate.Flip{}}
	for i, run := range pair.A.Seeds {
		was, _ := tau(g.then, l.Detector, l.Policy, run.Seed)
		is, _ := tau(g.now, l.Detector, l.Policy, run.Seed)
		flips.Add(l, split, run.Seed, gate.Run{Outcomes: pair.B.Seeds[i].Outcomes[name], Threshold: was},
			gate.Run{Outcomes: run.Outcomes[name], Threshold: is})
	}
	return m, flips
}

// explainPartial says of splits without a score file that a part of them is scored, where a run under --limit, or one
// that was interrupted, left that part.
func (g *gateRun) explainPartial(dirs []string, c selected, d *results.Detector) {
	partial := func(edition, split string, seed int) bool {
		h := scores.Header{Identity: scores.Identity{Edition: edition, Detector: c.entry.ID, Seed: seed,
			WindowMode: engine.Mode(g.opts.score.windows), Split: split}}
		return slices.ContainsFunc(dirs, func(dir string) bool {
			_, err := os.Stat(scores.Path(dir, h) + ".part")
			return err == nil
		})
	}
	const why = "only a part of its rows is scored, as a run under --limit or an interrupted one leaves it; run " +
		"`pidsbench eval` without --limit"
	for i := range d.Seeds {
		run := &d.Seeds[i]
		for _, s := range g.frame.here() {
			if run.Missing[s.Spec.Name] != "" && partial(g.frame.editionOf(s), s.Spec.Name, run.Seed) {
				run.Missing[s.Spec.Name] = why
			}
		}
		if run.NoVal != "" && g.frame.val != nil && partial(g.frame.valEdition, g.frame.val.Name, run.Seed) {
			run.NoVal = "val: " + why
		}
	}
	if d.Unavailable == "" {
		return
	}
	for _, seed := range c.seeds {
		for _, s := range g.frame.here() {
			if partial(g.frame.editionOf(s), s.Spec.Name, seed) {
				d.Unavailable = why
			}
		}
	}
}
