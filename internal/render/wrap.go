package render

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/text/unicode/bidi"
)

// width returns the columns that a terminal shows a text in, counted by what a reader takes for one character: two for
// those of East Asian scripts and emoji, none for marks that stand on another one. It is the same in every locale.
func width(s string) int { return displaywidth.String(s) }

// wrap breaks a text at blanks into lines of at most so many columns. The first one begins with first, the others with
// next. A word that is wider than a line stays whole, so that paths and commands can be copied.
func wrap(s string, columns int, first, next string) []string {
	var lines []string
	line, used := first, width(first)
	begun := false
	for word := range strings.SplitSeq(s, " ") {
		w := width(word)
		switch {
		case !begun:
		case used+1+w > columns:
			lines = append(lines, line)
			line, used = next, width(next)
		default:
			line, used = line+" ", used+1
		}
		line, used, begun = line+word, used+w, true
	}
	return append(lines, line)
}

// split breaks a cell into lines of at most so many columns: at blanks, and inside a word that is wider than that.
func split(s string, columns int) []string {
	if width(s) <= columns {
		return []string{s}
	}
	var lines []string
	for _, line := range wrap(s, columns, "", "") {
		var piece strings.Builder
		used := 0
		for g := displaywidth.StringGraphemes(line); g.Next(); {
			if w := g.Width(); used > 0 && used+w > columns {
				lines = append(lines, steady(piece.String()))
				piece.Reset()
				used = 0
			}
			piece.WriteString(g.Value())
			used += g.Width()
		}
		lines = append(lines, steady(piece.String()))
	}
	return lines
}

// mark is the left-to-right mark: no column wide, and seen by terminals that order right-to-left text themselves.
const mark = "\u200e"

// steady puts marks around a text that holds right-to-left letters, so that the line goes from left to right and the
// numbers beside the text stay in their columns.
func steady(s string) string {
	s = strings.Trim(s, mark)
	for _, r := range s {
		if p, _ := bidi.LookupRune(r); p.Class() == bidi.R || p.Class() == bidi.AL {
			return mark + s + mark
		}
	}
	return s
}
