package comparison

import (
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// axes are the numbers that stand for an edition's axes, on the first split of each.
var axes = []struct {
	name   string
	axis   dataset.Axis
	slice  string
	metric string
}{
	{"IID F1", dataset.IID, "all", "f1"},
	{"Real-source F1", dataset.IID, "source_type=real", "f1"},
	{"IID benign FPR", dataset.IID, "all", "fpr"},
	{"Hard-benign FPR", dataset.HardBenign, "all", "fpr"},
	{"Hard-benign FPR, real", dataset.HardBenign, "provenance=real", "fpr"},
	{"Hard-benign FPR, curated", dataset.HardBenign, "provenance=curated", "fpr"},
	{"Ordinary FPR", dataset.OrdinaryBenign, "all", "fpr"},
	{"Obfuscation recall", dataset.Obfuscation, "all", "recall"},
	{"Domain-shift F1", dataset.DomainShift, "all", "f1"},
	{"Structural-shift FPR", dataset.StructuralShift, "all", "fpr"},
	{"IID ROC-AUC", dataset.IID, "all", "roc_auc"},
}

// Axes returns what is compared on splits: the numbers of the axes at each policy, then those that rest on no threshold;
// and beside them F1, recall, FPR and ROC-AUC of each of the user's own files, of external sets, and of splits that the
// user chose and no axis shows. Of an axis that the edition lacks there is a Spec with the reason, unless splits were
// chosen.
func Axes(splits []results.Split, policies []string, chosen bool) []Spec {
	var one []Spec
	shown := map[string]bool{}
	edition := slices.ContainsFunc(splits, func(s results.Split) bool {
		return !s.External && s.Spec.Axis != dataset.Custom
	})
	for _, a := range axes {
		spec := Spec{Name: a.name, Slice: a.slice, Metric: a.metric}
		at := slices.IndexFunc(splits, func(s results.Split) bool { return !s.External && s.Spec.Axis == a.axis })
		switch {
		case at >= 0:
			spec.Split = splits[at].Spec.Name
			shown[spec.Split] = true
		case chosen || !edition:
			continue
		default:
			spec.Reason = "the edition has no " + strings.ReplaceAll(string(a.axis), "_", "-") + " axis"
		}
		one = append(one, spec)
	}
	for _, s := range splits {
		if s.External || s.Spec.Axis == dataset.Custom || chosen && !shown[s.Spec.Name] {
			one = append(one, ofSplit(s)...)
		}
	}
	var all []Spec
	for _, policy := range policies {
		for _, s := range one {
			if s.Metric != "roc_auc" {
				s.Policy = policy
				all = append(all, s)
			}
		}
	}
	return append(all, slices.DeleteFunc(one, func(s Spec) bool { return s.Metric != "roc_auc" })...)
}

// ofSplit returns what can be said of a split by the classes of its rows.
func ofSplit(s results.Split) (specs []Spec) {
	benign, injection := s.Data.Counts()
	add := func(name, metric string) {
		specs = append(specs, Spec{Name: s.Spec.Name + " " + name, Split: s.Spec.Name, Slice: "all", Metric: metric})
	}
	if benign > 0 && injection > 0 {
		add("F1", "f1")
	}
	if injection > 0 {
		add("recall", "recall")
	}
	if benign > 0 {
		add("FPR", "fpr")
	}
	if benign > 0 && injection > 0 {
		add("ROC-AUC", "roc_auc")
	}
	return specs
}
