package breakdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
)

// withheld is the value, in breakdowns by length, of rows whose text is withheld.
const withheld = "withheld"

// band cuts lengths at upper bounds that double.
type band struct {
	first, last int // upper bounds of the first band and of the last but one
	count       func(text string) int
}

var bands = map[string]band{
	ByWords:      {4, 512, func(s string) int { return len(strings.Fields(s)) }},
	ByCharacters: {16, 4096, utf8.RuneCountInString},
	ByTokens:     {16, 512, nil},
}

// names returns the names of the bands from short to long, then that of withheld texts.
func (b band) names() []string {
	out := []string{fmt.Sprintf("0–%d", b.first)}
	for hi := 2 * b.first; hi <= b.last; hi *= 2 {
		out = append(out, fmt.Sprintf("%d–%d", hi/2+1, hi))
	}
	return append(out, strconv.Itoa(b.last+1)+"+", withheld)
}

// nameOf returns the name of the band that n lies in.
func (b band) nameOf(n int) string {
	at := 0
	for hi := b.first; n > hi && hi <= b.last; hi *= 2 {
		at++
	}
	return b.names()[at]
}

// of returns the band of each row.
func (b band) of(s *dataset.Split, tokens func(string) (int, error)) ([]string, error) {
	names := map[int]string{}
	out := make([]string, len(s.Rows))
	for i, r := range s.Rows {
		if r.Missing {
			out[i] = withheld
			continue
		}
		var n int
		if b.count != nil {
			n = b.count(r.Text)
		} else {
			var err error
			if n, err = tokens(r.Text); err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", s.Name, i, err)
			}
		}
		if names[n] == "" {
			names[n] = b.nameOf(n)
		}
		out[i] = names[n]
	}
	return out, nil
}

// Names returns the breakdowns that a split can be asked for by name: those of Default, tokens and its other columns.
func Names(s *dataset.Split) []string {
	out := slices.Concat(Default, []string{ByTokens})
	for _, c := range s.Columns {
		if _, ok := s.Column(c); ok && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}
