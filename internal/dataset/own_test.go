package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// folder makes a folder of files by their slash-separated names.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenOwnReadsAFolderInOrderAndNamesTheRest(t *testing.T) {
	const rows = "text,label\na,0\n"
	dir := folder(t, map[string]string{"b.csv": rows, "a.JSONL": `{"text":"x","label":1}`,
		"c d.json":    `[{"text":"y","label":0}]`,
		".hidden.csv": rows, "README.md": "", "e.csv.bak": rows, "sub/f.csv": rows})
	splits, notes, err := OpenOwn(dir, Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range splits {
		names = append(names, s.Name+" "+s.Rows[0].Text)
	}
	if diff := cmp.Diff([]string{"a x", "b a", "c d y"}, names); diff != "" {
		t.Errorf("splits (-want +got):\n%s", diff)
	}
	want := []string{
		filepath.Join(dir, ".hidden.csv") + " is not read: it is hidden.",
		filepath.Join(dir, "README.md") + " is not read: it is no .csv, .tsv, .jsonl, .json or .parquet file.",
		filepath.Join(dir, "e.csv.bak") + " is not read: it is no .csv, .tsv, .jsonl, .json or .parquet file.",
		filepath.Join(dir, "sub") + " is not read: it is a folder (name it with --data to read it).",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	splits, notes, err = OpenOwn(filepath.Join(dir, "b.csv"), Mapping{})
	if err != nil || len(splits) != 1 || splits[0].Name != "b" || notes != nil {
		t.Errorf("a single file: %v, %q, %v", splits, notes, err)
	}
}

func TestOpenOwnRefusesDoubtfulFolders(t *testing.T) {
	const rows = "text,label\na,0\n"
	outside := filepath.Join(folder(t, map[string]string{"x.csv": rows}), "x.csv")
	tests := []struct {
		name  string
		files map[string]string
		link  string // name of a link to a file outside
		kind  fault.Kind
		want  string // $ stands for the folder
	}{
		{"no data", map[string]string{"README.md": ""}, "", fault.Usage,
			"the folder $ holds no .csv, .tsv, .jsonl, .json or .parquet file; name the file, or the folder that holds it"},
		{"one name twice", map[string]string{"a.csv": rows, "a.json": "[]"}, "", fault.Usage,
			"$/a.csv and $/a.json would both be the split \"a\"; rename one of them"},
		{"bad row", map[string]string{"a.csv": rows + "b\n"}, "", fault.Integrity, "$/a.csv:3: the row has 1 field, " +
			"expected 2 " +
			`("text", "label"); fill in the missing fields, or put a text that holds line breaks in quotes`},
		{"link out of the folder", map[string]string{"a.csv": rows}, "b.csv", fault.Integrity,
			"$/b.csv is a link that leads out of the folder or nowhere, expected a file; copy the file into the " +
				"folder"},
		{"control character in a name", map[string]string{"a\x1b.csv": rows}, "", fault.Usage,
			`the file name of "$/a\x1b.csv" gives the split name "a\x1b", expected printable characters without . ` +
				`at the start ` +
				`and without / \ : * ? " < > |; rename the file`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, tt.files)
			if tt.link != "" {
				if err := os.Symlink(outside, filepath.Join(dir, tt.link)); err != nil {
					testenv.Missing(t, "symbolic links: "+err.Error())
				}
			}
			_, _, err := OpenOwn(dir, Mapping{})
			checkError(t, err, tt.kind, strings.ReplaceAll(tt.want, "$", dir))
		})
	}
}

func TestOpenOwnNamesAnAbsentFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent.csv")
	_, _, err := OpenOwn(path, Mapping{})
	checkError(t, err, fault.Usage, path+" does not exist; check the path")
}
