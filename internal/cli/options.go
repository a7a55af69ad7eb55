package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
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
}

func (o *dataOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.edition, "edition", "open", "edition to use: open or v3")
	f.StringVar(&o.data, "data", "", "your own CSV or JSON Lines file, or a folder of them (with --edition v3: the "+
		"folder of that edition)")
	f.StringVar(&o.val, "val", "", "with --data: a labelled file on which val policies choose the threshold")
	f.StringVar(&o.textColumn, "text-column", "", "with --data: the column that holds the text (default text)")
	f.StringVar(&o.labelColumn, "label-column", "", "with --data: the column that holds the label (default label)")
	f.StringSliceVar(&o.positive, "positive", nil, "with --data: further spellings of the label injection")
	f.StringSliceVar(&o.negative, "negative", nil, "with --data: further spellings of the label benign")
	f.StringVar(&o.label, "label", "", "with --data: every row is benign, or every row is an injection; no label column is read")
}

func (o *dataOptions) mapping() dataset.Mapping {
	m := dataset.Mapping{Text: o.textColumn, Label: o.labelColumn, Positive: o.positive, Negative: o.negative}
	switch o.label {
	case "benign":
		m.All = new(dataset.Benign)
	case "injection":
		m.All = new(dataset.Injection)
	}
	return m
}

// own reports whether the user's own files are meant rather than an edition.
func (o *dataOptions) own() bool { return o.data != "" && o.edition != "v3" }

func (o *dataOptions) check() error {
	if own := o.val + o.textColumn + o.labelColumn + o.label; !o.own() && (own != "" || len(o.positive)+len(o.negative) > 0) {
		return fault.New(fault.Usage, "--val, --label and the flags for columns and spellings belong to --data FILE, which is "+
			"not given")
	}
	if o.label != "" && o.label != "benign" && o.label != "injection" {
		return fault.New(fault.Usage, "--label is %q, expected benign or injection", o.label)
	}
	return nil
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
	quiet     bool
}

func (o *scoreOptions) register(cmd *cobra.Command) {
	o.registerSelection(cmd)
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "out", "folder for score files")
	f.IntVar(&o.workers, "workers", 0, "texts scored at once (default: the number of cores)")
	f.IntVar(&o.limit, "limit", 0, "score only the first rows of each split: a trial, not a result")
	f.BoolVar(&o.fresh, "fresh", false, "discard existing scores of these detectors and score again")
	f.BoolVar(&o.quiet, "quiet", false, "no progress and no notes on stderr")
}

func (o *scoreOptions) registerSelection(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.detectors, "detector", nil, "detectors by id, separated by commas, or all (see `pidsbench detectors list`)")
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
		return fault.New(fault.Usage, "--workers is %d, expected 1 or more", o.workers)
	case cmd.Flags().Changed("limit") && o.limit < 1:
		return fault.New(fault.Usage, "--limit is %d, expected 1 or more", o.limit).WithCure("leave it out to score all rows")
	}
	return nil
}

func (o *scoreOptions) mode() (engine.Mode, error) {
	if m := engine.Mode(o.windows); m == engine.Max || m == engine.Truncate {
		return m, nil
	}
	return "", fault.New(fault.Usage, "--windows is %q, expected max or truncate", o.windows)
}

// tableOptions say how results are shown.
type tableOptions struct {
	format     string
	thresholds []string
}

func (o *tableOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "table", "table, markdown, csv, latex or json")
	f.StringArrayVar(&o.thresholds, "threshold", nil, "threshold policy, repeatable: fixed:0.5, val_f1, val_f1:high, "+
		"val_fpr:0.01, native (default: fixed:0.5, val_f1 and, where declared, native)")
}

func (o *tableOptions) policies() ([]threshold.Policy, error) {
	names := o.thresholds
	if len(names) == 0 {
		names = []string{"fixed:0.5", "val_f1", "native"}
	}
	var out []threshold.Policy
	for _, name := range names {
		p, err := threshold.Parse(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(q threshold.Policy) bool { return q.String() == p.String() }) {
			out = append(out, p)
		}
	}
	return out, nil
}

func (o *tableOptions) check() error {
	if _, err := o.policies(); err != nil {
		return err
	}
	if o.format == "json" || renderers[o.format] != nil {
		return nil
	}
	return fault.New(fault.Usage, "--format is %q, expected table, markdown, csv, latex or json", o.format)
}

var renderers = map[string]render.Renderer{
	"table": render.Text, "markdown": render.Markdown, "csv": render.CSV, "latex": render.LaTeX,
}

// show writes the results to stdout in the chosen format.
func (o *tableOptions) show(st *State, r *results.Results) error {
	if o.format == "json" {
		return render.JSON(st.Stdout, r)
	}
	return renderers[o.format](st.Stdout, render.Layout(r))
}

// selected is a detector with the seeds to run.
type selected struct {
	entry detect.Entry
	seeds []int
	named bool // by the user, not by "all" and not added as a baseline
}

// selectDetectors resolves --detector and --seeds. Baselines are added at the end: they stand below the line of every
// table.
func selectDetectors(p *project, o *scoreOptions) ([]selected, error) {
	byID := map[string]detect.Entry{}
	var ids []string
	for _, e := range p.detectors.Detectors {
		byID[e.ID] = e
		ids = append(ids, e.ID)
	}
	var out []selected
	add := func(id string, named bool) error {
		if slices.ContainsFunc(out, func(s selected) bool { return s.entry.ID == id }) {
			return nil
		}
		seeds, err := selectSeeds(byID[id], o.seeds, named)
		out = append(out, selected{entry: byID[id], seeds: seeds, named: named})
		return err
	}
	for _, name := range o.detectors {
		if name == "all" {
			continue
		}
		if _, ok := byID[name]; !ok {
			return nil, fault.New(fault.Usage, "there is no detector %q%s", name, suggest(name, ids)).
				WithCure("choose from %s, or all", strings.Join(ids, ", "))
		}
		if err := add(name, true); err != nil {
			return nil, err
		}
	}
	for _, e := range p.detectors.Detectors {
		if slices.Contains(o.detectors, "all") || e.Baseline {
			if err := add(e.ID, false); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// selectSeeds returns the seeds of a detector to run: its first, all it declares, or those asked for. A detector
// without seeds runs once, as seed 0.
func selectSeeds(e detect.Entry, want []string, named bool) ([]int, error) {
	declared := e.Seeds
	if len(declared) == 0 {
		return []int{0}, nil
	}
	if len(want) == 0 {
		return declared[:1], nil
	}
	if slices.Contains(want, "all") {
		return declared, nil
	}
	var out []int
	for _, w := range want {
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil, fault.New(fault.Usage, "--seeds holds %q, expected numbers separated by commas, or all", w)
		}
		if slices.Contains(declared, n) {
			out = append(out, n)
		} else if named {
			return nil, fault.New(fault.Usage, "detector %s has no seed %d", e.ID, n).
				WithCure("choose from %s, or all", joinInts(declared))
		}
	}
	return out, nil
}

func joinInts(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, ", ")
}

// suggest returns a clause with the closest name, when one is close.
func suggest(name string, from []string) string {
	best, at := 3, ""
	for _, f := range from {
		if d := editDistance(name, f); d < best {
			best, at = d, f
		}
	}
	if at == "" {
		return ""
	}
	return " (did you mean " + at + "?)"
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
