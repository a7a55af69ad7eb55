package cli

import (
	"context"
	"errors"
	"fmt"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/scores"
)

// scorer brings score files up to date: rows that have a score are not scored again.
type scorer struct {
	st    *State
	p     *project
	frame *frame
	opts  *scoreOptions
}

// scoreAll scores every selected detector on every split and returns the outcomes. A detector that cannot run here is
// returned with the reason.
func (s *scorer) scoreAll(ctx context.Context, chosen []selected, val bool) ([]results.Detector, error) {
	out := make([]results.Detector, 0, len(chosen))
	for _, c := range chosen {
		d := results.Detector{ID: c.entry.ID, Name: c.entry.Name, Baseline: c.entry.Baseline, Native: c.entry.Native}
		for _, seed := range c.seeds {
			run, doubts, err := s.scoreSeed(ctx, c.entry, seed, val)
			var absent *unavailableError
			if errors.As(err, &absent) {
				d.Unavailable, d.Seeds = absent.reason, nil
				break
			}
			if err != nil {
				return nil, err
			}
			d.Seeds = append(d.Seeds, *run)
			d.Doubts = doubts
		}
		out = append(out, d)
	}
	return out, nil
}

// scoreSeed scores one detector at one seed. The model is loaded only when a row has no score yet.
func (s *scorer) scoreSeed(ctx context.Context, e detect.Entry, seed int, val bool) (*results.Seed, []string, error) {
	c, err := s.p.candidate(s.st, e, seed)
	if err != nil {
		return nil, nil, err
	}
	run := &results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{}, Missing: map[string]string{}}
	var jobs []*job
	defer func() {
		for _, j := range jobs {
			j.w.Close()
		}
	}()
	rows := 0
	for _, split := range s.frame.splitsToScore(val) {
		j, err := s.open(c, split)
		if err != nil {
			return nil, nil, err
		}
		jobs = append(jobs, j)
		rows += len(j.items)
	}
	if rows > 0 {
		if err := s.run(ctx, c, jobs, rows); err != nil {
			return nil, nil, err
		}
	}
	for _, j := range jobs {
		if run.Outcomes[j.split.Name], err = j.finish(s.opts.limit); err != nil {
			return nil, nil, err
		}
	}
	if val && s.frame.val != nil && s.frame.valEdition != s.frame.edition {
		s.borrowVal(c, run)
	}
	return run, s.doubts(c.info), nil
}

// doubts returns what a reader of the tables must know about the detector.
func (s *scorer) doubts(info detect.Info) []string {
	if info.TrainSHA256 == "" || s.frame.train == "" || info.TrainSHA256 == s.frame.train {
		return nil
	}
	return []string{"trained on other data: possibly contaminated"}
}

// note tells people something, unless they asked for quiet.
func (s *scorer) note(format string, args ...any) {
	if !s.opts.quiet {
		s.st.logf(format, args...)
	}
}

// job is one split to be scored by one detector.
type job struct {
	split *dataset.Split
	w     *scores.Writer
	items []engine.Item
}

func (s *scorer) open(c *candidate, split *dataset.Split) (*job, error) {
	h := header(c.info, s.frame.edition, split, s.opts.windows)
	w, err := scores.Open(scores.Path(s.st.abs(s.opts.out), h), h, scores.Options{Fresh: s.opts.fresh})
	if err != nil {
		return nil, err
	}
	for _, f := range w.Removed() {
		s.note("removed %s", f)
	}
	j := &job{split: split, w: w}
	for _, row := range w.Todo() {
		r := split.Rows[row]
		switch {
		case s.opts.limit > 0 && row >= s.opts.limit:
		case r.Missing:
			if err := w.Append(scores.Line{Row: row, MissingText: true}); err != nil {
				w.Close()
				return nil, err
			}
		default:
			j.items = append(j.items, engine.Item{Row: row, Text: r.Text, Alone: w.Suspect(row)})
		}
	}
	return j, nil
}

func header(info detect.Info, edition string, split *dataset.Split, windows string) scores.Header {
	return scores.Header{
		Identity: scores.Identity{
			Schema: scores.Schema, Edition: edition, Split: split.Name, SplitSHA256: split.SHA256, Rows: len(split.Rows),
			Detector: info.ID, Seed: info.Seed, ConfigHash: info.ConfigHash, Files: info.Files, Precision: info.Precision,
			WindowMode: engine.Mode(windows), MaxLength: info.MaxLength, Stride: info.Stride,
		},
		Info: scores.Info{Setup: scores.Setup{Tool: "pidsbench " + version, Runtime: info.Runtime, CPU: cpuFeatures()}},
	}
}

// run loads the detector and scores what is to do, split by split.
func (s *scorer) run(ctx context.Context, c *candidate, jobs []*job, rows int) error {
	det, err := c.open()
	if err != nil {
		return err
	}
	bar := newProgress(s.st, s.opts.quiet, c, rows)
	defer bar.end()
	for _, j := range jobs {
		if len(j.items) == 0 {
			continue
		}
		opt := engine.Options{Windows: engine.Mode(s.opts.windows), Workers: s.opts.workers, Begin: j.w.Begin, Progress: bar.update}
		stats, err := engine.Run(ctx, det, j.items, opt, func(r engine.Result) error { return j.w.Append(scores.FromResult(r)) })
		bar.add(stats)
		if err != nil {
			if fault.ExitCode(err) == int(fault.Interrupted) {
				return fault.New(fault.Interrupted, "interrupted: %s has %d of %d rows of %s; finished scores are kept", c.info.ID,
					len(j.split.Rows)-len(j.w.Todo()), len(j.split.Rows), j.split.Name).WithCure("run the same command to go on")
			}
			return err
		}
	}
	return det.Close()
}

// finish closes the score file and returns the outcome of every row.
func (j *job) finish(limit int) ([]results.Outcome, error) {
	if len(j.w.Todo()) == 0 {
		if err := j.w.Finish(); err != nil {
			return nil, err
		}
	}
	return outcomes(j.w.Lines(), len(j.split.Rows), limit), nil
}

// outcomes turns the lines of a score file into the outcome of each row; rows without a line were not asked for.
func outcomes(lines []scores.Line, rows, limit int) []results.Outcome {
	out := make([]results.Outcome, rows)
	for i := range out {
		out[i].State = results.NotAsked
	}
	for _, l := range lines {
		if limit > 0 && l.Row >= limit {
			continue
		}
		o := &out[l.Row]
		switch {
		case l.MissingText:
			o.State = results.MissingText
		case l.Error != "":
			o.State = results.Failed
		default:
			o.State, o.Score, o.Truncated = results.Scored, l.Score, l.Truncated()
		}
	}
	return out
}

// borrowVal takes the edition's val scores for a user's own file, when there are any.
func (s *scorer) borrowVal(c *candidate, run *results.Seed) {
	dirs := []string{s.st.abs(s.opts.out), s.st.abs("out"), s.p.path("out"), s.p.path("results")}
	path, err := scores.Find(dirs, s.frame.valEdition, c.info.ID, c.seed, engine.Mode(s.opts.windows), s.frame.val.Name)
	if err == nil {
		var f *scores.File
		if f, err = scores.Read(path); err == nil {
			err = f.Check(header(c.info, s.frame.valEdition, s.frame.val, s.opts.windows).Identity)
			if err == nil {
				run.Outcomes[s.frame.val.Name] = outcomes(f.Lines, len(s.frame.val.Rows), 0)
				return
			}
		}
	}
	run.Missing[s.frame.val.Name] = fmt.Sprintf("edition %s has no val scores of %s; run `pidsbench eval --detector %s` "+
		"first, or name a val file with --val", s.frame.valEdition, c.info.ID, c.info.ID)
}
