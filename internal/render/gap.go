package render

import (
	"slices"
	"strings"
)

// gap is a reason why numbers of a table of the user's own files are undefined, with the columns and the detectors that
// it concerns.
type gap struct {
	reason           string
	heads, detectors []string
}

// addGap adds an undefined number to the gaps.
func addGap(gaps []gap, reason, head, detector string) []gap {
	i := slices.IndexFunc(gaps, func(g gap) bool { return g.reason == reason })
	if i < 0 {
		i = len(gaps)
		gaps = append(gaps, gap{reason: reason})
	}
	g := &gaps[i]
	if !slices.Contains(g.heads, head) {
		g.heads = append(g.heads, head)
	}
	if !slices.Contains(g.detectors, detector) {
		g.detectors = append(g.detectors, detector)
	}
	return gaps
}

// String names the columns, or the detectors where it is all columns, and the reason.
func (g gap) String() string {
	who := g.heads
	if len(who) == len(ownColumns) {
		who = g.detectors
	}
	return strings.Join(who, ", ") + ": " + g.reason
}
