package detect

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// Constant is a trivial baseline: its score knows nothing about injections. It gives every axis a floor to compare
// with.
type Constant struct {
	info  Info
	score func(text string) float64
}

// NewConstant returns the baseline that the entry's rule names: block scores 1, allow scores 0, random draws a score
// uniform in [0,1) from the seed and the text, and length scores n/(n+200) for a text of n runes, so a longer text is
// more suspicious. Another rule is a usage error.
func NewConstant(entry Entry, seed int) (*Constant, error) {
	c := &Constant{info: Info{
		ID: entry.ID, DisplayName: entry.Name, Kind: entry.Kind, Seed: seed, ConfigHash: entry.Hash(),
	}}
	switch entry.Rule {
	case "block":
		c.score = func(string) float64 { return 1 }
	case "allow":
		c.score = func(string) float64 { return 0 }
	case "random":
		c.score = func(text string) float64 { return uniform(seed, text) }
	case "length":
		c.score = lengthScore
	default:
		return nil, fault.New(fault.Usage, "detector %q: rule is %q, expected block, allow, random or length",
			entry.ID, entry.Rule).WithCure("correct it in configs/detectors.yaml")
	}
	return c, nil
}

// Info describes the baseline.
func (c *Constant) Info() Info { return c.info }

// Close does nothing.
func (c *Constant) Close() error { return nil }

// Score returns the baseline's score in [0,1]; it fails only when the context is done.
func (c *Constant) Score(ctx context.Context, text string) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return c.score(text), nil
}

// uniform maps (seed, purpose, text) to [0,1) with 53 bits of a SHA-256, so a text has the same score wherever it
// stands.
func uniform(seed int, text string) float64 {
	h := sha256.New()
	fmt.Fprintf(h, "%d\x00random baseline\x00%s", seed, text)
	return float64(binary.BigEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}

// lengthScore is a fixed increasing map of the rune count to [0,1): one half at 200 runes.
func lengthScore(text string) float64 {
	n := float64(utf8.RuneCountInString(text))
	return n / (n + 200)
}
