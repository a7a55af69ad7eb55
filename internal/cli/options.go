package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/figures"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// dataOptions say which rows are meant.
type dataOptions struct {
	edition     string
	data        string // a user's own file or folder; with edition v3, where that edition lies
	val         string
	textColumn  string
	labelColumn string
	positive    []string
	negative    []string
	label       string

	external []string // imported sets to list beside the edition; empty for all
	splits   []string // that are scored and shown; empty for all

	publicSubset bool // of an edition with withheld texts: score the rows that have theirs
}

func (o *dataOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.edition, "edition", "open", "edition: open, v3, or the path of a folder with a "+
		"FREEZE_MANIFEST.txt")
	f.StringVar(&o.data, "data", "", "your own CSV, TSV, JSON, JSON Lines or Parquet file, or a folder of them "+
		"(with --edition v3: the folder of that edition)")
	f.StringVar(&o.val, "val", "", "with --data: a labelled file, with the same columns, on which val policies choose the threshold")
	f.StringVar(&o.textColumn, "text-column", "", "with --data: the column that holds the text (default text)")
	f.StringVar(&o.labelColumn, "label-column", "", "with --data: the column that holds the label (default label)")
	f.StringSliceVar(&o.positive, "positive", nil, "with --data: further spellings of the label injection")
	f.StringSliceVar(&o.negative, "negative", nil, "with --data: further spellings of the label benign")
	f.StringVar(&o.label, "label", "", "with --data: every row is benign, or every row is an injection; no label column is read")
	o.registerPublicSubset(cmd)
	o.registerExternal(cmd)
}

func (o *dataOptions) registerPublicSubset(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.publicSubset, "public-subset", false, "with --edition v3: where hard_benign_test is in its "+
		"public form, go without the texts it withholds")
}

// checkEdition refuses flags that speak of a user's own files beside an edition whose columns are fixed.
func (o *dataOptions) checkEdition(e *dataset.Edition) error {
	if own := o.val + o.textColumn + o.labelColumn + o.label; own != "" || len(o.positive)+len(o.negative) > 0 {
		return fault.New(fault.Usage, "--val, --label and the flags for columns and spellings are for your own files, not "+
			"for edition %s", e.ID).WithCure("leave them out")
	}
	return nil
}

// mapping says how the columns of --data give texts and labels, valMapping the same for --val.
func (o *dataOptions) mapping() dataset.Mapping {
	switch o.label {
	case "benign":
		return dataset.Mapping{Text: o.textColumn, All: new(dataset.Benign)}
	case "injection":
		return dataset.Mapping{Text: o.textColumn, All: new(dataset.Injection)}
	}
	return o.valMapping()
}

func (o *dataOptions) valMapping() dataset.Mapping {
	return dataset.Mapping{Text: o.textColumn, Label: o.labelColumn, Positive: o.positive, Negative: o.negative}
}

func (o *dataOptions) check() error {
	if own := o.val + o.textColumn + o.labelColumn + o.label; o.data == "" && (own != "" || len(o.positive)+len(o.negative) > 0) {
		return fault.New(fault.Usage, "--val, --label and the flags for columns and spellings belong to --data FILE, which is "+
			"not given").WithCure("add --data FILE")
	}
	if o.label != "" && o.val == "" && (o.labelColumn != "" || len(o.positive)+len(o.negative) > 0) {
		return fault.New(fault.Usage, "--label says the class of every row, and a label column or spelling is given as well").
			WithCure("give one of the two")
	}
	if o.label != "" && o.label != "benign" && o.label != "injection" {
		return fault.New(fault.Usage, "--label is %q, expected benign or injection", o.label).WithCure("give one of the two")
	}
	return o.checkExternal()
}

// scoreOptions say how rows are scored.
type scoreOptions struct {
	detectors []string
	seeds     []string
	windows   string
	out       string
	workers   int
	limit     int
	fresh     bool

	from func(*project) []string // where a command that reads scores looks for them; nil for one that makes them
}

func (o *scoreOptions) register(st *State, cmd *cobra.Command) {
	o.registerSelection(cmd)
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "out", "folder for score files")
	f.IntVar(&o.workers, "workers", 0, "texts scored at once (default: the number of cores)")
	f.IntVar(&o.limit, "limit", 0, "score only the first rows of each split: a trial, not a result")
	f.BoolVar(&o.fresh, "fresh", false, "score again; existing scores of these detectors are replaced once the new ones are complete")
	f.BoolVar(&st.Quiet, "quiet", false, "no progress and no notes on stderr")
}

func (o *scoreOptions) registerSelection(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.detectors, "detector", nil, "detectors by id, separated by commas, or all (see pidsbench detectors list)")
	f.StringSliceVar(&o.seeds, "seeds", nil, "seeds by number, or all (default: each detector's first)")
	f.StringVar(&o.windows, "windows", "max", "long texts: max scores every window and takes the highest, truncate sees "+
		"the first window alone")
}

func (o *scoreOptions) check(cmd *cobra.Command) error {
	if _, err := o.mode(); err != nil {
		return err
	}
	switch {
	case len(o.detectors) == 0:
		return fault.New(fault.Usage, "no detector is named").WithCure("add --detector ID (see `pidsbench detectors list`)")
	case o.workers < 0:
		return fault.New(fault.Usage, "--workers is %d, expected 1 or more", o.workers).WithCure("leave it out to use every core")
	case cmd.Flags().Changed("limit") && o.limit < 1:
		return fault.New(fault.Usage, "--limit is %d, expected 1 or more", o.limit).WithCure("leave it out to score all rows")
	}
	return nil
}

func (o *scoreOptions) mode() (engine.Mode, error) {
	if m := engine.Mode(o.windows); m == engine.Max || m == engine.Truncate {
		return m, nil
	}
	return "", fault.New(fault.Usage, "--windows is %q, expected max or truncate", o.windows).
		WithCure("give one of the two")
}

// tableOptions say how results are shown.
type tableOptions struct {
	format     string
	thresholds []string
	tables     []string // names of sections; empty for the default tables
	costs      render.CostOptions

	pages      bool   // whether the command has the format of a page, figures and errors
	figures    string // folder; empty for none
	errors     int    // rows listed of each split; 0 for none
	undisputed bool
}

func (o *tableOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "table", "table, markdown, csv, latex or json")
	f.StringArrayVar(&o.thresholds, "threshold", nil, "threshold policy, repeatable: fixed:0.5, val_f1, val_f1:high, "+
		"val_fpr:0.01, native (default: fixed:0.5, val_f1 and, where declared, native)")
	f.BoolVar(&o.undisputed, "undisputed", false, "leave out the rows whose label readers doubt (column disputed); "+
		"thresholds rest on all of val")
}

// policies returns the policies asked for; by default fixed:0.5, val_f1 and, when a detector above the line declares
// one, native.
func (o *tableOptions) policies(chosen []selected) ([]threshold.Policy, error) {
	names := o.thresholds
	if len(names) == 0 {
		names = []string{"fixed:0.5", "val_f1"}
		if slices.ContainsFunc(chosen, func(s selected) bool { return s.entry.Native != nil && !s.entry.Baseline }) {
			names = append(names, "native")
		}
	}
	var out []threshold.Policy
	for _, name := range names {
		p, err := threshold.Parse(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

func (o *tableOptions) check() error {
	if _, err := o.policies(nil); err != nil {
		return err
	}
	if o.format == "json" || renderers[o.format] != nil || o.format == pageFormat && o.pages {
		return nil
	}
	names := []string{"table", "markdown", "csv", "latex", "json"}
	if o.pages {
		names = append(names, pageFormat)
	}
	last := len(names) - 1
	return fault.New(fault.Usage, "--format is %q%s, expected %s or %s", o.format, suggest(o.format, names),
		strings.Join(names[:last], ", "), names[last]).WithCure("give one of these")
}

var renderers = map[string]render.Renderer{
	"table": render.Text, "markdown": render.Markdown, "csv": render.CSV, "latex": render.LaTeX,
}

// show writes the results to stdout in the chosen format, and figures into their folder.
func (o *tableOptions) show(st *State, in *results.Input, r *results.Results) error {
	want := render.WantsInterval(r, o.wants("intervals"))
	switch {
	case o.format == "json" || o.format == "csv" || o.format == pageFormat || o.figures != "":
		want = nil
	case !o.wants(defaultTables) && !o.wants("intervals"):
		want = func(*results.Cell) bool { return false }
	}
	r.Resample(in, want)
	further := o.further(st, in, r)
	var drawn []*figures.Figure
	if o.format == pageFormat || o.figures != "" {
		var notes []string
		drawn, notes = figures.All(in, r)
		for _, n := range notes {
			st.note("note: %s", n)
		}
	}
	if o.figures != "" {
		if err := writeFigures(st, o.figures, drawn); err != nil {
			return err
		}
	}
	if o.format == "json" {
		return render.JSON(st.Stdout, r, further)
	}
	var tables []render.Table
	if o.wants(defaultTables) {
		tables = render.Layout(r, o.wants("intervals"))
	}
	tables = append(tables, further...)
	switch {
	case o.format == pageFormat:
		return o.showPage(st, in, r, tables, drawn)
	case o.format == "csv" && len(o.tables)+o.errors > 0: // the wide form is that of the default tables alone
		return render.LongCSV(st.Stdout, append(tables, o.wrong(in, r)...))
	}
	return renderers[o.format](st.Stdout, append(tables, o.wrong(in, r)...))
}
