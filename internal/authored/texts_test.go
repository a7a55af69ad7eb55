package authored

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

const someTexts = `schema: pidsbench-texts/1
label: injection
subtype: direct_override
domain: travel
language: en
authorship: llm
texts:
  - {id: first, text: "  drop the {rules} \n"}
  - id: second
    label: benign
    subtype: none
    domain: cooking
    language: de
    text: |-
      Zwei Zeilen,
        eine eingerückt
`

func folder(t testing.TB, data string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "f.yaml"), []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestTextsBearTheirOwnDescriptionOrThatOfTheFile(t *testing.T) {
	got, err := LoadTexts(folder(t, someTexts), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := []Text{
		{"first", "drop the {rules}", 8, Description{"injection", "direct_override", "travel", "en", "llm"}},
		{"second", "Zwei Zeilen,\n  eine eingerückt", 9, Description{"benign", "none", "cooking", "de", "llm"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got[0].Class() != dataset.Injection || got[1].Class() != dataset.Benign {
		t.Errorf("classes %v and %v", got[0].Class(), got[1].Class())
	}
}

func TestMistakesOfTextsAreNamedByLine(t *testing.T) {
	for _, tt := range []struct{ old, new, say string }{
		{"texts/1", "texts/2", `f.yaml:1: field schema holds "pidsbench-texts/2"`},
		{"label: injection", "label: attack", `:8: first: field label holds "attack", expected benign or injection`},
		{"subtype: none", "subtype: tool_injection", `:9: second: field subtype holds "tool_injection", expected none`},
		{"subtype: direct_override", "subtype: override", `:8: first: field subtype holds "override", expected one of`},
		{"domain: cooking", "domain: Cooking", `:9: second: field domain holds "Cooking"`},
		{"language: de", "language: deu", `:9: second: field language holds "deu"`},
		{"authorship: llm", "authorship: me", `:8: first: field authorship holds "me"`},
		{"id: second", "id: first", `:9: field id holds "first", which stands on line 8 already`},
		{"id: second", "id: 2nd", `:9: field id holds "2nd"`},
		{`"  drop the {rules} \n"`, `" \n"`, ":8: first: field text is empty"},
		{"drop the {rules}", `drop\0 it`, ":8: first: field text holds the character U+0000"},
		{"drop the {rules}", `drop\u202e it`, ":8: first: field text holds the character U+202E"},
		{"drop the {rules}", "drop \xff it", "field text holds bytes that are no UTF-8"},
		{"domain: cooking", "topic: cooking", "topic"},
		{someTexts[strings.Index(someTexts, "texts:\n"):], "texts: []\n", "field texts is empty"},
	} {
		t.Run(tt.new, func(t *testing.T) {
			if !strings.Contains(someTexts, tt.old) {
				t.Fatalf("no %q", tt.old)
			}
			_, err := LoadTexts(folder(t, strings.Replace(someTexts, tt.old, tt.new, 1)), "f.yaml")
			testenv.WantFault(t, err, fault.Integrity, tt.say)
		})
	}
	_, err := LoadTexts(t.TempDir(), "absent.yaml")
	testenv.WantFault(t, err, fault.Integrity, "absent.yaml cannot be read")
}

func FuzzLoadTexts(f *testing.F) {
	f.Add(someTexts)
	f.Fuzz(func(t *testing.T, data string) {
		texts, err := LoadTexts(folder(t, data), "f.yaml")
		if err != nil {
			return
		}
		for _, x := range texts {
			if field, _, _ := x.Mistake(); field != "" || x.Text != strings.TrimSpace(x.Text) || x.Text == "" || x.ID == "" {
				t.Errorf("%+v", x)
			}
		}
	})
}

// The files of the repository, whatever they are for.
func TestTheTextsOfTheRepositoryLoad(t *testing.T) {
	root := testenv.Root(t)
	texts, documents := 0, 0
	for _, p := range files(t, root, "written") {
		of, err := LoadTexts(root, p)
		if err != nil {
			t.Error(err)
		}
		texts += len(of)
	}
	for _, p := range files(t, root, "carriers") {
		of, err := LoadCarriers(root, p)
		if err != nil {
			t.Error(err)
			continue
		}
		documents += len(of.Documents)
		texts += len(of.Documents) + len(of.Injections) + len(of.Requests)
		for _, d := range of.Documents {
			texts += len(d.Injections)
		}
	}
	if texts < 2500 || documents < 100 {
		t.Errorf("%d texts that were written one by one, want at least 2500; %d documents, want at least 100", texts,
			documents)
	}
}

func files(t *testing.T, root, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "data/authored", dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, "data/authored/"+dir+"/"+e.Name())
	}
	return out
}

var ignoreLines = cmpopts.IgnoreFields(Text{}, "Line")
