package restrict

import (
	"testing"

	"pidsbench/internal/fault"
)

// A blank is a text that is withheld or lost. It is no text: neither "" nor "nan" is ever fingerprinted, stripped or
// taken for a complete row.
func TestABlankIsNeverTakenForAText(t *testing.T) {
	right := Hash("a")
	for name, tt := range map[string]struct {
		data string
		ok   bool
	}{
		"withheld":                     {"text,source,text_sha256\n,lmsys," + right + "\n", true},
		"the word nan is a text":       {"text,source,text_sha256\nnan,lmsys," + Hash("nan") + "\n", true},
		"blank without fingerprint":    {"text,source,text_sha256\n,lmsys,\n", false},
		"blank without the column":     {"text,source\n,lmsys\n", false},
		"blank of white space":         {"text,source\n \t,lmsys\n", false},
		"fingerprint of the word nan":  {"text,source,text_sha256\n,lmsys," + Hash("nan") + "\n", false},
		"fingerprint of nothing":       {"text,source,text_sha256\n,lmsys," + Hash("") + "\n", false},
		"the word nan as fingerprint":  {"text,source,text_sha256\n,lmsys,nan\n", false},
		"blank in another row":         {"text,source,text_sha256\n,dolly," + right + "\n", false},
		"in any case of the prefix":    {"text,source,text_sha256\n,LMSYS_ai,\n", false},
		"a fingerprint of another one": {"text,source,text_sha256\nb,lmsys," + right + "\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			for step, do := range map[string]func(*File) error{
				"verify":      func(f *File) error { _, err := f.Verify(); return err },
				"fingerprint": func(f *File) error { _, err := f.Fingerprint(); return err },
				"rebuild":     func(f *File) error { _, err := f.Rebuild(); return err },
				"strip":       func(f *File) error { _, _, err := f.Strip(); return err },
			} {
				f := parse(t, tt.data)
				err := do(f)
				if (err == nil) != tt.ok || err != nil && fault.ExitCode(err) != int(fault.Integrity) {
					t.Errorf("%s: %v", step, err)
				}
				if err != nil && encode(t, f) != tt.data {
					t.Errorf("%s fails and changes the file to %q", step, encode(t, f))
				}
			}
		})
	}
}

// Run after the strip, the fingerprints are those of the texts that were there.
func TestAFingerprintAfterTheStripChangesNothing(t *testing.T) {
	f := parse(t, "text,source\na,lmsys\nb,dolly\n")
	_, err := f.Fingerprint()
	ok(t, err)
	_, _, err = f.Strip()
	ok(t, err)
	public := encode(t, f)
	g := parse(t, public)
	if n, err := g.Fingerprint(); n != 0 || err != nil || encode(t, g) != public {
		t.Errorf("%d fingerprints were made of blanks, %v: %q", n, err, encode(t, g))
	}
	if s, err := g.Verify(); err != nil || s.Withheld != 1 || s.Fingerprinted != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
