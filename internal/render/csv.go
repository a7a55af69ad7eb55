package render

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/results"
)

// CSV writes one row for each detector and policy (and one more for each of a user's own files or external sets): what
// the numbers rest on, then the columns of the main, the provenance and the paired tables as plain numbers, the deviation
// over seeds and the ends of the interval in columns of their own where there are any, and empty fields where a number is
// undefined. Thresholds of several seeds are separated by blanks. Tables of another shape are left out: JSON has every
// cell.
func CSV(w io.Writer, tables []Table) error {
	head, rows := wide(tables)
	out := csv.NewWriter(w)
	if err := out.Write(head); err != nil {
		return err
	}
	for _, r := range rows {
		record := make([]string, len(head))
		for i, h := range head {
			record[i] = r[h]
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func wide(tables []Table) (head []string, rows []map[string]string) {
	head = []string{"detector", "policy", "split", "threshold", "seeds", "edition", "manifest_sha256", "windows", "errors",
		"missing", "truncated", "incomplete", "limit"}
	byKey := map[string]map[string]string{}
	for _, t := range tables {
		if t.ID == confusion || t.ID == externalSlices || t.ID == foreign || t.ID == intervals {
			continue
		}
		for _, g := range t.Groups {
			for _, row := range g {
				addWide(&head, &rows, byKey, t, row)
			}
		}
	}
	return append(head, "frozen"), rows
}

func addWide(head *[]string, rows *[]map[string]string, byKey map[string]map[string]string, t Table, row Row) {
	id, split, frozen := "", "", false
	for _, e := range row {
		if e.Cell != nil {
			id = e.Cell.Detector
			if t.ID == "own" || t.ID == external {
				split = e.Cell.Split
			}
			frozen = e.Cell.Frozen
			break
		}
	}
	if id == "" { // the edition has none of the table's axes
		return
	}
	key := id + "\x00" + t.Policy + "\x00" + split
	r := byKey[key]
	if r == nil {
		r = map[string]string{"detector": id, "policy": t.Policy, "split": split, "edition": t.Source.Edition,
			"manifest_sha256": t.Source.Manifest, "windows": t.Source.Windows, "incomplete": "no",
			"frozen": strconv.FormatBool(frozen)}
		if t.Source.Limit > 0 {
			r["limit"] = strconv.Itoa(t.Source.Limit)
		}
		byKey[key] = r
		*rows = append(*rows, r)
	}
	set := func(name, value string) {
		if !slices.Contains(*head, name) {
			*head = append(*head, name)
		}
		r[name] = value
	}
	for i, e := range row {
		name := t.Columns[i]
		if isPaired(t.ID) && name != "Detector" && name != "Threshold" { // two of these tables have columns of one name
			name = t.ID + ": " + name
		}
		switch {
		case name == "Detector", t.ID == external && e.Cell == nil && name != "Threshold":
		case name == "Threshold":
			set("threshold", strings.Join(e.Raw, " "))
		case e.Cell == nil: // an axis the edition does not have
			set(name, "")
		default:
			set(name, number(e.Cell.Value))
			for what, n := range map[string]int{"errors": e.Cell.NError, "missing": e.Cell.NMissing + e.Cell.NUnscored,
				"truncated": e.Cell.NTruncated} {
				if had, _ := strconv.Atoi(r[what]); r[what] == "" || n > had {
					r[what] = strconv.Itoa(n)
				}
			}
			set("seeds", strconv.Itoa(e.Cell.NSeeds))
			if e.Cell.SD != nil {
				set(name+" sd", number(e.Cell.SD))
			}
			if e.Cell.Lo != nil {
				set(name+" lo", number(e.Cell.Lo))
				set(name+" hi", number(e.Cell.Hi))
			}
			if e.Cell.State == results.StateIncomplete {
				set("incomplete", "yes")
			}
		}
	}
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
