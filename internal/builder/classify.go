package builder

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/textnorm"
)

const stageClassify = "classify"

// disguiseRule is the rule of the classifier that finds a text in heavy disguise.
const disguiseRule = "structure:disguise"

// Classify names the attack type of every injection that bears none, and marks the third-party texts that their source
// ships in disguise, those whose class readers doubt, and third-party benign rows of a domain.
func Classify(in []Record, l Lists) []Record {
	out := make([]Record, len(in))
	forEach(len(in), func(i int) {
		r := in[i]
		if r.Label == dataset.Injection && r.AttackType == "" {
			m := l.Classify(r.Text)
			r.AttackType, r.AttackRule, r.AttackSpan = m.Type, m.Rule, &[2]int{m.Start, m.End}
		}
		if !r.Own && r.Obfuscation == "none" && (disguise.Disguised(r.Text) || r.AttackRule == disguiseRule) {
			r.Obfuscation, r.Edits = disguise.AsFound, max(1, disguise.Found(r.Text))
		}
		hash := textnorm.ExactHash(r.Text)
		if r.Label == dataset.Benign && !r.Own {
			r.Domain = l.Domains[hash]
		}
		if _, doubted := l.Disputed[hash]; doubted {
			r.Disputed = true
		}
		out[i] = r
	})
	return out
}
