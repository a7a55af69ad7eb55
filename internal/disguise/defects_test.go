package disguise

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pidsbench/internal/draw"
	"pidsbench/internal/testenv"
)

// A character that nobody sees in a source file is one that nobody reviews: such characters are written as escapes.
func TestSourceFilesHoldNoInvisibleCharacters(t *testing.T) {
	root := testenv.Root(t)
	n := 0
	for _, dir := range []string{"cmd", "configs", "data/authored", "data/lists", "docs", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || strings.HasSuffix(path, "_test.go") ||
				!slices.Contains([]string{".go", ".yaml", ".md"}, filepath.Ext(path)) {
				return err
			}
			data, err := os.ReadFile(path)
			n++
			for _, r := range string(data) {
				if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && r != '\n' && r != '\t' ||
					unicode.IsSpace(r) && r > ' ' || unicode.Is(unicode.Co, r) {
					t.Errorf("%s holds %U", path, r)
					break
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 100 {
		t.Errorf("%d files looked at", n)
	}
}

// The zero-width transform inserts; a text is never made shorter, and no word runs into the next.
func TestZeroWidthKeepsEveryWordApart(t *testing.T) {
	for i, in := range sentences(40, "zero width") {
		out, _ := zeroWidth(in, draw.New(1, "zero width", string(rune('a'+i))))
		if a, b := len(strings.Fields(in)), len(strings.Fields(out)); a != b {
			t.Errorf("%d words became %d in %q", a, b, out)
		}
	}
}

func TestEveryTransformIsOfAPublishedKind(t *testing.T) {
	seven := []string{"unicode_confusables", "homoglyph", "zero_width", "spacing_jitter", "markdown_split", "base64_wrap",
		"rot13_wrap"}
	kinds := map[string]int{}
	for _, x := range Transforms {
		if !slices.Contains(Kinds, x.Kind) || KindOf(x.Name) != x.Kind {
			t.Errorf("%s is of the kind %q", x.Name, x.Kind)
		}
		kinds[x.Kind]++
	}
	for _, kind := range Kinds {
		if kinds[kind] == 0 {
			t.Errorf("no transform is of the kind %s", kind)
		}
	}
	for _, name := range seven {
		if _, ok := Named(name); !ok {
			t.Errorf("the original's transform %s is none of ours", name)
		}
	}
	if len(Kinds) != 6 {
		t.Errorf("%d kinds", len(Kinds))
	}
}

// A held-out disguise that used a character of the build mix would be seen in training, only sparser.
func TestHeldOutDisguisesUseNoCharacterOfTheOthers(t *testing.T) {
	mix := map[rune]bool{'\u200b': true}
	for _, r := range homoglyphs {
		mix[r] = true
	}
	for _, m := range combiningMarks {
		mix[[]rune(m)[0]] = true
	}
	for _, h := range HeldOuts {
		if _, ok := Named(h.Name); ok {
			t.Errorf("%s is a transform of the build mix too", h.Name)
		}
		for i, in := range sentences(40, "held out mix") {
			out, _ := h.Apply(in, draw.New(1, h.Name, string(rune('a'+i))))
			for _, r := range out {
				if mix[r] {
					t.Errorf("%s writes %U, as training does", h.Name, r)
				}
			}
		}
	}
}
