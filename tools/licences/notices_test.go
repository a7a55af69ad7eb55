package main

import (
	"strings"
	"testing"

	"pidsbench/tools/inventory"
)

func TestNoticesHoldEachTextOnceWithAllThatStandUnderIt(t *testing.T) {
	of := func(kind inventory.Kind, name string, shipped bool, texts ...string) inventory.Verdict {
		c := inventory.Component{Kind: kind, Name: name, Version: "v1", Licence: "MIT", Shipped: shipped}
		for _, text := range texts {
			c.Texts = append(c.Texts, inventory.Text{Name: "LICENSE", Body: []byte(text)})
		}
		return inventory.Verdict{Component: c}
	}
	var out strings.Builder
	err := writeNotices(&out, []inventory.Verdict{
		of(inventory.GoModule, "one", true, "the common text\n", "a text of its own"),
		of(inventory.Crate, "two", true, "\r\nthe common text"),
		of(inventory.Crate, "without", true),
		of(inventory.Python, "fetched", false, "the text of what is fetched"),
		of(inventory.Model, "ours", true),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{"one v1 (Go module): MIT\n", "two v1 (Rust crate): MIT\n", "without v1 (Rust crate): MIT\n",
		"\none v1, two v1\n\nthe common text\n", "\none v1\n\na text of its own\n"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("the notices do not hold %q once:\n%s", want, got)
		}
	}
	for _, no := range []string{"fetched v1", "ours", "what is fetched"} {
		if strings.Contains(got, no) {
			t.Errorf("the notices hold %q, which no release does", no)
		}
	}
}
