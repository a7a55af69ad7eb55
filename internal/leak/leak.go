// Package leak measures how far files of rows overlap: which rows of one file have a partner in another, by each of the
// ways in which two rows can be the same. It looks at texts and key columns alone, never at a detector's score.
package leak

import (
	"context"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/textnorm"
)

// Kind is a way in which two rows can be the same.
type Kind string

// The kinds. Of those that go by text, each includes the ones before it; the others go by a column.
const (
	Raw      Kind = "raw"      // equal bytes
	Exact    Kind = "exact"    // equal textnorm.Exact
	Skeleton Kind = "skeleton" // equal textnorm.Skeleton
	Near     Kind = "near"     // TF-IDF cosine at or above Options.Near, as written or in the form textnorm.Plain, or equal textnorm.Letters
	Parent   Kind = "parent"   // column parent_seed_id
	Family   Kind = "family"   // column family_id
	Frame    Kind = "frame"    // column frame_id
	Carrier  Kind = "carrier"  // column carrier_id
)

// Kinds lists the kinds in the order of every report.
var Kinds = []Kind{Raw, Exact, Skeleton, Near, Parent, Family, Frame, Carrier}

// Column returns the column that a kind goes by, or "" for one that goes by text. Rows whose field is empty have no
// partner of that kind.
func (k Kind) Column() string {
	switch k {
	case Parent:
		return "parent_seed_id"
	case Family:
		return "family_id"
	case Frame:
		return "frame_id"
	case Carrier:
		return "carrier_id"
	}
	return ""
}

// File is a file of rows to compare.
type File struct {
	Name    string
	Texts   []string            // one a row; "" is a withheld text, which has no partner by text
	Labels  []dataset.Label     // one a row, or nil
	Columns map[string][]string // other columns, one value a row
}

// FromSplit returns the rows of a split with the columns that kinds go by.
func FromSplit(s *dataset.Split) File {
	f := File{Name: s.Name, Columns: map[string][]string{}}
	for _, r := range s.Rows {
		f.Texts = append(f.Texts, r.Text)
		f.Labels = append(f.Labels, r.Label)
	}
	for _, k := range Kinds {
		if v, ok := s.Column(k.Column()); ok {
			f.Columns[k.Column()] = v
		}
	}
	return f
}

// Options say what counts as near and as a leak.
type Options struct {
	Near     float64    // cosine in (0, 1]
	Allowed  [][]string // groups of file names: files of one group may repeat each other
	Examples int        // pairs of rows shown for each overlap; of an allowed one at most allowedExamples
}

// allowedExamples bounds what is kept of overlaps that are no leak: a family inside one file has a pair for every two of
// its rows.
const allowedExamples = 3

// Example is two rows, counted from 0 in their files. Cosine is 0 for kinds other than near.
type Example struct {
	RowA   int     `json:"row_a"`
	RowB   int     `json:"row_b"`
	Cosine float64 `json:"cosine,omitempty"`
}

// Overlap is what two files share by one kind, or what a file repeats of itself when A and B are the same.
type Overlap struct {
	Kind        Kind      `json:"kind"`
	A           string    `json:"a"`
	B           string    `json:"b"`
	RowsA       int       `json:"rows_a"` // rows of A with a partner in B
	RowsB       int       `json:"rows_b"`
	Pairs       int64     `json:"pairs"`
	Opposed     int64     `json:"opposed"`      // pairs with different labels
	SameCarrier int64     `json:"same_carrier"` // pairs that share a carrier document
	Allowed     bool      `json:"allowed"`      // inside one file, or between files of one group
	Examples    []Example `json:"examples"`
}

// Summary says how much of a file could be compared.
type Summary struct {
	Name     string `json:"name"`
	Rows     int    `json:"rows"`
	Withheld int    `json:"withheld"` // rows without a text
}

// Report is the whole matrix.
type Report struct {
	Near     float64      `json:"near"`
	Files    []Summary    `json:"files"`
	Having   map[Kind]int `json:"files_with_kind"` // how many files have what the kind goes by
	Overlaps []Overlap    `json:"overlaps"`        // those that are not empty: by kind, then by A and B in file order
}

// Violations returns the overlaps between files that may not repeat each other.
func (r *Report) Violations() []Overlap {
	return slices.DeleteFunc(slices.Clone(r.Overlaps), func(o Overlap) bool { return o.Allowed })
}

// Find returns the overlap of two files by a kind, in either order of the names as the report has it; an empty one
// where they share nothing.
func (r *Report) Find(k Kind, a, b string) Overlap {
	for _, o := range r.Overlaps {
		if o.Kind == k && (o.A == a && o.B == b || o.A == b && o.B == a) {
			return o
		}
	}
	return Overlap{Kind: k, A: a, B: b}
}

// Matrix compares every file with every other and with itself. The vectors of near are fitted on the distinct texts
// (and on the distinct plain forms) of all files, so that repeating a row changes nothing. The report does not depend
// on the number of processors. A threshold outside (0, 1], two files of one name, and columns or labels of another
// length than the texts are usage errors; a cancelled context ends it at once.
func Matrix(ctx context.Context, files []File, opt Options) (*Report, error) {
	if err := check(files, opt); err != nil {
		return nil, err
	}
	m := newRows(files, opt)
	r := &Report{Near: opt.Near, Having: map[Kind]int{}, Overlaps: []Overlap{}}
	for _, f := range files {
		s := Summary{Name: f.Name, Rows: len(f.Texts)}
		for _, t := range f.Texts {
			if t == "" {
				s.Withheld++
			}
		}
		r.Files = append(r.Files, s)
	}
	near, err := m.near(ctx, opt.Near)
	if err != nil {
		return nil, err
	}
	// Equal exact forms have equal skeletons, and equal skeletons have equal plain forms.
	skeleton := m.refine(m.plain, textnorm.Skeleton)
	exact := m.refine(skeleton, textnorm.Exact)
	for _, k := range Kinds {
		var groups []int32
		var links []link
		switch {
		case k == Raw:
			groups = m.text
		case k == Exact:
			groups = m.ofRows(exact)
		case k == Skeleton:
			groups = m.ofRows(skeleton)
		case k == Near:
			groups, links = m.text, near
		default:
			groups = m.byColumn(k.Column())
		}
		for _, f := range files {
			if _, ok := f.Columns[k.Column()]; ok || k.Column() == "" {
				r.Having[k]++
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Overlaps = append(r.Overlaps, m.tally(k, groups, links)...)
	}
	return r, nil
}

func check(files []File, opt Options) error {
	if !(opt.Near > 0 && opt.Near <= 1) {
		return fault.New(fault.Usage, "the cosine of near duplicates is %v, expected a number above 0 and at most 1",
			opt.Near).
			WithCure("take 0.8, which is what splits are parted by")
	}
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.Name] {
			return fault.New(fault.Usage, "two files are both named %s", fault.Quote(f.Name)).WithCure("rename one of them")
		}
		seen[f.Name] = true
		if f.Labels != nil && len(f.Labels) != len(f.Texts) {
			return fault.New(fault.Usage, "%s has %d labels for %d rows", fault.Name(f.Name), len(f.Labels), len(f.Texts))
		}
		for _, k := range Kinds {
			if v, ok := f.Columns[k.Column()]; ok && len(v) != len(f.Texts) {
				return fault.New(fault.Usage, "%s has %d values of %s for %d rows", fault.Name(f.Name), len(v), k.Column(),
					len(f.Texts))
			}
		}
	}
	return nil
}
