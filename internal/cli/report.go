package cli

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/scores"
)

type reportOptions struct {
	data   dataOptions
	score  scoreOptions
	table  tableOptions
	scores []string
	paper  bool
}

func newReportCmd(st *State) *cobra.Command {
	var opts reportOptions
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Print the tables from score files, without any model",
		Long:  "Prints tables, figures or a page from score files and frozen data alone.\n\n" + sectionHelp(),
		Example: `  pidsbench report --detector deberta
  pidsbench report --detector all --scores published --format latex
  pidsbench report --detector deberta,tfidf --seeds all --tables intervals,operating
  pidsbench report --detector deberta,tfidf --seeds all --format html > report.html
  pidsbench report --paper`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.paper {
				return runReportPaper(st, cmd, &opts)
			}
			if err := errors.Join(opts.data.check(), opts.score.check(cmd), opts.table.check(), opts.table.checkPage(cmd)); err != nil {
				return firstFault(err)
			}
			return runReport(st, cmd, &opts)
		},
	}
	opts.data.register(cmd)
	opts.data.registerSplits(cmd, "")
	opts.score.registerSelection(cmd)
	opts.table.register(cmd)
	opts.table.registerPage(cmd)
	opts.registerPaper(cmd)
	cmd.Flags().StringArrayVar(&opts.scores, "scores", nil, "folder with score files, repeatable (default: out, then results)")
	return cmd
}

func runReport(st *State, cmd *cobra.Command, opts *reportOptions) error {
	opts.score.from = func(p *project) []string { return scoreDirs(st, p, opts.scores) }
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	if err := f.only(opts.data.splits, false); err != nil {
		return err
	}
	policies, err := opts.table.policies(chosen)
	if err != nil {
		return err
	}
	dirs := opts.score.from(p)
	var detectors []results.Detector
	data := opts.data.data
	if data != "" && f.edition != ownEdition {
		data += " --edition " + opts.data.edition
	}
	for _, c := range chosen {
		d, err := f.read(dirs, c, opts.score.windows, data, needsVal(policies) || opts.table.needsVal())
		if err != nil {
			return err
		}
		detectors = append(detectors, d)
	}
	in := f.input(&opts.score, &opts.table, policies, detectors)
	if opts.table.wants(windowsTable) {
		if in.Other, err = f.other(dirs, chosen, opts.score.windows, data); err != nil {
			return err
		}
	}
	r := results.Build(*in)
	r.Run = runRecord(st)
	if err := opts.table.show(st, in, r); err != nil {
		return err
	}
	cure := "run `pidsbench eval` to score what is missing"
	if slices.ContainsFunc(chosen, func(c selected) bool { return c.entry.Kind == importedKind }) {
		cure += ", `pidsbench scores import` for imported detectors"
	}
	return verdict(r, cure)
}

// scoreDirs returns the folders in which a command that reads scores looks for them.
func scoreDirs(st *State, p *project, named []string) []string {
	if len(named) == 0 {
		return []string{st.abs("out"), p.path("results")}
	}
	dirs := make([]string, len(named))
	for i, d := range named {
		dirs[i] = st.abs(d)
	}
	return dirs
}

// read takes a detector's outcomes from score files. Without any file the detector is unavailable; a single absent file
// makes its cells incomplete.
func (f *frame) read(dirs []string, c selected, windows, data string, val bool) (results.Detector, error) {
	d := c.result()
	if c.entry.Kind == importedKind {
		d.Doubts = append(d.Doubts, "its scores were imported: how many texts it saw a part of is not known")
	}
	found := false
	var servers []scores.Server
	for _, seed := range c.seeds {
		run := results.Seed{Seed: seed, Outcomes: map[string][]results.Outcome{}, Missing: map[string]string{}}
		get := func(edition string, split *dataset.Split) (out []results.Outcome, absent string, err error) {
			file, err := f.find(dirs, edition, split, c.entry, seed, windows)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, err.Error(), nil
			}
			if err != nil && c.entry.Kind != importedKind {
				err = recure(err, "run `"+evalCommand(d.ID, windows, data)+" --fresh`")
			}
			if err != nil {
				return nil, "", err
			}
			found = true
			f.doubt(&d, file.Header.Info.TrainSHA256)
			servers = append(servers, file.Header.Info.Servers...)
			addMade(&run, file.Header)
			return outcomes(file.Lines, len(split.Rows), 0), "", nil
		}
		for _, s := range f.here() {
			out, absent, err := get(f.editionOf(s), s.Data)
			if err != nil {
				return d, err
			}
			if absent != "" {
				run.Missing[s.Spec.Name] = absent
			} else {
				run.Outcomes[s.Spec.Name] = out
			}
		}
		if val && f.val != nil {
			var err error
			if run.Val, run.NoVal, err = get(f.valEdition, f.val); err != nil {
				return d, err
			}
		}
		d.Seeds = append(d.Seeds, run)
	}
	if !found && d.Unavailable == "" && c.entry.Kind == importedKind {
		d.Unavailable, d.Seeds = "its imported scores are of another window mode; add --windows truncate", nil
	}
	if !found && d.Unavailable == "" {
		d.Unavailable, d.Seeds = "there are no score files; run `"+evalCommand(d.ID, windows, data)+"`", nil
	}
	if d.Unavailable == "" {
		f.weigh(&d, c.entry)
		markServers(&d, c.entry, servers)
	}
	return d, nil
}
