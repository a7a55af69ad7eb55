package builder

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/textnorm"
)

// Leak is two rows of different files that must not be parted. Each row is named by the ID of its record.
type Leak struct {
	Kind   string // family, exact form, skeleton, plain form or near repeat
	Files  [2]string
	Kin    Kin
	Cosine float64 // of a near repeat
}

// Leaks compares the texts as they are written to the files: rows of different files may not share a family, an exact,
// skeleton or plain form, or have a TF-IDF cosine of at least threshold, as written or in their plain form. The slices
// of test are left out, since they repeat it. Of rows with one key each is compared with the first, which is enough to
// join them all.
func Leaks(files []File, threshold float64) []Leak {
	var owner []int
	var rows []Record
	for f, file := range files {
		if file.ofTest() {
			continue
		}
		for _, r := range file.Records {
			owner = append(owner, f)
			rows = append(rows, r)
		}
	}
	var leaks []Leak
	leak := func(kind string, i, j int, cosine float64) {
		if owner[i] != owner[j] {
			leaks = append(leaks, Leak{kind, [2]string{files[owner[i]].Path, files[owner[j]].Path},
				Kin{rows[i].ID, rows[j].ID}, cosine})
		}
	}
	for _, k := range []struct {
		kind string
		key  func(Record) string
	}{
		{"family", func(r Record) string { return r.Family }},
		{"exact form", func(r Record) string { return textnorm.Exact(r.Text) }},
		{"skeleton", func(r Record) string { return textnorm.Skeleton(r.Text) }},
		{"plain form", func(r Record) string { return plain(r.Text) }},
	} {
		first := map[string]int{}
		for i, r := range rows {
			key := k.key(r)
			if j, ok := first[key]; ok {
				leak(k.kind, j, i, 0)
			} else {
				first[key] = i
			}
		}
	}
	for _, p := range nearPairs(rows, threshold) {
		leak("near repeat", p.I, p.J, p.Cosine)
	}
	return leaks
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
