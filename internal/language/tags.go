package language

import (
	"maps"
	"slices"
)

// Tags returns the BCP 47 tags of all languages that Detect knows, sorted.
func Tags() []string { return slices.Sorted(maps.Keys(models)) }
