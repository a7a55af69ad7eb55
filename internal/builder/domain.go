package builder

import (
	"cmp"
	"maps"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

const stageDomain = "domain_ood"

// DomainRows draws the domain split from our own rows: of each domain so many benign rows and injections as are asked
// for beyond the third-party ones in held: matched carriers, then texts that were written one by one, then those of
// frames, in hash order. No frame gives more than one row in a hundred of the split, and no family is in another file.
// Rows that bear no wanted domain are removed.
func DomainRows(in, held []Record, want map[string]Domain, used map[string]bool, seed int64) (
	out []Record, removed []Removal, err error,
) {
	total := 0
	for _, d := range want {
		total += d.Benign + d.Injection
	}
	count := map[string]Classes{}
	frames := map[string]int{}
	add := func(r Record) {
		frames[r.Frame]++
		c := count[r.Domain]
		if r.Label == dataset.Injection {
			c.Injection++
		} else {
			c.Benign++
		}
		count[r.Domain] = c
		out = append(out, r)
	}
	for _, r := range held {
		add(r)
	}
	rows := inHashOrder(in, seed, stageDomain)
	first := precedence(rows)
	slices.SortStableFunc(rows, func(a, b Record) int { return cmp.Compare(first(a), first(b)) })
	for _, r := range rows {
		d, known := want[r.Domain]
		quota := Classes{d.Benign, d.Injection}
		switch {
		case !known:
			removed = append(removed, r.remove(stageDomain, "no domain of the split"))
		case used[r.Family]:
			removed = append(removed, r.remove(stageDomain, "in a family of another split"))
		case count[r.Domain].of(r.Label) >= quota.of(r.Label):
			removed = append(removed, r.remove(stageDomain, "beyond the quota"))
		case frames[r.Frame]*100 >= total && r.Frame != "":
			removed = append(removed, r.remove(stageDomain, "beyond the share of its frame"))
		default:
			add(r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		d, h := want[name], count[name]
		if h != (Classes{d.Benign, d.Injection}) {
			return nil, nil, fault.New(fault.Integrity,
				"%s: field domain_ood.%s asks for %d benign and %d injection, found %d and %d", ConfigPath, name,
				d.Benign, d.Injection, h.Benign, h.Injection).WithCure("lower it, or write more texts")
		}
	}
	canonical(out)
	return out, removed, nil
}

// ShiftedDomains takes every row of the wanted domains out of the pool, so that their shift is one: texts of ours that
// bear such a domain, and third-party benign rows that a reader found to be of one. Of these, of each domain so many
// rows as are asked for, in hash order and each from a pure family that is not greater than maxFamily, become rows of
// the domain split; all others are removed.
func ShiftedDomains(in []Record, want map[string]Domain, maxFamily int, seed int64) (
	pool, rows []Record, removed []Removal, err error,
) {
	_, members := byFamily(in)
	chosen := map[string]string{} // family → ID of its row
	count := map[string]int{}
	for _, r := range inHashOrder(in, seed, stageDomain) {
		if count[r.Domain] == want[r.Domain].ThirdParty || r.Own || r.Label != dataset.Benign || r.Round > 0 ||
			r.Obfuscation != "none" || chosen[r.Family] != "" || !pure(in, members[r.Family], maxFamily) {
			continue
		}
		chosen[r.Family] = r.ID
		count[r.Domain]++
		rows = append(rows, r)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if n := want[name].ThirdParty; count[name] < n {
			return nil, nil, nil, fault.New(fault.Integrity,
				"%s: field domain_ood.%s.third_party holds %d, expected at most %d: so many rows are suitable", ConfigPath,
				name, n, count[name]).WithCure("lower it, or have more rows read for %s", domainPath)
		}
	}
	left, removed := withoutFamilies(in, chosen, stageDomain)
	for _, r := range left {
		if _, shifted := want[r.Domain]; shifted {
			removed = append(removed, r.remove(stageDomain, "of a shifted domain"))
		} else {
			pool = append(pool, r)
		}
	}
	canonical(rows)
	return pool, rows, removed, nil
}
