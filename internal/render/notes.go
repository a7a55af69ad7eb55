package render

import (
	"fmt"
	"slices"
	"strconv"

	"pidsbench/internal/results"
)

// stars explains the star of a table that has one.
func stars(t Table) []string {
	for _, g := range t.Groups {
		for _, row := range g {
			for _, e := range row {
				if e.Cell != nil && e.Cell.Value != nil && e.Cell.NExposed > 0 {
					return []string{"* some of the rows come from sets that the detector was trained on, which the notes below the " +
						"last table name"}
				}
			}
		}
	}
	return nil
}

// publicSubset says of each split whose texts are withheld in part how many rows remain; every table carries it.
func publicSubset(r *results.Results) []string {
	var notes []string
	for _, s := range r.Splits {
		if r.PublicSubset && s.Withheld > 0 {
			notes = append(notes, fmt.Sprintf("%s is in its public form: %s of %s rows have their text, %s are "+
				"withheld; the frozen hash is of all and cannot vouch for a part",
				Printable(s.Name), thousands(s.Rows-s.Withheld), thousands(s.Rows), thousands(s.Withheld)))
		}
	}
	return append(notes, undisputed(r)...)
}

// undisputed says how many rows of each split are left out, where they are.
func undisputed(r *results.Results) (notes []string) {
	for _, s := range r.Splits {
		if r.Undisputed && s.Disputed > 0 {
			notes = append(notes, fmt.Sprintf("%s of %s rows of %s are left out: readers doubt their label",
				thousands(s.Disputed), thousands(s.Rows), Printable(s.Name)))
		}
	}
	return notes
}

// note adds a line unless it is there already.
func note(notes *[]string, format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(*notes, n) {
		*notes = append(*notes, n)
	}
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
