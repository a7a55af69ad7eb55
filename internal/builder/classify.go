package builder

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
)

const stageClassify = "classify"

// Classify names the attack type of every injection that bears none, and marks the texts that their source ships in
// disguise.
func Classify(in []Record, l Lists) []Record {
	out := make([]Record, len(in))
	for i, r := range in {
		if r.Label == dataset.Injection && r.AttackType == "" {
			m := l.Classify(r.Text)
			r.AttackType, r.AttackRule, r.AttackSpan = m.Type, m.Rule, &[2]int{m.Start, m.End}
		}
		if r.Obfuscation == "none" && disguise.Disguised(r.Text) {
			r.Obfuscation, r.Edits = disguise.AsFound, disguise.Found(r.Text)
		}
		out[i] = r
	}
	return out
}
