package main

import (
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"time"

	"pidsbench/tools/inventory"
)

// The parts of CycloneDX 1.6 that are written here.
type (
	bill struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp,omitempty"`
		Component component `json:"component"`
	}
	component struct {
		Type        string    `json:"type"`
		Ref         string    `json:"bom-ref"`
		Name        string    `json:"name"`
		Version     string    `json:"version,omitempty"`
		Description string    `json:"description,omitempty"`
		Scope       string    `json:"scope,omitempty"`
		Hashes      []hash    `json:"hashes,omitempty"`
		Licences    []licence `json:"licenses,omitempty"`
		Purl        string    `json:"purl,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licence struct {
		Expression string `json:"expression,omitempty"`
		Licence    *named `json:"license,omitempty"`
	}
	named struct {
		Name string `json:"name"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// program is the reference of the program itself.
const program = "pidsbench"

// newBill makes the bill of a version; when is left out if it is zero.
func newBill(version string, when time.Time, verdicts []inventory.Verdict) bill {
	b := bill{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1}
	if !when.IsZero() {
		b.Metadata.Timestamp = when.UTC().Format(time.RFC3339)
	}
	b.Metadata.Component = component{Type: "application", Ref: program, Name: program, Version: version,
		Licences: licences("Apache-2.0")}
	whole := dependency{Ref: program}
	for _, v := range verdicts {
		c := newComponent(v)
		b.Components = append(b.Components, c)
		if v.Shipped {
			whole.DependsOn = append(whole.DependsOn, c.Ref)
		}
	}
	b.Dependencies = []dependency{whole}
	return b
}

func newComponent(v inventory.Verdict) component {
	c := component{Name: v.Name, Version: v.Version, Description: string(v.Kind), Scope: "optional", Licences: licences(v.Licence)}
	if v.Shipped {
		c.Scope = "required"
	}
	switch v.Kind {
	case inventory.DataPack, inventory.DataSource:
		c.Type = "data"
	case inventory.Detector, inventory.Model:
		c.Type = "machine-learning-model"
	default:
		c.Type = "library"
	}
	if v.Part != "" {
		c.Description += " in " + v.Part
	}
	if v.SHA256 != "" {
		c.Hashes = []hash{{"SHA-256", v.SHA256}}
	}
	c.Purl = purl(v.Component)
	c.Ref = string(v.Kind) + " " + v.Name + " " + v.Version
	return c
}

// purl is the package address of what registries know; empty for anything else.
func purl(c inventory.Component) string {
	var registry string
	name, version := c.Name, c.Version
	switch c.Kind {
	case inventory.GoModule:
		registry = "golang"
		if name == "std" {
			version = strings.TrimPrefix(version, "go")
		}
	case inventory.Crate:
		registry = "cargo"
		if name == "std" { // comes with the compiler
			return ""
		}
	case inventory.Python, inventory.DataPack:
		registry = "pypi"
	case inventory.Native:
		if name != "onnxruntime" {
			return ""
		}
		registry = "pypi"
	default:
		return ""
	}
	var escaped []string
	for part := range strings.SplitSeq(name, "/") {
		escaped = append(escaped, url.PathEscape(part))
	}
	return "pkg:" + registry + "/" + strings.Join(escaped, "/") + "@" + url.QueryEscape(version)
}

func licences(l string) []licence {
	switch {
	case l == "":
		return nil
	case inventory.IsExpression(l) && l != "unknown":
		return []licence{{Expression: l}}
	}
	return []licence{{Licence: &named{Name: l}}}
}

func (b bill) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(b)
}
