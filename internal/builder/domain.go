package builder

import (
	"maps"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

const stageDomain = "domain_ood"

// DomainRows draws the domain split: of each domain so many benign rows and injections, in hash order, no family of
// which is in another file. Rows that bear no wanted domain are removed.
func DomainRows(in []Record, want map[string]Classes, used map[string]bool, seed int64) (
	out []Record, removed []Removal, err error,
) {
	held := map[string]Classes{}
	for _, r := range inHashOrder(in, seed, stageDomain) {
		quota, known := want[r.Domain]
		h := held[r.Domain]
		switch {
		case !known:
			removed = append(removed, r.remove(stageDomain, "no domain of the split"))
		case used[r.Family]:
			removed = append(removed, r.remove(stageDomain, "in a family of another split"))
		case h.of(r.Label) >= quota.of(r.Label):
			removed = append(removed, r.remove(stageDomain, "beyond the quota"))
		default:
			if r.Label == dataset.Injection {
				h.Injection++
			} else {
				h.Benign++
			}
			held[r.Domain] = h
			out = append(out, r)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(want)) {
		if h := held[d]; h != want[d] {
			return nil, nil, fault.New(fault.Integrity,
				"%s: field domain_ood.%s asks for %d benign and %d injection, found %d and %d", ConfigPath, d,
				want[d].Benign, want[d].Injection, h.Benign, h.Injection).WithCure("lower it, or write more texts")
		}
	}
	canonical(out)
	return out, removed, nil
}
