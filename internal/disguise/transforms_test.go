package disguise

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"pidsbench/internal/draw"
	"pidsbench/internal/textnorm"
)

func transform(t testing.TB, name string) func(string, string, draw.Stream) (string, int) {
	t.Helper()
	x, ok := Named(name)
	if !ok {
		t.Fatalf("no transform %s", name)
	}
	return x.Apply
}

const padText = "One sentence stands here. Another one follows it. The third is a little longer than those."

// mixed are texts with everything the transforms must leave whole.
func mixed() []string {
	return append(sentences(60, "transforms"),
		"Ünïcode straße ﬁne Ⅻ ½", "漢字 and кириллица, mixed", "line one\r\nline two\n\n\tthree",
		"1234 5678", "😀😀 a",
		"a e o c p x A E O C P X a e o c p x A E O C P X a e o c p x", "x", "")
}

func TestTransformsCanBeUndone(t *testing.T) {
	twins := map[rune]rune{}
	for from, to := range homoglyphs {
		twins[to] = from
	}
	afterLead := func(s string) string {
		_, rest, _ := strings.Cut(s, "\n")
		return rest
	}
	undo := map[string]func(in, out string) (got, want string){
		"zero_width": func(in, out string) (string, string) { return strings.ReplaceAll(out, "\u200b", ""), in },
		"homoglyph": func(in, out string) (string, string) {
			return strings.Map(func(r rune) rune {
				if from, ok := twins[r]; ok && !strings.ContainsRune(in, r) {
					return from
				}
				return r
			}, out), in
		},
		"spacing_jitter": func(in, out string) (string, string) {
			return strings.ReplaceAll(out, " ", ""), strings.ReplaceAll(in, " ", "")
		},
		"unicode_confusables": func(in, out string) (string, string) {
			drop := func(r rune) rune {
				if strings.ContainsRune("\u0301\u0308\u0327", r) {
					return -1
				}
				return r
			}
			return strings.Map(drop, norm.NFD.String(out)), strings.Map(drop, norm.NFD.String(norm.NFKC.String(in)))
		},
		"markdown_split": func(in, out string) (string, string) {
			lines := strings.Split(out, "\n- ")
			return strings.TrimPrefix(strings.Join(lines, " "), "- "), strings.Join(strings.Fields(in), " ")
		},
		"base64_wrap": func(in, out string) (string, string) {
			b, err := base64.StdEncoding.DecodeString(afterLead(out))
			if err != nil {
				return err.Error(), in
			}
			return string(b), in
		},
		"prompt_dilution": func(in, out string) (string, string) {
			i := strings.Index(out, padBreak)
			return out[i+len(padBreak) : strings.LastIndex(out, padBreak)], in
		},
		"prefix_mimicry": func(in, out string) (string, string) { return out[len(out)-len(in):], in },
		"rot13_wrap": func(in, out string) (string, string) {
			got, _ := rot13(afterLead(out))
			return got, in
		},
	}
	for _, x := range Transforms {
		changed := 0
		for i, in := range mixed() {
			out, edits := x.Apply(in, padText, draw.New(1, x.Name, fmt.Sprint(i)))
			if edits == 0 {
				continue
			}
			changed++
			if out == in {
				t.Errorf("%s: %d edits left %q as it was", x.Name, edits, in)
			}
			if got, want := undo[x.Name](in, out); got != want {
				t.Errorf("%s: undone %q gives %q, want %q", x.Name, out, got, want)
			}
		}
		if changed < 25 {
			t.Errorf("%s changed %d texts only", x.Name, changed)
		}
	}
}

func TestTransformsHideFromTheExactFormButNotFromTheSkeleton(t *testing.T) {
	for _, name := range []string{"unicode_confusables", "homoglyph", "zero_width"} {
		for i, in := range sentences(60, "skeleton") {
			out, edits := transform(t, name)(in, "", draw.New(1, name, fmt.Sprint(i)))
			if textnorm.Skeleton(out) != textnorm.Skeleton(in) {
				t.Errorf("%s: the skeleton of %q differs from that of %q", name, out, in)
			}
			if edits > 0 && textnorm.Exact(out) == textnorm.Exact(in) {
				t.Errorf("%s: %q has the exact form of %q", name, out, in)
			}
		}
	}
}

func TestEditRatesAreThoseOfTheOriginal(t *testing.T) {
	text := strings.Repeat("aeocpx", 10000)
	for _, tt := range []struct {
		name string
		rate float64
	}{{"unicode_confusables", 0.02}, {"homoglyph", 0.04}, {"zero_width", 0.04}, {"spacing_jitter", 0.03}} {
		_, edits := transform(t, tt.name)(text, "", draw.New(1, "rate", tt.name))
		if got := float64(edits) / float64(len(text)); got < tt.rate*0.93 || got > tt.rate*1.07 {
			t.Errorf("%s edits %.4f of the letters, want %.2f", tt.name, got, tt.rate)
		}
	}
}

func TestMarkdownSplitLeavesShortTextsAlone(t *testing.T) {
	if _, edits := markdownSplit("one two three four five six seven", draw.Stream{}); edits != 0 {
		t.Error("seven words were split")
	}
	got, _ := markdownSplit("one two three four five six seven eight", draw.Stream{})
	if want := "- one two three\n- four five six\n- seven eight"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLeadLinesNeverAskToObey(t *testing.T) {
	for _, lead := range slices.Concat(base64Leads, rot13Leads, mimicLeads) {
		noLetter := func(r rune) bool { return !unicode.IsLetter(r) }
		for _, word := range strings.FieldsFunc(strings.ToLower(lead), noLetter) {
			if slices.Contains([]string{"obey", "follow", "execute", "instructions", "ignore", "carry"}, word) {
				t.Errorf("the lead line %q says %q", lead, word)
			}
		}
	}
}
