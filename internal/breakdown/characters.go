package breakdown

import "pidsbench/internal/dataset"

// Characters returns for each row the band that the number of its characters (Unicode code points) lies in, empty where
// the text is withheld.
func Characters(s *dataset.Split) []string {
	b := bands[ByCharacters]
	names, out := map[int]string{}, make([]string, len(s.Rows))
	for i, r := range s.Rows {
		if r.Missing {
			continue
		}
		n := b.count(r.Text)
		if names[n] == "" {
			names[n] = b.nameOf(n)
		}
		out[i] = names[n]
	}
	return out
}
