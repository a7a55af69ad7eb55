package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
	"pidsbench/internal/render"
	"pidsbench/internal/reproduce"
)

// defaultSample is how many rows of each split are scored again: with all shipped models a minute and a half on two
// cores.
const defaultSample = 24

type reproduceOptions struct {
	data   dataOptions
	score  scoreOptions
	scores []string
	sample string
	drawn  reproduce.Sample // that the flags ask for
	format string
}

func newReproduceCmd(st *State) *cobra.Command {
	var opts reproduceOptions
	cmd := &cobra.Command{
		Use:   "reproduce --detector ID",
		Short: "Score again and compare with the published scores",
		Long: `Scores rows of every split again, val included, and compares them with the published score files: the largest
difference, how many rows lie further apart than the tolerance for the arithmetic of the detector and the processors
of both sides, and which verdicts flip at the thresholds of fixed:0.5, val_f1 (of the published val scores) and native.
By default these are ` + strconv.Itoa(defaultSample) + ` rows of each split, drawn by a seed; --sample all takes every row.

A published file of another model, configuration, split, length or stride than those here is named and not compared.
With --detector all, detectors whose weights are not here are listed with the reason. The new scores are thrown away,
or kept in --out DIR, where an interrupted run goes on; out/ is neither read nor written.

Exit status 5 when a score is off or other scores are published, 4 when something asked for could not be compared.`,
		Example: `  pidsbench reproduce --detector deberta
  pidsbench reproduce --detector deberta,tfidf --seeds 42 --sample all --out again
  pidsbench reproduce --detector all --sample 12 --sample-seed 7
  pidsbench reproduce --detector rule --windows truncate --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(opts.score.seeds) == 0 {
				opts.score.seeds = []string{"all"}
			}
			err := errors.Join(opts.data.checkExternal(), opts.score.check(cmd), opts.checkSample(), opts.checkFormat())
			if err != nil {
				return firstFault(err)
			}
			return runReproduce(cmd.Context(), st, cmd, &opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.data.edition, "edition", "open", "edition: open, v3, or the path of a folder with a FREEZE_MANIFEST.txt")
	f.StringVar(&opts.data.data, "data", "", "with --edition v3: the folder of that edition")
	opts.data.registerPublicSubset(cmd)
	opts.data.registerExternal(cmd)
	opts.data.registerSplits(cmd, "; val is one of them")
	opts.score.registerSelection(cmd)
	f.Lookup("seeds").Usage = "seeds by number (default: all)"
	f.StringArrayVar(&opts.scores, "scores", nil, "folder with the published score files, repeatable (default: "+
		publishedFolder+")")
	f.StringVar(&opts.sample, "sample", strconv.Itoa(defaultSample), "rows of each split to score again, or all")
	f.Int64Var(&opts.drawn.Seed, "sample-seed", 1, "seed that rows are drawn by")
	f.StringVar(&opts.score.out, "out", "", "folder to keep the new scores in (default: they are thrown away)")
	f.IntVar(&opts.score.workers, "workers", 0, "texts scored at once (default: the number of cores)")
	f.StringVar(&opts.format, "format", "table", "table, markdown or json")
	f.BoolVar(&st.Quiet, "quiet", false, "no progress and no notes on stderr")
	return cmd
}

// checkSample reads --sample.
func (o *reproduceOptions) checkSample() error {
	n, err := strconv.Atoi(o.sample)
	switch {
	case o.sample == "all":
		o.drawn.Rows = 0
	case err != nil || n < 1:
		return fault.New(fault.Usage, "--sample is %s, expected a number of rows from 1 on, or all", fault.Quote(o.sample)).
			WithCure("leave it out for %d rows of each split", defaultSample)
	default:
		o.drawn.Rows = n
	}
	return nil
}

func (o *reproduceOptions) checkFormat() error {
	formats := []string{"table", "markdown", "json"}
	if slices.Contains(formats, o.format) {
		return nil
	}
	return fault.New(fault.Usage, "--format is %q%s, expected table, markdown or json", o.format, suggest(o.format, formats)).
		WithCure("give one of these")
}

func runReproduce(ctx context.Context, st *State, cmd *cobra.Command, opts *reproduceOptions) error {
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	if f.edition == ownEdition {
		return fault.New(fault.Usage, "there are no published scores of your own files").WithCure("leave out --data")
	}
	if err := f.only(opts.data.splits, true); err != nil {
		return err
	}
	a := &again{
		scorer: scorer{st: st, p: p, frame: f, opts: &opts.score}, published: []string{p.path(publishedFolder)},
		sample: opts.drawn, kept: opts.score.out != "",
	}
	if len(opts.scores) > 0 {
		a.published = scoreDirs(st, p, opts.scores)
	}
	remove, err := a.place()
	if err != nil {
		return err
	}
	defer remove()
	report := &reproduce.Report{Schema: reproduce.Schema, Edition: f.edition, EditionName: f.name, Manifest: f.manifestSHA,
		Windows: opts.score.windows, Sample: opts.drawn, Processor: cpuFeatures(), Runs: []reproduce.Run{}}
	for _, c := range chosen {
		if !c.named && !slices.Contains(opts.score.detectors, "all") {
			continue // a baseline that stands in every table
		}
		runs, err := a.detector(ctx, c)
		if err != nil {
			return err
		}
		report.Runs = append(report.Runs, runs...)
	}
	report.Judge()
	report.Record = runRecord(st)
	if err := opts.show(st, report); err != nil {
		return err
	}
	return reproduceFault(report, f.absent)
}

// place says where the new scores lie and returns what removes them, where they are not kept. A folder of scores that
// were made for another purpose is refused: they would pass for new ones.
func (a *again) place() (remove func(), err error) {
	st, out := a.st, &a.opts.out
	if !a.kept {
		if *out, err = os.MkdirTemp("", "pidsbench-reproduce-"); err != nil {
			return nil, fault.New(fault.Failed, "there is no place for the new scores: %w", err).
				WithCure("name a folder with --out")
		}
		return func() { _ = os.RemoveAll(*out) }, nil
	}
	for _, dir := range append([]string{st.abs("out"), a.p.path("out")}, a.published...) {
		if sameFile(st.abs(*out), dir) {
			return nil, fault.New(fault.Usage, "--out is %s, whose scores were not made for a comparison", fault.Name(*out)).
				WithCure("name another folder")
		}
	}
	return func() {}, nil
}

func (o *reproduceOptions) show(st *State, r *reproduce.Report) error {
	write := map[string]func(io.Writer, *reproduce.Report) error{
		"table":    func(w io.Writer, r *reproduce.Report) error { return render.Text(w, render.Reproduce(r)) },
		"markdown": func(w io.Writer, r *reproduce.Report) error { return render.Markdown(w, render.Reproduce(r)) },
		"json":     render.ReproduceJSON,
	}[o.format]
	return write(st.Stdout, r)
}

// reproduceFault is the error that says what is off, or what could not be compared though it was asked for, or nil.
func reproduceFault(r *reproduce.Report, absent []string) error {
	var off, lacking []string
	for i := range r.Runs {
		run := &r.Runs[i]
		name := run.Detector
		if run.Seeded {
			name += fmt.Sprintf(" seed %d", run.Seed)
		}
		switch {
		case run.Verdict == reproduce.Off:
			off = append(off, name+" ("+run.Complaint()+")")
		case run.Verdict == reproduce.Incomplete, run.Verdict == reproduce.NotRun && run.Named:
			lacking = append(lacking, name+" ("+run.Complaint()+")")
		}
	}
	lacking = append(lacking, absent...)
	if r.Verdict == reproduce.NotRun && len(lacking) == 0 {
		lacking = append(lacking, "no detector that can run here has published scores")
	}
	switch {
	case len(off) > 0:
		return fault.New(fault.Broken, "the reproduction is off: %s", firstOf(off)).
			WithCure("the output lists what differs")
	case len(lacking) > 0:
		return fault.New(fault.Incomplete, "the reproduction is incomplete: %s", firstOf(lacking))
	}
	return nil
}

// firstOf joins the first few of many complaints.
func firstOf(all []string) string {
	const most = 4
	said := strings.Join(all[:min(len(all), most)], "; ")
	if more := len(all) - most; more > 0 {
		said += fmt.Sprintf("; and %d more", more)
	}
	return said
}
