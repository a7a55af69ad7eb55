package operating

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// provenances are the values of the slice provenance of the hard-benign axis.
var provenances = []struct{ name, value string }{{"Hard-benign real", "real"}, {"Hard-benign curated", "curated"}}

// Sets returns the sets on which a promise is checked: the axes with benign rows, hard-benign ones by provenance, and the
// axes with injections. A user's own files are in both.
func Sets(in *results.Input) (benign, injection []Set) {
	add := func(set Set) {
		b, i := set.Counts()
		if b > 0 || set.Split.Absent != "" {
			benign = append(benign, set)
		}
		if i > 0 || set.Split.Absent != "" {
			injection = append(injection, set)
		}
	}
	for _, a := range []struct {
		axis dataset.Axis
		name string
	}{
		{dataset.IID, "IID"}, {dataset.HardBenign, ""}, {dataset.OrdinaryBenign, "Ordinary"},
		{dataset.Obfuscation, "Obfuscation"}, {dataset.DomainShift, "Domain"}, {dataset.StructuralShift, "Structural"},
	} {
		s := First(in, a.axis)
		switch {
		case s == nil:
		case a.axis == dataset.HardBenign:
			for _, part := range HardBenign(in) {
				add(part)
			}
		default:
			add(SetOf(in, *s, a.name, "", ""))
		}
	}
	for _, s := range in.Splits {
		if s.Spec.Axis == dataset.Custom && !s.External {
			add(SetOf(in, s, s.Spec.Name, "", ""))
		}
	}
	return benign, injection
}

// HardBenign returns the hard-benign rows by provenance where the split has it, and all of them otherwise.
func HardBenign(in *results.Input) []Set {
	s := First(in, dataset.HardBenign)
	if s == nil {
		return nil
	}
	var sets []Set
	for _, p := range provenances {
		column := s.Spec.Slices["provenance"]
		if column == "" {
			continue
		}
		if set := SetOf(in, *s, p.name, column, p.value); len(set.Rows) > 0 {
			sets = append(sets, set)
		}
	}
	if len(sets) == 0 {
		sets = []Set{SetOf(in, *s, "Hard-benign", "", "")}
	}
	return sets
}

// Transfer is what becomes of a promise on val: the FPR on each set with benign rows, the recall on each with injections.
type Transfer struct {
	Taus        []float64 // of each seed
	FPR, Recall []*results.Cell
	Kept, Of    int // sets with an FPR of at most the limit, of those with an FPR
}

// Promise applies the thresholds that keep an FPR on val to the sets.
func Promise(in *results.Input, d results.Detector, limit float64, benign, injection []Set) Transfer {
	var t Transfer
	reason := ""
	for _, seed := range d.Seeds {
		val := LookAtVal(in, seed)
		c := threshold.Choice{Reason: val.Reason}
		if val.Reason == "" {
			c = threshold.Policy{Kind: threshold.ValFPR, Value: limit}.Choose(val.Scores, val.Labels, nil)
		}
		if !c.OK {
			reason = c.Reason
			t.Taus = nil
			break
		}
		t.Taus = append(t.Taus, c.Tau)
	}
	for _, set := range benign {
		c := AtTaus(d, set, t.Taus, reason, "fpr", metrics.Counts.FPR)
		t.FPR = append(t.FPR, c)
		if c.Value != nil {
			t.Of++
			if *c.Value <= limit {
				t.Kept++
			}
		}
	}
	for _, set := range injection {
		t.Recall = append(t.Recall, AtTaus(d, set, t.Taus, reason, "recall", metrics.Counts.Recall))
	}
	return t
}

// Tuned returns the val_f1 threshold of each seed.
func Tuned(in *results.Input, d results.Detector) []Number {
	var out []Number
	for _, seed := range d.Seeds {
		val := LookAtVal(in, seed)
		c := threshold.Choice{}
		if val.Reason == "" {
			c = threshold.Policy{Kind: threshold.ValF1}.Choose(val.Scores, val.Labels, nil)
		}
		out = append(out, val.Of(metrics.Value{V: c.Tau, OK: c.OK, Reason: c.Reason}))
	}
	return out
}
