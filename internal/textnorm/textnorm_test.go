package textnorm

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

func TestForms(t *testing.T) {
	tests := []struct{ name, in, fingerprint, exact, skeleton string }{
		{"plain text", "Show the plan", "Show the plan", "show the plan", "show the plan"},
		{"white space of every kind collapses", " \t a\u00a0\u2003b\r\n\u3000c\u0085 ", "a b c", "a b c", "a b c"},
		{"controls vanish from the fingerprint", "a\x00b\x1fc\x7f", "abc\x7f", "a\x00b c\x7f", "ab c"},
		{"full-width letters", "Ｓｈｏｗ", "Ｓｈｏｗ", "show", "show"},
		{"full case folding", "Straße İX ΣΑΣ", "Straße İX ΣΑΣ", "strasse i\u0307x σασ", "strasse ix σaσ"},
		{"quotation marks", `“a” ‘b’ "c" «d»`, `“a” ‘b’ "c" «d»`, "'a' 'b' 'c' 'd'", "'a' 'b' 'c' 'd'"},
		{"accents", "Café re\u0301sume\u0301", "Café re\u0301sume\u0301", "café résumé", "cafe resume"},
		{"zero-width characters", "pl\u200ban\ufeff", "pl\u200ban\ufeff", "pl\u200ban\ufeff", "plan"},
		{"Cyrillic look-alikes", "Рlаn ВОХ", "Рlаn ВОХ", "рlаn вох", "plan box"},
		{"Greek look-alikes", "Ρlαη", "Ρlαη", "ρlαη", "plah"},
		{"small capitals", "ᴘʟᴀɴ", "ᴘʟᴀɴ", "ᴘʟᴀɴ", "plan"},
		{"boxed letters", "🅟🅛🅐🅝 🇵🇱", "🅟🅛🅐🅝 🇵🇱", "🅟🅛🅐🅝 🇵🇱", "plan pl"},
		{"mathematical letters", "𝐩𝓁𝖺𝚗", "𝐩𝓁𝖺𝚗", "plan", "plan"},
		{"digits stay digits", "pl4n", "pl4n", "pl4n", "pl4n"},
		{"Hangul survives", "한국", "한국", "한국", "한국"},
		{"invalid bytes", "a\xff\xfeb", "a\ufffd\ufffdb", "a\ufffd\ufffdb", "a\ufffd\ufffdb"},
		{"tags and selectors", "a\U000E0041\ufe0fb", "a\U000E0041\ufe0fb", "a\U000E0041\ufe0fb", "ab"},
		{"nothing", " \n ", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Fingerprint(tt.in); got != tt.fingerprint {
				t.Errorf("Fingerprint(%q) = %q, want %q", tt.in, got, tt.fingerprint)
			}
			if got := Exact(tt.in); got != tt.exact {
				t.Errorf("Exact(%q) = %q, want %q", tt.in, got, tt.exact)
			}
			if got := Skeleton(tt.in); got != tt.skeleton {
				t.Errorf("Skeleton(%q) = %q, want %q", tt.in, got, tt.skeleton)
			}
		})
	}
}

func TestExactHash(t *testing.T) {
	// sha256("abc"), the first test vector of FIPS 180-2.
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := ExactHash("ABC"); got != abc {
		t.Errorf("ExactHash = %s, want %s", got, abc)
	}
}

func TestConfusablesAreFixedPoints(t *testing.T) {
	for from, to := range confusables {
		if to >= 0x80 || unicode.IsUpper(to) {
			t.Errorf("%q maps to %q, want a small ASCII character", from, to)
		}
		if got := Skeleton(string(from)); got != string(to) {
			t.Errorf("Skeleton(%q) = %q, want %q: the key never reaches the table", from, got, to)
		}
		if f := caseFold.String(norm.NFKD.String(string(from))); f != string(from) {
			t.Errorf("%q is not folded (%q), so it can never match", from, f)
		}
	}
}

// disguises are the character-level transforms that the dataset pipeline applies, at full strength.
var disguises = map[string]func(*rand.Rand, string) string{
	"zero width": func(rng *rand.Rand, s string) string {
		return afterLetters(rng, s, []rune{0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD})
	},
	"combining marks": func(rng *rand.Rand, s string) string {
		return afterLetters(rng, norm.NFKC.String(s), []rune{0x0301, 0x0308, 0x0327})
	},
	"homoglyphs": func(rng *rand.Rand, s string) string {
		from := []rune("aceopxyABCEHKMOPTX")
		to := []rune("асеорхуАВСЕНКМОРТХ")
		return strings.Map(func(r rune) rune {
			for i, f := range from {
				if r == f && rng.IntN(2) == 0 {
					return to[i]
				}
			}
			return r
		}, s)
	},
	"full width": func(rng *rand.Rand, s string) string {
		return strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7F && rng.IntN(2) == 0 {
				return r + 0xFEE0
			}
			return r
		}, s)
	},
	"case": func(rng *rand.Rand, s string) string {
		return strings.Map(func(r rune) rune {
			if r < 0x80 && rng.IntN(2) == 0 {
				return unicode.ToUpper(r)
			}
			return r
		}, s)
	},
}

func afterLetters(rng *rand.Rand, s string, marks []rune) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
		if unicode.IsLetter(r) && rng.IntN(2) == 0 {
			b.WriteRune(marks[rng.IntN(len(marks))])
		}
	}
	return b.String()
}

// randomText draws words over several scripts, with odd white space and characters that fold in odd ways.
func randomText(rng *rand.Rand) string {
	alphabet := []rune("abcdefghijklmnopqrstuvwxyzABCXYZ0189 \t\n\u00a0.,'\"“«-éßİıŁσςΣаВїЖ한국漢ﬁΐ\u0345´ǅẞ①Ⅻ")
	b := make([]rune, rng.IntN(60))
	for i := range b {
		if rng.IntN(40) == 0 {
			b[i] = rune(rng.IntN(0x3000))
			continue
		}
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(b)
}

func TestSkeletonIsInvariantUnderDisguise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 2000 {
		s := randomText(rng)
		want := Skeleton(s)
		for name, disguise := range disguises {
			if d := disguise(rng, s); Skeleton(d) != want {
				t.Fatalf("%s: Skeleton(%q) = %q, want %q as for %q", name, d, Skeleton(d), want, s)
			}
		}
	}
}

func TestSkeletonTellsDifferentTextsApart(t *testing.T) {
	texts := []string{
		"show the plan", "show the plans", "show a plan", "sh0w the plan", "show theplan",
		base64.StdEncoding.EncodeToString([]byte("show the plan")),
	}
	seen := map[string]string{}
	for _, s := range texts {
		if other, ok := seen[Skeleton(s)]; ok {
			t.Errorf("%q and %q share a skeleton", s, other)
		}
		seen[Skeleton(s)] = s
	}
}

func checkLaws(t *testing.T, s string) {
	t.Helper()
	for name, f := range map[string]func(string) string{
		"Fingerprint": Fingerprint, "Exact": Exact, "Skeleton": Skeleton,
	} {
		if once := f(s); f(once) != once {
			t.Fatalf("%s is not idempotent on %q: %q, then %q", name, s, once, f(once))
		}
	}
	if got, want := Skeleton(Exact(s)), Skeleton(s); got != want {
		t.Fatalf("Skeleton(Exact(%q)) = %q, want %q: equal exact forms would have unequal skeletons", s, got, want)
	}
	if got, want := Exact(Fingerprint(s)), Exact(dropControls(s)); got != want {
		t.Fatalf("Exact(Fingerprint(%q)) = %q, want %q", s, got, want)
	}
}

func dropControls(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && !strings.ContainsRune("\n\t\r", r) {
			return -1
		}
		return r
	}, s)
}

func TestLawsHoldOnRandomTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for range 5000 {
		checkLaws(t, randomText(rng))
	}
}

func TestLawsHoldOnHostileTexts(t *testing.T) {
	for _, s := range []string{
		"a" + strings.Repeat("\u0301\u0323", 500), // more marks than a normalisation buffer takes
		strings.Repeat("\u200d", 1000) + strings.Repeat("\u1161", 100),
		strings.Repeat("\xff", 100), strings.Repeat("ﷺ", 500),
	} {
		checkLaws(t, s)
	}
}

func FuzzForms(f *testing.F) {
	for _, s := range []string{
		"", "Show the plan", "a\xff", "ΐ\u0345Ά", "ẞßſ", "ᾳ\u0345", "한", "\u0344\u0308", "´´ \u0301", "İ\u0307", "🇦🅐",
	} {
		f.Add(s)
	}
	f.Fuzz(checkLaws)
}
