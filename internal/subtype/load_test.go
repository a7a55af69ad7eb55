package subtype

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
)

const small = `schema: pidsbench-subtypes/1
lexicon: open gate
sets:
  - {name: lift, words: [raise*, open]}
rules:
  - id: tool:gate
    type: tool_injection
    patterns: ['@lift gate']
    why: x
    match: [open gate]
    not: [gate]
`

func TestLoadNamesFileLineAndField(t *testing.T) {
	if _, err := Load(filepath.Split(write(t, small))); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, old, new, want string }{
		{"schema", "subtypes/1", "subtypes/2", `:1: field schema holds "pidsbench-subtypes/2"`},
		{"unknown field", "    why: x", "    whi: x", "whi"},
		{"type", "type: tool_injection", "type: tools", `:7: field type holds "tools", expected direct_override, `},
		{"id", "id: tool:gate", "id: Gate", `:6: field id holds "Gate"`},
		{"no reason", "    why: x\n", "", ":6: rule \"tool:gate\" has no why"},
		{"no example", "    match: [open gate]\n", "", "lacks examples"},
		{"no counterexample", "    not: [gate]\n", "", "lacks examples"},
		{"unknown set", "@lift gate", "@lower gate", `:8: field patterns holds "@lower gate", of which there is no`},
		{"unused set", "@lift gate", "open gate", `:4: set "lift" is used by no rule`},
		{"set twice", "sets:\n", "sets:\n  - {name: lift, words: [up]}\n", `field name holds "lift"`},
		{"empty set", "[raise*, open]", "[]", `field name holds "lift"`},
		{"dead term", "[raise*, open]", "[raise*, raised]", "one is dead"},
		{"neither", "    patterns: ['@lift gate']\n", "", "patterns and a structure or neither"},
		{"unknown structure", "patterns: ['@lift gate']", "structure: rot14", `field structure holds "rot14", expected b`},
		{"another id than the structure", "patterns: ['@lift gate']", "structure: rot13", "an id to match"},
		{"negative number", "    why: x", "    at_most: -1\n    why: x", "field at_most holds -1"},
		{"rule twice", "rules:\n", "rules:\n" + small[strings.Index(small, "  - id"):], "stands there already"},
		{"no rule", small[strings.Index(small, "rules:"):], "rules: []\n", "field rules is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			content := strings.Replace(small, tt.old, tt.new, 1)
			if content == small {
				t.Fatal("nothing is changed")
			}
			_, err := Load(filepath.Split(write(t, content)))
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.Integrity || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), "subtypes.yaml") {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
