package builder

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// countFile counts the rows of a file by class and source.
func countFile(f File) Expected {
	e := Expected{File: f.Path, Sources: map[string]int{}}
	for _, r := range f.Records {
		if r.Label == dataset.Injection {
			e.Injection++
		} else {
			e.Benign++
		}
		e.Sources[r.Source]++
	}
	return e
}

// checkCounts compares every file with what the configuration expects and names all differences in one sentence.
func checkCounts(found, expected []Expected) error {
	var misses []string
	miss := func(file, what string, found, expected int) {
		if found != expected {
			misses = append(misses, fmt.Sprintf("%s: %s %d, expected %d", file, what, found, expected))
		}
	}
	want := map[string]Expected{}
	for _, e := range expected {
		want[e.File] = e
	}
	for _, f := range found {
		e, ok := want[f.File]
		if !ok {
			misses = append(misses, fmt.Sprintf("%s: %s, expected no such file", f.File, f))
			continue
		}
		delete(want, f.File)
		miss(f.File, "benign", f.Benign, e.Benign)
		miss(f.File, "injection", f.Injection, e.Injection)
		if len(e.Sources) > 0 {
			for _, s := range sourcesOf(f, e) {
				miss(f.File, "source "+s, f.Sources[s], e.Sources[s])
			}
		}
	}
	for _, e := range expected {
		if _, absent := want[e.File]; absent {
			misses = append(misses, fmt.Sprintf("%s: not built, expected %s", e.File, e))
		}
	}
	if len(misses) == 0 {
		return nil
	}
	return fault.New(fault.Integrity, "%s: field expect: the build misses %d of its counts (%s)", ConfigPath,
		len(misses), firstOf(misses, shownMisses)).
		WithCure("undo the change to the pipeline, its lists or its sources, or state the new counts")
}

// shownMisses is how many wrong counts or files an error names.
const shownMisses = 8

// firstOf joins the first items, and says how many there are more.
func firstOf(items []string, n int) string {
	if more := len(items) - n; more > 0 {
		return fmt.Sprintf("%s; and %d more", strings.Join(items[:n], "; "), more)
	}
	return strings.Join(items, "; ")
}

func sourcesOf(a, b Expected) []string {
	var names []string
	for s := range a.Sources {
		names = append(names, s)
	}
	for s := range b.Sources {
		if _, both := a.Sources[s]; !both {
			names = append(names, s)
		}
	}
	slices.Sort(names)
	return names
}

// String returns the class counts in words.
func (e Expected) String() string {
	return fmt.Sprintf("%d benign and %d injection", e.Benign, e.Injection)
}
