package inventory

import (
	"fmt"
	"path/filepath"
	"slices"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// Policy is tools/licences/policy.yaml: which licences may be, and what is known of single components.
type Policy struct {
	Shipped []string          `yaml:"shipped"` // of what a release holds
	Fetched []string          `yaml:"fetched"` // further ones, of what a user fetches
	Python  map[string]string `yaml:"python"`  // package: licence
	Known   []knownCase       `yaml:"known"`
}

// knownCase is a component whose licence nothing states in a form that a program reads, or that is on no list.
type knownCase struct {
	Kind    Kind   `yaml:"kind"`
	Name    string `yaml:"name"`
	Licence string `yaml:"licence"`
	Why     string `yaml:"why"` // it may stay
}

const policyPath = "tools/licences/policy.yaml"

// LoadPolicy reads the policy of the project at root.
func LoadPolicy(root string) (*Policy, error) {
	var p Policy
	f := strictyaml.File{Name: policyPath, Kind: fault.Usage, Cure: "mend it"}
	if err := f.Load(filepath.Join(root, filepath.FromSlash(policyPath)), &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// Verdict is what the policy says of a component.
type Verdict struct {
	Component
	Note    string // why a known case may stay
	Problem string // why it may not; empty when it may
}

// Judge returns the verdict on each component, and as problems what stands in the policy and fits no component.
func (p *Policy) Judge(all []Component) ([]Verdict, []string) {
	var verdicts []Verdict
	used := map[int]bool{}
	packages := map[string]bool{}
	for _, c := range all {
		v := Verdict{Component: c}
		if c.Kind == Python {
			v.Licence = p.Python[c.Name]
			packages[c.Name] = true
		}
		i := slices.IndexFunc(p.Known, func(k knownCase) bool { return k.Kind == c.Kind && k.Name == c.Name })
		switch {
		case i >= 0 && v.Licence != "" && v.Licence != p.Known[i].Licence:
			used[i] = true
			v.Problem = fmt.Sprintf("its licence is %s, known as %s", v.Licence, p.Known[i].Licence)
		case i >= 0:
			used[i] = true
			v.Licence, v.Note = p.Known[i].Licence, p.Known[i].Why
		case v.Licence == "":
			v.Problem = "nothing says its licence in a form that is recognised"
		default:
			v.Problem = p.complaint(v.Component)
		}
		verdicts = append(verdicts, v)
	}
	var stale []string
	for i, k := range p.Known {
		if !used[i] {
			stale = append(stale, fmt.Sprintf("known: no %s %s is used any more", k.Kind, k.Name))
		}
	}
	for name := range p.Python {
		if !packages[name] {
			stale = append(stale, fmt.Sprintf("python: no package %s is used any more", name))
		}
	}
	slices.Sort(stale)
	return verdicts, stale
}

// complaint is empty when the lists allow the component's licence.
func (p *Policy) complaint(c Component) string {
	ok, err := satisfied(c.Licence, func(name string) bool {
		return slices.Contains(p.Shipped, name) || !c.Shipped && slices.Contains(p.Fetched, name)
	})
	switch {
	case ok:
		return ""
	case err == nil:
		return c.Licence + " is on no list of allowed licences"
	case !c.Shipped && slices.Contains(p.Fetched, c.Licence): // the words of a record, not SPDX
		return ""
	}
	return err.Error()
}
