package fault

import "strings"

// Near returns the name that was probably meant by another one, "" for none: it differs by one or two letters of at least
// five, or by one of three or four, or is a whole part of it before a _ or -, or the other way round. Capitals do not
// count. Of several it returns the closest, the first of these.
func Near(name string, among []string) string {
	best, near := 3, ""
	lower := strings.ToLower(name)
	for _, a := range among {
		other := strings.ToLower(a)
		d := distance(lower, other)
		if begins(lower, other) || begins(other, lower) {
			d = min(d, 2)
		}
		if least := min(len(lower), len(other)); d < best && (d < 2 && least > 2 || least > 4) {
			best, near = d, a
		}
	}
	return near
}

// begins reports whether a name goes on with _ or - where another one ends.
func begins(long, short string) bool {
	rest, ok := strings.CutPrefix(long, short)
	return ok && rest != "" && strings.ContainsAny(rest[:1], "_-")
}

// distance is the number of bytes to be put in, left out or changed that makes one text of the other; two neighbours that
// changed places are one change.
func distance(a, b string) int {
	if max(len(a), len(b)) > 100 {
		return 100
	}
	var before []int // the row before the last
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 0
			if a[i-1] != b[j-1] {
				cost = 1
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
