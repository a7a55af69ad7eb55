package builder

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/leak"
)

const stageCheck = "check"

// Leak is two rows of different files that must not be parted. Each row is named by the ID of its record.
type Leak struct {
	Kind   leak.Kind `json:"kind"`
	Files  [2]string `json:"files"`
	Kin    Kin       `json:"kin"`
	Cosine float64   `json:"cosine,omitempty"` // of a near repeat
}

// Leaks compares the texts as they are written to the files, by every kind of package leak, as `data check` does. A
// file may repeat the one that it is derived from, and others that are derived from that; siblings are like the rows
// whose frames they share.
func Leaks(ctx context.Context, files []File, threshold float64) ([]Leak, error) {
	var compared []leak.File
	byPath := map[string]File{}
	for _, f := range files {
		byPath[f.Path] = f
		c := leak.File{Name: f.Path, Texts: texts(f.Records), Columns: map[string][]string{}}
		for _, k := range leak.Kinds {
			if column := k.Column(); column != "" {
				c.Columns[column] = f.column(k)
			}
		}
		compared = append(compared, c)
	}
	report, err := leak.Matrix(ctx, compared, leak.Options{Near: threshold, Allowed: mayRepeat(), Examples: math.MaxInt})
	if err != nil {
		return nil, err
	}
	var leaks []Leak
	for _, o := range report.Violations() {
		a, b := byPath[o.A].Records, byPath[o.B].Records
		for _, x := range o.Examples {
			leaks = append(leaks, Leak{o.Kind, [2]string{o.A, o.B}, Kin{a[x.RowA].ID, b[x.RowB].ID}, x.Cosine})
		}
	}
	return leaks, nil
}

// column returns what a kind goes by, one value a record.
func (f File) column(k leak.Kind) []string {
	out := make([]string, len(f.Records))
	for i, r := range f.Records {
		switch k {
		case leak.Parent:
			out[i] = r.seedID()
		case leak.Family:
			out[i] = r.Family
		case leak.Frame:
			out[i] = r.Frame
		case leak.Carrier:
			out[i] = r.Carrier
		}
	}
	return out
}

// mayRepeat are the groups of files that are derived from one file, and that file, and the two that share frames.
func mayRepeat() (groups [][]string) {
	of := map[string][]string{}
	for file, from := range derived {
		of[from] = append(of[from], file)
	}
	for _, from := range slices.Sorted(maps.Keys(of)) {
		slices.Sort(of[from])
		groups = append(groups, append([]string{from}, of[from]...))
	}
	return append(groups, siblingFiles)
}

// leakError names what leaks in one sentence, with an example of each kind and pair of files.
func leakError(leaks []Leak) error {
	count := map[string]int{}
	example := map[string]Kin{}
	for _, l := range leaks {
		what := fmt.Sprintf("%s in %s and %s", l.Kind, l.Files[0], l.Files[1])
		if count[what]++; count[what] == 1 {
			example[what] = l.Kin
		}
	}
	var parts []string
	for what, n := range count {
		parts = append(parts, fmt.Sprintf("%s: %d, such as %s and %s", what, n, example[what][0], example[what][1]))
	}
	slices.Sort(parts)
	return fault.New(fault.Integrity, "the build leaks between splits (%s)", strings.Join(parts, "; ")).
		WithCure("mend the families or the hold-out")
}
