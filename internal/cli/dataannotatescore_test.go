package cli

import (
	"bytes"
	"strings"
	"testing"

	"pidsbench/internal/annotate"
)

// TestQuestionsOfASheetNeverReachATerminalAsTheyAre: a sheet comes back from somebody else, and its header names the
// questions.
func TestQuestionsOfASheetNeverReachATerminalAsTheyAre(t *testing.T) {
	const question = "is_\x1b[31mred"
	answers := map[string]map[string]annotate.Answer{question: {"i": annotate.Yes}}
	sheet := func(file string) *annotate.Filled {
		return &annotate.Filled{File: file, Questions: []string{question}, Answers: answers}
	}
	r, err := annotate.Score(map[string]annotate.KeyItem{"i": {}}, []*annotate.Filled{sheet("a\x1b.csv"), sheet("b.csv")})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"table", "markdown"} {
		var b bytes.Buffer
		if err := scoreFormats[format](&b, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "red") || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s: %q", format, b.String())
		}
	}
}
