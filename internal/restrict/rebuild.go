package restrict

import (
	"maps"
	"slices"

	"pidsbench/internal/textnorm"
)

// Rebuild looks for the withheld texts of a file among the texts it is offered.
//
// Texts go back in the layout of the file. Where every text that is not restricted is laid out as fingerprints level it
// (as in hard_benign_test of the original), white space of a found text is collapsed; otherwise the text goes back as
// it was offered and, of several with one fingerprint, the one that is first in byte order. So the outcome does not
// depend on the order of offers.
type Rebuild struct {
	file  *File
	level bool
	rows  map[string][]int  // fingerprint → withheld rows
	found map[string]string // fingerprint → text
}

// Rebuild starts to look for the withheld texts. What Verify finds wrong is an error.
func (f *File) Rebuild() (*Rebuild, error) {
	if _, err := f.Verify(); err != nil {
		return nil, err
	}
	r := &Rebuild{file: f, level: f.level(), rows: map[string][]int{}, found: map[string]string{}}
	for i, rec := range f.Records {
		if f.restricted[i] && IsBlank(rec[f.text]) {
			r.rows[f.fingerprint(i)] = append(r.rows[f.fingerprint(i)], i)
		}
	}
	return r, nil
}

// Offer takes a text into account.
func (r *Rebuild) Offer(text string) {
	sum := Hash(text)
	if _, wanted := r.rows[sum]; !wanted {
		return
	}
	if r.level {
		text = textnorm.Fingerprint(text)
	}
	if had, ok := r.found[sum]; !ok || text < had {
		r.found[sum] = text
	}
}

// Done reports whether further offers cannot change the outcome.
func (r *Rebuild) Done() bool { return len(r.found) == len(r.rows) && (r.level || len(r.rows) == 0) }

// Fill puts the found texts into the file. It returns how many rows it filled and, in order, the rows that stay blank.
func (r *Rebuild) Fill() (filled int, blank []int) {
	for _, sum := range slices.Sorted(maps.Keys(r.rows)) {
		text, ok := r.found[sum]
		for _, row := range r.rows[sum] {
			if !ok {
				blank = append(blank, row)
				continue
			}
			r.file.Records[row][r.file.text] = text
			filled++
		}
	}
	slices.Sort(blank)
	return filled, blank
}
