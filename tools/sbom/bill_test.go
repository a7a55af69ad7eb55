package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pidsbench/internal/testenv"
	"pidsbench/tools/inventory"
)

// samples has a component of every kind, with the licences that are hard to write down.
func samples() []inventory.Verdict {
	sum := strings.Repeat("0f", 32)
	return []inventory.Verdict{
		{Component: inventory.Component{Kind: inventory.GoModule, Name: "example.org/a/v2", Version: "v2.0.0+incompatible",
			Licence: "BSD-3-Clause AND OFL-1.1", Shipped: true}},
		{Component: inventory.Component{Kind: inventory.GoModule, Name: "std", Version: "go1.26.8", Licence: "BSD-3-Clause",
			Shipped: true}},
		{Component: inventory.Component{Kind: inventory.Native, Name: "onnxruntime", Version: "1.30.0", Licence: "MIT",
			SHA256: sum, Shipped: true}},
		{Component: inventory.Component{Kind: inventory.Native, Name: "oniguruma", Version: "in onig_sys 1",
			Licence: "BSD-2-Clause", Shipped: true}},
		{Component: inventory.Component{Kind: inventory.Crate, Name: "std", Version: "1.95.0", Licence: "MIT OR Apache-2.0",
			Shipped: true}},
		{Component: inventory.Component{Kind: inventory.Crate, Name: "serde", Version: "1.0.0", Licence: "MIT OR Apache-2.0",
			Shipped: true}},
		{Component: inventory.Component{Kind: inventory.Python, Name: "cuda", Version: "13", Licence: "LicenseRef-Maker"}},
		{Component: inventory.Component{Kind: inventory.DataPack, Name: "texts", Version: "1", Licence: "MIT", SHA256: sum}},
		{Component: inventory.Component{Kind: inventory.DataSource, Name: "some", Licence: "unknown", Part: "texts 1"}},
		{Component: inventory.Component{Kind: inventory.Detector, Name: "gpt", Licence: "proprietary service"}},
		{Component: inventory.Component{Kind: inventory.Model, Name: "m-s42", Licence: "Apache-2.0", SHA256: sum,
			Part: "models/m-s42", Shipped: true}},
	}
}

func TestTheBillHoldsEveryComponentOnceAndWhatAReleaseDependsOn(t *testing.T) {
	b := newBill("1.2.3", time.Unix(1, 0), samples())
	refs := map[string]bool{}
	for _, c := range b.Components {
		if refs[c.Ref] {
			t.Errorf("%s stands there twice", c.Ref)
		}
		refs[c.Ref] = true
	}
	if len(b.Components) != 11 || len(b.Dependencies) != 1 || len(b.Dependencies[0].DependsOn) != 7 {
		t.Errorf("%d components, dependencies %v", len(b.Components), b.Dependencies)
	}
	for _, on := range b.Dependencies[0].DependsOn {
		if !refs[on] {
			t.Errorf("the program depends on %s, which is not there", on)
		}
	}
	if b.Metadata.Timestamp != "1970-01-01T00:00:01Z" {
		t.Errorf("made at %s", b.Metadata.Timestamp)
	}
	wants := map[string]string{
		"example.org/a/v2": "pkg:golang/example.org/a/v2@v2.0.0%2Bincompatible", "onnxruntime": "pkg:pypi/onnxruntime@1.30.0",
		"serde": "pkg:cargo/serde@1.0.0", "texts": "pkg:pypi/texts@1", "oniguruma": "", "gpt": "", "m-s42": "",
	}
	for _, c := range b.Components {
		if want, ok := wants[c.Name]; ok && c.Purl != want {
			t.Errorf("%s has the address %q, want %q", c.Name, c.Purl, want)
		}
	}
}

func TestTheSameComponentsGiveTheSameBytes(t *testing.T) {
	var a, b bytes.Buffer
	if err := newBill("1", time.Time{}, samples()).write(&a); err != nil {
		t.Fatal(err)
	}
	if err := newBill("1", time.Time{}, samples()).write(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) || strings.Contains(a.String(), "timestamp") {
		t.Errorf("two bills of one release differ, or name a time:\n%s", a.String())
	}
}

// schemas is the module that carries the schemas of CycloneDX.
const schemas = "github.com/CycloneDX/cyclonedx-go@v0.12.0"

// TestTheBillFitsItsSchema needs the module with the schemas, which go fetches.
func TestTheBillFitsItsSchema(t *testing.T) {
	out, err := exec.Command("go", "mod", "download", "-json", schemas).Output()
	if err != nil {
		testenv.Missing(t, "the module "+schemas+", which go cannot fetch: "+err.Error())
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	const base = "http://cyclonedx.org/schema/"
	for name, file := range map[string]string{
		"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json",
		"jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		if err := compiler.AddResource(base+name, document(t, filepath.Join(module.Dir, "schema", file))); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile(base + "bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	b := newBill("1.2.3", time.Unix(1, 0), samples())
	if err := schema.Validate(value(t, b)); err != nil {
		t.Errorf("%v", err)
	}
	b.Components[0].Type = "texts"
	if schema.Validate(value(t, b)) == nil {
		t.Error("a component of an unknown type fits the schema")
	}
}

func value(t *testing.T, b bill) any {
	t.Helper()
	var text bytes.Buffer
	if err := b.write(&text); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(&text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func document(t *testing.T, path string) any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
