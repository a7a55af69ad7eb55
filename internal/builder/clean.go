package builder

import (
	"pidsbench/internal/disguise"
	"pidsbench/internal/neardup"
	"pidsbench/internal/textnorm"
)

const stageClean = "clean"

// Clean removes, in this order: the rows of the reviewed drop list; benign rows with a security-adjacent word whose
// source is no source of prompts; benign prompts that their reader found ambiguous or harmful, or that hold such a word
// and were not read; rows that show a held-out disguise; rows whose exact form stands with both classes; exact and
// skeleton repeats; rows whose TF-IDF cosine with a row that is kept reaches near. Of repeats the first in canonical
// order stays, plain texts before disguised ones. Only kept rows count as references, so a chain of near repeats never
// removes a row unlike all that remain. Rows of one carrier document are no near repeats of each other.
func Clean(in []Record, lock *Lock, lists Lists, near float64) (kept []Record, removed []Removal) {
	in = plainFirst(in)
	type group struct {
		first int
		both  bool
	}
	groups := map[string]*group{}
	exact, skeletons, reasons := make([]string, len(in)), make([]string, len(in)), make([]string, len(in))
	forEach(len(in), func(i int) {
		exact[i] = textnorm.Exact(in[i].Text)
		if reasons[i] = unfit(in[i], exact[i], lock, lists); reasons[i] == "" {
			skeletons[i] = textnorm.Skeleton(in[i].Text)
		}
	})
	for i, r := range in {
		g, ok := groups[exact[i]]
		if !ok {
			groups[exact[i]] = &group{first: i}
		} else if in[g.first].Label != r.Label {
			g.both = true
		}
	}
	drop := func(r Record, reason, partner string) {
		m := r.remove(stageClean, reason)
		m.Partner = partner
		removed = append(removed, m)
	}
	byExact, bySkeleton := map[string]string{}, map[string]string{}
	for i, r := range in {
		if reasons[i] != "" {
			drop(r, reasons[i], "")
			continue
		}
		if groups[exact[i]].both {
			drop(r, "both classes", opposite(in, exact, i, groups[exact[i]].first))
			continue
		}
		if first, ok := byExact[exact[i]]; ok {
			drop(r, "exact repeat", first)
			continue
		}
		skeleton := skeletons[i]
		if first, ok := bySkeleton[skeleton]; ok && skeleton != "" {
			drop(r, "skeleton repeat", first)
			continue
		}
		byExact[exact[i]], bySkeleton[skeleton] = r.ID, r.ID
		kept = append(kept, r)
	}
	var more []Removal
	kept, more = dropNear(kept, near)
	canonical(kept)
	return kept, append(removed, more...)
}

// unfit returns why no split may hold a record, whatever the others are, or "".
func unfit(r Record, exact string, lock *Lock, lists Lists) string {
	if reason, ok := lists.Drops[hashOf([]byte(exact))]; ok {
		return "drop list: " + reason
	}
	if r.benignPool() && !r.Own && !lock.Sources[r.Rank].HardBenign && lists.Adjacent(r.Text) {
		return "security-adjacent, no prompt"
	}
	if _, out := adjacency(r, lists); out != "" {
		return out
	}
	if mark := heldOutMark(r.Text); mark != "" {
		return "held-out disguise: " + mark
	}
	return ""
}

// plainFirst puts the texts that their source ships in disguise last, so that the plain one of two stays.
func plainFirst(in []Record) []Record {
	out := make([]Record, 0, len(in))
	for _, want := range []bool{false, true} {
		for _, r := range in {
			if (r.Obfuscation == disguise.AsFound) == want {
				out = append(out, r)
			}
		}
	}
	return out
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
			if gone[p.I] || r.Carrier != "" && in[p.I].Carrier == r.Carrier {
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
