package subtype

import (
	"maps"
	"slices"
)

// detector finds a structure in a text and returns the bytes it spans.
type detector func(v *view) (start, end int, ok bool)

// structures are the detectors by the names that rules use.
var structures = map[string]detector{
	"tags":       tags,
	"base64":     base64Run,
	"base32":     base32Run,
	"base85":     base85Run,
	"hex":        hexRun,
	"escapes":    escapes,
	"binary":     binary,
	"char-codes": charCodes,
	"morse":      morse,
	"rot13":      rot13,
	"reversed":   reversed,
	"spaced":     spaced,
	"disguise":   disguised,
}

func structureNames() []string { return slices.Sorted(maps.Keys(structures)) }
