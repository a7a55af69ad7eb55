package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pidsbench/internal/annotate"
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
)

func newDataAnnotateCmd(st *State) *cobra.Command {
	return group(&cobra.Command{
		Use:     "annotate",
		Short:   "Draw blind sheets for annotators, and measure how far filled sheets agree",
		Example: "  pidsbench data annotate sheet data/open/eval_subsets/hard_benign_test.csv --n 100 --out out/sheets",
	}, newAnnotateSheetCmd(st), newAnnotateScoreCmd(st))
}

// sheetOptions say what is drawn and for whom.
type sheetOptions struct {
	dataOptions
	n          int
	stratify   string
	seed       int64
	annotators int
	questions  []string
	out        string
}

func newAnnotateSheetCmd(st *State) *cobra.Command {
	var opts sheetOptions
	cmd := &cobra.Command{
		Use:   "sheet FILE…",
		Short: "Write a blind sheet for each annotator, and the key that belongs to them",
		Long: `Draws --n rows of the files, in proportion to the values of a column (--stratify), and writes into
--out:

  sheet-1.csv, sheet-2.csv, …   item_id, text, an empty column for each question, and notes; each in another order
  key.csv                       item_id with split, row, SHA-256 of the text, label, source and stratum

Sheets hold no label and no source: keep key.csv from the annotators. The same files, --n, --stratify and --seed
give the same sheets. Files that are there already are not replaced, since they may be filled in.

A spreadsheet program takes a cell that begins with = + - @, a tab or a line break for a formula: such a text, and
one that begins with ', stands in the sheet behind one more ', which scoring takes off. All others stand as they are.
Import the column text as text all the same, and never allow a sheet to open links or run anything. Answers are yes, no, 1, 0 or
skip. The questions is_benign and is_injection are compared with the label of the key when the sheets are scored.`,
		Example: `  pidsbench data annotate sheet data/open/eval_subsets/hard_benign_test.csv --n 100 --out out/sheets
  pidsbench data annotate sheet a.csv b.csv --n 50 --stratify label --question is_injection --annotators 3 --out sheets`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runAnnotateSheet(st, &opts, args) },
	}
	f := cmd.Flags()
	f.IntVar(&opts.n, "n", 100, "rows to draw")
	f.StringVar(&opts.stratify, "stratify", "", "draw in proportion to the values of this column; label and split "+
		"serve too (default: one stratum)")
	f.Int64Var(&opts.seed, "seed", 42, "seed of the draw and of the orders")
	f.IntVar(&opts.annotators, "annotators", 2, "sheets to write")
	f.StringArrayVar(&opts.questions, "question", []string{"is_benign", "is_security_adjacent"},
		"a question to answer with yes or no, repeatable")
	f.StringVar(&opts.out, "out", "", "folder for the sheets and the key (required)")
	f.StringVar(&opts.textColumn, "text-column", "", "the column that holds the text (default text)")
	f.StringVar(&opts.labelColumn, "label-column", "", "the column that holds the label (default label)")
	f.StringSliceVar(&opts.positive, "positive", nil, "further spellings of the label injection")
	f.StringSliceVar(&opts.negative, "negative", nil, "further spellings of the label benign")
	f.StringVar(&opts.label, "label", "", "every row is benign, or every row is an injection; no label column is read")
	return cmd
}

func runAnnotateSheet(st *State, opts *sheetOptions, args []string) error {
	switch {
	case opts.out == "":
		return fault.New(fault.Usage, "no folder is named").WithCure("say where the sheets go with --out DIR")
	case opts.annotators < 1 || opts.annotators > 20:
		return fault.New(fault.Usage, "--annotators is %d, expected 1 to 20", opts.annotators).WithCure("give such a number")
	}
	if err := opts.checkLabel(); err != nil {
		return err
	}
	if err := annotate.CheckQuestions(opts.questions); err != nil {
		return err
	}
	splits, err := readSheetSplits(st, opts, args)
	if err != nil {
		return err
	}
	items, strata, err := annotate.Sample(splits, opts.stratify, opts.n, opts.seed)
	if err != nil {
		return err
	}
	files, err := sheetFiles(opts, items)
	if err != nil {
		return err
	}
	if err := writeSheetFiles(st, opts.out, files); err != nil {
		return err
	}
	for _, s := range strata {
		if opts.stratify != "" {
			fmt.Fprintf(st.Stdout, "%-40s %6d of %6d rows\n", render.Printable(s.Name), s.Drawn, s.Rows)
		}
	}
	fmt.Fprintf(st.Stdout, "%s for %s in %s; keep key.csv from them\n", count(len(items), "item"),
		count(opts.annotators, "annotator"), render.Printable(opts.out))
	return nil
}

// readSheetSplits reads the files that rows are drawn from. The key names them by their splits.
func readSheetSplits(st *State, opts *sheetOptions, args []string) ([]*dataset.Split, error) {
	var splits []*dataset.Split
	names := map[string]string{}
	for _, path := range args {
		s, err := dataset.ReadFile(st.abs(path), opts.mapping())
		if err != nil {
			return nil, err
		}
		if other, ok := names[s.Name]; ok {
			return nil, fault.New(fault.Usage, "%s and %s would both be the split %s", fault.Name(other), fault.Name(path),
				fault.Quote(s.Name)).WithCure("rename one of them")
		}
		names[s.Name] = path
		splits = append(splits, s)
	}
	return splits, nil
}

type sheetFile struct {
	name string
	data []byte
}

// sheetFiles returns the key and a sheet for each annotator.
func sheetFiles(opts *sheetOptions, items []annotate.Item) ([]sheetFile, error) {
	var b bytes.Buffer
	if err := annotate.WriteKey(&b, items); err != nil {
		return nil, err
	}
	files := []sheetFile{{"key.csv", bytes.Clone(b.Bytes())}}
	for i, order := range annotate.Orders(items, opts.annotators, opts.seed) {
		b.Reset()
		if err := annotate.WriteSheet(&b, order, opts.questions); err != nil {
			return nil, err
		}
		files = append(files, sheetFile{fmt.Sprintf("sheet-%d.csv", i+1), bytes.Clone(b.Bytes())})
	}
	return files, nil
}

// writeSheetFiles writes the files into a folder that holds none of them yet.
func writeSheetFiles(st *State, out string, files []sheetFile) error {
	for _, f := range files {
		path := filepath.Join(out, f.name)
		if _, err := os.Lstat(st.abs(path)); err == nil {
			return fault.New(fault.Usage, "%s is there already, and may be filled in", fault.Name(path)).
				WithCure("name another folder with --out")
		}
	}
	if err := os.MkdirAll(st.abs(out), 0o777); err != nil {
		return fault.New(fault.Failed, "the folder %s cannot be made: %w", fault.Name(out), bare(err)).
			WithCure("name another folder with --out")
	}
	for _, f := range files {
		err := st.writeWhole(filepath.Join(out, f.name), func(w io.Writer) error {
			_, err := w.Write(f.data)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
