// Package survey shows what a data set holds: its breakdowns and what probes found, as tables, CSV and JSON.
package survey

import (
	"pidsbench/internal/breakdown"
	"pidsbench/internal/metrics"
	"pidsbench/internal/probe"
)

// Survey is what is known of the splits of an edition, or of a user's own files.
type Survey struct {
	Edition        string // id; custom for a user's own files
	ManifestSHA256 string // empty for a user's own files
	Splits         []breakdown.Table
	Probes         []probe.Result
	Seed           int64 // of the probes
}

// heads are the names of metrics for readers.
var heads = map[string]string{
	"roc_auc": "ROC-AUC", "accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "majority": "majority class",
	"f1": "F1", "coin_f1": "coin's F1", "fpr": "FPR", "recall": "recall", "sd": "SD", "sources": "sources",
	"rows_added": "rows added", "words": "words", "families": "families",
}

// reasons joins the distinct reasons of undefined values.
func reasons(values ...metrics.Value) string {
	out := ""
	seen := map[string]bool{}
	for _, v := range values {
		if v.OK || seen[v.Reason] {
			continue
		}
		seen[v.Reason] = true
		if out != "" {
			out += "; "
		}
		out += v.Reason
	}
	return out
}
