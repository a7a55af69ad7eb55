package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"
)

// terminal is a writer that knows its width.
type terminal struct {
	bytes.Buffer
	columns int
}

func (t *terminal) Columns() int { return t.columns }

// onTerminal returns what a terminal of so many columns shows; 0 is a pipe.
func onTerminal(t *testing.T, columns int, tables ...Table) string {
	t.Helper()
	w := &terminal{columns: columns}
	if err := Text(w, tables); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// names are hostile to whoever counts bytes, runes or columns.
var names = map[string]string{
	"plain":           "detector",
	"CJK":             "提示注入检测器",
	"full width":      "ＤＥＴ",
	"half-width kana": "ﾃﾞﾃｸﾀ",
	"Hangul jamo":     "\u1112\u1161\u11ab\u1100\u1173\u11af",
	"emoji":           "🛡 guard 🚨",
	"skin tone":       "👍🏽 model",
	"flag":            "🇩🇪 model",
	"keycap":          "1️⃣ model",
	"combining":       "de\u0301te\u0301cteur",
	"Devanagari":      "पहचानकर्ता",
	"Thai":            "ตัวตรวจจับ",
	"Hebrew":          "גלאי הזרקות 5",
	"Arabic":          "كاشف الحقن",
	"zero width":      "a\u200bb\u200dc",
	"override":        "\u202eevil\u202c",
	"escape":          "\x1b[31mred",
	"tab":             "a\tb",
	"ambiguous":       "±α…─",
}

func TestTablesStayAlignedWhateverANameHolds(t *testing.T) {
	for what, name := range names {
		t.Run(what, func(t *testing.T) {
			table := Table{Title: "T", Columns: []string{"Detector", "F1", "FPR"}, Groups: [][]Row{
				{{label("%s", Printable(name)), label("0.5000"), label("1")}, {label("x"), label("0.25"), label("0")}},
				{{label("always"), label("0.1"), label("0.75")}}}}
			lines := strings.Split(strings.TrimSuffix(onTerminal(t, 0, table), "\n"), "\n")[1:]
			want := displaywidth.String(lines[1]) - 1 // the rule spans the blank behind the last column
			for i, line := range lines {
				if strings.HasPrefix(line, "─") {
					continue
				}
				if got := displaywidth.String(line); got != want {
					t.Errorf("line %d takes %d columns, want %d:\n%s", i+1, got, want, strings.Join(lines, "\n"))
				}
			}
		})
	}
}

func TestNumbersBesideRightToLeftTextStayInTheirColumns(t *testing.T) {
	for name, want := range map[string]string{"plain": "plain", "גלאי 5": "\u200eגלאי 5\u200e", "x كاشف": "\u200ex كاشف\u200e"} {
		if got := steady(name); got != want || steady(got) != want || width(got) != width(name) {
			t.Errorf("%q becomes %q, want %q, as wide as before", name, got, want)
		}
	}
}

func TestTablesAreTheSameInEveryLocale(t *testing.T) {
	t.Setenv("LANG", "zh_CN.UTF-8")
	t.Setenv("RUNEWIDTH_EASTASIAN", "1")
	table := Table{Title: "T", Columns: []string{"Detector"}, Groups: [][]Row{{{label("ab±")}}}}
	if got, want := onTerminal(t, 0, table), "T\n Detector\n──────────\n ab±\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// wideTable has the columns Detector, Text and C1 … Cn.
func wideTable(n int) Table {
	t := Table{Title: "T", Columns: []string{"Detector", "Text"}, Left: 2}
	row := Row{label("name"), label("%s", strings.Repeat("word ", 20)+strings.Repeat("字", 30))}
	for i := range n {
		t.Columns = append(t.Columns, "Column "+string(rune('A'+i)))
		row = append(row, label("0.%04d", i))
	}
	t.Groups = [][]Row{{row}, {row}}
	t.Notes = []string{strings.Repeat("A note of many words. ", 12) + "/a/path/that/" + strings.Repeat("long/", 30)}
	return t
}

func TestEverythingFitsIntoATerminal(t *testing.T) {
	for _, columns := range []int{40, 60, 80, 100, 119, 200} {
		for _, n := range []int{0, 1, 5, 20} {
			text := onTerminal(t, columns, wideTable(n))
			for line := range strings.Lines(text) {
				if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > columns && !strings.Contains(line, "/a/path") {
					t.Errorf("%d columns, %d numbers: a line takes %d: %s", columns, n, w, line)
				}
			}
			for i := range n {
				if strings.Count(text, " 0.00"+string(rune('0'+i/10))+string(rune('0'+i%10))) != 2 {
					t.Errorf("%d columns: column %d of %d does not stand in each of two rows:\n%s", columns, i, n, text)
				}
			}
			if got := strings.Count(text, "字"); got == 0 || got%60 != 0 { // in each block, when there is room
				t.Errorf("%d columns: %d characters of two texts of 30 are shown", columns, got)
			}
		}
	}
}

func TestBlocksOfANarrowTerminalBeginWithTheColumnsOfWords(t *testing.T) {
	table := Table{Title: "A title of several words that is wrapped", Columns: []string{"Detector", "IID F1", "Hard-benign FPR", "Area under ROC"},
		Groups: [][]Row{{{label("one"), label("0.9"), label("0.25"), label("1")}}, {{label("below"), label("0.5"), label("1"), label("0")}}},
		Notes:  []string{"a note of words that do not fit on a line"}}
	want := `A title of several words that is wrapped
 Detector  IID F1  Hard-benign
                           FPR
───────────────────────────────
 one          0.9         0.25
───────────────────────────────
 below        0.5            1

 Detector  Area under
                  ROC
──────────────────────
 one                1
──────────────────────
 below              0
  a note of words that do not fit on a
    line
`
	if diff := cmp.Diff(want, onTerminal(t, 40, table)); diff != "" {
		t.Error(diff)
	}
}

func TestAPipeGetsWholeTablesAndNotesOfAFixedWidth(t *testing.T) {
	table := wideTable(30)
	table.Title = strings.Repeat("title ", 40) + "ends"
	text := onTerminal(t, 0, table)
	longest := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  A note") || strings.HasPrefix(line, "    ") {
			longest = max(longest, len(strings.TrimSuffix(line, "\n")))
		}
	}
	if strings.Count(text, "Detector") != 1 || longest == 0 || !strings.HasPrefix(text, table.Title+"\n") {
		t.Errorf("the table is cut, or there is no note:\n%s", text)
	}
	if first, _, _ := strings.Cut(text[strings.Index(text, "  A note"):], "\n"); len(first) > pipeColumns || len(first) < pipeColumns-8 {
		t.Errorf("the note is wrapped after %d columns, want at most %d", len(first), pipeColumns)
	}
	wide := onTerminal(t, 400, wideTable(0))
	if notes := wide[strings.Index(wide, "  A note"):]; !strings.HasSuffix(text, notes) {
		t.Errorf("a wide terminal shows the note in another way:\n%s", notes)
	}
}

func TestATableWithoutRowsShowsItsHead(t *testing.T) {
	if got, want := onTerminal(t, 0, Table{Title: "T", Columns: []string{"Detector", "F1"}}), "T\n Detector  F1\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
