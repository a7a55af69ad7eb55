package dataset

import (
	"fmt"
	"strings"
	"testing"

	"pidsbench/internal/fault"
)

func cellsOf(t *testing.T, name, data string, l Layout) string {
	t.Helper()
	c, err := ReadCells(name, []byte(data), l)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for row := range c.Rows {
		for i, name := range c.Columns {
			v, k := c.Value(i, row)
			fmt.Fprintf(&b, "%s=%q(%s) ", name, v, k)
		}
		b.WriteString("@" + c.Where(row) + "\n")
	}
	return b.String()
}

func TestCellsAreGivenAsTheyStand(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		layout     Layout
		want       string
	}{
		{"a.csv", "text,n\n\"x\r\ny\",\n", "", `text="x\r\ny"(a string) n=""(a string) @a.csv:2` + "\n"},
		{"a.csv", "text\nbad \xff\n", "", `text="bad \xff"(a string) @a.csv:2` + "\n"},
		{"a.jsonl", `{"text":"bad ` + "\xff" + `","n":null}`, "", `text="bad \xff"(a string) n=""(null) @a.jsonl:1` + "\n"},
		{"a.json", `{"text":"x","l":[1, 2]}`, LayoutJSONLines, `text="x"(a string) l="[1, 2]"(a list) @a.json:1` + "\n"},
		{"a.tsv", "text\tn\n\"x\ty\"\t1\nsay \"hi\"\t2\n", "", `text="x\ty"(a string) n="1"(a string) @a.tsv:2` + "\n" +
			`text="say \"hi\""(a string) n="2"(a string) @a.tsv:3` + "\n"},
		{"a.json", "\ufeff[\"x\",\n \"y\\n\"]\n", LayoutStrings, `text="x"(a string) @a.json:1: element 1` + "\n" +
			`text="y\n"(a string) @a.json:2: element 2` + "\n"},
		{"a.json", `{"one": ["x", "y"], "none": [], "two": ["z"]}`, LayoutCategories,
			`text="x"(a string) category="one"(a string) @a.json:1: element 1` + "\n" +
				`text="y"(a string) category="one"(a string) @a.json:1: element 2` + "\n" +
				`text="z"(a string) category="two"(a string) @a.json:1: element 3` + "\n"},
		{"a.json", `[]`, LayoutStrings, ""},
		{"a.csv", "text,n\n", "", ""},
	} {
		if got := cellsOf(t, tt.name, tt.data, tt.layout); got != tt.want {
			t.Errorf("%s as %q:\n%s\nwant\n%s", tt.data, tt.layout, got, tt.want)
		}
	}
}

func TestListsOfTextsAreReadStrictly(t *testing.T) {
	for _, tt := range []struct {
		data   string
		layout Layout
		want   string
	}{
		{`["a", 1]`, LayoutStrings, "a.json:1: element 2 of the list is a number, expected a text"},
		{`["a"`, LayoutStrings, "the file is cut off"},
		{`["a"] x`, LayoutStrings, `"x" stands behind the value`},
		{`{"a": 1}`, LayoutStrings, "stands where a list of texts should"},
		{``, LayoutStrings, "a list of texts"},
		{`["\ud800"]`, LayoutStrings, "half a surrogate pair"},
		{`["a"]`, LayoutCategories, "holds no object"},
		{`{"a": "b"}`, LayoutCategories, `category "a" is a string, expected a list of texts`},
		{`{"a": [], "a": []}`, LayoutCategories, `category "a" stands twice`},
		{`{"a": [{}]}`, LayoutCategories, "element 1 of the list is an object"},
		{`{"a": ["b"]`, LayoutCategories, "the file is cut off"},
	} {
		_, err := ReadCells("a.json", []byte(tt.data), tt.layout)
		if fault.ExitCode(err) != int(fault.Integrity) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.data, err, tt.want)
		}
	}
	if _, err := ReadCells("a.json", []byte("[]"), "mail"); fault.ExitCode(err) != int(fault.Usage) {
		t.Errorf("an unknown layout: %v", err)
	}
}

func TestStringsOfACellAreReadOrRefused(t *testing.T) {
	if got, ok := Strings(`["a\n", "b"]`); !ok || strings.Join(got, "|") != "a\n|b" {
		t.Errorf("%q %v", got, ok)
	}
	for _, bad := range []string{"", "x", `["a", 1]`, `{"a": 1}`, `[["a"]]`} {
		if got, ok := Strings(bad); ok {
			t.Errorf("%s gives %q", bad, got)
		}
	}
}

func FuzzListsOfTexts(f *testing.F) {
	f.Add(`["a", "b"]`)
	f.Add(`{"a": ["b", "c"], "d": []}`)
	f.Add("\ufeff{}")
	f.Fuzz(func(t *testing.T, data string) {
		for _, l := range []Layout{LayoutStrings, LayoutCategories} {
			c, err := ReadCells("a.json", []byte(data), l)
			if err != nil {
				continue
			}
			for row := range c.Rows {
				if _, k := c.Value(0, row); k != KindString || c.Where(row) == "" {
					t.Errorf("row %d is %s", row, k)
				}
			}
		}
	})
}
