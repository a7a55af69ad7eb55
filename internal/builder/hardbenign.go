package builder

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/lists"
	"pidsbench/internal/textnorm"
)

const stageHardBenign = "hard_benign"

// Verdicts that a reader gave to a benign prompt.
const (
	verdictKeep      = "keep"
	verdictAmbiguous = "ambiguous"
	verdictHarmful   = "harmful"
)

// adjacency says what becomes of a benign pool row, by the verdict of its reader and else by the word list:
// hard for one that is security-adjacent beyond doubt, out with a reason for one that no split may hold.
func adjacency(r Record, l Lists) (hard bool, out string) {
	if !r.benignPool() {
		return false, ""
	}
	if v, read := l.Verdicts[textnorm.ExactHash(r.Text)]; read {
		switch v.Verdict {
		case verdictKeep:
			return true, ""
		case verdictAmbiguous, verdictHarmful:
			return false, "read: " + v.Verdict
		}
		return false, "" // a homonym, or not adjacent: an ordinary text
	}
	if l.Adjacent(r.Text) {
		return false, "security-adjacent, unread"
	}
	return false, ""
}

// HardBenign takes every security-adjacent benign row out of the pool. No family is parted, so for each family that
// holds such rows one of two things happens, decided by counting its rows in the pool:
//
//   - at least as many rows are security-adjacent as are not: the adjacent ones become hard-benign rows and the others
//     are removed;
//   - fewer are: the adjacent ones are removed and the others stay in the pool, which loses less than it would.
//
// Either way no adjacent row is left in the pool, and no hard-benign family has a row there.
func HardBenign(in []Record, verdicts map[string]lists.Verdict) (pool, hard []Record, removed []Removal) {
	names, members := byFamily(in)
	topic := make([]string, len(in))
	for i, r := range in {
		if v := verdicts[textnorm.ExactHash(r.Text)]; r.benignPool() && v.Verdict == verdictKeep {
			topic[i] = v.Topic
		}
	}
	for _, name := range names {
		yes, no := 0, 0
		for _, i := range members[name] {
			if topic[i] != "" {
				yes++
			} else if in[i].Role == Pool {
				no++
			}
		}
		for _, i := range members[name] {
			r := in[i]
			switch {
			case yes == 0 || r.Role != Pool:
				pool = append(pool, r)
			case topic[i] != "" && yes >= no:
				r.Topic = topic[i]
				hard = append(hard, r)
			case topic[i] != "":
				removed = append(removed, r.remove(stageHardBenign, "adjacent, in a family that is mostly not"))
			case yes >= no:
				removed = append(removed, r.remove(stageHardBenign, "in a hard-benign family, "+r.Label.Name()))
			default:
				pool = append(pool, r)
			}
		}
	}
	canonical(pool)
	canonical(hard)
	return pool, hard, removed
}

// share is one use that hard-benign families are dealt to.
type share struct {
	name      string
	rows      int
	maxFamily int               // most rows a family gives; 0 for all. With 1, families of one row serve alone
	fits      func(Record) bool // nil for any row
}

// Deal gives hard-benign families, in hash order, to the shares, one after the other until each has its rows. A family
// serves one share alone; its rows beyond what the share takes, and the families that are left over, are removed. A
// share that takes one row of a family takes families of one row, which wastes none.
func Deal(hard []Record, shares []share, seed int64) (dealt map[string][]Record, removed []Removal, err error) {
	dealt = map[string][]Record{}
	names, members := familyOrder(hard, seed, stageHardBenign)
	gone := map[string]bool{}
	for _, s := range shares {
		for _, name := range names {
			if len(dealt[s.name]) >= s.rows {
				break
			}
			rows := make([]Record, 0, len(members[name]))
			for _, i := range members[name] {
				if s.fits == nil || s.fits(hard[i]) {
					rows = append(rows, hard[i])
				}
			}
			if gone[name] || len(rows) < len(members[name]) || s.maxFamily == 1 && len(rows) > 1 {
				continue
			}
			gone[name] = true
			rows = inHashOrder(rows, seed, stageHardBenign+" rows")
			for _, r := range rows {
				taken := len(dealt[s.name])
				switch {
				case taken < s.rows && (s.maxFamily == 0 || countFamily(dealt[s.name], r.Family) < s.maxFamily):
					dealt[s.name] = append(dealt[s.name], r)
				default:
					removed = append(removed, r.remove(stageHardBenign, "beyond what a family gives"))
				}
			}
		}
		if n := len(dealt[s.name]); n < s.rows {
			return nil, nil, fault.New(fault.Integrity,
				"%s: %s asks for %d security-adjacent rows, found %d: the read texts give no more", ConfigPath, s.name,
				s.rows, n).WithCure("lower it, or have more texts read for data/lists/hard_benign.yaml")
		}
		canonical(dealt[s.name])
	}
	for _, name := range names {
		if gone[name] {
			continue
		}
		for _, i := range members[name] {
			removed = append(removed, hard[i].remove(stageHardBenign, "beyond the quotas"))
		}
	}
	return dealt, removed, nil
}

func countFamily(records []Record, family string) (n int) {
	for _, r := range records {
		if r.Family == family {
			n++
		}
	}
	return n
}

// ordinaryArm takes n benign rows out of the pool that differ from the security-adjacent ones of the augmented arm in
// their topic alone: from the same sources in the same proportions, each from a family of its own that leaves the pool
// whole.
func ordinaryArm(pool, adjacent []Record, n, maxFamily int, seed int64) (
	left, arm []Record, removed []Removal, err error,
) {
	want := map[string]int{}
	like := inHashOrder(adjacent, seed, "augmentation")
	for i := range n {
		if len(like) > 0 {
			want[like[i%len(like)].Source]++
		}
	}
	_, members := byFamily(pool)
	chosen := map[string]string{}
	for _, r := range inHashOrder(pool, seed, "augmentation") {
		if r.Label != dataset.Benign || want[r.Source] == 0 || chosen[r.Family] != "" || r.Carrier != "" ||
			!pure(pool, members[r.Family], maxFamily) {
			continue
		}
		chosen[r.Family] = r.ID
		want[r.Source]--
		arm = append(arm, r)
	}
	if len(arm) < n {
		return nil, nil, nil, fault.New(fault.Integrity,
			"%s: field augmentation.ordinary holds %d, expected at most %d: so many ordinary families are suitable",
			ConfigPath, n, len(arm)).WithCure("lower it")
	}
	left, removed = withoutFamilies(pool, chosen, "augmentation")
	canonical(arm)
	return left, arm, removed, nil
}

// withoutFamilies takes the chosen families (family → ID of the row that was chosen) out of the records; their other
// rows are removed.
func withoutFamilies(in []Record, chosen map[string]string, stage string) (left []Record, removed []Removal) {
	for _, r := range in {
		switch id := chosen[r.Family]; id {
		case "":
			left = append(left, r)
		case r.ID:
		default:
			m := r.remove(stage, "family held out")
			m.Partner = id
			removed = append(removed, m)
		}
	}
	return left, removed
}
