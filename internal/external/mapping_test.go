package external

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestShippedMappingsAreSound(t *testing.T) {
	dir := filepath.Join(testenv.Root(t), "configs", "mappings")
	names, err := Mappings(dir)
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		m, err := LoadMapping(dir, name)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := CheckName(name, nil); err != nil {
			t.Error(err)
		}
		if c := LicenceClass(m.Licence); c != "unknown" && c != m.Class {
			t.Errorf("%s: licence %s is said to be %s, its class is %s", name, m.Licence, m.Class, c)
		}
	}
}

func TestMistakesInAMappingNameTheLine(t *testing.T) {
	const good = `name: m
description: d
licence: MIT
licence_class: permissive
citation: c
files:
  - names: ["*.csv"]
    text: text
    label: {all: benign}
    slices:
      - {name: kind, column: kind}
`
	for name, tt := range map[string]struct {
		old, new string
		want     []string
	}{
		"another name":           {"name: m\n", "name: n\n", []string{"m.yaml:1", `"n"`}},
		"unknown field":          {"citation: c", "citation: c\nmore: 1", []string{"m.yaml:6", "more"}},
		"unknown licence class":  {"permissive", "free", []string{"m.yaml:4", `"free"`, "share-alike"}},
		"no file":                {`["*.csv"]`, "[]", []string{"m.yaml:7", "names"}},
		"a pattern that is none": {`"*.csv"`, `"[a"`, []string{"m.yaml:7", `"[a"`}},
		"no text column":         {"text: text", `text: ""`, []string{"m.yaml:8", "text"}},
		"unknown layout":         {"text: text", "text: text\n    layout: xls", []string{"m.yaml:9", `"xls"`}},
		"unknown class":          {"all: benign", "all: good", []string{"m.yaml:9", `"good"`}},
		"class given twice":      {"all: benign", "all: benign, column: x", []string{"m.yaml:9"}},
		"spelling of both":       {"all: benign", `column: x, benign: [a], injection: [a]`, []string{"m.yaml:9", `"a"`}},
		"reserved slice":         {"name: kind", "name: label", []string{"m.yaml:10", "label"}},
		"slice without value":    {", column: kind", "", []string{"m.yaml:10", "kind"}},
		"unpinned package":       {"citation: c", "citation: c\npackage: npm:x@1.0.0", []string{"m.yaml:6", "SHA256"}},
		"unknown provenance":     {"citation: c", "citation: c\nprovenance: hard", []string{"m.yaml:6", `"hard"`}},
	} {
		dir := t.TempDir()
		text := strings.Replace(good, tt.old, tt.new, 1)
		if text == good {
			t.Fatal(name)
		}
		if err := os.WriteFile(filepath.Join(dir, "m.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := LoadMapping(dir, "m")
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		testenv.WantFault(t, err, fault.Usage, tt.want...)
	}
}

func TestRulesGoByAsManyPartsOfThePathAsTheirPatternHas(t *testing.T) {
	m := &Mapping{Files: []Rule{{Names: []string{"seeds-fp/attacks.jsonl"}}, {Names: []string{"attacks.jsonl", "q?.csv"}}}}
	for file, want := range map[string]int{"x/seeds-fp/attacks.jsonl": 0, "x/attacks.jsonl": 1, "attacks.jsonl": 1,
		"a/q1.csv": 1,
		"q12.csv":  -1, "attacks.jsonl/x": -1} {
		got := -1
		for i := range m.Files {
			if m.rule(file) == &m.Files[i] {
				got = i
			}
		}
		if got != want {
			t.Errorf("%s: rule %d, want %d", file, got, want)
		}
	}
}

func TestListsCategoriesLanguagesAndCountsGiveRowsAndSlices(t *testing.T) {
	m := &Mapping{Name: "m", Class: "unknown", Language: "en", Files: []Rule{
		{Names: []string{"c.json"}, Layout: dataset.LayoutCategories, Label: LabelRule{All: "injection"},
			Slices: []Slice{{Name: "part", Value: "attacks"}, {Name: "category", Column: "category"}}},
		{Names: []string{"s.json"}, Layout: dataset.LayoutStrings, Label: LabelRule{All: "injection"}},
		{Names: []string{"t.jsonl"}, Text: "turns", Each: true, Label: LabelRule{All: "benign"},
			Languages: &LanguageColumn{Column: "lang", Tags: map[string]string{"German": "de"}},
			Slices:    []Slice{{Name: "words", Column: "words", Count: true}}},
	}}
	s := Store{t.TempDir()}
	set, err := importFiles(t, s, "mine", m, write(t,
		"c.json", `{"one": ["a", "b\u0041"], "two": []}`,
		"s.json", `["s\r\n", "t"]`,
		"t.jsonl", `{"turns": ["x", "y"], "lang": "German", "words": ["p", "q"]}`+"\n"+
			`{"turns": ["z"], "lang": "Klingon", "words": []}`+"\n"+
			`{"turns": "z", "lang": "German", "words": []}`+"\n"+
			`{"turns": ["w"], "lang": "German", "words": 3}`+"\n")...)
	if err != nil {
		t.Fatal(err)
	}
	if set.Injection != 4 || set.Benign != 2 {
		t.Errorf("%+v", set)
	}
	rows := read(t, s, "mine", rowsFile)
	for _, want := range []string{",bA,1,mine,en,,attacks,one,\n", ",\"s\r\n\",1,mine,en,,,,\n", ",x,0,mine,de,,,,2\n"} {
		if !strings.Contains(rows, want) {
			t.Errorf("no %q in %q", want, rows)
		}
	}
	want := `{"file":"t.jsonl","row":1,"reason":"unknown language"}
{"file":"t.jsonl","row":2,"reason":"not a text"}
{"file":"t.jsonl","row":3,"reason":"no list to count"}
`
	if got := read(t, s, "mine", rejectsFile); got != want {
		t.Errorf("rejects %s", got)
	}
	if strings.Join(set.Slices, " ") != "part category words language" {
		t.Errorf("slices %v", set.Slices)
	}
}

func TestHardBenignSetsHoldNoInjection(t *testing.T) {
	m := labelled(t)
	m.Provenance = HardBenign
	s := Store{t.TempDir()}
	_, err := importFiles(t, s, "mine", m, write(t, "a.csv", "text,kind\na,ok\nb,bad\n")...)
	testenv.WantFault(t, err, fault.Usage, "1 injection")
	if _, err := importFiles(t, s, "mine", m, write(t, "a.csv", "text,kind\na,ok\n")...); err != nil {
		t.Fatal(err)
	}
	set, split, err := s.Load("mine")
	if err != nil {
		t.Fatal(err)
	}
	values, _ := split.Column("provenance")
	if set.Spec().Axis != dataset.HardBenign || set.Spec().Slices["provenance"] != "provenance" || values[0] != "mine" {
		t.Errorf("%+v %v", set.Spec(), values)
	}
}

func TestFilesThatGiveNoRowsAreErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		file, data string
		kind       fault.Kind
		want       string
	}{
		"unknown spellings": {"a.csv", "text,kind\na,yes\n", fault.Integrity, `"yes"`},
		"no rows":           {"a.csv", "text,kind\n", fault.Integrity, "no row can be used"},
		"empty file":        {"a.csv", "", fault.Integrity, "is empty"},
		"no such column":    {"a.csv", "prompt,kind\na,ok\n", fault.Usage, `no column "text" among "prompt", "kind"`},
		"LFS pointer":       {"a.csv", "version https://git-lfs.github.com/spec/v1\n", fault.Integrity, "LFS"},
		"Arrow by name":     {"a.arrow", "x", fault.Usage, "Arrow"},
		"unknown extension": {"a.xyz", "x", fault.Usage, ".xyz"},
		"not Parquet":       {"a.parquet", "x", fault.Integrity, "no Parquet file"},
		"too many values":   {"a.csv", "text,kind,n\n" + manyRows(), fault.Usage, "slice n has 201 different values"},
	} {
		m := labelled(t, func(r *Rule) {
			if name == "too many values" {
				r.Slices = []Slice{{Name: "n", Column: "n"}}
			}
		})
		_, err := importFiles(t, Store{t.TempDir()}, "mine", m, write(t, tt.file, tt.data)...)
		if fault.ExitCode(err) != int(tt.kind) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q of kind %d", name, err, tt.want, tt.kind)
		}
	}
	path := write(t, "a.csv", "text,kind\na,ok\n")[0]
	_, err := importFiles(t, Store{t.TempDir()}, "mine", labelled(t), path, path)
	testenv.WantFault(t, err, fault.Usage, "named twice")
	_, err = importFiles(t, Store{t.TempDir()}, "mine", labelled(t), filepath.Dir(path))
	testenv.WantFault(t, err, fault.Usage, "not a regular file")
}

func manyRows() string {
	var b strings.Builder
	for i := range mostValues + 1 {
		b.WriteString(strconv.Itoa(i) + ",ok," + strconv.Itoa(i) + "\n")
	}
	return b.String()
}

func TestNamesAreSafeAndNoSplit(t *testing.T) {
	for _, bad := range []string{"", "A", "a b", "../a", ".a", "-a", "a/b", "none", "all", "real", "curated", "test",
		"é", strings.Repeat("a", 61)} {
		if err := CheckName(bad, []string{"test"}); err == nil {
			t.Errorf("%q is allowed", bad)
		}
	}
	for _, good := range []string{"a", "not-inject_2", "0"} {
		if err := CheckName(good, []string{"test"}); err != nil {
			t.Error(err)
		}
	}
}

func TestLicenceClasses(t *testing.T) {
	for licence, want := range map[string]string{"MIT": "permissive", "apache-2.0": "permissive",
		"BSD-3-Clause": "permissive",
		"CC0-1.0":      "permissive", "CC-BY-4.0": "attribution", "ODC-By-1.0": "attribution", "CC-BY-SA-4.0": "share-alike",
		"CC-BY-NC-SA-4.0": "non-commercial", "CC-BY-ND-4.0": "restricted", "restricted": "restricted", "": "unknown",
		"my own": "unknown", "Permissive": "unknown"} {
		if got := LicenceClass(licence); got != want {
			t.Errorf("%q: %s, want %s", licence, got, want)
		}
	}
}

func TestAFolderInAPatternCountsHoweverFewFilesAreNamed(t *testing.T) {
	m := &Mapping{Name: "m", Class: "unknown", Files: []Rule{
		{Names: []string{"seeds-fp/a.csv"}, Text: "text", Label: LabelRule{All: "benign"}},
		{Names: []string{"a.csv"}, Text: "text", Label: LabelRule{All: "injection"}},
	}}
	set, err := importFiles(t, Store{t.TempDir()}, "mine", m, write(t, "seeds-fp/a.csv", "text\nx\n")...)
	if err != nil {
		t.Fatal(err)
	}
	if set.Benign != 1 || set.Origins[0].Name != "a.csv" {
		t.Errorf("%+v", set)
	}
}

func TestTheOrderOfFilesDoesNotChangeTheColumns(t *testing.T) {
	m := &Mapping{Name: "m", Class: "unknown", Files: []Rule{
		{Names: []string{"a.csv"}, Text: "text", Label: LabelRule{All: "benign"}, Slices: []Slice{{Name: "x", Column: "n"}}},
		{Names: []string{"b.csv"}, Text: "text", Label: LabelRule{All: "benign"}, Slices: []Slice{{Name: "y", Column: "n"}}},
	}}
	paths := write(t, "a.csv", "text,n\none,1\n", "b.csv", "text,n\ntwo,2\none,1\n")
	s := Store{t.TempDir()}
	for range 2 {
		if _, err := importFiles(t, s, "mine", m, paths...); err != nil {
			t.Fatal(err)
		}
		if rows := read(t, s, "mine", rowsFile); !strings.HasPrefix(rows, "id,text,label,source,language,license,x,y\n") {
			t.Errorf("rows %q", rows)
		}
		paths[0], paths[1] = paths[1], paths[0]
	}
}

func TestAnEmptyListIsARejectedRow(t *testing.T) {
	m := &Mapping{Name: "m", Class: "unknown", Files: []Rule{
		{Names: []string{"*"}, Text: "turns", Each: true, Label: LabelRule{All: "benign"}}}}
	set, err := importFiles(t, Store{t.TempDir()}, "mine", m, write(t, "a.jsonl",
		`{"turns":["x"]}`+"\n"+`{"turns":[]}`)...)
	if err != nil || len(set.Rejected) != 1 || set.Rejected[0] != (Reason{reasonEmpty, 1}) {
		t.Errorf("%+v, %v", set, err)
	}
}

func TestColumnsThatALayoutDoesNotHaveAreRefused(t *testing.T) {
	all := LabelRule{All: "benign"}
	for want, r := range map[string]Rule{
		"the flag for label names the column \"label\"": {Layout: LayoutMail, Label: LabelRule{Column: "label",
			Benign: []string{"0"}}},
		"the flag for where names the column \"x\"": {Layout: LayoutMail, Label: all, Where: []Where{{"x", "y"}}},
		"the flag for slices names the column \"x\"": {Layout: dataset.LayoutStrings, Label: all,
			Slices: []Slice{{Name: "x", Column: "x"}}},
		"the flag for text holds \"body\"": {Layout: dataset.LayoutStrings, Label: all, Text: "body"},
	} {
		r.Names = []string{"*"}
		_, err := Plain(r)
		testenv.WantFault(t, err, fault.Usage, want)
	}
}

func TestMappingsAreFoundWhateverTheFolderIsCalled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.yaml", "b-c.yaml", "a.yaml", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := Mappings(dir); err != nil || strings.Join(names, " ") != "a b b-c" {
		t.Errorf("%v, %v", names, err)
	}
}
