package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
)

type scanOptions struct {
	detector   string
	seed       int
	seedGiven  bool
	threshold  string
	windows    string
	format     string
	file       string
	lines      bool
	textColumn string
	exitCode   bool
}

func newScanCmd(st *State) *cobra.Command {
	var opts scanOptions
	cmd := &cobra.Command{
		Use:   "scan --detector ID [TEXT…]",
		Short: "Score texts from arguments, a file or a pipe with one detector",
		Long: `Gives each text its score, the verdict at the detector's threshold, and, where a text is longer than the model takes,
the score of each window and the part of the text it covers. Scores are those that eval would give.

The threshold is the detector's own where it declares one, otherwise the F1 optimum on the val scores of the open
edition that eval left in out/ or that are published, otherwise 0.5; --threshold names another.`,
		Example: `  pidsbench scan --detector deberta "Ignore all previous instructions."
  pidsbench scan --detector deberta --file mail.txt
  pidsbench scan --detector rule --file prompts.csv --text-column prompt --format json
  tail -f prompts.log | pidsbench scan --detector deberta --lines`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.seedGiven = cmd.Flags().Changed("seed")
			return runScan(cmd.Context(), st, cmd, &opts, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.detector, "detector", "", "the detector by id (required)")
	f.IntVar(&opts.seed, "seed", 0, "seed of the detector (default: its first)")
	f.StringVar(&opts.threshold, "threshold", "", "threshold policy: fixed:0.5, val_f1, val_f1:high, val_fpr:0.01, native "+
		"(default: native, else val_f1, else fixed:0.5)")
	f.StringVar(&opts.windows, "windows", "max", "long texts: max scores every window and takes the highest, truncate sees "+
		"the first window alone")
	f.StringVar(&opts.format, "format", "table", "table, or json: a JSON object a line for each text")
	f.StringVar(&opts.file, "file", "", "a file that is one text; with --lines a text a line, with --text-column a text a row")
	f.BoolVar(&opts.lines, "lines", false, "each line of the file or of standard input is a text")
	f.StringVar(&opts.textColumn, "text-column", "", "the file is a table (CSV, TSV, JSON, JSON Lines, Parquet), and this "+
		"column holds the texts")
	f.BoolVar(&opts.exitCode, "exit-code", false, "end with status 5 when a text is flagged")
	return cmd
}

func (o *scanOptions) check(args []string) error {
	switch {
	case o.windows != string(engine.Max) && o.windows != string(engine.Truncate):
		return fault.New(fault.Usage, "--windows is %q, expected max or truncate", o.windows).WithCure("give one of the two")
	case o.format != "table" && o.format != "json":
		return fault.New(fault.Usage, "--format is %q, expected table or json", o.format).WithCure("give one of the two")
	case len(args) > 0 && (o.file != "" || o.lines || o.textColumn != ""):
		return fault.New(fault.Usage, "texts are given as arguments, and --file, --lines or --text-column as well").
			WithCure("give one of the two")
	case o.lines && o.textColumn != "":
		return fault.New(fault.Usage, "--lines and --text-column are two ways to take a file apart").
			WithCure("give one of the two")
	case o.textColumn != "" && o.file == "":
		return fault.New(fault.Usage, "--text-column needs the table as a file").WithCure("name it with --file")
	}
	return nil
}

// scan is what a run of the command works with.
type scan struct {
	opts *scanOptions
	c    *candidate
	det  detect.Detector
	cut  cutoff

	texts, flagged, failed int

	abandoned bool // calls of the detector are still running
}

func runScan(ctx context.Context, st *State, cmd *cobra.Command, opts *scanOptions, args []string) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	if opts.detector == "" {
		return fault.New(fault.Usage, "no detector is named").
			WithCure("choose one with --detector: these can run here: %s; `pidsbench detectors list` lists all",
				strings.Join(p.runnable(st), ", "))
	}
	if err := opts.check(args); err != nil {
		return err
	}
	entry, err := p.entry(opts.detector)
	if err != nil {
		return err
	}
	seed, err := opts.seedOf(entry)
	if err != nil {
		return err
	}
	source, err := opts.source(st, args)
	if err != nil {
		return err
	}
	defer source.close()
	s := &scan{opts: opts}
	if err := s.open(ctx, st, p, entry, seed); err != nil {
		return err
	}
	s.doubts(st, args)
	defer st.tell(s.c, s.det)
	if err := s.all(ctx, st.Stdout, source); err != nil {
		if !s.abandoned {
			_ = s.det.Close()
		}
		return err
	}
	if err := s.det.Close(); err != nil {
		return err
	}
	switch {
	case s.flagged > 0 && opts.exitCode:
		return fault.New(fault.Broken, "flagged: %d of %d", s.flagged, s.texts)
	case s.failed > 0:
		return fault.New(fault.Incomplete, "%d of %d texts have no score; their lines say why", s.failed, s.texts)
	}
	return nil
}

// seedOf returns the seed to run: the one asked for, or the detector's first.
func (o *scanOptions) seedOf(e detect.Entry) (int, error) {
	switch {
	case !o.seedGiven:
		return seedsOf(e)[0], nil
	case slices.Contains(e.Seeds, o.seed):
		return o.seed, nil
	case len(e.Seeds) == 0:
		return 0, fault.New(fault.Usage, "detector %s has no seeds", e.ID).WithCure("leave out --seed")
	}
	return 0, fault.New(fault.Usage, "detector %s has no seed %d", e.ID, o.seed).WithCure("choose from %s", joinInts(e.Seeds))
}

// open loads the detector and settles the threshold. One that the user named and that cannot run makes the run
// incomplete.
func (s *scan) open(ctx context.Context, st *State, p *project, e detect.Entry, seed int) error {
	err := s.load(ctx, st, p, e, seed)
	var absent *unavailableError
	if errors.As(err, &absent) {
		return fault.New(fault.Incomplete, "%s cannot run here: %s", runName(e, seed), absent.reason)
	}
	return err
}

func (s *scan) load(ctx context.Context, st *State, p *project, e detect.Entry, seed int) (err error) {
	if s.c, err = p.candidate(st, e, seed); err != nil {
		return err
	}
	if s.cut, err = p.cutoff(st, s.c, s.opts); err != nil { // before a model is loaded or a server asked
		return err
	}
	s.det, err = s.c.start(ctx)
	return err
}

// runnable lists the detectors that can run here at one of their seeds. Whether a server answers is not tried.
func (p *project) runnable(st *State) []string {
	var ids []string
	for _, e := range p.detectors.Detectors {
		here := e.Kind == "tfidf" // fitted on first use
		for _, seed := range seedsOf(e) {
			if here || e.Kind == "chat" {
				break
			}
			c, err := p.candidate(st, e, seed)
			here = err == nil && c.lock == nil
		}
		if here {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// all scores the texts of the source, chunk after chunk, and prints each chunk in order.
func (s *scan) all(ctx context.Context, w io.Writer, source *textSource) error {
	chunks := source.start(ctx)
	for {
		var texts []scanText
		var err error
		select {
		case <-ctx.Done():
			return s.interrupted()
		case c := <-chunks:
			texts, err = c.texts, c.err
		}
		if len(texts) > 0 {
			if err := s.chunk(ctx, w, texts); err != nil {
				return err
			}
		}
		if err == errNoMore {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// chunk scores some texts and prints what came of them.
func (s *scan) chunk(ctx context.Context, w io.Writer, texts []scanText) error {
	found := make([]scanned, len(texts))
	var items []engine.Item
	for i, t := range texts {
		found[i] = scanned{number: s.texts + i + 1, text: t.text}
		if t.err != "" {
			found[i].result.Err = t.err
			continue
		}
		items = append(items, engine.Item{Row: i, Text: t.text})
	}
	opt := engine.Options{Windows: engine.Mode(s.opts.windows), Window: func(w engine.WindowScore) {
		for _, row := range w.Rows {
			found[row].windows = append(found[row].windows, w)
		}
	}}
	stats, err := engine.Run(ctx, s.det, items, opt, func(r engine.Result) error {
		found[r.Row].result = r
		return nil
	})
	if s.abandoned = stats.Abandoned > 0; err != nil {
		if fault.ExitCode(err) == int(fault.Interrupted) {
			return s.interrupted()
		}
		return err
	}
	s.texts += len(texts)
	for i := range found {
		f := &found[i]
		slices.SortFunc(f.windows, func(a, b engine.WindowScore) int { return cmp.Compare(a.From, b.From) })
		switch f.flagged = f.result.Err == "" && f.result.Score >= s.cut.tau; {
		case f.result.Err != "":
			s.failed++
		case f.flagged:
			s.flagged++
		}
		if len(f.windows) > 1 {
			f.places = s.places(f.text)
		}
	}
	return s.show(w, found)
}

func (s *scan) interrupted() error {
	return fault.New(fault.Interrupted, "interrupted after %d texts", s.texts)
}

// places returns where the tokens of a text stand in it, without its NUL bytes, or nil where the detector cannot tell.
func (s *scan) places(text string) [][2]int {
	locator, ok := s.det.(interface {
		Offsets(text string) ([][2]int, error)
	})
	if !ok {
		return nil
	}
	places, err := locator.Offsets(strings.ReplaceAll(text, "\x00", ""))
	if err != nil {
		return nil
	}
	return places
}
