package cli

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/reproduce"
	"pidsbench/internal/scores"
	"pidsbench/internal/threshold"
)

// again scores again what is published.
type again struct {
	scorer
	published []string // folders
	sample    reproduce.Sample
	kept      bool // the new scores stay
}

const nonePublished = "no scores of it are published"

// publishedSplit is a split with its published scores.
type publishedSplit struct {
	edition  string
	data     *dataset.Split
	file     *scores.File // nil when there is none
	drawn    []int        // rows to be scored again
	refitted bool         // another model is expected, fitted anew on another processor
	other    string       // how the identity of the file differs; empty when it does not
	asked    bool         // it is compared; val is read for its threshold all the same
}

// detector scores a detector again at each of its seeds.
func (a *again) detector(ctx context.Context, c selected) ([]reproduce.Run, error) {
	blank := reproduce.Run{Detector: c.entry.ID, Name: c.entry.Name, Named: c.named, Seeded: len(c.entry.Seeds) > 0,
		Verdict: reproduce.NotRun, Reason: c.unavailable}
	if c.unavailable != "" {
		blank.Seeded = false
		return []reproduce.Run{blank}, nil
	}
	var runs []reproduce.Run
	for _, seed := range c.seeds {
		run := blank
		run.Seed = seed
		err := a.seed(ctx, c.entry, &run)
		var absent *unavailableError
		switch {
		case errors.As(err, &absent):
			run.Reason = absent.reason
		case err != nil:
			return nil, err
		default:
			run.Judge()
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// seed scores a detector again at one seed. What keeps it from that is an unavailableError.
func (a *again) seed(ctx context.Context, e detect.Entry, run *reproduce.Run) error {
	if e.Kind == "chat" {
		return &unavailableError{"a server answers, and may answer otherwise each time"}
	}
	splits, err := a.find(e, run.Seed)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(splits, func(s *publishedSplit) bool { return s.file != nil }) {
		return &unavailableError{nonePublished}
	}
	c, err := a.p.candidate(a.st, e, run.Seed)
	switch {
	case err != nil:
		return err
	case c.lock != nil:
		return &unavailableError{"its weights are not shipped"}
	}
	for _, s := range splits {
		a.check(c, s)
	}
	run.Precision, run.Cutoffs = c.info.Precision, a.cutoffs(e, splits)
	return a.compare(ctx, c, splits, run)
}

// find reads what is published of a detector at a seed. A split of the edition stands in the list without a file where
// there is none; imported sets only where the user named them.
func (a *again) find(e detect.Entry, seed int) ([]*publishedSplit, error) {
	var all []*publishedSplit
	add := func(edition string, split *dataset.Split, asked, must bool) error {
		file, err := a.read(e, seed, edition, split)
		if err == nil && (file != nil || must) {
			all = append(all, &publishedSplit{edition: edition, data: split, file: file, asked: asked})
		}
		return err
	}
	f := a.frame
	for _, s := range f.here() {
		if err := add(f.editionOf(s), s.Data, true, !s.External || s.Asked); err != nil {
			return nil, err
		}
	}
	if f.val == nil {
		return all, nil
	}
	asked := len(f.chosen) == 0 || slices.Contains(f.chosen, "val")
	return all, add(f.valEdition, f.val, asked, true)
}

// read reads a published score file; nil when there is none.
func (a *again) read(e detect.Entry, seed int, edition string, split *dataset.Split) (*scores.File, error) {
	path, err := scores.Find(a.published, edition, e.ID, seed, engine.Mode(a.opts.windows), split.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var file *scores.File
	if err == nil {
		file, err = scores.Read(path)
	}
	if err != nil {
		return nil, recure(err, "restore the file from a fresh checkout")
	}
	return file, nil
}

// check says how a published file differs from what would be scored here. A model that is fitted here and not shipped
// may have other bytes on another architecture: then it is compared by what it gives.
func (a *again) check(c *candidate, s *publishedSplit) {
	if s.file == nil {
		return
	}
	h := s.file.Header
	want := c.stamp(a.frame.identity(s.edition, s.data, c.entry, c.seed, a.opts.windows), h.Identity)
	if h.SplitSHA256 == a.frame.complete[s.data.Name] { // scored from the complete split, of which this is the public form
		want.SplitSHA256 = h.SplitSHA256
	}
	here, there := reproduce.Architecture(cpuFeatures()), reproduce.Architecture(h.Info.CPU)
	if c.entry.Kind == "tfidf" && here != there && !slices.Equal(want.Files, h.Files) {
		want.Files, s.refitted = h.Files, true
	}
	if !h.Info.Shard.IsZero() {
		s.other = "the published file holds shard " + h.Info.Shard.String() + ", expected the whole split"
		return
	}
	var f *fault.Error
	if err := s.file.Check(want); errors.As(err, &f) {
		s.other = "the published file " + strings.TrimPrefix(f.Msg, s.file.Path+": ")
	}
}

// cutoffs returns the thresholds at which verdicts are compared, of published scores alone.
func (a *again) cutoffs(e detect.Entry, splits []*publishedSplit) []reproduce.Cutoff {
	policies := []threshold.Policy{{Kind: threshold.Fixed, Value: 0.5}, {Kind: threshold.ValF1}}
	if e.Native != nil {
		policies = append(policies, threshold.Policy{Kind: threshold.Native})
	}
	var val []float64
	var labels []dataset.Label
	noVal := "no val scores of it are published"
	if a.frame.val == nil {
		noVal = a.frame.noVal
	}
	for _, s := range splits {
		if s.data != a.frame.val || s.file == nil {
			continue
		}
		if s.other != "" {
			noVal = "other val scores are published"
			continue
		}
		noVal = ""
		for _, l := range s.file.Lines {
			if l.Scored() {
				val, labels = append(val, l.Score), append(labels, s.data.Rows[l.Row].Label)
			}
		}
	}
	var all []reproduce.Cutoff
	for _, p := range policies {
		cut := reproduce.Cutoff{Policy: p.String()}
		choice := p.Choose(val, labels, e.Native)
		switch {
		case p.NeedsVal() && noVal != "":
			cut.Reason = noVal
		case choice.OK:
			cut.Tau = &choice.Tau
		default:
			cut.Reason = choice.Reason
		}
		all = append(all, cut)
	}
	return all
}

// compare scores the drawn rows and sets them beside the published ones.
func (a *again) compare(ctx context.Context, c *candidate, splits []*publishedSplit, run *reproduce.Run) error {
	var jobs []*job
	defer func() {
		for _, j := range jobs {
			j.w.Close()
		}
	}()
	of := map[*publishedSplit]*job{}
	rows := 0
	for _, s := range splits {
		if !s.asked || s.file == nil || s.other != "" {
			continue
		}
		j, err := a.open(c, s.edition, s.data)
		if err != nil {
			return err
		}
		jobs, of[s] = append(jobs, j), j
		usable := func(row int) bool { return !s.data.Rows[row].Missing }
		s.drawn = a.sample.Draw(s.file.Lines, usable, s.data.Name, run.Cutoffs)
		j.items = slices.DeleteFunc(j.items, func(i engine.Item) bool {
			_, drawn := slices.BinarySearch(s.drawn, i.Row)
			return !drawn
		})
		rows += len(j.items)
	}
	if rows > 0 {
		if err := a.run(ctx, c, jobs, rows); err != nil {
			return a.interrupted(err)
		}
	}
	for _, s := range splits {
		if !s.asked {
			continue
		}
		result := reproduce.Split{Verdict: reproduce.Incomplete, Reason: nonePublished, Flips: []reproduce.Flips{}}
		switch j := of[s]; {
		case s.other != "":
			result.Verdict, result.Reason = reproduce.Off, s.other
		case j != nil:
			if len(j.w.Todo()) == 0 {
				if err := j.w.Finish(); err != nil {
					return err
				}
			}
			arithmetic := reproduce.ArithmeticOf(c.entry.Kind, c.info.Precision)
			tolerance := reproduce.ToleranceFor(arithmetic, s.file.Header.Info, cpuFeatures(), s.refitted)
			result = reproduce.Compare(s.file.Lines, j.w.Lines(), s.drawn, tolerance, run.Cutoffs)
		}
		result.Split, result.Rows = s.data.Name, len(s.data.Rows)
		run.Splits = append(run.Splits, result)
	}
	return nil
}

// interrupted says what is left of a run that was stopped.
func (a *again) interrupted(err error) error {
	if fault.ExitCode(err) != int(fault.Interrupted) || a.kept {
		return err
	}
	said, _, _ := strings.Cut(err.Error(), ";")
	return fault.New(fault.Interrupted, "%s; nothing is kept", said).WithCure("give --out DIR to go on where a run was stopped")
}
