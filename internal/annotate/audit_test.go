package annotate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/agreement"
	"pidsbench/internal/dataset"
	"pidsbench/internal/subtype"
	"pidsbench/internal/testenv"
)

var update = flag.Bool("update", false, "write the tables of the audit into docs/data.md")

const auditCommand = "run go test ./internal/annotate -run TestTheDataPage -update"

// audit reads the answers of an audit: rows by column.
func audit(t *testing.T, file string) (rows []map[string]string) {
	t.Helper()
	path := filepath.Join(testenv.Root(t), "data", "audit", file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	columns, records, err := dataset.ReadCSV(path, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		row := map[string]string{}
		for i, c := range columns {
			row[c] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func shown(e agreement.Estimate) string {
	switch {
	case e.Value == nil:
		return "n/a"
	case e.Lo == nil:
		return fmt.Sprintf("%.3f", *e.Value)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", *e.Value, *e.Lo, *e.Hi)
}

// labelTable is the table of the label audit.
func labelTable(t *testing.T) string {
	said := map[string]dataset.Label{"yes": dataset.Injection, "no": dataset.Benign}
	label := map[string]dataset.Label{"injection": dataset.Injection, "benign": dataset.Benign}
	type counts struct{ rows, skipped, wrong, one int }
	by, tables := map[string]*counts{}, map[string]agreement.Table{}
	var splits []string
	var list strings.Builder
	for _, r := range audit(t, "labels.csv") {
		for _, name := range []string{r["split"], "all"} {
			if by[name] == nil {
				by[name], tables[name] = &counts{}, agreement.NewTable(2)
				splits = append(splits, name)
			}
			c := by[name]
			c.rows++
			first, ok1 := said[r["first"]]
			second, ok2 := said[r["second"]]
			if ok1 && ok2 {
				tables[name][first][second]++
			} else {
				c.skipped++
			}
			is := label[r["label"]]
			if name == "all" && (r["first"] != r["second"] || !ok1) {
				fmt.Fprintf(&list, "| %s | `%s` | %s | %s | %s |\n", r["split"], r["text_sha256"][:16], r["label"], r["first"],
					r["second"])
			}
			switch against := [2]bool{!ok1 || first != is, !ok2 || second != is}; {
			case against[0] && against[1]:
				c.wrong++
			case against[0] || against[1]:
				c.one++
			}
		}
	}
	splits = append(slices.DeleteFunc(splits, func(s string) bool { return s == "all" }), "all")
	var b strings.Builder
	b.WriteString("| file | rows | answered twice | agree | kappa | AC1 | confirmed by one | by none |\n" +
		"|---|---:|---:|---|---|---|---:|---:|\n")
	for _, s := range splits {
		c, a := by[s], tables[s]
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %s | %d | %d |\n", s, c.rows, c.rows-c.skipped, shown(a.Percent()),
			shown(a.Kappa()), shown(a.AC1()), c.one, c.wrong)
	}
	b.WriteString("\nWhere the readers differ:\n\n| file | SHA-256 begins | label | reader 1 | reader 2 |\n" +
		"|---|---|---|---|---|\n")
	return b.String() + list.String()
}

// typeTable is the table of the audit of attack types.
func typeTable(t *testing.T) string {
	types := subtype.Types()
	at := func(name string) int { return slices.Index(types, name) }
	n := len(types)
	var list strings.Builder
	readers, first, second := agreement.NewTable(n), agreement.NewTable(n), agreement.NewTable(n)
	ruled := [2]agreement.Table{agreement.NewTable(n), agreement.NewTable(n)} // third-party rows, typed by rule
	right := make([][3]int, n)                                                // rows, right by the first, by the second
	for _, r := range audit(t, "types.csv") {
		is, a, b := at(r["attack_type"]), at(r["first"]), at(r["second"])
		if is < 0 || a < 0 || b < 0 {
			t.Fatalf("the row %v names no type", r)
		}
		if a != b {
			fmt.Fprintf(&list, "| %s | `%s` | %s | %s | %s |\n", r["split"], r["text_sha256"][:16], r["attack_type"], r["first"],
				r["second"])
		}
		readers[a][b]++
		first[is][a]++
		second[is][b]++
		if !slices.Contains([]string{"template", "written", "carrier"}, r["source"]) {
			ruled[0][is][a]++
			ruled[1][is][b]++
		}
		right[is][0]++
		if a == is {
			right[is][1]++
		}
		if b == is {
			right[is][2]++
		}
	}
	var b strings.Builder
	b.WriteString("| | agree | kappa | AC1 |\n|---|---|---|---|\n")
	for _, row := range []struct {
		what  string
		table agreement.Table
	}{{"reader 1, reader 2", readers}, {"type in the file, reader 1", first}, {"type in the file, reader 2", second},
		{"type by rule (third-party rows), reader 1", ruled[0]}, {"type by rule (third-party rows), reader 2", ruled[1]}} {
		fmt.Fprintf(&b, "| %s (n = %d) | %s | %s | %s |\n", row.what, row.table.N(),
			shown(row.table.Percent()), shown(row.table.Kappa()), shown(row.table.AC1()))
	}
	b.WriteString("\n| type in the file | rows | reader 1 says so | reader 2 says so |\n|---|---:|---:|---:|\n")
	for i, name := range types {
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d |\n", name, right[i][0], right[i][1], right[i][2])
	}
	b.WriteString("\nWhere the readers differ:\n\n| file | SHA-256 begins | type in the file | reader 1 | reader 2 |\n" +
		"|---|---|---|---|---|\n")
	return b.String() + list.String()
}

func TestTheDataPageShowsTheAudit(t *testing.T) {
	for name, table := range map[string]string{"audit": labelTable(t), "audited types": typeTable(t)} {
		switch {
		case *update:
			testenv.SetRegion(t, "docs/data.md", name, table)
		case testenv.Region(t, "docs/data.md", name) != table:
			t.Errorf("docs/data.md: the table %s is not that of data/audit; %s", name, auditCommand)
		}
	}
}
