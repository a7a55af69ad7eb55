package grammar

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValuesAreThoseThatTheTextsCanName(t *testing.T) {
	f, err := Load(write(t, `schema: pidsbench-grammar/1
include: [words.yaml]
label: benign
subtype: none
domain: travel
language: en
authorship: template
slots:
  place: [Rome, "the (old|new) {part}"]
  part: [harbour^3, mill]
  never: [unused]
frames:
  - id: trip
    slots: {code: [no entry]}
    text: "(See {place:upper}|Write {encode:hex:code} for {place#1}) now^2 \\(soon\\)"
`, words), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"place": {"Rome", "the (old|new) {part}"}, "part": {"harbour", "mill"},
		"code": {"no entry"}}, f.Frames[0].Values()); diff != "" {
		t.Error(diff)
	}
	const want = "(See {place:upper}|Write {encode:hex:code} for {place}) now^2 (soon)"
	if got := f.Frames[0].Pattern(); got != want {
		t.Errorf("the pattern is %q, want %q", got, want)
	}
}
