package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
	"pidsbench/internal/results"
)

// registerSplits adds the flag that chooses among the splits to be evaluated.
func (o *dataOptions) registerSplits(cmd *cobra.Command, what string) {
	cmd.Flags().StringSliceVar(&o.splits, "split", nil, "splits by name, separated by commas (default all)"+what)
}

// only leaves the chosen splits and imported sets in the frame; all, when none is. With val that is one of them.
func (f *frame) only(chosen []string, val bool) error {
	if len(chosen) == 0 {
		return nil
	}
	var names []string
	for _, s := range f.splits {
		names = append(names, s.Spec.Name)
	}
	if val && f.val != nil {
		names = append(names, "val")
	}
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return fault.New(fault.Usage, "--split names %s, and there is no such split to be scored%s", fault.Quote(name),
				suggest(name, names)).WithCure("choose from %s", strings.Join(names, ", "))
		}
	}
	f.chosen = chosen
	f.splits = slices.DeleteFunc(f.splits, func(s results.Split) bool { return !slices.Contains(chosen, s.Spec.Name) })
	for i := range f.splits {
		f.splits[i].Asked = f.splits[i].External
	}
	f.absent = slices.DeleteFunc(f.absent, func(why string) bool {
		return "val: "+why != f.noVal && !slices.ContainsFunc(f.splits, func(s results.Split) bool { return s.Absent == why })
	})
	return nil
}
