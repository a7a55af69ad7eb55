package fault

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestQuoteEscapesAndCuts(t *testing.T) {
	sha := strings.Repeat("a1", 32)
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "max", `"max"`},
		{"empty", "", `""`},
		{"quote and backslash", `a"b\`, `"a\"b\\"`},
		{"escape", "\x1b[2J", `"\x1b[2J"`},
		{"C1 control", "\u009d0;title\u009c", `"\u009d0;title\u009c"`},
		{"right to left", "a\u202eb", `"a\u202eb"`},
		{"invalid bytes", "a\xff", `"a\xff"`},
		{"forty characters", strings.Repeat("é", 40), `"` + strings.Repeat("é", 40) + `"`},
		{"more", strings.Repeat("é", 41), `"` + strings.Repeat("é", 40) + `"…`},
		{"hash", sha, `"` + sha[:12] + `"…`},
		{"no hash", strings.ToUpper(sha), `"` + strings.ToUpper(sha)[:40] + `"…`},
		{"almost a hash", sha[:63], `"` + sha[:40] + `"…`},
	} {
		if got := Quote(tt.in); got != tt.want {
			t.Errorf("%s: Quote(%q) = %s, want %s", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestNameQuotesOnlyWhatNeedsIt(t *testing.T) {
	long := "out/" + strings.Repeat("x", 100) + ".csv"
	for in, want := range map[string]string{
		"test.csv": "test.csv", "a b/ü.csv": "a b/ü.csv", long: long, "": `""`, " a": `" a"`, "a\n": `"a\n"`,
		"\u009dx": `"\u009dx"`, "a\xff": `"a\xff"`, `a"b`: `"a\"b"`,
	} {
		if got := Name(in); got != want {
			t.Errorf("Name(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestLineIsOneLineThatATerminalOnlyShows(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " a\n\tb  c ": "a b c", "\x1b[31mred\x1b[0m": "[31mred[0m", "a\u009b2Jb\u009d": "a2Jb",
		"x\u202ey\xffz": "xyz", strings.Repeat("é", 300): strings.Repeat("é", 200) + "…",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("\x1b]0;x\a")
	f.Add(strings.Repeat("0f", 32))
	f.Add("\xff\u009d")
	f.Fuzz(func(t *testing.T, s string) {
		for name, got := range map[string]string{"Quote": Quote(s), "Name": Name(s), "Line": Line(s)} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s(%q) = %q holds what cannot be printed", name, s, got)
			}
		}
	})
}
