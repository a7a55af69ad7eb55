package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
	"pidsbench/internal/subtype"
)

type dataClassifyOptions struct {
	text, out, sampleOut, format string
	sample                       int
	seed                         int64
}

func newDataClassifyCmd(st *State) *cobra.Command {
	var o dataClassifyOptions
	cmd := &cobra.Command{
		Use:   "classify FILE",
		Short: "Name the attack type of each text of a file of injections",
		Long: `Names the kind of each attack by the rules of data/lists/subtypes.yaml: the first rule that matches decides,
and a text that none matches is a direct_override by rule default. The rules tell kinds of attacks apart; they are no
detector and say nothing about benign rows. --out writes the rows of FILE as CSV with the columns attack_type,
attack_rule, attack_start and attack_end (bytes of the text, the evidence), in the place of columns of that name.
--sample draws rows for reading, an equal share a type, with an empty column judged_type.`,
		Example: `  pidsbench data classify attacks.csv
  pidsbench data classify attacks.jsonl --text-column prompt --out typed.csv
  pidsbench data classify attacks.csv --sample 150 --seed 7 --sample-out to-read.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, st, args[0]); err != nil {
				return err
			}
			return runDataClassify(st, cmd, &o, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.text, "text-column", "text", "the column that holds the text")
	f.SetNormalizeFunc(columnFlags("text"))
	f.StringVar(&o.out, "out", "", "write the rows with their types to this CSV file")
	f.IntVar(&o.sample, "sample", 0, "draw so many rows for reading, an equal share a type")
	f.StringVar(&o.sampleOut, "sample-out", "", "with --sample: the CSV file to write them to")
	f.Int64Var(&o.seed, "seed", 42, "with --sample: the seed of the draw")
	f.StringVar(&o.format, "format", "table", "table or json")
	return cmd
}

func (o *dataClassifyOptions) check(cmd *cobra.Command, st *State, file string) error {
	usage := func(cure, format string, a ...any) error {
		return fault.New(fault.Usage, format, a...).WithCure("%s", cure)
	}
	sampled := cmd.Flags().Changed("sample")
	switch {
	case o.format != "table" && o.format != "json":
		return usage("give one of the two", "--format is %q, expected table or json", o.format)
	case sampled && o.sample < 1:
		return usage("leave it out to draw none", "--sample is %d, expected 1 or more", o.sample)
	case sampled != (o.sampleOut != ""), cmd.Flags().Changed("seed") && !sampled:
		return usage("give both or neither", "--sample, with --seed, and --sample-out belong together")
	case o.out != "" && o.sampleOut != "" && sameFile(st.abs(o.out), st.abs(o.sampleOut)):
		return usage("name two files", "--out and --sample-out are the same file")
	}
	for _, to := range []string{o.out, o.sampleOut} {
		switch {
		case to == "":
		case strings.ToLower(filepath.Ext(to)) != ".csv":
			return usage("name it so", "%s is to be written as CSV, expected a name that ends in .csv", fault.Name(to))
		case sameFile(st.abs(to), st.abs(file)):
			return usage("name another file", "%s is the file that is read", fault.Name(to))
		}
	}
	return nil
}

// sameFile reports whether two paths name one file, by whatever links.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// classified is a file with the type of each row.
type classified struct {
	split   *dataset.Split
	text    string // the column of the text
	matches []subtype.Match
}

func runDataClassify(st *State, cmd *cobra.Command, o *dataClassifyOptions, file string) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	rules, err := subtype.Load(p.root, "data/lists/subtypes.yaml")
	if err != nil {
		return err
	}
	split, err := dataset.ReadFile(st.abs(file), dataset.Mapping{Text: o.text, All: new(dataset.Injection)})
	if err != nil {
		return err
	}
	c := &classified{split: split, text: o.text, matches: make([]subtype.Match, len(split.Rows))}
	for i, r := range split.Rows {
		if i%256 == 0 && cmd.Context().Err() != nil {
			return context.Cause(cmd.Context())
		}
		if !r.Missing {
			c.matches[i] = rules.Classify(r.Text)
		}
	}
	write := func(path string, header []string, records [][]string) error {
		if path == "" {
			return nil
		}
		return st.writeWhole(path, func(w io.Writer) error { return dataset.WriteCSV(w, header, records) })
	}
	header, records := c.rows()
	if err := write(o.out, header, records); err != nil {
		return err
	}
	if o.sample > 0 {
		header, records := c.sample(o.sample, o.seed)
		if err := write(o.sampleOut, header, records); err != nil {
			return err
		}
	}
	if o.format == "json" {
		return c.showJSON(st.Stdout, filepath.Base(file))
	}
	return c.showTable(st.Stdout)
}

// typeColumns are what classifying adds to a row.
var typeColumns = []string{"attack_type", "attack_rule", "attack_start", "attack_end"}

// cells returns the values of the type columns of a row; a withheld text has none.
func (c *classified) cells(row int) []string {
	m := c.matches[row]
	if m.Type == "" {
		return make([]string, len(typeColumns))
	}
	return []string{m.Type, m.Rule, strconv.Itoa(m.Start), strconv.Itoa(m.End)}
}

// rows returns the file with the type columns, in the place of columns of the same name or at the end.
func (c *classified) rows() (header []string, records [][]string) {
	header = slices.Clone(c.split.Columns)
	at := make([]int, len(typeColumns))
	for k, name := range typeColumns {
		if at[k] = slices.Index(header, name); at[k] < 0 {
			at[k] = len(header)
			header = append(header, name)
		}
	}
	columns := make([][]string, len(c.split.Columns))
	for k, name := range c.split.Columns {
		columns[k], _ = c.split.Column(name)
	}
	for i, r := range c.split.Rows {
		record := make([]string, len(header))
		for k, values := range columns {
			if record[k] = r.Text; c.split.Columns[k] != c.text {
				record[k] = values[i]
			}
		}
		for k, cell := range c.cells(i) {
			record[at[k]] = cell
		}
		records = append(records, record)
	}
	return header, records
}

// sample draws n rows, n divided by the number of types that occur from each, at least one; a smaller type is taken
// whole. Which rows they are depends on seed and texts alone, and so does their order.
func (c *classified) sample(n int, seed int64) (header []string, records [][]string) {
	of := map[subtype.Type][]int{}
	for i, m := range c.matches {
		if m.Type != "" {
			of[m.Type] = append(of[m.Type], i)
		}
	}
	id := func(i int) string { return c.split.Rows[i].Text }
	var drawn []int
	for _, t := range subtype.Types() {
		rows := of[t]
		draw.Order(rows, seed, "subtype sample "+t, id)
		drawn = append(drawn, rows[:min(len(rows), max(1, n/len(of)))]...)
	}
	draw.Order(drawn, seed, "subtype sample", id)
	for _, i := range drawn {
		m := c.matches[i]
		records = append(records, append([]string{strconv.Itoa(i), c.split.Rows[i].Text, ""}, append(c.cells(i),
			strings.ToValidUTF8(c.split.Rows[i].Text[m.Start:m.End], "\uFFFD"))...))
	}
	return append(append([]string{"row", "text", "judged_type"}, typeColumns...), "evidence"), records
}

// typeCount is how many rows have a type, and by which rules.
type typeCount struct {
	Type  string      `json:"type"`
	Rows  int         `json:"rows"`
	Share *float64    `json:"share"` // of the rows with a text; null when there is none
	Rules []ruleCount `json:"rules"` // most frequent first
}

type ruleCount struct {
	Rule string `json:"rule"`
	Rows int    `json:"rows"`
}

// counts returns the distribution in the order of the taxonomy, and the number of withheld texts.
func (c *classified) counts() (counts []typeCount, missing int) {
	rows, rules := map[string]int{}, map[string]map[string]int{}
	for _, m := range c.matches {
		if m.Type == "" {
			missing++
			continue
		}
		if rules[m.Type] == nil {
			rules[m.Type] = map[string]int{}
		}
		rows[m.Type]++
		rules[m.Type][m.Rule]++
	}
	for _, t := range subtype.Types() {
		tc := typeCount{Type: t, Rows: rows[t], Rules: []ruleCount{}}
		if n := len(c.matches) - missing; n > 0 {
			tc.Share = new(float64(rows[t]) / float64(n))
		}
		for r, n := range rules[t] {
			tc.Rules = append(tc.Rules, ruleCount{r, n})
		}
		slices.SortFunc(tc.Rules, func(a, b ruleCount) int { return cmp.Or(b.Rows-a.Rows, cmp.Compare(a.Rule, b.Rule)) })
		counts = append(counts, tc)
	}
	return counts, missing
}

func (c *classified) showTable(out io.Writer) error {
	counts, missing := c.counts()
	w := render.NewTabs(out)
	fmt.Fprintf(w, "type\trows\tshare\trules\n")
	for _, t := range counts {
		share := "n/a"
		if t.Share != nil {
			share = fmt.Sprintf("%.1f %%", 100**t.Share)
		}
		var rules []string
		for _, r := range t.Rules {
			rules = append(rules, fmt.Sprintf("%s %d", r.Rule, r.Rows))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", t.Type, t.Rows, share, strings.Join(rules, ", "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s: %d rows, %d of them withheld\n", render.Printable(c.split.Name), len(c.matches),
		missing)
	return err
}

func (c *classified) showJSON(out io.Writer, file string) error {
	counts, missing := c.counts()
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Schema  string      `json:"schema"`
		File    string      `json:"file"`
		SHA256  string      `json:"sha256"`
		Rows    int         `json:"rows"`
		Missing int         `json:"missing"`
		Types   []typeCount `json:"types"`
	}{"pidsbench-classify/1", file, c.split.SHA256, len(c.matches), missing, counts})
}
