package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"pidsbench/internal/breakdown"
	"pidsbench/internal/builder"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/lists"
	"pidsbench/internal/probe"
	"pidsbench/internal/render"
	"pidsbench/internal/survey"
)

type statsOptions struct {
	data   dataOptions
	splits []string
	by     []string
	probes []string
	format string
}

// statsSeed is the seed of the probes, that of the open edition.
const statsSeed = 42

// tokenizerOf is the detector whose tokens --by tokens counts.
const tokenizerOf = "deberta"

func newDataStatsCmd(st *State) *cobra.Command {
	var opts statsOptions
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Break the splits down and probe what gives a class away",
		Long: `Counts rows, families, frames and carriers by label, subtype, source, authorship, language, licence and length,
with the number of independent rows they amount to. Probes fit small models on train and measure what gives a class away
without an attack being understood; they only describe the data, nothing is chosen by them.

Probes: ` + strings.Join(probe.Names(), ", ") + `. All of them take about a minute.`,
		Example: `  pidsbench data stats --split test --by source,authorship
  pidsbench data stats --split test --by label --probes length,curve
  pidsbench data stats --data my-prompts.csv --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(opts.data.check(), opts.check()); err != nil {
				return firstFault(err)
			}
			return runDataStats(st, cmd, &opts)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&opts.splits, "split", nil, "splits by name, separated by commas, or all (default all)")
	f.StringSliceVar(&opts.by, "by", nil, "label, words, characters, tokens (of the shipped "+tokenizerOf+"), or any column; "+
		"or all: "+strings.Join(breakdown.Default, ", ")+" (default all)")
	f.StringSliceVar(&opts.probes, "probes", nil, "probes by name, separated by commas, all or none (default none)")
	f.StringVar(&opts.format, "format", "table", "table, markdown, csv or json")
	opts.data.registerData(cmd)
	f.BoolVar(&st.Quiet, "quiet", false, "no progress and no notes on stderr")
	return cmd
}

// registerData declares the flags that say which rows are meant, without those for thresholds.
func (o *dataOptions) registerData(cmd *cobra.Command) {
	var all cobra.Command
	o.register(&all)
	for _, name := range []string{"edition", "data", "text-column", "label-column", "positive", "negative", "label"} {
		cmd.Flags().AddFlag(all.Flags().Lookup(name))
	}
}

func (o *statsOptions) check() error {
	if !slices.Contains([]string{"table", "markdown", "csv", "json"}, o.format) {
		return fault.New(fault.Usage, "--format is %q, expected table, markdown, csv or json", o.format).
			WithCure("give one of these")
	}
	names := probe.Names()
	for _, name := range o.probes {
		switch {
		case name != "all" && name != "none" && !slices.Contains(names, name):
			return fault.New(fault.Usage, "there is no probe %q%s", name, suggest(name, names)).
				WithCure("choose from %s, all or none", strings.Join(names, ", "))
		case name == "none" && len(o.probes) > 1:
			return fault.New(fault.Usage, "--probes names none and others").WithCure("leave none out")
		}
	}
	return nil
}

// probeNames returns the probes asked for.
func (o *statsOptions) probeNames() []string {
	switch {
	case slices.Contains(o.probes, "all"):
		return probe.Names()
	case slices.Contains(o.probes, "none"):
		return nil
	}
	return o.probes
}

func runDataStats(st *State, cmd *cobra.Command, opts *statsOptions) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	in, err := p.openStats(st, opts)
	if err != nil {
		return err
	}
	by := opts.by
	if len(by) == 0 || slices.Contains(by, "all") {
		by = breakdown.Default
	}
	if err := checkBy(in.shown, by); err != nil {
		return err
	}
	s := &survey.Survey{Edition: in.edition, ManifestSHA256: in.manifest, Seed: statsSeed}
	var tokens func(string) (int, error)
	if slices.Contains(by, breakdown.ByTokens) {
		count, closer, err := p.tokenCounter(st)
		if err != nil {
			return err
		}
		defer closer()
		tokens = count
	}
	for _, split := range in.shown {
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		t, err := breakdown.Of(split, by, tokens)
		if err != nil {
			return fault.New(fault.Failed, "the tokens cannot be counted: %w", err)
		}
		s.Splits = append(s.Splits, t)
	}
	if names := opts.probeNames(); len(names) > 0 {
		if s.Probes, err = p.runProbes(cmd.Context(), st, names, in); err != nil {
			return err
		}
	}
	if err := showSurvey(st, s, opts.format); err != nil {
		return err
	}
	if len(in.absent) > 0 {
		return fault.New(fault.Incomplete, "edition %s is not here as a whole: %s", in.edition, strings.Join(in.absent, "; ")).
			WithCure("put what is missing into the folder, or name other splits with --split")
	}
	return nil
}

func showSurvey(st *State, s *survey.Survey, format string) error {
	switch format {
	case "csv":
		return s.CSV(st.Stdout)
	case "json":
		return s.JSON(st.Stdout)
	case "markdown":
		return render.Markdown(st.Stdout, s.Tables())
	}
	return render.Text(st.Stdout, s.Tables())
}

// tokenCounter counts the tokens of texts as the shipped detector sees them: the special tokens of one window included,
// NUL bytes removed.
func (p *project) tokenCounter(st *State) (count func(string) (int, error), closer func(), err error) {
	e, err := p.entry(tokenizerOf)
	if err != nil {
		return nil, nil, err
	}
	c, err := p.candidate(st, e, e.Seeds[0])
	var d detect.Detector
	if err == nil {
		if d, err = c.open(); err != nil {
			err = cannotRun(err)
		}
	}
	var un *unavailableError
	if errors.As(err, &un) {
		return nil, nil, fault.New(fault.Incomplete, "the tokens of %s cannot be counted: %s", tokenizerOf, un.reason)
	}
	if err != nil {
		return nil, nil, err
	}
	t, ok := d.(detect.TokenScorer)
	if !ok {
		d.Close()
		return nil, nil, fault.New(fault.Usage, "configs/detectors.yaml: detector %s has no tokenizer", tokenizerOf)
	}
	return func(text string) (int, error) {
		ids, err := t.Tokenize(strings.ReplaceAll(text, "\x00", ""))
		return len(ids) + t.Shape().Special, err
	}, func() { d.Close() }, nil
}

// runProbes runs the probes and shows on a terminal what is being fitted.
func (p *project) runProbes(ctx context.Context, st *State, names []string, in *statsInput) ([]probe.Result, error) {
	d := in.probe
	d.Seed = statsSeed
	const words = "data/lists/security_adjacent.yaml"
	if _, err := os.Stat(p.path(words)); !errors.Is(err, fs.ErrNotExist) && slices.Contains(names, "placebo") {
		if d.Words, err = lists.LoadWords(p.root, words); err != nil {
			return nil, err
		}
	}
	_, noLock := os.Stat(p.path(builder.LockPath))
	if noLock == nil && in.edition == "open" && slices.Contains(names, "authored") {
		lock, err := builder.LoadLock(p.root)
		if err != nil {
			return nil, err
		}
		d.ThirdParty = map[string]bool{}
		for _, s := range lock.Sources {
			d.ThirdParty[s.ID] = true
		}
	}
	fits, start := 0, time.Now()
	var bar *progressbar.ProgressBar
	if st.StderrTTY && !st.Quiet {
		bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(st.Stderr),
			progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish())
	}
	d.Step = func(message string) {
		fits++
		if bar != nil {
			bar.Describe(render.Printable(fmt.Sprintf("fit %d: %s", fits, message)))
			bar.Add(1) //nolint:errcheck // a bar that cannot be drawn stops nothing
		}
	}
	out, err := probe.Run(ctx, names, d)
	if bar != nil {
		bar.Clear() //nolint:errcheck // see above
	}
	if err == nil {
		st.note("probes: %d models fitted in %.1f s", fits, time.Since(start).Seconds())
	}
	return out, err
}
