// Package rule is the hand-written baseline: 20 keyword alternatives and three weak signals. It marks the lower bound
// of what a detector should reach; it has no threshold.
package rule

import (
	"context"
	"slices"
	"strings"

	"pidsbench/internal/detect"
)

// WeakSignals is the name Match returns when no keyword alternative fires but two of the three weak signals do.
const WeakSignals = "weak signals"

// Detector scores a text 1 when a rule fires and 0 otherwise.
type Detector struct{ info detect.Info }

// Open returns the rule detector under the entry's id and name.
func Open(entry detect.Entry, seed int) *Detector {
	return &Detector{detect.Info{
		ID: entry.ID, DisplayName: entry.Name, Kind: entry.Kind, Seed: seed, ConfigHash: entry.Hash(),
	}}
}

// Info describes the detector.
func (d *Detector) Info() detect.Info { return d.info }

// Close does nothing.
func (d *Detector) Close() error { return nil }

// Score returns 1 when a rule fires and 0 otherwise; it fails only when the context is done.
func (d *Detector) Score(ctx context.Context, text string) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if _, fired := Match(text); fired {
		return 1, nil
	}
	return 0, nil
}

// Match returns the name of the first rule that fires on the text, in the order of the pattern list, WeakSignals last,
// and whether one fired. Case does not matter, word boundaries and white space are Unicode's.
func Match(text string) (name string, fired bool) {
	folded := fold(text)
	for i := range patterns {
		if patterns[i].match(folded) {
			return patterns[i].name, true
		}
	}
	signals := 0
	if containsAny(folded, "http://", "https://", "www.") {
		signals++
	}
	if strings.Contains(folded, "```") {
		signals++
	}
	if strings.Count(folded, "ignore") >= 2 {
		signals++
	}
	if signals >= 2 {
		return WeakSignals, true
	}
	return "", false
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}
