package paraphrase

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTrigramsRuleOutNoPhraseThatATextHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	out := 0
	for range 2000 {
		var b strings.Builder
		for range 3 + rng.IntN(60) {
			b.WriteRune([]rune("abcdeks ,'’é")[rng.IntN(12)])
		}
		text := b.String()
		held := trigramsOf(text)
		from := rng.IntN(len(text))
		if phrase := text[from : from+rng.IntN(len(text)-from+1)]; !held.may(phrase) {
			t.Fatalf("%q is ruled out of %q", phrase, text)
		}
		if !held.may("xyz") && !held.may("abcx") {
			out++
		}
	}
	if out < 1900 {
		t.Errorf("only %d of 2000 texts rule out what they do not hold", out)
	}
}

// A pattern ignores case as its expression does: the long s and the sign of the kelvin are an s and a k.
func TestPatternsFitWhateverTheCase(t *testing.T) {
	all, _, problem := patterns([]patternSet{{Any: []string{"ask {x} to seek {y} now", "seek {y} for {x}"}}})
	if problem != "" {
		t.Fatal(problem)
	}
	for text, want := range map[string]bool{
		"Ask Ann to seek help now":           true,
		"ASK Ann TO SEEK help NOW":           true,
		"Aſ\u212a Ann to ſee\u212a help now": true,
		"Ask Ann to find help now":           false,
	} {
		held := trigramsOf(strings.ToLower(text))
		if x, y, ok := all[0].fits(text, &held); ok != want || ok && (x != "Ann" || y != "help") {
			t.Errorf("%q: %q, %q, %v, want %v", text, x, y, ok, want)
		}
	}
}

// A pattern of a payload is looked for only where one of its signs is.
func TestEveryPayloadHoldsASignOfItsPattern(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	pieces := strings.Fields("``` ` \" “ ” « » „ ' ‘ ’ < > <!-- --> : :// @ / \\ ( ) % &# ; 01 1234 a b. - http x.org a@b.c " +
		"~/a C:\\b f(x) %41%42%43 &#65;&#66;&#67; 01010101 <b> 1,2,3,4")
	found := make([]int, len(payloads))
	for range 20000 {
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
			if rng.IntN(3) == 0 {
				b.WriteByte(' ')
			}
		}
		text := b.String()
		for i, p := range payloads {
			if m := p.match.FindString(text); m != "" {
				if found[i]++; p.signs != "" && !strings.ContainsAny(m, p.signs) {
					t.Fatalf("%s finds %q, which holds none of %q", p.match, m, p.signs)
				}
			}
		}
	}
	for i, p := range payloads {
		if p.signs != "" && found[i] == 0 {
			t.Errorf("%s found nothing", p.match)
		}
	}
}
