package render

import (
	"fmt"
	"io"
	"strings"
)

// LaTeX writes booktabs tables; the document needs \usepackage{booktabs}.
func LaTeX(w io.Writer, tables []Table) error {
	for i, t := range tables {
		var b strings.Builder
		if i > 0 {
			b.WriteString("\n")
		}
		spec := make([]byte, len(t.Columns))
		for i, left := range labelColumns(t) {
			spec[i] = 'r'
			if left {
				spec[i] = 'l'
			}
		}
		fmt.Fprintf(&b, "\\begin{table}\n\\centering\n\\caption{%s}\n\\begin{tabular}{%s}\n\\toprule\n",
			escapeLaTeX(t.Title), spec)
		heads := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			heads[i] = escapeLaTeX(c)
		}
		fmt.Fprintf(&b, "%s \\\\\n\\midrule\n", strings.Join(heads, " & "))
		for i, g := range t.Groups {
			if i > 0 {
				b.WriteString("\\midrule\n")
			}
			for _, row := range g {
				cells := make([]string, len(row))
				for i, e := range row {
					cells[i] = strings.ReplaceAll(escapeLaTeX(e.String()), "±", "$\\pm$")
				}
				fmt.Fprintf(&b, "%s \\\\\n", strings.Join(cells, " & "))
			}
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
		for _, n := range t.Notes {
			fmt.Fprintf(&b, "\\par{\\footnotesize %s}\n", escapeLaTeX(Printable(n)))
		}
		b.WriteString("\\end{table}\n")
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "–", "--")

func escapeLaTeX(s string) string { return latexEscapes.Replace(s) }
