package cli

import (
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
)

// selected is a detector with the seeds to run.
type selected struct {
	entry detect.Entry
	seeds []int
	named bool // by the user, not by "all" and not added as a baseline

	unavailable string // why there is nothing to run
}

// result returns the detector for the tables, without any outcome yet.
func (s selected) result() results.Detector {
	return results.Detector{ID: s.entry.ID, Name: s.entry.Name, Baseline: s.entry.Baseline, Native: s.entry.Native,
		Required: s.named, Foreign: s.entry.Foreign(), Unavailable: s.unavailable}
}

// selectDetectors resolves --detector and --seeds. Baselines are added at the end: they stand below the line of every
// table.
func selectDetectors(p *project, o *scoreOptions) ([]selected, error) {
	byID := map[string]detect.Entry{}
	var ids []string
	for _, e := range p.detectors.Detectors {
		byID[e.ID] = e
		ids = append(ids, e.ID)
	}
	var out []selected
	add := func(id string, named bool) error {
		if slices.ContainsFunc(out, func(s selected) bool { return s.entry.ID == id }) {
			return nil
		}
		s, err := selectSeeds(byID[id], o.seeds, named)
		out = append(out, s)
		return err
	}
	for _, name := range o.detectors {
		if name == "all" {
			continue
		}
		if _, ok := byID[name]; !ok {
			return nil, fault.New(fault.Usage, "there is no detector %q%s", name, suggest(name, ids)).
				WithCure("choose from %s, or all", strings.Join(ids, ", "))
		}
		if err := add(name, true); err != nil {
			return nil, err
		}
	}
	if err := checkSeedless(out, o.seeds); err != nil {
		return nil, err
	}
	for _, e := range p.detectors.Detectors {
		if slices.Contains(o.detectors, "all") && e.LeftOut == "" || e.Baseline {
			if err := add(e.ID, false); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// checkSeedless refuses seeds where none of the detectors named has any; beside one that has they are its own.
func checkSeedless(named []selected, seeds []string) error {
	for _, s := range named {
		if len(s.entry.Seeds) > 0 {
			return nil
		}
	}
	for _, n := range seeds {
		if len(named) > 0 && n != "all" && n != "0" {
			return fault.New(fault.Usage, "--seeds names %s, and %s has no seeds", fault.Quote(n), named[0].entry.ID).
				WithCure("leave --seeds out")
		}
	}
	return nil
}

// selectSeeds returns the detector with its seeds to run: its first, all it declares, or those asked for. A detector
// without seeds runs once, as seed 0.
func selectSeeds(e detect.Entry, want []string, named bool) (selected, error) {
	s := selected{entry: e, named: named}
	var numbers []int
	for _, w := range want {
		n, err := strconv.Atoi(w)
		if err != nil && w != "all" {
			return s, fault.New(fault.Usage, "--seeds holds %q, expected numbers separated by commas, or all", w)
		}
		if err == nil && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	switch {
	case len(e.Seeds) == 0:
		s.seeds = []int{0}
	case len(want) == 0:
		s.seeds = e.Seeds[:1]
	case slices.Contains(want, "all"):
		s.seeds = e.Seeds
	default:
		for _, n := range numbers {
			if slices.Contains(e.Seeds, n) {
				s.seeds = append(s.seeds, n)
			} else if named {
				return s, fault.New(fault.Usage, "detector %s has no seed %d", e.ID, n).
					WithCure("choose from %s, or all", joinInts(e.Seeds))
			}
		}
		if len(s.seeds) == 0 {
			s.unavailable = "it has none of the seeds " + joinInts(numbers)
		}
	}
	return s, nil
}

func joinInts(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, ", ")
}

// suggest returns a clause with the name that was probably meant, when one is near.
func suggest(name string, from []string) string {
	if near := fault.Near(name, from); near != "" {
		return " (did you mean " + near + "?)"
	}
	return ""
}
