package reproduce

import (
	"fmt"
	"math"

	"pidsbench/internal/fault"
	"pidsbench/internal/scores"
)

// Compare sets the new lines of the drawn rows beside the published ones. The split's name and rows are filled in by the
// caller.
func Compare(published, again []scores.Line, drawn []int, t *Tolerance, cutoffs []Cutoff) Split {
	s := Split{Tolerance: t, Drawn: len(drawn), Flips: []Flips{}}
	for _, c := range cutoffs {
		if c.Tau != nil {
			s.Flips = append(s.Flips, Flips{Policy: c.Policy, Tau: *c.Tau})
		}
	}
	before, now := byRow(published), byRow(again)
	for _, row := range drawn {
		a, known := before[row]
		b, made := now[row]
		if why := lacking(a, known, b, made); why != "" {
			s.Lacking++
			s.find(row, "%s", why)
			continue
		}
		s.add(a, b)
	}
	switch {
	case s.Beyond+s.Counts > 0:
		s.Verdict = Off
	case s.Lacking > 0 || s.Compared == 0:
		s.Verdict = Incomplete
	default:
		s.Verdict = Same
	}
	return s
}

// lacking says which side of a row has no score, and why; "" when both have.
func lacking(published scores.Line, known bool, again scores.Line, made bool) string {
	side := func(l scores.Line, there bool) string {
		switch {
		case !there:
			return "no line"
		case l.MissingText:
			return "no text"
		case l.Error != "":
			return fault.Line(l.Error)
		}
		return ""
	}
	there, here := side(published, known), side(again, made)
	switch {
	case there != "" && here != "":
		return "has no score on either side: published: " + there + "; again: " + here
	case there != "":
		return "is published without a score: " + there
	case here != "":
		return "could not be scored again: " + here
	}
	return ""
}

// add takes in a row that has two scores.
func (s *Split) add(a, b scores.Line) {
	s.Compared++
	if b.Windows > 1 {
		s.Windowed++
	}
	p := Pair{Row: a.Row, Published: a.Score, Again: b.Score, Difference: math.Abs(a.Score - b.Score)}
	if p.Difference == 0 {
		s.Equal++
	}
	if s.Largest == nil || p.Difference > s.Largest.Difference {
		s.Largest = &p
	}
	beyond := p.Difference > s.Tolerance.Max
	if beyond {
		s.Beyond++
		s.find(a.Row, "published %v, again %v: %.2g apart", a.Score, b.Score, p.Difference)
	}
	if x, y := counts(a), counts(b); x != y {
		s.Counts++
		s.find(a.Row, "published with %s, again with %s", x, y)
	}
	for i := range s.Flips {
		f := &s.Flips[i]
		if (a.Score >= f.Tau) == (b.Score >= f.Tau) {
			continue
		}
		f.N++
		if beyond {
			f.Beyond++
		}
		if len(f.First) < listed {
			f.First = append(f.First, p)
		}
	}
}

// counts is what a line says of its text beside the score.
func counts(l scores.Line) string {
	return fmt.Sprintf("%d windows, %d of %d tokens, %d NUL bytes", l.Windows, l.TokensScored, l.Tokens, l.NULs)
}

func (s *Split) find(row int, format string, args ...any) {
	if len(s.Findings) < listed {
		s.Findings = append(s.Findings, Finding{row, fmt.Sprintf(format, args...)})
	}
}
