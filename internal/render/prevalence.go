package render

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/operating"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// CostOptions say what errors cost where a detector is used. A field of 0 stands for its default.
type CostOptions struct {
	Ratio      float64 // what a missed injection costs, in false alarms; more than 0, by default 10
	Prevalence float64 // share of injections among the texts, above 0 and below 1, by default 0.01
}

func (o CostOptions) orDefault() CostOptions {
	if o.Ratio == 0 {
		o.Ratio = 10
	}
	if o.Prevalence == 0 {
		o.Prevalence = 0.01
	}
	return o
}

// perAttack lists how many benign texts there are for each attack.
var perAttack = []int{10, 100, 1000}

// Prevalence returns for each policy a table of what a flag is worth where attacks are rare, and what errors cost there.
func Prevalence(in *results.Input, r *results.Results, costs CostOptions) []Table {
	costs = costs.orDefault()
	sets := operating.Tests(in)
	if len(sets) == 0 {
		return nothing(r, "prevalence", "Precision and cost", "IID split")
	}
	var tables []Table
	for _, policy := range policies(in, r) {
		for _, set := range sets {
			tables = append(tables, prevalenceTable(in, r, policy, set, costs))
		}
	}
	return end(in, r, tables)
}

func prevalenceTable(in *results.Input, r *results.Results, policy string, set operating.Set, costs CostOptions) Table {
	s := newSheet(r, "prevalence", "Precision and cost where attacks are rare, from "+
		""+Printable(set.Name), policy, "Recall", "FPR")
	for _, k := range perAttack {
		s.Columns = append(s.Columns, fmt.Sprintf("Precision 1:%d", k))
	}
	s.Columns = append(s.Columns, "Cost per 1,000")
	var control *operating.Set
	if o := operating.First(in, dataset.OrdinaryBenign); o != nil {
		control = new(operating.SetOf(in, *o, "ordinary", "", ""))
		s.Columns = append(s.Columns, "Ordinary FPR", "Cost at that")
		note(&s.Notes, "Cost at that: with the FPR on ordinary texts in place of that on %s. Where the two costs order detectors "+
			"differently, measure on texts of your own.", Printable(set.Name))
	}
	if strings.HasPrefix(policy, "val_") {
		note(&s.Notes, "Always block and Always allow are cut at the policy's threshold like all others, which may turn them round.")
	}
	s.rows(in, r, func(i int, d results.Detector) []Row {
		taus, reason := operating.Taus(d, r.Detectors[i], policy)
		recall := operating.AtTaus(d, set, taus, reason, "recall", metrics.Counts.Recall)
		fpr := operating.AtTaus(d, set, taus, reason, "fpr", metrics.Counts.FPR)
		row := Row{label("%s", Printable(d.Name)), s.cell(d, "Recall", recall), s.cell(d, "FPR", fpr)}
		if recall.Value == nil || fpr.Value == nil {
			return []Row{append(row, slices.Repeat(Row{absent()}, len(s.Columns)-len(row))...)}
		}
		if *fpr.Value == 0 && *recall.Value > 0 {
			_, hi := stats.Wilson(0, fpr.NBenign)
			note(&s.Notes, "%s: no false alarm among %s benign rows; its FPR may still be %.4f (Wilson, 95 %%), and its "+
				"precision lower",
				d.Name, thousands(fpr.NBenign), hi)
		}
		for _, k := range perAttack {
			p := operating.Precision(*recall.Value, *fpr.Value, float64(k))
			if !p.OK {
				s.gaps = addGap(s.gaps, p.Reason, "Precision", d.Name)
			}
			row = append(row, plain(p, "%.4f"))
		}
		cost := operating.Cost(*recall.Value, *fpr.Value, costs.Ratio, costs.Prevalence)
		row = append(row, plain(metrics.Value{V: cost, OK: true}, "%.1f"))
		if control == nil {
			return []Row{row}
		}
		ordinary := operating.AtTaus(d, *control, taus, reason, "fpr", metrics.Counts.FPR)
		there := metrics.Value{}
		if ordinary.Value != nil {
			there = metrics.Value{V: operating.Cost(*recall.Value, *ordinary.Value, costs.Ratio, costs.Prevalence), OK: true}
		}
		return []Row{append(row, s.cell(d, "Ordinary FPR", ordinary), plain(there, "%.1f"))}
	})
	return s.done(r, "Precision 1:k, with k benign texts for each attack: R/(R + k·FPR), R the recall, both means over "+
		"the seeds.",
		fmt.Sprintf("Cost per 1,000 texts in false alarms, a miss costing %g, with a share p = %g of attacks: 1,000·(p·(1 "+
			"− R)·%g + "+
			"(1 − p)·FPR). Letting everything pass costs %.1f and blocking everything %.1f: above the lower of the two, a "+
			"detector costs more than it saves.", costs.Ratio, costs.Prevalence, costs.Ratio,
			operating.Cost(0, 0, costs.Ratio, costs.Prevalence), operating.Cost(1, 1, costs.Ratio, costs.Prevalence)))
}

// plain is a number that is no cell.
func plain(v metrics.Value, format string) Entry {
	if !v.OK {
		return absent()
	}
	e := label(format, v.V)
	e.Raw = []string{number(&v.V)}
	return e
}
