package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
	"pidsbench/internal/render"
	"pidsbench/internal/results"
)

// section makes further tables from what the results were built from. --tables names it.
type section struct {
	name  string
	about string
	val   bool // whether it rests on val, whatever the policies
	make  func(in *results.Input, r *results.Results) []render.Table
}

var sections = []section{
	{"intervals", "95 % intervals by family, by other groups, and with the spread of the seeds", false, render.Intervals},
	{"operating", "TPR at low FPR, FPR at high TPR, areas, balanced accuracy", true, render.Operating},
	{"transfer", "what a threshold promises on val and keeps on each axis", true, render.Transfer},
	{"prevalence", "precision where attacks are rare, and the cost of errors", false, nil},
	{"overdefense", "over-defense beside benign and malicious accuracy, and its excess over ordinary text", false, render.OverDefense},
	{"frontier", "whether any threshold gives F1 0.95 and a hard-benign FPR of 0.10", false, render.Frontier},
	{"calibration", "Brier, calibration error and log loss, before and after calibrating on val", true, render.Calibration},
	{"reliability", "mean score and share of injections by bin", false, render.Reliability},
	{"breakdown", "error rates by slice, the worst first, with simultaneous intervals", false, render.Breakdown},
	{"twins", "recall and false alarms by kind of disguise, beside the same texts without it", false, render.Twins},
	{"bestofn", "attacks that pass in at least one of their disguises", false, render.BestOfN},
	{windowsTable, "report: long texts by the first window alone, beside all windows", false, render.Windows},
	{"sources", "whether false alarms follow the source of a benign text", false, render.Sources},
}

// The tables that are shown when none is named, and all there are.
const (
	defaultTables = "default"
	allTables     = "all"
)

// windowsTable needs the scores of both window modes, which report alone reads.
const windowsTable = "windows"

func sectionNames() []string {
	names := []string{defaultTables}
	for _, s := range sections {
		names = append(names, s.name)
	}
	return append(names, allTables)
}

// sectionHelp lists what --tables takes.
func sectionHelp() string {
	var b strings.Builder
	b.WriteString("Tables (--tables NAME,…):\n")
	fmt.Fprintf(&b, "  %-12s %s\n", defaultTables, "the main and the provenance table, pairs, intervals, confusion counts")
	for _, s := range sections {
		fmt.Fprintf(&b, "  %-12s %s\n", s.name, s.about)
	}
	fmt.Fprintf(&b, "  %-12s %s\n", allTables, "all of them")
	return b.String()
}

// checkTables refuses names of tables that there are not, and flags of a table that is not asked for.
func (o *tableOptions) checkTables(cmd *cobra.Command) error {
	names := sectionNames()
	for _, name := range o.tables {
		if !slices.Contains(names, name) {
			return fault.New(fault.Usage, "--tables names %q%s, and there is no such table", name, suggest(name, names)).
				WithCure("choose from %s", strings.Join(names, ", "))
		}
	}
	for _, flag := range []string{"cost-ratio", "prevalence"} {
		if cmd.Flags().Changed(flag) && !o.wants("prevalence") {
			return fault.New(fault.Usage, "--%s is for the table prevalence, which is not asked for", flag).
				WithCure("add --tables prevalence")
		}
	}
	switch {
	case !(o.costs.Ratio > 0) || math.IsInf(o.costs.Ratio, 1):
		return fault.New(fault.Usage, "--cost-ratio is %g, expected more than 0 and less than infinity", o.costs.Ratio).WithCure("leave it out for 10")
	case !(o.costs.Prevalence > 0 && o.costs.Prevalence < 1):
		return fault.New(fault.Usage, "--prevalence is %g, expected a share above 0 and below 1", o.costs.Prevalence).
			WithCure("leave it out for 0.01")
	}
	return nil
}

// wants reports whether the user asked for a table; without any name the default ones are.
func (o *tableOptions) wants(name string) bool {
	if len(o.tables) == 0 {
		return name == defaultTables
	}
	return slices.Contains(o.tables, name) || slices.Contains(o.tables, allTables)
}

// needsVal reports whether the tables asked for rest on val, whatever the policies.
func (o *tableOptions) needsVal() bool {
	return slices.ContainsFunc(sections, func(s section) bool { return s.val && o.wants(s.name) })
}

// further returns the tables of the sections that the user asked for. It notes those named that have nothing to show.
func (o *tableOptions) further(st *State, in *results.Input, r *results.Results) (tables []render.Table) {
	for _, s := range sections {
		if !o.wants(s.name) {
			continue
		}
		var of []render.Table
		if s.make == nil {
			of = render.Prevalence(in, r, o.costs)
		} else {
			of = s.make(in, r)
		}
		if len(of) == 0 && slices.Contains(o.tables, s.name) {
			st.note("note: no table %s: these splits have nothing for it, or only baselines were run", s.name)
		}
		tables = append(tables, of...)
	}
	return tables
}
