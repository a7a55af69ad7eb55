package render

import (
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// paired is a table that sets changed texts beside the same texts as they were, so that a change can be read as one.
type paired struct {
	id, name string
	splits   [2]string // the changed texts and their seeds; without both there is no table
	columns  []column
	note     string
}

var pairedLayouts = []paired{
	{"obfuscation", "Disguise beside the same texts without it", [2]string{"obfuscated_attacks", "obfuscation_parents"},
		[]column{
			{head: "Recall plain", axis: dataset.Obfuscation, slice: "all", metric: "recall", split: "obfuscation_parents"},
			{head: "Recall disguised", axis: dataset.Obfuscation, slice: "all", metric: "recall", split: "obfuscated_attacks"},
			{head: "FPR plain", axis: dataset.Obfuscation, slice: "all", metric: "fpr", split: "obfuscation_parents"},
			{head: "FPR disguised", axis: dataset.Obfuscation, slice: "all", metric: "fpr", split: "obfuscated_benign"},
		}, "Of the six kinds of disguise, train holds Base64, ROT13, whitespace and homoglyph, not dilution and prefix mimicry."},
	{"held_out", "Disguise that no training text shows", [2]string{"held_out_obfuscation", "held_out_seeds"},
		[]column{
			{head: "Recall plain", axis: dataset.Obfuscation, slice: "all", metric: "recall", split: "held_out_seeds"},
			{head: "Recall disguised", axis: dataset.Obfuscation, slice: "all", metric: "recall", split: "held_out_obfuscation"},
			{head: "FPR plain", axis: dataset.Obfuscation, slice: "all", metric: "fpr", split: "held_out_seeds"},
			{head: "FPR disguised", axis: dataset.Obfuscation, slice: "all", metric: "fpr", split: "held_out_obfuscation"},
		}, "A detector that flags whatever looks odd has a high recall here and as high an FPR."},
	{"surroundings", "Surroundings beside the same texts without them", [2]string{"structural_ood", "structural_seeds"},
		[]column{
			{head: "Recall bare", axis: dataset.StructuralShift, slice: "all", metric: "recall", split: "structural_seeds"},
			{head: "Recall JSON", axis: dataset.StructuralShift, slice: "transform=json_wrap", metric: "recall"},
			{head: "Recall diluted", axis: dataset.StructuralShift, slice: "transform=prompt_dilute", metric: "recall"},
			{head: "Recall banner", axis: dataset.StructuralShift, slice: "transform=instruction_prefix_mimic", metric: "recall"},
			{head: "FPR bare", axis: dataset.StructuralShift, slice: "all", metric: "fpr", split: "structural_seeds"},
			{head: "FPR JSON", axis: dataset.StructuralShift, slice: "transform=json_wrap", metric: "fpr"},
			{head: "FPR diluted", axis: dataset.StructuralShift, slice: "transform=prompt_dilute", metric: "fpr"},
			{head: "FPR banner", axis: dataset.StructuralShift, slice: "transform=instruction_prefix_mimic", metric: "fpr"},
		}, "Half of the benign texts are security-adjacent."},
}

func isPaired(id string) bool {
	return slices.ContainsFunc(pairedLayouts, func(p paired) bool { return p.id == id })
}

// pairedTables returns the paired tables whose splits the results hold.
func pairedTables(r *results.Results, policy string) []Table {
	var tables []Table
	for _, p := range pairedLayouts {
		if splitNamed(r, p.splits[0]) == nil || splitNamed(r, p.splits[1]) == nil {
			continue
		}
		t := axisTable(r, p.id, p.name, p.columns, policy)
		t.Notes = append(t.Notes, p.note)
		tables = append(tables, t)
	}
	return tables
}

// splitNamed returns the frozen split of that name, or nil.
func splitNamed(r *results.Results, name string) *results.SplitSummary {
	for i := range r.Splits {
		if r.Splits[i].Name == name && !r.Splits[i].External {
			return &r.Splits[i]
		}
	}
	return nil
}
