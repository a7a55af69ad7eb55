package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/external"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
)

// registerExternal adds the flag that chooses among the imported sets.
func (o *dataOptions) registerExternal(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&o.external, "external", nil, "imported sets to list beside the edition, by name, or none "+
		"(default: all that are imported)")
}

func (o *dataOptions) checkExternal() error {
	if slices.Contains(o.external, "none") && len(o.external) > 1 {
		return fault.New(fault.Usage, "--external is %s, expected names or none", strings.Join(o.external, ",")).
			WithCure("give one of the two")
	}
	return nil
}

func (p *project) externalStore() external.Store { return external.Store{Dir: p.path(external.Folder)} }

// addExternal puts the imported sets behind the splits of the edition. A set that is not as it was imported is an
// error: numbers over changed rows would be compared with those over the old ones.
func (p *project) addExternal(f *frame, o *dataOptions) error {
	store := p.externalStore()
	var names []string
	for _, name := range o.external {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case slices.Contains(names, "none"):
		return nil
	case len(names) == 0:
		var err error
		if names, err = store.Names(); err != nil {
			return err
		}
	}
	for _, name := range names {
		set, split, err := store.Load(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(f.splits, func(s results.Split) bool { return s.Spec.Name == name }) {
			return fault.New(fault.Integrity, "external set %s has the name of a split of edition %s", name, f.edition).
				WithCure("import it under another name, or leave it out with --external")
		}
		f.splits = append(f.splits, results.Split{Spec: set.Spec(), Data: split, External: true, Asked: len(o.external) > 0})
	}
	return nil
}

// editionOf returns the edition under which the scores of a split lie.
func (f *frame) editionOf(s results.Split) string {
	if s.External {
		return external.Edition
	}
	return f.edition
}

// splitNames returns the names of all splits of all editions.
func splitNames(b *dataset.Benchmark) []string {
	var names []string
	for _, e := range b.Editions {
		for _, s := range e.Splits {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}
