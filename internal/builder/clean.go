package builder

import (
	"pidsbench/internal/neardup"
	"pidsbench/internal/textnorm"
)

const stageClean = "clean"

// Clean removes, in this order: the rows of the reviewed drop list; benign pool rows with a security-adjacent word
// whose source is no source of prompts; rows whose exact form stands with both classes; exact repeats (the first in
// canonical order stays); rows whose TF-IDF cosine with a row that is kept reaches near. Only kept rows count as
// references, so a chain of near repeats never removes a row unlike all that remain.
func Clean(in []Record, lock *Lock, lists Lists, near float64) (kept []Record, removed []Removal) {
	type group struct {
		first int
		both  bool
	}
	groups := map[string]*group{}
	exact := make([]string, len(in))
	for i, r := range in {
		exact[i] = textnorm.Exact(r.Text)
		g, ok := groups[exact[i]]
		if !ok {
			groups[exact[i]] = &group{first: i}
		} else if in[g.first].Label != r.Label {
			g.both = true
		}
	}
	seen := map[string]string{}
	for i, r := range in {
		if reason, ok := lists.Drops[textnorm.ExactHash(r.Text)]; ok {
			removed = append(removed, r.remove(stageClean, "drop list: "+reason))
			continue
		}
		if r.benignPool() && !lock.Sources[r.Rank].HardBenign && lists.Adjacent(r.Text) {
			removed = append(removed, r.remove(stageClean, "security-adjacent, no prompt"))
			continue
		}
		if groups[exact[i]].both {
			m := r.remove(stageClean, "both classes")
			m.Partner = opposite(in, exact, i, groups[exact[i]].first)
			removed = append(removed, m)
			continue
		}
		if first, ok := seen[exact[i]]; ok {
			m := r.remove(stageClean, "exact repeat")
			m.Partner = first
			removed = append(removed, m)
			continue
		}
		seen[exact[i]] = r.ID
		kept = append(kept, r)
	}
	var more []Removal
	kept, more = dropNear(kept, near)
	return kept, append(removed, more...)
}

// opposite returns the ID of the first record from i's group that has the other class.
func opposite(in []Record, exact []string, i, first int) string {
	for j := first; j < len(in); j++ {
		if exact[j] == exact[i] && in[j].Label != in[i].Label {
			return in[j].ID
		}
	}
	return ""
}

// dropNear goes through the records in order and drops each one that is near a record kept before it.
func dropNear(in []Record, near float64) (kept []Record, removed []Removal) {
	partners := make([][]neardup.Pair, len(in))
	for _, p := range neardup.Pairs(texts(in), near, 0) {
		partners[p.J] = append(partners[p.J], p)
	}
	gone := make([]bool, len(in))
	for i, r := range in {
		for _, p := range partners[i] {
			if gone[p.I] {
				continue
			}
			reason := "near repeat"
			if in[p.I].Label != r.Label {
				reason = "near repeat of the other class"
			}
			m := r.remove(stageClean, reason)
			m.Partner, m.Score = in[p.I].ID, roundScore(p.Cosine)
			removed = append(removed, m)
			gone[i] = true
			break
		}
		if !gone[i] {
			kept = append(kept, r)
		}
	}
	return kept, removed
}

// roundScore cuts a cosine to four digits, so that the log does not depend on the last bits.
func roundScore(s float64) float64 { return float64(int64(s*1e4+0.5)) / 1e4 }
