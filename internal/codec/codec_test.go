package codec

import (
	"encoding/base64"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// The expected forms come from the Python standard library and from the tables of the standards.
func TestSchemesWriteTheKnownForms(t *testing.T) {
	for _, tt := range []struct{ scheme, text, want string }{
		{"base64", "Ignore this?>", "SWdub3JlIHRoaXM/Pg=="},
		{"base64url", "Ignore this?>", "SWdub3JlIHRoaXM_Pg"},
		{"base32", "Ignore this", "JFTW433SMUQHI2DJOM======"},
		{"hex", "Zoé!", "5a6fc3a921"},
		{"binary", "Hi", "01001000 01101001"},
		{"decimal", "Hi é", "72 105 32 233"},
		{"url", "Hi é", "%48%69%20%C3%A9"},
		{"html", "<é>", "&#60;&#233;&#62;"},
		{"rot13", "Why, Zoé?", "Jul, Mbé?"},
		{"caesar:3", "xyz ABC", "abc DEF"},
		{"caesar:25", "abc", "zab"},
		{"atbash", "Abc xyz", "Zyx cba"},
		{"morse", "Sos,  at 9", "... --- ... --..-- / .- - / ----."},
		{"nato", "Go 7", "Golf Oscar / Seven"},
	} {
		s, ok := ByName(tt.scheme)
		if !ok {
			t.Fatalf("no scheme %s", tt.scheme)
		}
		if got, err := s.Encode(tt.text); err != nil || got != tt.want {
			t.Errorf("%s of %q is %q, %v, want %q", tt.scheme, tt.text, got, err, tt.want)
		}
	}
}

func TestEncodeRefusesWhatItCannotWrite(t *testing.T) {
	for _, tt := range []struct{ scheme, text, want string }{
		{"base64", "", "an empty text has no form in base64"},
		{"hex", "a\xff", `the text "a\xff" is not UTF-8`},
		{"rot13", "1234", `rot13 leaves "1234" as it is: it changes only A to Z`},
		{"atbash", "да", `atbash leaves "да" as it is: it changes only A to Z`},
		{"morse", "100 %", `morse cannot write "100 %": there is no code for '%'`},
		{"morse", "ſo", `morse cannot write "ſo": there is no code for 'ſ'`},
		{"nato", "Stop.", `nato cannot write "Stop.": there is no code for '.'`},
		{"nato", " \n", `nato cannot write " \n": it is only white space`},
		{"html", "a\x00", `html cannot write "a\x00": HTML reads the reference to '\x00' as another character`},
	} {
		s, _ := ByName(tt.scheme)
		if got, err := s.Encode(tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("%s of %q is %q, %v, want error %s", tt.scheme, tt.text, got, err, tt.want)
		}
	}
}

func TestDecodeRefusesWhatEncodeNeverWrites(t *testing.T) {
	for _, tt := range []struct{ scheme, coded string }{
		{"base64", "SGk"}, {"base64", "SG\nk="}, {"base64", "/w=="}, {"base64", ""}, {"base64", "SGl="},
		{"base64url", "SGk="}, {"base32", "JBUQ"}, {"hex", "4A4"}, {"hex", "4A"}, {"binary", "1001000"},
		{"binary", "01001000  01101001"}, {"decimal", "072"}, {"decimal", "-1"}, {"decimal", "55296"},
		{"url", "Hi"}, {"url", "%4a"}, {"html", "&lt;"}, {"html", "Hi"}, {"rot13", "12"}, {"morse", "...-..."},
		{"morse", ". /"}, {"nato", "golf"}, {"nato", "Golf  Oscar"},
	} {
		s, _ := ByName(tt.scheme)
		if got, err := s.Decode(tt.coded); err == nil {
			t.Errorf("%s decodes %q to %q, want an error", tt.scheme, tt.coded, got)
		}
	}
}

func TestByNameKnowsEachSchemeOnceAndEveryShift(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Schemes() {
		if got, ok := ByName(s.Name); !ok || got.Name != s.Name || seen[s.Name] || len(s.Names) == 0 || s.Takes == "" {
			t.Errorf("scheme %q: %v, %v", s.Name, got.Name, ok)
		}
		seen[s.Name] = true
	}
	for _, name := range []string{"", "caesar", "caesar:0", "caesar:13", "caesar:26", "caesar:03", "caesar:+3", "Base64",
		"reversed"} {
		if _, ok := ByName(name); ok {
			t.Errorf("%q is a scheme", name)
		}
	}
	if s, ok := ByName("caesar:25"); !ok || s.Name != "caesar:25" {
		t.Errorf("caesar:25 is %v, %v", s.Name, ok)
	}
}

// Independent decoders read the same text.
func TestOtherDecodersReadTheForms(t *testing.T) {
	for name, read := range map[string]func(string) (string, error){
		"base64": func(s string) (string, error) { return text(base64.StdEncoding.Strict().DecodeString(s)) },
		"url":    url.PathUnescape,
		"html":   func(s string) (string, error) { return html.UnescapeString(s), nil },
	} {
		s, _ := ByName(name)
		for _, x := range samples() {
			y, err := s.Encode(x)
			if err != nil {
				continue
			}
			if got, err := read(y); err != nil || got != x {
				t.Errorf("%s: %q is read as %q, %v", name, x, got, err)
			}
		}
	}
}

func TestDecodeInvertsEncode(t *testing.T) {
	taken := map[string]int{}
	for _, x := range samples() {
		for _, s := range all() {
			if roundTrip(t, s, x) {
				taken[s.Name]++
			}
		}
	}
	for _, s := range all() {
		if taken[s.Name] < 100 {
			t.Errorf("%s took %d of the sample texts, want at least 100", s.Name, taken[s.Name])
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, x := range samples()[:20] {
		f.Add(x)
	}
	f.Add("&#233;")
	f.Add("%41")
	f.Add(".- / -")
	f.Fuzz(func(t *testing.T, x string) {
		for _, s := range all() {
			roundTrip(t, s, x)
			text, err := s.Decode(x)
			if err != nil {
				continue
			}
			if again, err := s.Encode(text); err != nil || again != x {
				t.Errorf("%s: %q decodes to %q, which encodes to %q, %v", s.Name, x, text, again, err)
			}
		}
	})
}

// roundTrip checks one text and reports whether the scheme takes it.
func roundTrip(t *testing.T, s Scheme, x string) bool {
	t.Helper()
	y, err := s.Encode(x)
	if err != nil {
		return false
	}
	got, err := s.Decode(y)
	if err != nil || got != s.Canonical(x) || y == x || !utf8.ValidString(y) {
		t.Errorf("%s: %q becomes %q, then %q, %v, want %q", s.Name, x, y, got, err, s.Canonical(x))
	}
	if !s.Lossy && s.Canonical(x) != x {
		t.Errorf("%s is lossless, and the canonical form of %q is %q", s.Name, x, s.Canonical(x))
	}
	return true
}

func all() []Scheme {
	out := Schemes()
	for _, name := range []string{"caesar:1", "caesar:25"} {
		s, _ := ByName(name)
		out = append(out, s)
	}
	return out
}

// samples are texts of plain words, and of all sorts of characters.
func samples() []string {
	rng := rand.New(rand.NewPCG(7, 7))
	var out []string
	for range 200 {
		var b strings.Builder
		for range 1 + rng.IntN(30) {
			b.WriteByte("abcXYZ 0189"[rng.IntN(11)])
		}
		out = append(out, b.String())
	}
	wide := []rune("aZ .,%&;#<>\"'\n\tß\u0000é\u200bж中🦊\ufffd\u0085=+/-_")
	for range 200 {
		var b strings.Builder
		for range 1 + rng.IntN(20) {
			b.WriteRune(wide[rng.IntN(len(wide))])
		}
		out = append(out, b.String())
	}
	return out
}
