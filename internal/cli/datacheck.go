package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/leak"
	"pidsbench/internal/schema"
)

// checkOptions say what is checked and against what.
type checkOptions struct {
	dataOptions
	near        float64
	against     []string
	againstText string
	againstNear float64
	format      string
}

func newDataCheckCmd(st *State) *cobra.Command {
	var opts checkOptions
	cmd := &cobra.Command{
		Use:   "check [FILE…]",
		Short: "Check files for leaks between them, for contamination, and for the edition's schema",
		Long: `Compares every file with every other, and prints how many rows of the one have a partner in the
other: with equal bytes (raw), equal after NFKC, case folding and white space (exact), equal once disguise is
removed (skeleton), near duplicates by TF-IDF cosine (near; as written, or with leet letters read as letters), and
by the columns parent_seed_id, family_id, frame_id and carrier_id. Each kind that goes by text includes those before
it. Every number is of rows, never a text.

Without FILE it checks an edition, whether it is frozen yet or not: any overlap between files that
configs/schema.yaml does not let repeat each other is a violation, and so is a file, column, field or row that is
not as declared there. With FILEs (or --data) it checks your own files: an overlap by text between any two of them
is a violation, one by a column is only shown.

--against FILE counts for each file how many of its rows are in a file from elsewhere, such as a training set; these
counts change no exit status.

Exit status 3 on any violation, 0 when there is none.`,
		Example: `  pidsbench data check
  pidsbench data check train.csv test.csv
  pidsbench data check --against deepset.csv --against-text prompt --format json`,
		RunE: func(cmd *cobra.Command, args []string) error { return runDataCheck(st, cmd, &opts, args) },
	}
	f := cmd.Flags()
	f.StringVar(&opts.edition, "edition", "open", "edition: open, v3, or the path of a folder with a FREEZE_MANIFEST.txt")
	f.StringVar(&opts.data, "data", "", "a folder of your own CSV or JSON Lines files (with --edition v3: the folder "+
		"of that edition)")
	f.StringVar(&opts.textColumn, "text-column", "", "of your own files: the column that holds the text (default text)")
	f.StringVar(&opts.labelColumn, "label-column", "", "of your own files: the column that holds the label (default "+
		"label)")
	f.StringSliceVar(&opts.positive, "positive", nil, "of your own files: further spellings of the label injection")
	f.StringSliceVar(&opts.negative, "negative", nil, "of your own files: further spellings of the label benign")
	f.StringVar(&opts.label, "label", "", "of your own files: every row is benign, or every row is an injection; no "+
		"label column is read")
	f.Float64Var(&opts.near, "near", 0.80, "cosine from which two rows of different files are near duplicates")
	f.StringArrayVar(&opts.against, "against", nil, "a file from elsewhere whose rows are looked for, repeatable; it "+
		"needs no labels")
	f.StringVar(&opts.againstText, "against-text", "", "the column of --against files that holds the text (default text)")
	f.Float64Var(&opts.againstNear, "against-near", 0.90, "cosine from which a row is a near duplicate of one of "+
		"--against")
	f.StringVar(&opts.format, "format", "table", "table, markdown, csv or json")
	return cmd
}

// checked is everything that data check found.
type checked struct {
	edition       string // id, or "" for a user's own files
	matrix        *leak.Report
	contamination []contamination
	schema        []schema.Violation
	missing       []string // splits that the edition declares and that are not there
}

// contamination says how many rows of each file are in a file from elsewhere.
type contamination struct {
	Against string             `json:"against"`
	Near    float64            `json:"near"`
	Rows    []contaminationRow `json:"rows"`
}

type contaminationRow struct {
	Split    string         `json:"split"`
	Kind     leak.Kind      `json:"kind"`
	EvalRows int            `json:"eval_rows"` // rows with a text
	Matches  int            `json:"matches"`   // rows with a partner
	Pct      *float64       `json:"pct"`       // null when there is no row to look at
	Pairs    int64          `json:"pairs"`
	Examples []leak.Example `json:"examples"`
}

// examples is how many pairs of rows are shown for each overlap.
const examples = 3

func runDataCheck(st *State, cmd *cobra.Command, opts *checkOptions, args []string) error {
	show, ok := checkFormats[opts.format]
	if !ok {
		return fault.New(fault.Usage, "--format is %q, expected table, markdown, csv or json", opts.format).
			WithCure("give one of these")
	}
	var c checked
	var files []leak.File
	var allowed [][]string
	own, err := opts.own(cmd, args)
	if err != nil {
		return err
	}
	if own {
		files, err = readOwnFiles(st, opts, args)
	} else {
		files, allowed, err = readEdition(st, cmd, opts, &c)
	}
	if err != nil {
		return err
	}
	c.matrix, err = leak.Matrix(cmd.Context(), files, leak.Options{Near: opts.near, Allowed: allowed, Examples: examples})
	if err != nil {
		return err
	}
	for _, path := range opts.against {
		found, err := opts.contamination(cmd.Context(), st, files, path)
		if err != nil {
			return err
		}
		c.contamination = append(c.contamination, *found)
	}
	if err := show(st.Stdout, &c); err != nil {
		return err
	}
	return c.verdict()
}

// own reports whether the user's own files are meant, and refuses flags that say both or belong to the other.
func (o *checkOptions) own(cmd *cobra.Command, args []string) (bool, error) {
	changed := cmd.Flags().Changed
	own := len(args) > 0 || o.data != "" && o.edition != "v3"
	switch {
	case len(args) > 0 && (o.data != "" || changed("edition")):
		return false, fault.New(fault.Usage, "both files and --data or --edition are given").WithCure("give one of them")
	case own && changed("edition"):
		return false, fault.New(fault.Usage, "--data is given, and edition %s lies elsewhere", fault.Name(o.edition)).
			WithCure("leave out one of the two")
	case !own && o.textColumn+o.labelColumn+o.label != "" || !own && len(o.positive)+len(o.negative) > 0:
		return false, fault.New(fault.Usage, "--label and the flags for columns and spellings belong to your own files, "+
			"and none is given").WithCure("name them")
	case changed("against-text") && len(o.against) == 0 || changed("against-near") && len(o.against) == 0:
		return false, fault.New(fault.Usage, "--against-text and --against-near belong to --against FILE, which is not "+
			"given").WithCure("add --against FILE")
	}
	return own, o.checkLabel()
}

// checkLabel refuses a --label that is no class, and one beside flags that speak of a label column.
func (o *dataOptions) checkLabel() error {
	switch {
	case o.label == "":
		return nil
	case o.label != "benign" && o.label != "injection":
		return fault.New(fault.Usage, "--label is %q, expected benign or injection", o.label).
			WithCure("give one of the two")
	case o.labelColumn != "" || len(o.positive)+len(o.negative) > 0:
		return fault.New(fault.Usage, "--label says the class of every row, and a label column or spelling is given as well").
			WithCure("give one of the two")
	}
	return nil
}

// contamination looks for the rows of one file from elsewhere in the files.
func (o *checkOptions) contamination(ctx context.Context, st *State, files []leak.File, path string) (*contamination,
	error) {
	s, err := dataset.ReadFile(st.abs(path), dataset.Mapping{Text: o.againstText, All: new(dataset.Benign)})
	if err != nil {
		return nil, againstFlag(err)
	}
	outside := leak.FromSplit(s)
	outside.Name, outside.Labels, outside.Columns = "against "+path, nil, nil
	r, err := leak.Matrix(ctx, append(slices.Clone(files), outside), leak.Options{Near: o.againstNear, Examples: examples})
	if err != nil {
		return nil, err
	}
	c := &contamination{Against: path, Near: o.againstNear}
	for i, f := range files {
		for _, kind := range []leak.Kind{leak.Exact, leak.Skeleton, leak.Near} {
			overlap := r.Find(kind, f.Name, outside.Name)
			row := contaminationRow{Split: f.Name, Kind: kind, EvalRows: r.Files[i].Rows - r.Files[i].Withheld,
				Matches: overlap.RowsA, Pairs: overlap.Pairs, Examples: append([]leak.Example{}, overlap.Examples...)}
			if row.EvalRows > 0 {
				row.Pct = new(100 * float64(row.Matches) / float64(row.EvalRows))
			}
			c.Rows = append(c.Rows, row)
		}
	}
	return c, nil
}

// againstFlag makes the cures of the reader name the flag that belongs to --against.
func againstFlag(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		f.Cure = strings.ReplaceAll(f.Cure, "--text-column", "--against-text")
	}
	return err
}

// violations returns the overlaps that may not be: of an edition all between files that may not repeat each other, of a
// user's own files those that go by text.
func (c *checked) violations() []leak.Overlap {
	return slices.DeleteFunc(c.matrix.Violations(),
		func(o leak.Overlap) bool { return c.edition == "" && o.Kind.Column() != "" })
}

// verdict is nil when there is no violation.
func (c *checked) verdict() error {
	var parts []string
	for _, o := range c.violations() {
		parts = append(parts, fmt.Sprintf("%s: %s of %s and %s of %s", o.Kind, count(o.RowsA, "row"), fault.Name(o.A),
			count(o.RowsB, "row"), fault.Name(o.B)))
	}
	overlaps := len(parts)
	for _, v := range c.schema {
		parts = append(parts, "schema: "+v.String())
	}
	what := "your files"
	if c.edition != "" {
		what = "edition " + fault.Name(c.edition)
	}
	if len(parts) == 0 {
		if len(c.missing) > 0 {
			kind, cure := fault.Integrity, "build the data again with `pidsbench data build`"
			if c.edition == "v3" {
				kind, cure = fault.Incomplete, "copy it into the folder to check all of the edition"
			}
			return fault.New(kind, "%s lacks %s", what, strings.Join(c.missing, ", ")).WithCure("%s", cure)
		}
		return nil
	}
	const shown = 4
	list := strings.Join(parts[:min(shown, len(parts))], "; ")
	if len(parts) > shown {
		list += fmt.Sprintf("; and %d more", len(parts)-shown)
	}
	cure := "leave the shared rows out of one of the files (--format json names some by row)"
	switch {
	case c.edition != "" && overlaps > 0:
		cure = "keep each family in one file, or declare under may_overlap in configs/schema.yaml which files repeat each " +
			"other"
	case c.edition != "":
		cure = "mend the rows, or declare in configs/schema.yaml what they hold"
	}
	return fault.New(fault.Integrity, "%s: %s (%s)", what, count(len(parts), "violation"), list).WithCure("%s", cure)
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
