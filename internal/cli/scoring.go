package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

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

	taken   []int           // seeds of the detector at hand whose scores were taken from the published files
	servers []scores.Server // that scored rows of the detector at hand
	scored  map[run]int     // rows that were scored now
}

// run is one detector at one seed.
type run struct {
	detector string
	seed     int
}

// scoreAll scores every selected detector on every split and returns the outcomes. A detector that cannot run here is
// returned with the reason.
func (s *scorer) scoreAll(ctx context.Context, chosen []selected, val bool) ([]results.Detector, error) {
	out := make([]results.Detector, 0, len(chosen))
	for _, c := range chosen {
		d := c.result()
		s.taken, s.servers = nil, nil
		for _, seed := range c.seeds {
			run, train, err := s.scoreSeed(ctx, c.entry, seed, val)
			var absent *unavailableError
			if errors.As(err, &absent) {
				d.Unavailable, d.Seeds = absent.reason, nil
				break
			}
			if err != nil {
				return nil, err
			}
			d.Seeds = append(d.Seeds, *run)
			s.frame.doubt(&d, train)
		}
		if d.Unavailable == "" {
			s.notePublished(c.entry, s.taken)
			s.frame.weigh(&d, c.entry)
			markServers(&d, c.entry, s.servers)
		}
		out = append(out, d)
	}
	return out, s.logRun(out)
}

// scoreSeed scores one detector at one seed and also returns the hash of the train split it was fitted on, if known. The
// model is loaded only when a row has no score yet; finished score files stay until new ones are complete.
func (s *scorer) scoreSeed(ctx context.Context, e detect.Entry, seed int, val bool) (*results.Seed, string, error) {
	c, err := s.p.candidate(s.st, e, seed)
	if err != nil {
		return nil, "", err
	}
	if c.lock != nil {
		made, err := s.published(c, val)
		if err != nil {
			return nil, "", err
		}
		if val && s.frame.borrowed {
			s.borrowVal(e, made)
		}
		s.taken = append(s.taken, seed)
		return made, c.info.TrainSHA256, nil
	}
	var jobs []*job
	defer func() {
		for _, j := range jobs {
			j.w.Close()
		}
	}()
	rows, replaced := 0, 0
	open := func(edition string, split *dataset.Split) error {
		j, err := s.open(c, edition, split)
		if err == nil {
			jobs = append(jobs, j)
			rows += len(j.items)
			replaced += len(j.w.Removed())
		}
		return err
	}
	for _, split := range s.frame.here() {
		if err := open(s.frame.editionOf(split), split.Data); err != nil {
			return nil, "", err
		}
	}
	val = val && s.frame.val != nil
	if val && !s.frame.borrowed {
		if err := open(s.frame.valEdition, s.frame.val); err != nil {
			return nil, "", err
		}
	}
	if replaced > 0 {
		s.st.note("%s: %d score files will be replaced when new ones are complete", c.info.ID, replaced)
	}
	if rows > 0 {
		if err := s.run(ctx, c, jobs, rows); err != nil {
			return nil, "", err
		}
		if s.scored == nil {
			s.scored = map[run]int{}
		}
		s.scored[run{e.ID, seed}] += rows
	}
	made := &results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{}}
	for _, j := range jobs {
		o, err := j.finish(s.opts.limit)
		if err != nil {
			return nil, "", err
		}
		h := j.w.Header()
		s.servers = append(s.servers, h.Info.Servers...)
		addMade(made, h)
		if j.split == s.frame.val {
			made.Val = o
		} else {
			made.Outcomes[j.split.Name] = o
		}
	}
	if val && s.frame.borrowed {
		s.borrowVal(e, made)
	}
	return made, c.info.TrainSHA256, nil
}

// doubt adds what a reader of the tables must know about a detector that was fitted on the train split with this hash.
func (f *frame) doubt(d *results.Detector, train string) {
	const contaminated = "trained on other data: possibly contaminated"
	if train != "" && f.train != "" && train != f.train && !slices.Contains(d.Doubts, contaminated) {
		d.Doubts = append(d.Doubts, contaminated)
	}
}

// job is one split to be scored by one detector.
type job struct {
	split *dataset.Split
	w     *scores.Writer
	items []engine.Item
}

func (s *scorer) open(c *candidate, edition string, split *dataset.Split) (*job, error) {
	h := scores.Header{
		Identity: c.stamp(s.frame.identity(edition, split, c.entry, c.seed, s.opts.windows), scores.Identity{}),
		Info: scores.Info{Setup: scores.Setup{Tool: "pidsbench " + version, Runtime: c.info.Runtime, CPU: cpuFeatures()},
			TrainSHA256: c.info.TrainSHA256},
	}
	w, err := scores.Open(scores.Path(s.st.abs(s.opts.out), h), h, scores.Options{Fresh: s.opts.fresh})
	if err != nil {
		return nil, err
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

// identity returns what a score file of this split must say, as far as the configuration and the data tell.
func (f *frame) identity(edition string, split *dataset.Split, e detect.Entry, seed int, windows string) scores.Identity {
	id := scores.Identity{
		Schema: scores.Schema, Edition: edition, Split: split.Name, SplitSHA256: split.SHA256, Rows: len(split.Rows),
		Detector: e.ID, Seed: seed, ConfigHash: e.Hash(), WindowMode: engine.Mode(windows),
	}
	if edition == ownEdition || edition == ownValEdition {
		id.TextColumn = f.textColumn
	}
	return id
}

// run loads the detector and scores what is to do, split by split.
func (s *scorer) run(ctx context.Context, c *candidate, jobs []*job, rows int) error {
	det, err := s.start(ctx, c)
	if err != nil {
		return err
	}
	defer s.st.tell(c, det)
	s.probeFirst(ctx, c, det, rows)
	bar := newProgress(s.st, c, rows)
	defer bar.end()
	for _, j := range jobs {
		if len(j.items) == 0 {
			continue
		}
		opt := engine.Options{Windows: engine.Mode(s.opts.windows), Workers: s.opts.workers, Begin: j.w.Begin, Progress: bar.update}
		stats, err := engine.Run(ctx, det, j.items, opt, func(r engine.Result) error {
			if err := noteServers(j.w, det); err != nil {
				return err
			}
			return j.w.Append(scores.FromResult(r))
		})
		bar.add(stats)
		if err != nil {
			if stats.Abandoned == 0 {
				_ = det.Close()
			}
			if fault.ExitCode(err) == int(fault.Interrupted) {
				return fault.New(fault.Interrupted, "interrupted: %s has %d of %d rows of %s; finished scores are kept", c.info.ID,
					len(j.split.Rows)-len(j.w.Todo()), len(j.split.Rows), j.split.Name).WithCure("%s", s.goOn())
			}
			return err
		}
	}
	return det.Close()
}

// goOn says how to resume: --fresh again would start again.
func (s *scorer) goOn() string {
	if s.opts.fresh {
		return "run the same command without --fresh to go on"
	}
	return "run the same command to go on"
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

// borrowVal takes the edition's val scores for a user's own file, or says why it cannot.
func (s *scorer) borrowVal(e detect.Entry, run *results.Seed) {
	dirs := []string{s.st.abs(s.opts.out), s.st.abs("out"), s.p.path("out"), s.p.path("results")}
	file, err := s.frame.find(dirs, s.frame.valEdition, s.frame.val, e, run.Seed, s.opts.windows)
	switch {
	case err == nil:
		run.Val = outcomes(file.Lines, len(s.frame.val.Rows), 0)
	case errors.Is(err, fs.ErrNotExist):
		run.NoVal = fmt.Sprintf("edition %s has no val scores of %s; run `%s` first, or name a val file with --val",
			s.frame.valEdition, e.ID, evalCommand(e.ID, s.opts.windows, ""))
	default:
		run.NoVal = fmt.Sprintf("the val scores of edition %s cannot be used: %v", s.frame.valEdition, err)
	}
}

// evalCommand is the command that makes the score files of a detector, for messages.
func evalCommand(id, windows, data string) string {
	c := "pidsbench eval --detector " + id
	if windows != string(engine.Max) {
		c += " --windows " + windows
	}
	if data != "" {
		c += " --data " + data
	}
	return c
}

// find reads the score file of a split and checks that it is what its path says; its error wraps fs.ErrNotExist when
// there is none.
func (f *frame) find(dirs []string, edition string, split *dataset.Split, e detect.Entry, seed int, windows string) (
	*scores.File, error) {
	path, err := scores.Find(dirs, edition, e.ID, seed, engine.Mode(windows), split.Name)
	if err != nil {
		return nil, err
	}
	file, err := scores.Read(path)
	if err != nil {
		return nil, err
	}
	want := f.identity(edition, split, e, seed, windows)
	h := file.Header
	want.Files, want.Precision, want.MaxLength, want.Stride = h.Files, h.Precision, h.MaxLength, h.Stride
	if h.SplitSHA256 == f.complete[split.Name] { // scored from the complete split, of which this is the public form
		want.SplitSHA256 = h.SplitSHA256
	}
	return file, file.Check(want)
}
