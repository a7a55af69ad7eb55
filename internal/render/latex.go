package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"pidsbench/internal/results"
)

// LaTeX writes booktabs tables; the document needs \usepackage{booktabs}, which the first line says.
func LaTeX(w io.Writer, tables []Table) error {
	if _, err := io.WriteString(w, "% \\usepackage{booktabs}\n"); err != nil {
		return err
	}
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
		fmt.Fprintf(&b, "\\begin{table}\n\\centering\n\\caption{%s}\n\\label{tab:%s}\n\\begin{tabular}{%s}\n\\toprule\n",
			escapeLaTeX(t.Title), labelLaTeX(t), spec)
		heads := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			heads[i] = escapeLaTeX(c)
		}
		fmt.Fprintf(&b, "%s \\\\\n\\midrule\n", strings.Join(heads, " & "))
		leaders := best(t)
		for i, g := range t.Groups {
			if i > 0 {
				b.WriteString("\\midrule\n")
			}
			for _, row := range g {
				cells := make([]string, len(row))
				for k, e := range row {
					cells[k] = escapeLaTeX(e.String())
					if i == 0 && leaders[k] != "" && leaders[k] == rank(e) {
						cells[k] = `\textbf{` + cells[k] + "}"
					}
				}
				fmt.Fprintf(&b, "%s \\\\\n", strings.Join(cells, " & "))
			}
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
		notes := t.Notes
		if slices.ContainsFunc(leaders, func(s string) bool { return s != "" }) {
			notes = append(slices.Clone(notes), "Bold: the best of each column as it is shown, however wide its interval.")
		}
		for _, n := range notes {
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
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "–", "--", "±", `$\pm$`, "×", `$\times$`, "≥", `$\geq$`, "≤", `$\leq$`,
	"−", `$-$`, "τ", `$\tau$`, "·", `$\cdot$`, "…", `\ldots{}`,
	"†", `\textdagger{}`, "‡", `\textdaggerdbl{}`, "|", `\textbar{}`, "<", `\textless{}`, ">", `\textgreater{}`)

// labelLaTeX names a table by what it is and by its threshold policy.
func labelLaTeX(t Table) string {
	name := t.ID
	if t.Policy != "" {
		name += "-" + t.Policy
	}
	return strings.Map(func(r rune) rune {
		if r == '.' || r == ':' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, name)
}

func escapeLaTeX(s string) string { return latexEscapes.Replace(s) }

// direction says of a metric whether more of it is better (+1) or worse (-1); those without one have no best.
var direction = map[string]int{"accuracy": 1, "f1": 1, "family_f1": 1, "weighted_f1": 1, "precision": 1, "recall": 1,
	"roc_auc": 1, "fpr": -1, "fnr": -1, "family_fpr": -1}

// best returns for each column the best number among the rows of the first group, as it is shown; "" where no two rows
// compete.
func best(t Table) []string {
	leaders := make([]string, len(t.Columns))
	if !t.Ranked || len(t.Groups) == 0 {
		return leaders
	}
	for k := range t.Columns {
		n, top := 0, 0.0
		for _, row := range t.Groups[0] {
			if rank(row[k]) == "" {
				continue
			}
			c := row[k].Cell
			if v := float64(direction[c.Metric]) * *c.Value; n == 0 || v > top {
				top, leaders[k] = v, rank(row[k])
			}
			n++
		}
		if n < 2 {
			leaders[k] = ""
		}
	}
	return leaders
}

// rank returns the number that an entry competes with, as it is shown: equal ones are equally good. An entry that lacks
// rows competes no more than one that has no number.
func rank(e Entry) string {
	c := e.Cell
	if c == nil || c.Value == nil || direction[c.Metric] == 0 || c.State == results.StateIncomplete {
		return ""
	}
	return formatValue(c.Metric, *c.Value)
}
