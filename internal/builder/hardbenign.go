package builder

import (
	"maps"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/lists"
	"pidsbench/internal/textnorm"
)

const (
	stageHardBenign = "hard_benign"
	stageCurated    = "hard_benign.curated"
)

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

// CuratedRows draws so many authored hard-benign rows of every topic as of the others, from all frames of a topic in
// turn, and in hash order within a frame.
func CuratedRows(in []Record, cfg HardBenignConfig, seed int64) (out []Record, removed []Removal, err error) {
	byTopic := map[string]map[string][]Record{} // topic → frame → rows
	for _, r := range inHashOrder(in, seed, stageCurated) {
		if byTopic[r.Topic] == nil {
			byTopic[r.Topic] = map[string][]Record{}
		}
		byTopic[r.Topic][r.Frame] = append(byTopic[r.Topic][r.Frame], r)
	}
	topics := slices.Sorted(maps.Keys(byTopic))
	for i, topic := range topics {
		quota := cfg.Curated / len(topics)
		if i < cfg.Curated%len(topics) {
			quota++
		}
		want := quota
		frames := slices.Sorted(maps.Keys(byTopic[topic]))
		draw.Order(frames, seed, stageCurated, func(f string) string { return f })
		for turn := 0; len(frames) > 0; turn++ {
			var more []string
			for _, f := range frames {
				rows := byTopic[topic][f]
				switch {
				case turn >= len(rows):
					continue
				case want > 0:
					want--
					out = append(out, rows[turn])
				default:
					removed = append(removed, rows[turn].remove(stageCurated, "beyond the quota"))
				}
				more = append(more, f)
			}
			frames = more
		}
		if want > 0 {
			return nil, nil, fault.New(fault.Integrity, "%s: field %s asks for %d authored rows of %s, found %d", ConfigPath,
				stageCurated, quota, topic, quota-want).WithCure("lower it, or write more texts")
		}
	}
	if len(out) < cfg.Curated {
		return nil, nil, fault.New(fault.Integrity, "%s: field %s asks for %d authored rows, found none", ConfigPath,
			stageCurated, cfg.Curated).WithCure("lower it, or write texts")
	}
	canonical(out)
	return out, removed, nil
}

// ordinaryArm takes n benign rows out of the pool that differ from the security-adjacent ones of the augmented arm in
// their topic alone: from the same sources in the same proportions as far as they go, each from a family of its own that
// leaves the pool whole.
func ordinaryArm(pool, adjacent []Record, n, maxFamily int, seed int64) (
	left, arm []Record, removed []Removal, err error,
) {
	want, shared := map[string]int{}, map[string]bool{}
	like := inHashOrder(adjacent, seed, "augmentation")
	for i := range n {
		if len(like) > 0 {
			want[like[i%len(like)].Source]++
			shared[like[i%len(like)].Source] = true
		}
	}
	_, members := byFamily(pool)
	chosen := map[string]string{}
	// Where a source has too few suitable families, the others give more.
	for _, take := range []func(source string) bool{
		func(source string) bool { want[source]--; return want[source] >= 0 },
		func(source string) bool { return shared[source] && len(arm) < n },
	} {
		for _, r := range inHashOrder(pool, seed, "augmentation") {
			if r.Label == dataset.Benign && chosen[r.Family] == "" && r.Carrier == "" &&
				pure(pool, members[r.Family], maxFamily) && take(r.Source) {
				chosen[r.Family] = r.ID
				arm = append(arm, r)
			}
		}
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
