package detect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pidsbench/internal/fault"
)

var _ TextScorer = (*Constant)(nil)

func baseline(t *testing.T, rule string, seed int) *Constant {
	t.Helper()
	c, err := NewConstant(Entry{ID: "b", Name: "B", Kind: "constant", Rule: rule}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func score(t *testing.T, c *Constant, text string) float64 {
	t.Helper()
	s, err := c.Score(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBlockAndAllowScoreEveryTextTheSame(t *testing.T) {
	for _, text := range []string{"", "hello", strings.Repeat("x", 10_000), "\x00"} {
		if got := score(t, baseline(t, "block", 0), text); got != 1 {
			t.Errorf("block scores %q %g", text, got)
		}
		if got := score(t, baseline(t, "allow", 0), text); got != 0 {
			t.Errorf("allow scores %q %g", text, got)
		}
	}
}

func TestRandomIsUniformAndKeyedBySeedAndText(t *testing.T) {
	c, other := baseline(t, "random", 1), baseline(t, "random", 2)
	const n, cells = 20_000, 20
	var hist [cells]int
	same := 0
	for i := range n {
		text := fmt.Sprintf("text %d", i)
		s := score(t, c, text)
		if s < 0 || s >= 1 || s != score(t, baseline(t, "random", 1), text) {
			t.Fatalf("score of %q is %g, out of [0,1) or not repeatable", text, s)
		}
		if s == score(t, other, text) {
			same++
		}
		hist[int(s*cells)]++
	}
	if same != 0 {
		t.Errorf("%d of %d scores do not depend on the seed", same, n)
	}
	chi := 0.0
	for _, k := range hist {
		d := float64(k) - n/cells
		chi += d * d / (n / cells)
	}
	if chi > 43.8 { // 99.9 % point of chi-square with 19 degrees of freedom
		t.Errorf("chi-square over %d cells is %.1f: not uniform", cells, chi)
	}
}

func TestLengthGrowsWithTheRuneCount(t *testing.T) {
	c := baseline(t, "length", 0)
	if got := score(t, c, ""); got != 0 {
		t.Errorf("the empty text scores %g, want 0", got)
	}
	if got := score(t, c, strings.Repeat("é", 200)); got != 0.5 {
		t.Errorf("200 runes score %g, want 0.5", got)
	}
	last := -1.0
	for n := 0; n < 5000; n += 7 {
		s := score(t, c, strings.Repeat("a", n))
		if s <= last || s >= 1 {
			t.Fatalf("%d runes score %g after %g", n, s, last)
		}
		last = s
	}
}

func TestConstantInfoNamesTheEntry(t *testing.T) {
	info := baseline(t, "random", 42).Info()
	if info.ID != "b" || info.DisplayName != "B" || info.Kind != "constant" || info.Seed != 42 {
		t.Errorf("info is %+v", info)
	}
	if info.ConfigHash == baseline(t, "block", 42).Info().ConfigHash {
		t.Error("two rules share one configuration hash")
	}
}

func TestUnknownConstantRuleIsAUsageError(t *testing.T) {
	_, err := NewConstant(Entry{ID: "b", Kind: "constant", Rule: "coin"}, 0)
	if fault.ExitCode(err) != int(fault.Usage) || !strings.Contains(err.Error(), `"coin"`) {
		t.Errorf("error is %v", err)
	}
}

func TestConstantStopsWhenTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := baseline(t, "block", 0).Score(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}
