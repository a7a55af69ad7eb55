package render

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes GitHub-flavoured tables. Groups follow each other: the format has no line between rows.
func Markdown(w io.Writer, tables []Table) error {
	for i, t := range tables {
		var b strings.Builder
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "**%s**\n\n", escapeMarkdown(t.Title))
		labels := labelColumns(t)
		for i, c := range t.Columns {
			if i == 0 {
				b.WriteString("|")
			}
			fmt.Fprintf(&b, " %s |", escapeMarkdown(c))
		}
		b.WriteString("\n|")
		for i := range t.Columns {
			if labels[i] {
				b.WriteString(" --- |")
			} else {
				b.WriteString(" ---: |")
			}
		}
		b.WriteString("\n")
		for _, g := range t.Groups {
			for _, row := range g {
				b.WriteString("|")
				for _, e := range row {
					fmt.Fprintf(&b, " %s |", escapeMarkdown(e.String()))
				}
				b.WriteString("\n")
			}
		}
		if len(t.Notes) > 0 {
			b.WriteString("\n")
		}
		for _, n := range t.Notes {
			fmt.Fprintf(&b, "- %s\n", escapeMarkdown(Printable(n)))
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;",
	">", "&gt;", "[", `\[`, "]", `\]`, "&", "&amp;", "\n", " ", "\r", " ")

func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }
