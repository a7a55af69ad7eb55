package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/render"
	"pidsbench/internal/threshold"
)

// scanned is a text with what came of it.
type scanned struct {
	number  int // from 1
	text    string
	result  engine.Result
	flagged bool
	windows []engine.WindowScore // in the order of the text; none for detectors without tokens
	places  [][2]int             // bytes of the text without NUL bytes, for each token; nil where not known
}

// scanWindows is the number of windows of one text that the table shows at most.
const scanWindows = 8

// title writes what stands above the table.
func (s *scan) title(b *bytes.Buffer) {
	tau, why := "", ""
	if s.cut.policy.Kind != threshold.Fixed {
		tau = " = " + strconv.FormatFloat(s.cut.tau, 'g', -1, 64)
	}
	if s.cut.why != "" {
		why = "; " + render.Printable(s.cut.why)
	}
	fmt.Fprintf(b, "%s at threshold %s%s (windows %s%s)\n%6s  %6s  %-9s  %7s  %9s  %s\n", runName(s.c.entry, s.c.seed),
		s.cut.policy, tau, s.opts.windows, why, "text", "score", "verdict", "windows", "tokens", "begins with")
}

// show prints some texts, at least one, in order.
func (s *scan) show(w io.Writer, found []scanned) error {
	var b bytes.Buffer
	if s.opts.format == "table" && found[0].number == 1 {
		s.title(&b)
	}
	for i := range found {
		if s.opts.format == "table" {
			s.row(&b, &found[i])
		} else if err := s.object(&b, &found[i]); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func verdictOf(flagged bool) string {
	if flagged {
		return "injection"
	}
	return "benign"
}

// row writes the line of a text, and a line for each of its windows where there are several.
func (s *scan) row(b *bytes.Buffer, f *scanned) {
	line := func(score, verdict, windows, tokens string) {
		fmt.Fprintf(b, "%6d  %6s  %-9s  %7s  %9s  %s\n", f.number, score, verdict, windows, tokens, fault.Quote(f.text))
	}
	r := f.result
	switch {
	case r.Err != "":
		line("n/a", "error", "-", "-")
		fmt.Fprintf(b, "        %s\n", render.Printable(r.Err))
		return
	case r.Windows == 0:
		line(shortScore(r.Score), verdictOf(f.flagged), "-", "-")
		return
	}
	tokens := strconv.Itoa(r.Tokens)
	if r.TokensScored < r.Tokens {
		tokens = fmt.Sprintf("%d/%d", r.TokensScored, r.Tokens)
	}
	line(shortScore(r.Score), verdictOf(f.flagged), strconv.Itoa(r.Windows), tokens)
	if len(f.windows) < 2 {
		return
	}
	shown := f.highest(scanWindows)
	for i, w := range f.windows {
		if !shown[i] {
			continue
		}
		fmt.Fprintf(b, "        %6s  %-9s  window %d, tokens %d–%d", shortScore(w.Score), verdictOf(w.Score >= s.cut.tau), i+1,
			w.From+1, w.To)
		if from, to, ok := f.place(w); ok {
			clean := strings.ReplaceAll(f.text, "\x00", "")
			fmt.Fprintf(b, ", bytes %d–%d: %s", from+1, to, fault.Quote(clean[from:to]))
		}
		b.WriteByte('\n')
	}
	if more := len(f.windows) - len(shown); more > 0 {
		fmt.Fprintf(b, "        %d more windows, none with a higher score\n", more)
	}
}

// shortScore has four decimals, as in the tables.
func shortScore(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// highest returns the positions of the n windows with the highest scores, the earlier ones of those that tie.
func (f *scanned) highest(n int) map[int]bool {
	order := make([]int, len(f.windows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.windows[b].Score, f.windows[a].Score) })
	shown := map[int]bool{}
	for _, i := range order[:min(n, len(order))] {
		shown[i] = true
	}
	return shown
}

// place returns the bytes of the text that a window covers.
func (f *scanned) place(w engine.WindowScore) (from, to int, ok bool) {
	if w.To > len(f.places) || w.From >= w.To {
		return 0, 0, false
	}
	return f.places[w.From][0], f.places[w.To-1][1], true
}

// scanLine is a text as JSON.
type scanLine struct {
	Text      int          `json:"text"` // number, from 1
	Detector  string       `json:"detector"`
	Seed      int          `json:"seed"`
	Error     string       `json:"error,omitempty"` // then the rest is left out
	Score     *float64     `json:"score,omitempty"`
	Verdict   string       `json:"verdict,omitempty"`
	Threshold *float64     `json:"threshold,omitempty"`
	Policy    string       `json:"policy,omitempty"`
	Windows   *int         `json:"windows,omitempty"`
	Tokens    *int         `json:"tokens,omitempty"`
	Truncated *bool        `json:"truncated,omitempty"`
	NULs      int          `json:"nuls,omitempty"`
	Parts     []scanWindow `json:"parts,omitempty"` // windows, where there are several
}

// scanWindow is a window as JSON. Tokens and bytes are counted from 0, the ends are the first ones behind it.
type scanWindow struct {
	Score     float64 `json:"score"`
	FromToken int     `json:"from_token"`
	ToToken   int     `json:"to_token"`
	FromByte  *int    `json:"from_byte,omitempty"`
	ToByte    *int    `json:"to_byte,omitempty"`
}

// object writes a text as a line of JSON.
func (s *scan) object(b *bytes.Buffer, f *scanned) error {
	l := scanLine{Text: f.number, Detector: s.c.entry.ID, Seed: s.c.seed, Error: f.result.Err}
	if r := f.result; r.Err == "" {
		truncated := r.TokensScored < r.Tokens
		l.Score, l.Verdict, l.Threshold, l.Policy = &r.Score, verdictOf(f.flagged), &s.cut.tau, s.cut.policy.String()
		l.Windows, l.Tokens, l.Truncated, l.NULs = &r.Windows, &r.Tokens, &truncated, r.NULs
	}
	if len(f.windows) > 1 {
		for _, w := range f.windows {
			part := scanWindow{Score: w.Score, FromToken: w.From, ToToken: w.To}
			if from, to, ok := f.place(w); ok {
				part.FromByte, part.ToByte = &from, &to
			}
			l.Parts = append(l.Parts, part)
		}
	}
	enc := json.NewEncoder(b)
	return enc.Encode(l)
}
