package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
)

// TestTheCheckoutGivesACompleteRelease needs nothing built: what is built is named, not opened.
func TestTheCheckoutGivesACompleteRelease(t *testing.T) {
	root := testenv.Root(t)
	if _, err := os.Stat(root + "/.git"); err != nil {
		t.Skip("needs a git checkout")
	}
	kept, err := checkedOut(root)
	if err != nil {
		t.Fatal(err)
	}
	files := append(kept, built(root, "amd64")...)
	if err := complete(files); err != nil {
		t.Error(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		if names[f.name] {
			t.Errorf("%s would be there twice", f.name)
		}
		names[f.name] = true
	}
	for name := range names {
		if strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, ".") {
			t.Errorf("%s is nothing that a user needs", name)
		}
	}
}

func TestAReleaseThatLacksAFileOrHoldsATextIsRefused(t *testing.T) {
	var all []file
	for _, name := range needed {
		all = append(all, file{name: name})
	}
	if err := complete(all); err != nil {
		t.Fatal(err)
	}
	if err := complete(all[1:]); err == nil || !strings.Contains(err.Error(), "lacks "+needed[0]) {
		t.Errorf("without %s: %v", needed[0], err)
	}
	for _, name := range []string{"data/open/test.csv", "data/external/a/b.csv", "models/.pulled/a/model.onnx"} {
		if err := complete(append(slices.Clone(all), file{name: name})); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("with %s: %v", name, err)
		}
	}
}
