package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
	"pidsbench/internal/pidsv3"
	"pidsbench/internal/scores"
)

func newScoresCmd(st *State) *cobra.Command {
	return group(&cobra.Command{
		Use:   "scores",
		Short: "Take in and publish score files",
		Example: "  pidsbench scores import --from pids-v3 ~/Prompt-Injection-Detection-System/outputs\n" +
			"  pidsbench scores publish --detector deberta --seeds all",
	}, newScoresImportCmd(st), newScoresPublishCmd(st))
}

type importOptions struct {
	from     string
	data     string
	detector string
	seed     int
	out      string
	fresh    bool

	seedGiven bool
}

// sourcePIDSv3 is the only --from there is.
const sourcePIDSv3 = "pids-v3"

func newScoresImportCmd(st *State) *cobra.Command {
	var opts importOptions
	cmd := &cobra.Command{
		Use:   "import --from pids-v3 DIR",
		Short: "Make score files of the original benchmark's prediction CSVs",
		Long: `Reads the prediction files of the original's runs in DIR and below (test_predictions.csv,
structural_ood_probability_scores.csv, …) and writes score files for edition v3, window mode truncate, under the name
of the run's folder; a folder seed_<n> gives the seed, otherwise it is 42. Every file has to have the frozen number of
rows of each class; with --data every row is compared with the edition's, label and text. Files that the original
published hashes for are checked. Nothing is written unless all of DIR is in order.

Then the tables follow without a model:
  pidsbench report --edition v3 --data FOLDER --windows truncate --detector NAME`,
		Example: `  pidsbench scores import --from pids-v3 ~/Prompt-Injection-Detection-System/outputs --data ~/pids_bench_v3
  pidsbench scores import --from pids-v3 outputs/deberta_v3 --detector my-deberta --seed 7`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.seedGiven = cmd.Flags().Changed("seed")
			return runScoresImport(st, cmd, &opts, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.from, "from", "", "the tool that made the files: pids-v3 (required)")
	f.StringVar(&opts.data, "data", "", "the folder of edition v3, to compare every row with")
	f.StringVar(&opts.detector, "detector", "", "the detector's id in score files and tables (default: the name of the "+
		"run's folder); a name of your own says that the run is yours, so no published hash is asked for")
	f.IntVar(&opts.seed, "seed", pidsv3.DefaultSeed, "the seed, where the folder's name does not give it")
	f.StringVar(&opts.out, "out", "out", "folder for score files")
	f.BoolVar(&opts.fresh, "fresh", false, "replace other scores that were imported under the same name")
	return cmd
}

func (o *importOptions) check() error {
	switch {
	case o.from == "":
		return fault.New(fault.Usage, "--from is not given").WithCure("add --from %s", sourcePIDSv3)
	case o.from != sourcePIDSv3:
		return fault.New(fault.Usage, "--from is %q, expected %s", o.from, sourcePIDSv3)
	case o.seed < 0 || o.seed > pidsv3.MostSeed:
		return fault.New(fault.Usage, "--seed is %d, expected 0 to %d", o.seed, pidsv3.MostSeed).WithCure("name another")
	case strings.Trim(o.detector, "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" || strings.HasPrefix(o.detector, "."):
		return fault.New(fault.Usage, "--detector is %q, expected lower-case letters, digits, dots, dashes and underscores",
			o.detector)
	}
	return nil
}

// imports is what a run of the command works with.
type imports struct {
	st      *State
	p       *project
	opts    *importOptions
	edition *dataset.Edition
	frozen  *manifest.Manifest
	rows    map[string]*dataset.Split // by split, those that are at hand
}

func runScoresImport(st *State, cmd *cobra.Command, opts *importOptions, dir string) error {
	if err := opts.check(); err != nil {
		return err
	}
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	im := &imports{st: st, p: p, opts: opts, rows: map[string]*dataset.Split{}}
	if im.edition, err = p.benchmark.Edition("v3"); err != nil {
		return err
	}
	if im.frozen, err = p.loadManifest(im.edition); err != nil {
		return err
	}
	runs, notes, err := pidsv3.Find(st.abs(dir))
	if err != nil {
		return err
	}
	for _, n := range notes {
		st.note("note: %s", n)
	}
	if err := im.name(runs); err != nil {
		return err
	}
	if err := im.openRows(runs); err != nil {
		return err
	}
	for _, step := range []func(*pidsv3.Run, *pidsv3.Prediction) error{im.check, im.write} {
		for _, run := range runs {
			for _, pr := range run.Predictions {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				if err := step(run, pr); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// name settles detector and seed of each run; none may stand for two.
func (im *imports) name(runs []*pidsv3.Run) error {
	other := func(r *pidsv3.Run) bool { return r.Detector != runs[0].Detector }
	if i := slices.IndexFunc(runs, other); i >= 0 && im.opts.detector != "" {
		return fault.New(fault.Usage, "--detector names one detector and there are runs of several: %s and %s",
			runs[0].Detector, runs[i].Detector).WithCure("name the folder of one of them")
	}
	seen := map[string]string{}
	for _, r := range runs {
		if im.opts.detector != "" {
			r.Detector = im.opts.detector
		}
		if !r.SeedSaid {
			r.Seed = im.opts.seed
		} else if im.opts.seedGiven && r.Seed != im.opts.seed {
			return fault.New(fault.Usage, "--seed is %d and the folder %s says %d", im.opts.seed, fault.Name(r.Dir), r.Seed).
				WithCure("leave it out")
		}
		if im.p.configured(r.Detector) {
			return fault.New(fault.Usage, "the run in %s would be detector %s, which configs/detectors.yaml holds",
				fault.Name(r.Dir), r.Detector).WithCure("give it another name with --detector")
		}
		key := fmt.Sprintf("%s, seed %d", r.Detector, r.Seed)
		if other := seen[key]; other != "" {
			return fault.New(fault.Usage, "the runs in %s and %s would both be %s", fault.Name(other), fault.Name(r.Dir), key).
				WithCure("import them one by one, with --detector")
		}
		seen[key] = r.Dir
	}
	return nil
}

// openRows reads the splits that rows are compared with. One that is not there is told and passed over; one that is not
// as frozen is an error.
func (im *imports) openRows(runs []*pidsv3.Run) error {
	if im.opts.data == "" {
		im.st.note("note: rows are matched by number and class only; add --data to compare every label and text")
		return nil
	}
	wanted := map[string]bool{}
	for _, r := range runs {
		for _, p := range r.Predictions {
			wanted[p.Split] = true
		}
	}
	var specs []dataset.SplitSpec
	var paths []string
	for _, s := range im.edition.Splits {
		if wanted[s.Name] {
			specs, paths = append(specs, s), append(paths, s.Path)
		}
	}
	report, err := manifest.Examine(im.frozen, im.st.abs(im.opts.data), paths...)
	if err != nil {
		return err
	}
	if err := report.Changed(); err != nil {
		return err
	}
	for _, s := range specs {
		found, _ := report.Result(s.Path)
		if im.rows[s.Name] = found.Split(); found.Split() == nil {
			im.st.note("note: %s is not in %s; its rows are matched by number and class only", s.Path, fault.Name(im.opts.data))
		}
	}
	return nil
}

// check compares a file with the published hash, if there is one, and its rows with the edition's.
func (im *imports) check(run *pidsv3.Run, pr *pidsv3.Prediction) error {
	spec, ok := im.edition.Split(pr.Split)
	if !ok {
		return fault.New(fault.Usage, "%s is of split %s, which edition %s does not declare", fault.Name(pr.Path), pr.Split,
			im.edition.ID)
	}
	if f, pinned := im.pinned(run, pr); pinned && f.SHA256 != pr.SHA256 {
		return fault.New(fault.Integrity, "%s has the SHA-256 %.12s…, %s publishes %.12s… for %s", fault.Name(pr.Path),
			pr.SHA256, im.edition.Manifest, f.SHA256, f.Path).
			WithCure("restore the file, or, when it is a run of your own, give it a name with --detector")
	}
	frozen, _ := im.frozen.Lookup(spec.Path)
	if pr.Split == "val" {
		if more, ok := im.frozen.Lookup("hard_negative_val.csv"); ok && pr.Trim(frozen.Rows, more.Rows) {
			im.st.note("note: %s ends in %d hard negatives, which are no part of val and are left out", pr, more.Rows)
		}
	}
	return pr.Check(frozen, im.rows[pr.Split])
}

// pinned returns the published entry of a file, unless the user gave the run a name of its own.
func (im *imports) pinned(run *pidsv3.Run, pr *pidsv3.Prediction) (manifest.File, bool) {
	f, ok := im.frozen.Lookup(run.OutputPath(pr))
	return f, ok && (im.opts.detector == "" || im.opts.detector == filepath.Base(filepath.Dir(f.Path)))
}

// write makes the score file of a prediction file.
func (im *imports) write(run *pidsv3.Run, pr *pidsv3.Prediction) error {
	spec, _ := im.edition.Split(pr.Split)
	frozen, _ := im.frozen.Lookup(spec.Path)
	e := importedEntry(run.Detector)
	h := scores.Header{Identity: scores.Identity{
		Edition: im.edition.ID, Split: pr.Split, SplitSHA256: frozen.SHA256, Rows: frozen.Rows, Detector: e.ID,
		Seed: run.Seed, ConfigHash: e.Hash(), WindowMode: engine.Truncate,
	}}
	h.Info.Setup = scores.Setup{Tool: "pidsbench " + version + ", imported from " + sourcePIDSv3, CPU: "unknown"}
	path := scores.Path(im.st.abs(im.opts.out), h)
	w, err := scores.Open(path, h, scores.Options{Fresh: im.opts.fresh})
	if err != nil {
		return err
	}
	defer w.Close()
	lines := make([]scores.Line, len(pr.Scores))
	for row, s := range pr.Scores {
		lines[row] = scores.Line{Row: row, Score: s.Value, Error: s.Reason}
	}
	for _, had := range w.Lines() {
		if had != lines[had.Row] {
			return fault.New(fault.Integrity, "%s: holds other scores: row %d has %v, %s has %v", path, had.Row, had.Score, pr,
				lines[had.Row].Score).WithCure("give --fresh to replace them, or another --detector")
		}
	}
	for _, row := range w.Todo() {
		if err := w.Append(lines[row]); err != nil {
			return err
		}
	}
	if err := w.Finish(); err != nil {
		return err
	}
	said := "no published hash"
	if _, pinned := im.pinned(run, pr); pinned {
		said = "as published"
	}
	if im.rows[pr.Split] != nil {
		said += ", rows compared"
	}
	if pr.Decisions {
		said += ", decisions instead of scores: only fixed thresholds mean anything"
	}
	if n := pr.Failed(); n > 0 {
		said += fmt.Sprintf(", %d rows without a score", n)
	}
	fmt.Fprintf(im.st.Stdout, "%s seed %d %s: %d rows from %s (%s)\n", run.Detector, run.Seed, pr.Split, len(lines), pr,
		said)
	return nil
}
