package comparison

import (
	"maps"
	"slices"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
	"pidsbench/internal/threshold"
)

// Listed is a comparison of configs/primary.yaml. It asks whether detector A is better than B.
type Listed struct {
	ID       string            `yaml:"id"`
	Question string            `yaml:"question"`
	A        string            `yaml:"a"`
	B        string            `yaml:"b"`
	Metric   string            `yaml:"metric"`
	Split    string            `yaml:"split"`
	Slice    map[string]string `yaml:"slice"` // at most one: name of a slice → value
	Policy   string            `yaml:"policy"`
	Seeds    []int             `yaml:"-"` // that a detector with seeds must have been run at, of the whole list; empty for its own
}

// most is the number of comparisons that may be primary: a correction for more leaves none.
const most = 6

// LoadPrimary reads a file of primary comparisons, named by its path in messages. A mistake in it is a usage error that
// names the line.
func LoadPrimary(path string) ([]Listed, error) {
	var list struct {
		Seeds       []int    `yaml:"seeds"`
		Comparisons []Listed `yaml:"comparisons"`
	}
	f := &strictyaml.File{Name: path, Kind: fault.Usage, Cure: "correct it, or restore the file from the repository"}
	if err := f.Load(path, &list); err != nil {
		return nil, err
	}
	switch n := len(list.Comparisons); {
	case n == 0:
		return nil, f.Fail(f.Line("comparisons"), "there is no comparison, expected at least one under comparisons")
	case n > most:
		return nil, f.Fail(f.Line("comparisons", most), "there are %d comparisons, expected at most %d", n, most)
	}
	seen := map[string]bool{}
	for i := range list.Comparisons {
		c := &list.Comparisons[i]
		if err := c.check(f, i); err != nil {
			return nil, err
		}
		if seen[c.ID] {
			return nil, f.Fail(f.Line("comparisons", i, "id"), "the id %s stands twice", fault.Quote(c.ID)).
				WithCure("rename one of them")
		}
		seen[c.ID] = true
		c.Seeds = list.Seeds
	}
	return list.Comparisons, nil
}

// check returns the first mistake and brings the policy into its usual form.
func (c *Listed) check(f *strictyaml.File, i int) error {
	fail := func(field, format string, args ...any) error {
		return f.Fail(f.Line("comparisons", i, field), format, args...)
	}
	for _, of := range []struct{ name, value string }{{"id", c.ID}, {"question", c.Question}, {"a", c.A}, {"b", c.B},
		{"metric", c.Metric}, {"split", c.Split}} {
		if strings.TrimSpace(of.value) == "" {
			return fail(of.name, "a comparison lacks field %s", of.name)
		}
	}
	if c.A == c.B {
		return fail("b", "fields a and b name the same detector %s", fault.Quote(c.A))
	}
	if _, known := metricsByName[c.Metric]; !known {
		names := slices.Sorted(maps.Keys(metricsByName))
		near := fault.Near(c.Metric, names)
		if near != "" {
			near = " (did you mean " + near + "?)"
		}
		return fail("metric", "metric is %s%s, expected one of %s", fault.Quote(c.Metric), near, strings.Join(names, ", "))
	}
	if len(c.Slice) > 1 {
		return fail("slice", "slice has %d names, expected one", len(c.Slice))
	}
	if metricsByName[c.Metric].of == nil {
		if c.Policy != "" {
			return fail("policy", "%s rests on no threshold, and a policy is given", c.Metric)
		}
		return nil
	}
	policy, err := threshold.Parse(c.Policy)
	if err != nil {
		return fail("policy", "policy is %s, expected fixed:T, val_f1, val_f1:high, val_fpr:X or native", fault.Quote(c.Policy))
	}
	c.Policy = policy.String()
	return nil
}

// Spec returns what is compared.
func (c *Listed) Spec() Spec {
	s := Spec{Name: c.ID, Split: c.Split, Slice: "all", Metric: c.Metric, Policy: c.Policy}
	for name, value := range c.Slice {
		s.Slice = name + "=" + value
	}
	return s
}

// Is reports whether a comparison of two detectors is this one, from whichever side.
func (c *Listed) Is(a, b string, s Spec) bool {
	own := c.Spec()
	return (c.A == a && c.B == b || c.A == b && c.B == a) && own.Split == s.Split && own.Slice == s.Slice &&
		own.Metric == s.Metric && own.Policy == s.Policy
}
