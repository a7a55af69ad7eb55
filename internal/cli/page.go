package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
	"pidsbench/internal/figures"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
)

// pageFormat is the format of one self-contained page.
const pageFormat = "html"

// registerPage adds what can be shown beside the default tables: further ones, the page, figures and the rows that detectors
// get wrong.
func (o *tableOptions) registerPage(cmd *cobra.Command) {
	o.pages = true
	f := cmd.Flags()
	f.Lookup("format").Usage = "table, markdown, csv, latex, json or html (one page with tables and figures)"
	f.StringSliceVar(&o.tables, "tables", nil, "tables to show, by name (default: default; see above)")
	f.Float64Var(&o.costs.Ratio, "cost-ratio", 10, "with --tables prevalence: what a missed attack costs, a false alarm costing 1")
	f.Float64Var(&o.costs.Prevalence, "prevalence", 0.01, "with --tables prevalence: the share of attacks for which costs are given")
	f.StringVar(&o.figures, "figures", "", "folder to write figures into, each as SVG and PNG")
	f.IntVar(&o.errors, "errors", 0, "list so many of the worst false alarms and misses of each split, with their texts")
}

func (o *tableOptions) checkPage(cmd *cobra.Command) error {
	if err := o.checkTables(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("errors") && o.errors < 1 {
		return fault.New(fault.Usage, "--errors is %d, expected 1 or more", o.errors).WithCure("leave it out to list none")
	}
	if o.errors > 0 && o.format == "json" {
		return fault.New(fault.Usage, "--errors lists texts, which the JSON form never holds").WithCure("choose another --format")
	}
	return nil
}

// wrong lists the rows that detectors get wrong, where the user asked for them.
func (o *tableOptions) wrong(in *results.Input, r *results.Results) []render.Table {
	if o.errors == 0 {
		return nil
	}
	return render.Errors(in, r, o.errors)
}

// showPage writes the page: tables, figures, and the errors where they were asked for.
func (o *tableOptions) showPage(st *State, in *results.Input, r *results.Results, tables []render.Table,
	all []*figures.Figure) error {
	page := render.NewPage(r, tables)
	page.Verdict = render.Verdict(in, r)
	page.Errors = o.wrong(in, r)
	for _, f := range all {
		var b strings.Builder
		if err := f.SVG(&b); err != nil {
			return err
		}
		page.Figures = append(page.Figures, render.Picture{Title: f.Title, Note: f.Note, SVG: b.String(), Detail: f.Detail})
	}
	return render.HTML(st.Stdout, page)
}
