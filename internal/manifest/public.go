package manifest

import (
	"fmt"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/restrict"
)

// A file with restricted rows is met in three forms besides the frozen bytes, all with a last column text_sha256:
//
//   - the form for the public, in which every restricted text is blank and its fingerprint stands beside it;
//   - a partly rebuilt one, in which some are blank still;
//   - a rebuilt one. Without that column it is the frozen file byte by byte, and it counts as that.
//
// The first two cannot be compared with the frozen hash, which is of the complete file. They are known by their form
// alone: as many rows of each class and as many restricted ones as frozen, a blank only in a restricted row, each blank
// with a fingerprint of its own, every fingerprint beside a text right.

// withFingerprints examines bytes that are not the frozen ones for these forms; ok is false when they are none of them.
func (m *Manifest) withFingerprints(dir string, f File, r Result, data []byte) (_ Result, ok bool) {
	file, err := restrict.Parse(r.Path, data, restrict.LMSYS)
	if err != nil || !f.Counted || !file.HasFingerprints() {
		return r, false
	}
	plain, err := file.Without()
	if err != nil {
		return r, false
	}
	state, wrong := file.Verify()
	frozen := hashOf(plain) == f.SHA256
	if frozen && wrong != nil {
		return r.problem(dir, Changed, "", "has the frozen rows but wrong fingerprints: %v", wrong), true
	}
	if !frozen && (wrong != nil || f.Withheld == 0 || state.Withheld == 0 || state.Restricted != f.Withheld ||
		!distinct(file)) {
		return r, false
	}
	s, err := dataset.ReadBytes(r.file(dir), data, dataset.Mapping{})
	if err != nil {
		return r, false
	}
	r.count(s)
	if r.Rows != f.Rows || r.Benign != f.Benign || r.Injection != f.Injection {
		r.Rows, r.Benign, r.Injection, r.Withheld = 0, 0, 0, 0
		return r, false
	}
	r.split = s
	if frozen {
		// The rows are the frozen ones, so scores of either file are scores of both.
		r.Status, r.Fingerprints, s.SHA256 = OK, true, f.SHA256
		return r, true
	}
	r = r.problem(dir, Public, "score the other texts with --public-subset, or fill in these from your own copy of "+
		"LMSYS-Chat-1M with `pidsbench data restrict rebuild`", "withholds %s", withheld(r.Withheld, r.Rows))
	r.Problem.Kind = fault.Incomplete
	return r, true
}

// withheld says how many texts are not there: "664 of 1,472 texts".
func withheld(n, of int) string {
	return fmt.Sprintf("%s of %s", thousands(n), thousandsOf(of, "text"))
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func thousandsOf(n int, noun string) string {
	return strings.Replace(plural(n, noun), fmt.Sprint(n), thousands(n), 1)
}

// distinct reports whether no two withheld rows have one fingerprint: the frozen texts are all different.
func distinct(f *restrict.File) bool {
	seen := map[string]bool{}
	last := len(f.Header) - 1
	for _, r := range f.Records {
		if sum := r[last]; sum != "" {
			if seen[sum] {
				return false
			}
			seen[sum] = true
		}
	}
	return true
}
