package render

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// column is a number of the main or the provenance table: a metric of a slice of the split that measures an axis.
type column struct {
	head   string
	axis   dataset.Axis
	slice  string
	metric string
	split  string // when it is not the first split of the axis
}

// of returns the split the column rests on, or nil.
func (c column) of(r *results.Results) *results.SplitSummary {
	if c.split == "" {
		return r.SplitOf(c.axis)
	}
	return splitNamed(r, c.split)
}

// mainColumns are the columns of the paper's main table.
var mainColumns = []column{
	{head: "IID F1", axis: dataset.IID, slice: "all", metric: "f1"},
	{head: "Real-source F1", axis: dataset.IID, slice: "source_type=real", metric: "f1"},
	{head: "IID benign FPR", axis: dataset.IID, slice: "all", metric: "fpr"},
	{head: "Hard-benign FPR", axis: dataset.HardBenign, slice: "all", metric: "fpr"},
	{head: "Obfuscation recall", axis: dataset.Obfuscation, slice: "all", metric: "recall"},
	{head: "Domain-shift F1", axis: dataset.DomainShift, slice: "all", metric: "f1"},
	{head: "Structural-shift FPR", axis: dataset.StructuralShift, slice: "all", metric: "fpr"},
	{head: "ROC-AUC", axis: dataset.IID, slice: "all", metric: "roc_auc"},
}

// provenanceColumns set hard-benign false alarms by provenance beside those on ordinary human text.
var provenanceColumns = []column{
	{head: "Hard-benign FPR", axis: dataset.HardBenign, slice: "all", metric: "fpr"},
	{head: "Real", axis: dataset.HardBenign, slice: "provenance=real", metric: "fpr"},
	{head: "Curated", axis: dataset.HardBenign, slice: "provenance=curated", metric: "fpr"},
	{head: "Ordinary FPR", axis: dataset.OrdinaryBenign, slice: "all", metric: "fpr"},
}

// shown returns the columns that a table has: all, or those of the splits that the user chose.
func shown(r *results.Results, columns []column) (of []column) {
	for _, c := range columns {
		if len(r.Chosen) == 0 || c.of(r) != nil {
			of = append(of, c)
		}
	}
	return of
}

// ownColumns are the columns for a user's own file.
var ownColumns = []column{
	{head: "Accuracy", axis: dataset.Custom, slice: "all", metric: "accuracy"},
	{head: "F1", axis: dataset.Custom, slice: "all", metric: "f1"},
	{head: "Precision", axis: dataset.Custom, slice: "all", metric: "precision"},
	{head: "Recall", axis: dataset.Custom, slice: "all", metric: "recall"},
	{head: "FPR", axis: dataset.Custom, slice: "all", metric: "fpr"},
	{head: "ROC-AUC", axis: dataset.Custom, slice: "all", metric: "roc_auc"},
}

func policyOf(metric, policy string) string {
	if metric == "roc_auc" {
		return ""
	}
	return policy
}
