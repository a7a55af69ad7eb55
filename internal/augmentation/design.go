package augmentation

import (
	"cmp"
	"strconv"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// Design is a detector and its arms, the detector itself first.
type Design struct {
	Name      string // what tables show
	Names     []string
	Detectors []results.Detector
}

// Arms takes the thresholds of a policy from results that were built from the design's detectors.
func (d *Design) Arms(r *results.Results, policy string) []Arm {
	arms := make([]Arm, len(d.Detectors))
	for i, det := range d.Detectors {
		arms[i] = Arm{Name: d.Names[i], Detector: det.ID, Seeds: det.Seeds, Reason: det.Unavailable}
		for _, sum := range r.Detectors {
			if sum.ID != det.ID {
				continue
			}
			for _, seed := range det.Seeds {
				tau, ok := sum.Tau[policy][strconv.Itoa(seed.Seed)]
				if !ok {
					arms[i].Reason = cmp.Or(arms[i].Reason, sum.NoTau[policy], "there is no threshold")
				}
				arms[i].Tau = append(arms[i].Tau, tau)
			}
		}
	}
	return arms
}

// siblings is the split with further texts of the frames whose texts the curated arm was trained on.
const siblings = "hard_negative_siblings"

// Sets returns the sets of benign texts that the splits hold, from what is nearest to the curated hard negatives to what
// is farthest: further texts of their frames, curated texts of other frames, third-party security-adjacent texts,
// ordinary ones, and the benign rows of external sets. Rows in dispute are left out when undisputed is set.
func Sets(splits []results.Split, undisputed bool) []Set {
	var sets []Set
	add := func(name, split, column, value string) {
		for _, s := range splits {
			if s.Spec.Name == split && s.Absent == "" && !s.External {
				if set := choose(name, s, column, value, undisputed); len(set.Rows) > 0 {
					sets = append(sets, set)
				}
			}
		}
	}
	add("Curated, same frames", siblings, "", "")
	add("Curated, new frames", "hard_benign_test", "source_type", "curated")
	add("Third-party", "hard_benign_test", "source_type", "real")
	add("Ordinary", "ordinary_benign", "", "")
	for _, s := range splits {
		if s.External && s.Absent == "" {
			if set := choose(s.Spec.Name, s, "", "", undisputed); len(set.Rows) > 0 {
				sets = append(sets, set)
			}
		}
	}
	return sets
}

// choose takes the benign rows of a split, those with a value in a column when one is named, grouped by family where the
// split has families.
func choose(name string, s results.Split, column, value string, undisputed bool) Set {
	set := Set{Name: name, Split: s.Spec.Name, External: s.External}
	values, _ := s.Data.Column(column)
	families := results.Families.Of(s)
	var out map[int]bool
	if undisputed {
		out = results.Disputed(s.Data)
	}
	for i, row := range s.Data.Rows {
		if row.Label != dataset.Benign || out[i] || column != "" && (values == nil || values[i] != value) {
			continue
		}
		set.Rows, set.Groups = append(set.Rows, i), append(set.Groups, families[i])
	}
	return set
}
