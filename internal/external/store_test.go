package external

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestRowsAreInHashOrderAndKeepTheirBytes(t *testing.T) {
	s := Store{t.TempDir()}
	paths := write(t, "a.csv", "text,kind\r\n\"line\r\nbreak, and a \"\"quote\"\"\",ok\r\n=SUM(1),bad\r\n")
	set, err := importFiles(t, s, "mine", labelled(t), paths...)
	if err != nil {
		t.Fatal(err)
	}
	rows := read(t, s, "mine", rowsFile)
	if !strings.Contains(rows, "\"line\r\nbreak, and a \"\"quote\"\"\"") || !strings.Contains(rows,
		",=SUM(1),1,mine,und,") {
		t.Errorf("rows %q", rows)
	}
	if set.Benign != 1 || set.Injection != 1 || set.Axis != "custom" {
		t.Errorf("%+v", set)
	}
}

func TestTheOrderOfRowsAndFilesDoesNotMatter(t *testing.T) {
	group := func(r *Rule) { r.Slices = []Slice{{Name: "from", Column: "from"}} }
	lines := []string{"one,ok,b\n", "two,bad,a\n", "one,ok,a\n", "three,ok,c\n", "one,ok,b\n"}
	const header = "text,kind,from\n"
	first := Store{t.TempDir()}
	paths := write(t, "x/1.csv", header+strings.Join(lines[:2], ""), "x/2.csv", header+strings.Join(lines[2:], ""))
	if _, err := importFiles(t, first, "mine", labelled(t, group), paths...); err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][]string{
		"files swapped":  {paths[1], paths[0]},
		"rows reversed":  write(t, "x/1.csv", header+lines[4]+lines[3]+lines[2]+lines[1]+lines[0]),
		"another folder": write(t, "elsewhere/deep/1.csv", header+strings.Join(lines, "")),
	} {
		second := Store{t.TempDir()}
		if _, err := importFiles(t, second, "mine", labelled(t, group), files...); err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(read(t, first, "mine", rowsFile), read(t, second, "mine", rowsFile)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// Of equal texts the row whose slices come first stays.
	if rows := read(t, first, "mine", rowsFile); !strings.Contains(rows, ",one,0,mine,und,,a\n") {
		t.Errorf("rows %q", rows)
	}
}

func TestRowsThatCannotBeUsedAreListedWithTheReason(t *testing.T) {
	s := Store{t.TempDir()}
	paths := write(t,
		"a.csv", "text,kind\ngood,ok\n,ok\n \t ,ok\nbad \xff,ok\na\x00b,ok\ngood,ok\nx,what\nboth,ok\nboth,bad\nx,\n",
		"b.json", `[{"text":"other","kind":"bad"},{"kind":"ok"},{"text":7,"kind":"ok"},`+
			`{"text":null,"kind":"ok"},{"text":"a"}]`)
	set, err := importFiles(t, s, "mine", labelled(t), paths...)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"file":"a.csv","row":1,"reason":"empty"}
{"file":"a.csv","row":2,"reason":"empty"}
{"file":"a.csv","row":3,"reason":"invalid UTF-8"}
{"file":"a.csv","row":4,"reason":"NUL"}
{"file":"a.csv","row":5,"reason":"repeat"}
{"file":"a.csv","row":6,"reason":"unknown label"}
{"file":"a.csv","row":7,"reason":"both classes"}
{"file":"a.csv","row":8,"reason":"both classes"}
{"file":"a.csv","row":9,"reason":"unknown label"}
{"file":"b.json","row":1,"reason":"empty"}
{"file":"b.json","row":2,"reason":"not a text"}
{"file":"b.json","row":3,"reason":"empty"}
{"file":"b.json","row":4,"reason":"unknown label"}
`
	if diff := cmp.Diff(want, read(t, s, "mine", rejectsFile)); diff != "" {
		t.Error(diff)
	}
	if set.Benign != 1 || set.Injection != 1 || len(set.Rejected) != 7 {
		t.Errorf("%+v", set)
	}
}

func TestAnotherSetOfTheNameNeedsReplaceAndTheSameOneNothing(t *testing.T) {
	s := Store{t.TempDir()}
	ctx := context.Background()
	a, b := write(t, "a.csv", "text,kind\na,ok\n"), write(t, "b.csv", "text,kind\nb,ok\n")
	if _, done, err := s.Import(ctx, "mine", labelled(t), Input{Paths: a}, false); err != nil || !done {
		t.Fatal(done, err)
	}
	if _, done, err := s.Import(ctx, "mine", labelled(t), Input{Paths: a}, false); err != nil || done {
		t.Errorf("the same set again: done %v, %v", done, err)
	}
	before := read(t, s, "mine", rowsFile)
	_, _, err := s.Import(ctx, "mine", labelled(t), Input{Paths: b}, false)
	testenv.WantFault(t, err, fault.Usage, "mine", "--replace")
	if read(t, s, "mine", rowsFile) != before {
		t.Error("a refused import changed the rows")
	}
	if _, done, err := s.Import(ctx, "mine", labelled(t), Input{Paths: b}, true); err != nil || !done {
		t.Errorf("replace: done %v, %v", done, err)
	}
	if read(t, s, "mine", rowsFile) == before {
		t.Error("the rows are not replaced")
	}
	if _, _, err := s.Load("mine"); err != nil {
		t.Error(err)
	}
}

func TestWhateverStopsAnImportTheSetIsWhole(t *testing.T) {
	s := Store{t.TempDir()}
	if _, err := importFiles(t, s, "mine", labelled(t), write(t, "a.csv", "text,kind\na,ok\n")...); err != nil {
		t.Fatal(err)
	}
	before := read(t, s, "mine", rowsFile)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := s.Import(ctx, "mine", labelled(t), Input{Paths: write(t, "b.csv", "text,kind\nb,ok\n")},
		true); err == nil {
		t.Error("a cancelled import succeeds")
	}
	// Killed between the two renames: the old set is aside, the new one beside it.
	if err := os.Rename(s.path("mine"), s.going("mine")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.coming("mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := importFiles(t, s, "other", labelled(t), write(t, "c.csv", "text,kind\nc,ok\n")...); err != nil {
		t.Fatal(err)
	}
	if read(t, s, "mine", rowsFile) != before {
		t.Error("the old set is not back")
	}
	entries, _ := os.ReadDir(s.Dir)
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, ".") && n != ".lock" {
			t.Errorf("%s is left", n)
		}
	}
	if names, err := s.Names(); err != nil || len(names) != 2 {
		t.Errorf("names %v, %v", names, err)
	}
}

func TestChangedSetsAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		file   string
		change func(string) string
		want   []string
	}{
		"a text changed": {rowsFile, func(s string) string { return strings.Replace(s, ",a,", ",b,", 1) },
			[]string{rowsFile, "SHA-256"}},
		"a row added": {rowsFile, func(s string) string { return s + "x,y,0,mine,und,\n" }, []string{rowsFile,
			"SHA-256"}},
		"the name changed": {setFile, func(s string) string {
			return strings.Replace(s, "name: mine", "name: yours",
				1)
		}, []string{setFile, "yours"}},
		"an axis of ours": {setFile, func(s string) string {
			return strings.Replace(s, "axis: custom", "axis: iid",
				1)
		}, []string{setFile, "iid"}},
		"an unknown field": {setFile, func(s string) string { return s + "more: 1\n" }, []string{setFile, "more"}},
		"another schema": {setFile, func(s string) string { return strings.Replace(s, Schema, "x/2", 1) },
			[]string{setFile, "x/2"}},
		"counts changed": {setFile, func(s string) string { return strings.Replace(s, "benign: 1", "benign: 2", 1) },
			[]string{rowsFile, "1 benign"}},
		"a slice too many": {setFile, func(s string) string {
			return strings.Replace(s, "slices: []", "slices: [x]",
				1)
		}, []string{`"x"`}},
		"no YAML":           {setFile, func(string) string { return "\x00" }, []string{setFile}},
		"the rows are gone": {rowsFile, nil, []string{rowsFile, "missing"}},
		"set.yaml is gone":  {setFile, nil, []string{setFile}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Store{t.TempDir()}
			if _, err := importFiles(t, s, "mine", labelled(t), write(t, "a.csv", "text,kind\na,ok\n")...); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(s.Dir, "mine", tt.file)
			if tt.change == nil {
				os.Remove(path)
			} else {
				old := read(t, s, "mine", tt.file)
				changed := tt.change(old)
				if changed == old {
					t.Fatal("nothing changed")
				}
				if err := os.WriteFile(path, []byte(changed), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, _, err := s.Load("mine")
			testenv.WantFault(t, err, fault.Integrity, tt.want...)
		})
	}
}

func TestRemoveDeletesASetAndNamesThoseThereAre(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "none", "yet")}
	ctx := context.Background()
	testenv.WantFault(t, s.Remove(ctx, "mine"), fault.Usage, `"mine"`, "data import")
	if _, err := importFiles(t, s, "mine", labelled(t), write(t, "a.csv", "text,kind\na,ok\n")...); err != nil {
		t.Fatal(err)
	}
	testenv.WantFault(t, s.Remove(ctx, "yours"), fault.Usage, "choose from mine")
	testenv.WantFault(t, s.Remove(ctx, "../mine"), fault.Usage, "choose from mine")
	if err := s.Remove(ctx, "mine"); err != nil {
		t.Fatal(err)
	}
	if names, err := s.Names(); err != nil || len(names) != 0 {
		t.Errorf("names %v, %v", names, err)
	}
}

func TestAFolderThatIsNoSetIsNamed(t *testing.T) {
	s := Store{t.TempDir()}
	if err := os.Mkdir(filepath.Join(s.Dir, "My Set"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := s.Names()
	testenv.WantFault(t, err, fault.Integrity, "My Set")
}

// FuzzSetFile checks that set.yaml reads back as it was written, whatever a file is called.
func FuzzSetFile(f *testing.F) {
	for _, s := range []string{"a.csv", "1", "true", "1e5", "~", "- a", "a: b", "#", "'", "\"", "é\n", "\u2028", "",
		"  ", "0x1", "null",
		"|", ">", "*a", "&a", "!t", "%", "@", "`", "a #b", "2001-01-01", "\\", "12e03", "1_000", ".inf", "=", "<<"} {
		f.Add(s, strings.Repeat("1", 64))
	}
	f.Fuzz(func(t *testing.T, name, hash string) {
		s := Store{t.TempDir()}
		c := &collection{name: "mine", mapping: labelled(t), rows: []row{{id: "mine_1", text: "a"}}}
		c.mapping.Citation = name
		set, files, err := c.files([]Origin{{Name: name, SHA256: hash, Rows: 1}})
		if err != nil {
			return // refused rather than written wrongly
		}
		if err := s.put(context.Background(), "mine", files); err != nil {
			if err := os.MkdirAll(s.Dir, 0o777); err != nil {
				t.Fatal(err)
			}
			t.Fatal(err)
		}
		back, _, err := s.Load("mine")
		if err != nil {
			t.Fatalf("%q: %v\n%s", name, err, files[setFile])
		}
		want, _ := yaml.Marshal(set)
		got, _ := yaml.Marshal(back)
		if diff := cmp.Diff(string(want), string(got)); diff != "" || back.Citation != name || back.Origins[0].Name != name {
			t.Errorf("%q reads back as %q\n%s", name, back.Origins[0].Name, diff)
		}
	})
}

func TestACancelledImportStopsAmongTheRows(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := &collection{name: "mine", mapping: labelled(t)}
	if _, err := c.add(ctx, "a.csv", "a.csv", []byte("text,kind\na,ok\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %d rows", err, len(c.rows))
	}
}
