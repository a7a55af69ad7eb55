package render

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pidsbench/internal/gate"
	"pidsbench/internal/packages"
	"pidsbench/internal/testenv"
)

// sarifPackage carries the JSON Schema of SARIF 2.1.0.
var sarifPackage = packages.Package{Client: packages.NPM, Name: "@microsoft/jest-sarif", Version: "1.0.0-beta.0",
	SHA256: "748e2c3d1a842e7bb258416685c7ea3a0da40005b72267b2052c2856d48ad102"}

// sarifRules compiles the schema that the standard is published with.
func sarifRules(t *testing.T) *jsonschema.Schema {
	t.Helper()
	path, err := packages.Fetch(context.Background(), sarifPackage,
		packages.Options{Cache: filepath.Join(testenv.Root(t), ".build", "packages")})
	if err != nil {
		testenv.Missing(t, err.Error())
	}
	const name = "lib/schemas/sarif-2.1.0-rtm.5.json"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	err = packages.Each(path, 1<<20, func(file string) bool { return file == name }, func(_ string, data []byte) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return c.AddResource(name, doc)
	})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestSARIFKeepsToItsSchema(t *testing.T) {
	rules := sarifRules(t)
	absolute := gateReport()
	absolute.Config = "/somewhere else/gates.yaml"
	allowed := gateReport()
	allowed.Limits[1].Fails = false
	passing := gateReport()
	passing.Limits = passing.Limits[:1]
	for name, r := range map[string]*gate.Report{"every verdict": gateReport(), "an absolute path": absolute,
		"undecided allowed": allowed,
		"all pass":          passing, "no limit": {Config: "g.yaml"}} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(gateForm(t, "sarif", r)))
		if err != nil {
			t.Fatal(err)
		}
		if err := rules.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		run := doc.(map[string]any)["runs"].([]any)[0].(map[string]any)
		run["results"] = []any{map[string]any{"level": "fatal"}}
		if rules.Validate(doc) == nil {
			t.Error("the schema lets a wrong log through")
		}
	}
}
