package gate

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
	"pidsbench/internal/threshold"
)

// Load reads a file of limits; name stands for it in messages. A mistake in it is a usage error that names the line.
func Load(path, name string) (*Config, error) {
	var list struct {
		Limits []Limit `yaml:"limits"`
	}
	c := &Config{Name: name, file: &strictyaml.File{Name: name, Kind: fault.Usage,
		Cure: "correct it (docs/gate.md has all fields)"}}
	if err := c.file.Load(path, &list); err != nil {
		return nil, err
	}
	c.Limits = list.Limits
	if len(c.Limits) == 0 {
		return nil, c.file.Fail(c.file.Line("limits"), "there is no limit, expected at least one under limits")
	}
	first := map[string]bool{}
	for i := range c.Limits {
		if err := c.check(i); err != nil {
			return nil, err
		}
		if id := c.Limits[i].ID; first[id] {
			return nil, c.fail(i, "id", "the id %s stands twice", fault.Name(id)).WithCure("rename one of them")
		}
		first[c.Limits[i].ID] = true
	}
	return c, nil
}

// idPattern keeps ids fit for the names of tests, rules and anchors.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

var axes = []string{string(dataset.IID), string(dataset.HardBenign), string(dataset.OrdinaryBenign),
	string(dataset.Obfuscation), string(dataset.BalancedSubtype), string(dataset.DomainShift),
	string(dataset.StructuralShift)}

// check returns the first mistake that can be seen without any data, and fills in what is not given.
func (c *Config) check(i int) error {
	l := &c.Limits[i]
	for _, f := range []struct{ name, value string }{{"id", l.ID}, {"detector", l.Detector}, {"metric", l.Metric}} {
		if strings.TrimSpace(f.value) == "" {
			return c.fail(i, f.name, "a limit lacks field %s", f.name)
		}
	}
	if !idPattern.MatchString(l.ID) {
		return c.fail(i, "id", "id is %s, expected at most 80 letters, digits, dots, dashes and underscores",
			fault.Quote(l.ID))
	}
	m, known := metricNamed(l.Metric)
	if !known {
		return c.unknown(i, "metric", l.Metric, metricNames(func(metric) bool { return true }))
	}
	switch {
	case l.Axis == "" && l.Split == "":
		return c.fail(i, "", "a limit says neither on which axis it is nor on which split").WithCure("add axis: or split:")
	case l.Axis != "" && l.Split != "":
		return c.fail(i, "split", "a limit is on an axis and on a split").WithCure("delete one of the two")
	case l.Axis != "" && !slices.Contains(axes, l.Axis):
		return c.unknown(i, "axis", l.Axis, axes)
	case len(l.Slice) > 1:
		return c.fail(i, "slice", "slice has %d names, expected one", len(l.Slice))
	}
	if err := c.checkOn(i, m); err != nil {
		return err
	}
	if err := c.checkPolicy(i); err != nil {
		return err
	}
	return c.checkBound(i, m)
}

// unknown is the error for a name that is none of those known.
func (c *Config) unknown(i int, field, name string, known []string) error {
	near := fault.Near(name, known)
	if near != "" {
		near = " (did you mean " + near + "?)"
	}
	err := c.fail(i, field, "%s is %s%s, and there is no such %s", field, fault.Quote(name), near, field)
	if len(known) > 0 {
		return err.WithCure("choose from %s", list(known))
	}
	return err
}

// list names at most twenty.
func list(names []string) string {
	const most = 20
	shown := make([]string, 0, most)
	for _, n := range names {
		shown = append(shown, fault.Name(n))
	}
	if len(shown) > most {
		shown = append(shown[:most], "…")
	}
	return strings.Join(shown, ", ")
}

func (c *Config) checkOn(i int, m metric) error {
	l := &c.Limits[i]
	if l.On == "" {
		l.On = OnEdge
	}
	switch {
	case l.On != OnValue && l.On != OnEdge:
		return c.unknown(i, "on", l.On, []string{OnValue, OnEdge})
	case l.On == OnEdge && !m.interval:
		return c.fail(i, "metric", "%s is a count and has no interval whose edge could keep a bound", m.name).
			WithCure("add `on: value`, or limit a share: %s",
				list(metricNames(func(m metric) bool { return m.interval })))
	}
	return nil
}

func (c *Config) checkPolicy(i int) error {
	l := &c.Limits[i]
	if l.Metric == areaMetric {
		if l.Policy != "" {
			return c.fail(i, "policy", "%s rests on no threshold, and a policy is given", areaMetric).WithCure("delete it")
		}
		return nil
	}
	if l.Policy == "" {
		l.Policy = string(threshold.Native)
	}
	p, err := threshold.Parse(l.Policy)
	if err != nil {
		kind, _, _ := strings.Cut(l.Policy, ":")
		near := fault.Near(kind, []string{string(threshold.Fixed), string(threshold.ValF1), string(threshold.ValFPR),
			string(threshold.Native)})
		if near == kind {
			near = ""
		}
		if near != "" {
			near = " (did you mean " + near + "?)"
		}
		return c.fail(i, "policy", "policy is %s%s, and there is no such policy", fault.Quote(l.Policy), near).
			WithCure("choose from native, val_f1, val_f1:high, fixed:T and val_fpr:X with numbers from 0 to 1")
	}
	l.Policy = p.String()
	return nil
}

// checkBound refuses bounds that are none, and those that no number of rows could ever show to be kept.
func (c *Config) checkBound(i int, m metric) error {
	l := &c.Limits[i]
	var given []string
	for _, b := range []struct {
		name string
		at   *float64
	}{{"max", l.Max}, {"min", l.Min}, {"regression", l.Regression}} {
		if b.at == nil {
			continue
		}
		given = append(given, b.name)
		switch {
		case m.share && !(*b.at >= 0 && *b.at <= 1):
			return c.fail(i, b.name, "%s is %g, expected a share from 0 to 1 (0.05 for 5 %%)", b.name, *b.at)
		case !(*b.at >= 0) || math.IsInf(*b.at, 0):
			return c.fail(i, b.name, "%s is %g, expected a number of rows", b.name, *b.at)
		}
	}
	switch {
	case len(given) == 0:
		return c.fail(i, "", "a limit has no bound").WithCure("add max:, min: or regression:")
	case len(given) > 1:
		return c.fail(i, given[1], "a limit has the bounds %s, expected one", strings.Join(given, " and ")).
			WithCure("make two limits of it")
	case l.Regression != nil && !m.compared:
		return c.fail(i, "metric", "%s is not compared with a baseline", m.name).
			WithCure("choose from %s", list(metricNames(func(m metric) bool { return m.compared })))
	case l.On == OnEdge && (l.Max != nil && *l.Max == 0 || l.Min != nil && *l.Min == 1):
		return c.fail(i, given[0], "no number of rows shows that %s is exactly %g everywhere: no 95 %% interval ends there",
			m.name, l.bound().At).WithCure("give a bound that may be reached, or add `on: value`")
	}
	return nil
}
