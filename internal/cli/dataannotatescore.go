package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"pidsbench/internal/agreement"
	"pidsbench/internal/annotate"
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
)

func newAnnotateScoreCmd(st *State) *cobra.Command {
	var format, disagreements string
	cmd := &cobra.Command{
		Use:   "score KEY SHEET SHEET…",
		Short: "Measure the agreement of filled sheets, pair by pair",
		Long: `Reads filled sheets against their key and prints for every question and every two sheets: the share
of items on which they agree (Wilson interval), Cohen's kappa (interval by the large-sample variance of Fleiss,
Cohen and Everitt), Gwet's AC1 (interval by Gwet's variance), all of 95 %, and the agreement on yes and on no. Kappa
falls when nearly all answers are the same although annotators agree; AC1 does not. The names of ranges (slight,
fair, …) are the convention of Landis and Koch. What is undefined is n/a with its reason. Items that either skipped
do not count and are counted beside.

The questions is_benign and is_injection are compared with the label of the key too. Every item must stand once in
every sheet, with every question answered: rows are counted as a spreadsheet does, the header being row 1.`,
		Example: `  pidsbench data annotate score sheets/key.csv sheets/sheet-1.csv sheets/sheet-2.csv
  pidsbench data annotate score key.csv ann.csv bob.csv --disagreements disagreements.csv --format json`,
		Args: cobra.MinimumNArgs(3),
		RunE: func(_ *cobra.Command, args []string) error { return runAnnotateScore(st, format, disagreements, args) },
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, markdown, csv or json")
	cmd.Flags().StringVar(&disagreements, "disagreements", "", "write the items with different answers to this CSV file")
	return cmd
}

func runAnnotateScore(st *State, format, disagreements string, args []string) error {
	show, ok := scoreFormats[format]
	if !ok {
		return fault.New(fault.Usage, "--format is %q, expected table, markdown, csv or json", format).
			WithCure("give one of these")
	}
	data := make([][]byte, len(args))
	for i, path := range args {
		for _, other := range args[:i] {
			if sameFile(st.abs(other), st.abs(path)) {
				return fault.New(fault.Usage, "%s is named twice", fault.Name(path)).
					WithCure("name the key once, and each sheet once")
			}
		}
		var err error
		if data[i], err = st.readRegular(path); err != nil {
			return err
		}
	}
	if disagreements != "" {
		if err := st.checkOut("disagreements", disagreements, args); err != nil {
			return err
		}
	}
	key, err := annotate.ReadKey(args[0], data[0])
	if err != nil {
		return err
	}
	var sheets []*annotate.Filled
	for i, path := range args[1:] {
		s, err := annotate.ReadSheet(path, data[i+1], key)
		if err != nil {
			return err
		}
		sheets = append(sheets, s)
	}
	r, err := annotate.Score(key, sheets)
	if err != nil {
		return err
	}
	if disagreements != "" {
		err := st.writeWhole(disagreements, func(w io.Writer) error { return writeDisagreements(w, r) })
		if err != nil {
			return err
		}
	}
	return show(st.Stdout, r)
}

// writeDisagreements writes a row for each item and question with different answers.
func writeDisagreements(w io.Writer, r *annotate.Report) error {
	header := []string{"question", "item_id", "split", "row"}
	header = append(header, r.Sheets...)
	var records [][]string
	for _, d := range r.Disagreements {
		records = append(records, append([]string{d.Question, d.Item, d.Split, d.Row}, d.Answers...))
	}
	return dataset.WriteCSV(w, header, records)
}

var scoreFormats = map[string]func(io.Writer, *annotate.Report) error{
	"table":    func(w io.Writer, r *annotate.Report) error { return render.Text(w, agreementTables(r)) },
	"markdown": func(w io.Writer, r *annotate.Report) error { return render.Markdown(w, agreementTables(r)) },
	"csv":      agreementCSV,
	"json": func(w io.Writer, r *annotate.Report) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(r)
	},
}

func agreementTables(r *annotate.Report) []render.Table {
	tables := []render.Table{agreementTable(fmt.Sprintf("Agreement of annotators on %s", count(r.Items, "item")),
		r.Agreement)}
	if len(r.WithLabel) > 0 {
		tables = append(tables, agreementTable("Agreement with the label of the key", r.WithLabel))
	}
	last := &tables[len(tables)-1]
	for i, n := range r.Changed {
		if n > 0 {
			last.Notes = append(last.Notes, fmt.Sprintf("%s: the text of %s is not as it was written: a spreadsheet program "+
				"may have changed it, so look whether the annotator read the right one", render.Printable(r.Sheets[i]), count(n, "item")))
		}
	}
	last.Notes = append(last.Notes, "Intervals of 95 %; slight, fair, moderate, substantial and almost perfect are the "+
		"convention of Landis and Koch.")
	last.Notes = append(last.Notes, fmt.Sprintf("%s of item and question with different answers (--disagreements FILE "+
		"lists them)", count(len(r.Disagreements), "pair")))
	return tables
}

func agreementTable(title string, all []annotate.Comparison) render.Table {
	t := render.Table{Title: title, Left: 1,
		Columns: []string{"Question", "n", "Skipped", "Agree", "Kappa", "AC1", "On yes", "On no"}}
	question := ""
	for _, c := range all {
		if len(t.Groups) == 0 || c.Question != question {
			t.Groups = append(t.Groups, nil)
			question = c.Question
		}
		what := render.Printable(fmt.Sprintf("%s: %s, %s", c.Question, c.A, c.B))
		cell := func(name string, e agreement.Estimate, band string) string {
			if e.Value == nil {
				t.Notes = append(t.Notes, fmt.Sprintf("n/a: %s: %s: %s", what, name, e.Reason))
				return "n/a"
			}
			s := strconv.FormatFloat(*e.Value, 'f', 3, 64)
			if e.Lo != nil {
				s += fmt.Sprintf(" [%.3f, %.3f]", *e.Lo, *e.Hi)
			} else if band != "" {
				t.Notes = append(t.Notes, fmt.Sprintf("no interval: %s: %s: %s", what, name, e.Reason))
			}
			if band != "" {
				s += " " + band
			}
			return s
		}
		last := &t.Groups[len(t.Groups)-1]
		*last = append(*last, textRow(what, strconv.Itoa(c.N), strconv.Itoa(c.Skipped), cell("agree", c.Percent, ""),
			cell("kappa", c.Kappa, c.Band), cell("AC1", c.AC1, c.AC1Band), cell("on yes", c.OnYes, ""), cell("on no", c.OnNo,
				"")))
	}
	return t
}

func agreementCSV(w io.Writer, r *annotate.Report) error {
	header := []string{"question", "a", "b", "n", "skipped", "no_no", "no_yes", "yes_no", "yes_yes"}
	for _, m := range []string{"agree", "kappa", "ac1"} {
		header = append(header, m, m+"_lo", m+"_hi", m+"_reason")
	}
	header = append(header, "agree_on_yes", "agree_on_no", "kappa_band", "ac1_band")
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	var records [][]string
	for _, all := range [][]annotate.Comparison{r.Agreement, r.WithLabel} {
		for _, c := range all {
			rec := []string{c.Question, c.A, c.B, strconv.Itoa(c.N), strconv.Itoa(c.Skipped)}
			for _, row := range c.Table {
				for _, n := range row {
					rec = append(rec, strconv.Itoa(n))
				}
			}
			for _, e := range []agreement.Estimate{c.Percent, c.Kappa, c.AC1} {
				rec = append(rec, number(e.Value), number(e.Lo), number(e.Hi), e.Reason)
			}
			records = append(records, append(rec, number(c.OnYes.Value), number(c.OnNo.Value), c.Band, c.AC1Band))
		}
	}
	return dataset.WriteCSV(w, header, records)
}
