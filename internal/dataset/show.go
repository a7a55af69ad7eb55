package dataset

import (
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// showList quotes names for a message, at most twelve of them.
func showList(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == 12 {
			b.WriteString(" and " + strconv.Itoa(len(names)-i) + " more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(fault.Quote(name))
	}
	return b.String()
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// at names a line of a file.
func at(file string, line int) string { return file + ":" + strconv.Itoa(line) }

// lineOf returns the 1-based line that holds a byte offset. Lines end at LF.
func lineOf(src string, offset int) int { return 1 + strings.Count(src[:offset], "\n") }

// fail returns an integrity error about a place in a file.
func fail(where, format string, args ...any) *fault.Error {
	return fault.New(fault.Integrity, "%s: "+format, append([]any{where}, args...)...)
}

// orList joins words as "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
