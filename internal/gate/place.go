package gate

import (
	"maps"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
)

// Detector is what limits have to know of one that exists.
type Detector struct {
	ID     string
	Native bool // it has a threshold of its own
}

// CheckDetectors returns a usage error for the first limit on a detector that does not exist, or at the threshold of a
// detector that has none of its own.
func (c *Config) CheckDetectors(known []Detector) error {
	ids := make([]string, len(known))
	for i, d := range known {
		ids[i] = d.ID
	}
	for i, l := range c.Limits {
		at := slices.Index(ids, l.Detector)
		if at < 0 {
			return c.unknown(i, "detector", l.Detector, ids)
		}
		if l.Policy == "native" && !known[at].Native {
			field := "policy"
			if !c.file.Has("limits", i, field) {
				field = "detector"
			}
			return c.fail(i, field, "detector %s has no threshold of its own, which the policy native asks for", l.Detector).
				WithCure("name a policy: val_f1, fixed:0.5 or val_fpr:0.01")
		}
	}
	return nil
}

// Place is the split that a limit is on.
type Place struct {
	Split  *results.Split // nil where Reason says why there is none
	Reason string
}

// Places finds the splits of the limits among those of the edition, or of the user's own files, and the external sets
// beside it. elsewhere holds the names of splits that other editions have. A split, a slice or a value of one that
// exists nowhere is a usage error; one that is not here is a Place with the reason.
func (c *Config) Places(splits []results.Split, elsewhere []string) ([]Place, error) {
	places := make([]Place, len(c.Limits))
	for i, l := range c.Limits {
		at := slices.IndexFunc(splits, func(s results.Split) bool {
			if l.Axis != "" {
				return string(s.Spec.Axis) == l.Axis && !s.External
			}
			return s.Spec.Name == l.Split
		})
		switch {
		case at >= 0:
			places[i].Split = &splits[at]
			if err := c.checkSlice(i, places[i].Split); err != nil {
				return nil, err
			}
			if places[i].Split.Absent != "" {
				places[i] = Place{Reason: places[i].Split.Absent}
			}
		case l.Axis != "":
			places[i].Reason = "there is no split of the " + strings.ReplaceAll(l.Axis, "_", "-") + " axis here"
		case slices.Contains(elsewhere, l.Split):
			places[i].Reason = "there is no split " + l.Split + " here"
		default:
			var names []string
			for _, s := range splits {
				names = append(names, s.Spec.Name)
			}
			return nil, c.unknown(i, "split", l.Split, names)
		}
	}
	return places, nil
}

// checkSlice refuses slices that a split has not, and the edge of an area that has no interval.
func (c *Config) checkSlice(i int, s *results.Split) error {
	l := &c.Limits[i]
	if whole := s.Spec.Axis == dataset.IID || s.Spec.Axis == dataset.Custom; l.Metric == areaMetric && l.On == OnEdge &&
		l.Regression == nil && (!whole || len(l.Slice) > 0) {
		return c.fail(i, "metric", "%s has an interval on all rows of the iid axis and of files of yours alone", areaMetric).
			WithCure("add `on: value`")
	}
	for name, value := range l.Slice {
		column, ok := s.Spec.Slices[name]
		if !ok {
			return c.unknown(i, "slice", name, slices.Sorted(maps.Keys(s.Spec.Slices)))
		}
		if s.Absent != "" {
			return nil
		}
		values, ok := s.Data.Column(column)
		if ok && !slices.Contains(values, value) {
			return c.unknown(i, "slice", name+"="+value, withName(name, values))
		}
	}
	return nil
}

// withName returns the slices that values make.
func withName(name string, values []string) []string {
	all := slices.Clone(values)
	slices.Sort(all)
	all = slices.Compact(all)
	for i, v := range all {
		all[i] = name + "=" + v
	}
	return all
}
