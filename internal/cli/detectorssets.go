package cli

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/builder"
	"pidsbench/internal/detect"
	"pidsbench/internal/external"
	"pidsbench/internal/fault"
)

// setNames returns the names of the sets here: sources of the open edition, and imported sets.
func (p *project) setNames() []string {
	names, _ := p.externalStore().Names() // a set that is not as it should be is told of where it is used
	if lock, err := builder.LoadLock(p.root); err == nil {
		for _, s := range lock.Sources {
			names = append(names, s.ID)
		}
	}
	slices.Sort(names)
	return names
}

// knownSets returns all names that trained_on can match: beside the sets here those that could be imported, those of
// which it is known what they hold, and the editions.
func (p *project) knownSets() []string {
	names := append(p.setNames(), detect.SetNames()...)
	mappings, _ := external.Mappings(p.path("configs/mappings"))
	names = append(names, mappings...)
	for _, e := range p.benchmark.Editions {
		names = append(names, e.ID)
	}
	return names
}

// showSet names a set, and the sources of the open edition and the imported sets that it may share texts with.
func (p *project) showSet(set string) string {
	if strings.EqualFold(set, detect.TrainSplit) {
		return "the open edition's train split"
	}
	if s, strange := strange(set, p.knownSets()); strange {
		return s.String() + ": no source here is called so"
	}
	var shared []string
	for _, name := range p.setNames() {
		if !strings.EqualFold(name, set) && detect.MayShareTexts(set, name) {
			shared = append(shared, name)
		}
	}
	if len(shared) == 0 {
		return set
	}
	return set + ", which may share texts with " + strings.Join(shared, ", ")
}

// strangeSet is a name in trained_on that matches no source here: rightly, for a set that nothing here comes from, or
// because it is misspelt.
type strangeSet struct {
	Name string `json:"name"`
	Near string `json:"did_you_mean,omitempty"`
}

// String returns the name, with the one that may have been meant.
func (s strangeSet) String() string {
	if s.Near == "" {
		return s.Name
	}
	return fmt.Sprintf("%s (did you mean %s?)", s.Name, s.Near)
}

func strange(set string, known []string) (strangeSet, bool) {
	if slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, set) }) {
		return strangeSet{}, false
	}
	return strangeSet{set, fault.Near(set, known)}, true
}

// strangeSets returns the names in trained_on that match no source here.
func (p *project) strangeSets(e detect.Entry) []strangeSet {
	if len(e.TrainedOn) == 0 {
		return nil
	}
	var out []strangeSet
	known := p.knownSets()
	for _, set := range e.TrainedOn {
		if s, strange := strange(set, known); strange {
			out = append(out, s)
		}
	}
	return out
}

// strangeLine says which names in trained_on match no source here.
func strangeLine(sets []strangeSet) string {
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = s.String()
	}
	return "trained_on: no source here is called " + strings.Join(names, ", ")
}
