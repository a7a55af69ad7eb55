package builder

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/textnorm"
)

func transform(t testing.TB, name string) func(string, draw.Stream) (string, int) {
	t.Helper()
	i := slices.IndexFunc(Transforms, func(x Transform) bool { return x.Name == name })
	if i < 0 {
		t.Fatalf("no transform %s", name)
	}
	return Transforms[i].Apply
}

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
		"rot13_wrap": func(in, out string) (string, string) {
			got, _ := rot13(afterLead(out))
			return got, in
		},
	}
	for _, x := range Transforms {
		changed := 0
		for i, in := range mixed() {
			out, edits := x.Apply(in, draw.New(1, x.Name, fmt.Sprint(i)))
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
			out, edits := transform(t, name)(in, draw.New(1, name, fmt.Sprint(i)))
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
		_, edits := transform(t, tt.name)(text, draw.New(1, "rate", tt.name))
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
	for _, lead := range slices.Concat(base64Leads, rot13Leads) {
		noLetter := func(r rune) bool { return !unicode.IsLetter(r) }
		for _, word := range strings.FieldsFunc(strings.ToLower(lead), noLetter) {
			if slices.Contains([]string{"obey", "follow", "execute", "instructions", "ignore", "carry"}, word) {
				t.Errorf("the lead line %q says %q", lead, word)
			}
		}
	}
}

var shares = ObfuscationConfig{Share: 200, Weights: map[string]int{
	"unicode_confusables": 200, "homoglyph": 150, "zero_width": 150, "spacing_jitter": 150, "markdown_split": 150,
	"base64_wrap": 100, "rot13_wrap": 100,
}}

func TestObfuscateDisguisesTheShareOfEachClass(t *testing.T) {
	var in []Record
	for i, s := range sentences(600, "obfuscate") {
		in = append(in, pool(dataset.Label(i%3/2), s))
	}
	canonical(in)
	out := Obfuscate(in, shares, 42)
	count := map[dataset.Label]int{}
	kinds := map[string]int{}
	for i, r := range out {
		if r.ID != in[i].ID {
			t.Fatal("the order changed")
		}
		if r.Obfuscation == "none" {
			if r.Text != in[i].Text || r.Edits != 0 {
				t.Errorf("%s is marked none and was changed", r.ID)
			}
			continue
		}
		count[r.Label]++
		kinds[r.Obfuscation]++
		if textnorm.Exact(r.Text) == textnorm.Exact(in[i].Text) || r.Edits < 1 {
			t.Errorf("%s: %s changed nothing", r.ID, r.Obfuscation)
		}
	}
	if count[0] != 80 || count[1] != 40 || len(kinds) != len(Transforms) {
		t.Errorf("%v rows of the classes, kinds %v; want 80 and 40, and all seven", count, kinds)
	}
}

func TestObfuscatedRowsDoNotDependOnTheOthers(t *testing.T) {
	var in []Record
	for _, s := range sentences(200, "independent") {
		in = append(in, pool(dataset.Benign, s))
	}
	all := map[string]Record{}
	for _, r := range Obfuscate(in, shares, 42) {
		all[r.ID] = r
	}
	both := 0
	for _, r := range Obfuscate(in[:150], shares, 42) {
		if r.Obfuscation != "none" && all[r.ID].Obfuscation != "none" {
			both++
			if diff := cmp.Diff(all[r.ID], r); diff != "" {
				t.Error(diff)
			}
		}
	}
	if both < 20 {
		t.Errorf("%d rows to compare, want about 30", both)
	}
}

func TestRowsThatCannotChangeStayUnmarked(t *testing.T) {
	weights := map[string]int{}
	for _, x := range Transforms {
		weights[x.Name] = 0
	}
	weights["homoglyph"] = 1
	in := []Record{pool(0, "1234"), pool(0, "5678"), pool(0, "a cap on a coconut axe, peace on a pax")}
	for _, r := range Obfuscate(in, ObfuscationConfig{Share: 1000, Weights: weights}, 42) {
		if changed := r.Obfuscation != "none"; changed != strings.Contains(r.Text, "n") {
			t.Errorf("%q is marked %s", r.Text, r.Obfuscation)
		}
	}
}
