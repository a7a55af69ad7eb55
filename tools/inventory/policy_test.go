package inventory

import (
	"slices"
	"strings"
	"testing"
)

func TestAnExpressionIsSatisfiedWhenAChoiceIsLeft(t *testing.T) {
	allowed := func(name string) bool { return name == "MIT" || name == "ISC" || name == "GPL-2.0-only WITH X" }
	for expression, want := range map[string]bool{
		"MIT": true, "EPL": false, "MIT OR EPL": true, "EPL OR MIT": true, "MIT AND EPL": false, "MIT AND ISC": true,
		"EPL AND MIT OR ISC": true, "EPL AND (MIT OR ISC)": false, "(EPL OR MIT) AND ISC": true, "GPL-2.0-only": false,
		"GPL-2.0-only WITH X": true, "((MIT))": true,
	} {
		if got, err := satisfied(expression, allowed); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", expression, got, err, want)
		}
	}
	for _, bad := range []string{"", "MIT ISC", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT WITH", "()", "proprietary service"} {
		if got, err := satisfied(bad, allowed); err == nil || got {
			t.Errorf("%q: %v, %v, want an error", bad, got, err)
		}
		if IsExpression(bad) {
			t.Errorf("%q counts as an expression", bad)
		}
	}
}

func TestThePolicyNamesEachComponentThatMayNotStay(t *testing.T) {
	p := Policy{
		Shipped: []string{"MIT"},
		Fetched: []string{"CC-BY-4.0", "proprietary service"},
		Python:  map[string]string{"a": "MIT", "gone": "MIT"},
		Known: []knownCase{
			{GoModule, "odd", "FTL", "looked at"}, {GoModule, "changed", "FTL", "looked at"}, {Crate, "gone", "MIT", "looked at"},
		},
	}
	verdicts, stale := p.Judge([]Component{
		{Kind: GoModule, Name: "good", Licence: "MIT OR EPL", Shipped: true},
		{Kind: GoModule, Name: "strict", Licence: "CC-BY-4.0", Shipped: true},
		{Kind: DataSource, Name: "fetched", Licence: "CC-BY-4.0"},
		{Kind: Detector, Name: "service", Licence: "proprietary service"},
		{Kind: Detector, Name: "other", Licence: "some words"},
		{Kind: GoModule, Name: "silent", Shipped: true},
		{Kind: GoModule, Name: "odd", Shipped: true},
		{Kind: GoModule, Name: "changed", Licence: "GPL-3.0-only", Shipped: true},
		{Kind: Python, Name: "a"},
		{Kind: Python, Name: "new"},
	})
	wants := map[string]string{
		"good": "", "strict": "CC-BY-4.0 is on no list", "fetched": "", "service": "", "other": `"some words" is no SPDX`,
		"silent": "nothing says", "odd": "", "changed": "GPL-3.0-only, known as FTL", "a": "", "new": "nothing says",
	}
	if len(verdicts) != len(wants) {
		t.Fatalf("%d verdicts", len(verdicts))
	}
	for _, v := range verdicts {
		if want := wants[v.Name]; (v.Problem == "") != (want == "") || !strings.Contains(v.Problem, want) {
			t.Errorf("%s: %q, want %q", v.Name, v.Problem, want)
		}
	}
	if v := verdicts[6]; v.Licence != "FTL" || v.Note != "looked at" {
		t.Errorf("a known case: %+v", v)
	}
	want := []string{"known: no Rust crate gone is used any more", "python: no package gone is used any more"}
	if !slices.Equal(stale, want) {
		t.Errorf("stale: %q", stale)
	}
}
