package schema

import (
	"strings"

	"pidsbench/internal/fault"
)

// Rules return the column and what is wrong with it, or nothing.

// emptyText asks for a text, or for the hash of a withheld one.
func (s *Schema) emptyText(r row) (column, problem string) {
	if text, ok := r.get("text"); !ok || text != "" {
		return "", ""
	}
	if sum, ok := r.get("text_sha256"); ok && len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == "" {
		return "", ""
	}
	return "text", "is empty, expected a text"
}

// attackType asks that a row is benign if and only if its attack type (in the domain split attack_style) is none.
func (s *Schema) attackType(r row) (column, problem string) {
	label, _ := r.get("label")
	for _, column := range []string{"attack_type", "attack_style"} {
		switch kind, ok := r.get(column); {
		case !ok:
		case label == "0" && kind != "none":
			return column, "holds " + fault.Quote(kind) + " in a benign row, expected none"
		case label == "1" && kind == "none":
			return column, "holds none in an injection, expected an attack type"
		}
	}
	return "", ""
}

// edits asks that an obfuscated row was changed somewhere, and a row without obfuscation nowhere.
func (s *Schema) edits(r row) (column, problem string) {
	obfuscation, ok := r.get("obfuscation")
	edits, counted := r.get("edits")
	switch {
	case !ok || !counted:
	case obfuscation == "none" && edits != "0":
		return "edits", "holds " + fault.Quote(edits) + " where obfuscation is none, expected 0"
	case obfuscation != "none" && edits == "0":
		return "edits", "holds 0 where obfuscation is " + fault.Quote(obfuscation) + ", expected a change"
	}
	return "", ""
}
