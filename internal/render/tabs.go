package render

import (
	"bytes"
	"io"
	"strings"
)

// Tabs aligns lines of cells with tabs between them by the columns that a terminal shows them in, two blanks between
// cells. The last cell of a line may be of any width. Flush writes them.
type Tabs struct {
	w io.Writer
	b bytes.Buffer
}

// NewTabs returns one that writes to w.
func NewTabs(w io.Writer) *Tabs { return &Tabs{w: w} }

// Write takes lines, or parts of them.
func (t *Tabs) Write(p []byte) (int, error) { return t.b.Write(p) }

// Flush writes the lines aligned.
func (t *Tabs) Flush() error {
	var lines [][]string
	var widths []int
	for line := range strings.Lines(t.b.String()) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i := range cells {
			cells[i] = steady(cells[i])
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(cells)-1 {
				widths[i] = max(widths[i], width(cells[i]))
			}
		}
		lines = append(lines, cells)
	}
	var out bytes.Buffer
	for _, cells := range lines {
		for i, c := range cells[:len(cells)-1] {
			out.WriteString(c + strings.Repeat(" ", widths[i]-width(c)+2))
		}
		out.WriteString(cells[len(cells)-1] + "\n")
	}
	t.b.Reset()
	_, err := t.w.Write(out.Bytes())
	return err
}
