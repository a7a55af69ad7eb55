package external

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// finish drops texts that stand in both classes and all but one of equal rows, and puts rows and rejects in an order
// that says nothing of the files: rows by id. Of equal texts the one whose language, slices and place come first stays.
func (c *collection) finish() error {
	for _, r := range c.usedRules() {
		for _, s := range r.Slices {
			if !slices.Contains(c.slices, s.Name) {
				c.slices = append(c.slices, s.Name)
			}
		}
	}
	classes := map[string]int{}
	for _, r := range c.rows {
		classes[r.text] |= 1 << r.label
	}
	slices.SortFunc(c.rows, func(a, b row) int {
		order := cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.text, b.text), cmp.Compare(a.language, b.language))
		for _, s := range c.slices {
			order = cmp.Or(order, cmp.Compare(a.slices[s], b.slices[s]))
		}
		return cmp.Or(order, cmp.Compare(a.file, b.file), cmp.Compare(a.at, b.at))
	})
	kept := c.rows[:0]
	for _, r := range c.rows {
		switch {
		case classes[r.text] == 1<<dataset.Benign|1<<dataset.Injection:
			c.reject(r.file, r.at, reasonBoth)
		case len(kept) > 0 && kept[len(kept)-1].id == r.id && kept[len(kept)-1].text == r.text:
			c.reject(r.file, r.at, reasonRepeat)
		case len(kept) > 0 && kept[len(kept)-1].id == r.id:
			return fault.New(fault.Failed, "two texts have the id %s", r.id).WithCure("give the set another name")
		default:
			kept = append(kept, r)
		}
	}
	c.rows = kept
	slices.SortFunc(c.rejects, func(a, b reject) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Reason, b.Reason))
	})
	for _, s := range c.slices {
		values := map[string]bool{}
		for _, r := range c.rows {
			values[r.slices[s]] = true
		}
		if len(values) > mostValues {
			return fault.New(fault.Usage, "slice %s has %d different values, expected at most %d", s, len(values), mostValues).
				WithCure("leave it out: it breaks nothing down")
		}
	}
	if len(c.rows) == 0 {
		why := c.reasons()
		var said []string
		for _, r := range why {
			said = append(said, strconv.Itoa(r.Rows)+" "+r.Reason)
		}
		err := fault.New(fault.Integrity, "no row can be used (%s)", cmp.Or(strings.Join(said, ", "), "there is none"))
		if c.unknown != "" {
			return err.WithCure("say with --benign and --injection what %s means", fault.Quote(c.unknown))
		}
		return err.WithCure("check the files and the columns")
	}
	return nil
}

// usedRules returns the rules that files had, in the order of the mapping, whatever the order of the files.
func (c *collection) usedRules() (used []*Rule) {
	for i := range c.mapping.Files {
		if r := &c.mapping.Files[i]; slices.Contains(c.used, r) {
			used = append(used, r)
		}
	}
	return used
}

// reasons counts the rejects by reason, sorted by name.
func (c *collection) reasons() []Reason {
	n := map[string]int{}
	for _, r := range c.rejects {
		n[r.Reason]++
	}
	var out []Reason
	for _, reason := range slices.Sorted(maps.Keys(n)) {
		out = append(out, Reason{reason, n[reason]})
	}
	return out
}

// csv returns the columns and records of rows.csv.
func (c *collection) csv() (header []string, records [][]string) {
	header = []string{"id", "text", "label", "source", "language", "license"}
	if c.mapping.Provenance == HardBenign {
		header = append(header, "provenance")
	}
	header = append(header, c.slices...)
	for _, r := range c.rows {
		rec := []string{r.id, r.text, strconv.Itoa(int(r.label)), c.name, r.language, c.mapping.Licence}
		if c.mapping.Provenance == HardBenign {
			rec = append(rec, c.name)
		}
		for _, s := range c.slices {
			rec = append(rec, r.slices[s])
		}
		records = append(records, rec)
	}
	return header, records
}
