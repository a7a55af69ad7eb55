package builder

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
)

const stageClassify = "classify"

// disguiseRule is the rule of the classifier that finds a text in heavy disguise.
const disguiseRule = "structure:disguise"

// Classify names the attack type of every injection that bears none, and marks the texts that their source ships in
// disguise.
func Classify(in []Record, l Lists) []Record {
	out := make([]Record, len(in))
	for i, r := range in {
		if r.Label == dataset.Injection && r.AttackType == "" {
			m := l.Classify(r.Text)
			r.AttackType, r.AttackRule, r.AttackSpan = m.Type, m.Rule, &[2]int{m.Start, m.End}
		}
		if r.Obfuscation == "none" && (disguise.Disguised(r.Text) || r.AttackRule == disguiseRule) {
			r.Obfuscation, r.Edits = disguise.AsFound, max(1, disguise.Found(r.Text))
		}
		out[i] = r
	}
	return out
}
