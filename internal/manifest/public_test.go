package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/restrict"
)

// withheldEdition is an edition of the user's with one file, two of whose rows are restricted, and its public form.
func withheldEdition(t *testing.T) (m *Manifest, dir, public string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir+"/hard.csv", "text,label,source\na,0,lmsys\nb,0,dolly\nc,0,lmsys_ai_adjacent\n")
	write(t, dir+"/test.csv", "text,label\nh,0\n")
	m, err := Freeze(dir, "v3", "")
	must(t, err)
	m.Files[0].Withheld = 2
	var b strings.Builder
	must(t, Write(&b, m))
	m = parse(t, b.String())
	return m, dir, fmt.Sprintf("text,label,source,text_sha256\n,0,lmsys,%s\nb,0,dolly,\n,0,lmsys_ai_adjacent,%s\n",
		restrict.Hash("a"), restrict.Hash("c"))
}

func TestFormsOfAFileWithRestrictedRows(t *testing.T) {
	a, c := restrict.Hash("a"), restrict.Hash("c")
	const head = "text,label,source,text_sha256\n"
	for name, tt := range map[string]struct {
		data     string
		status   Status
		withheld int
		problem  string
	}{
		"public": {head + ",0,lmsys," + a + "\nb,0,dolly,\n,0,lmsys_ai_adjacent," + c + "\n", Public, 2,
			"hard.csv withholds 2 of 3 texts; score the other texts with --public-subset"},
		"partly rebuilt": {head + "a,0,lmsys," + a + "\nb,0,dolly,\n,0,lmsys_ai_adjacent," + c + "\n", Public, 1,
			"withholds 1 of 3 texts"},
		"rebuilt": {head + "a,0,lmsys," + a + "\nb,0,dolly,\nc,0,lmsys_ai_adjacent," + c + "\n", OK, 0, ""},
		"CRLF": {strings.ReplaceAll(head+",0,lmsys,"+a+"\nb,0,dolly,\n,0,lmsys_ai_adjacent,"+c+"\n", "\n",
			"\r\n"), Public, 2, "withholds 2"},
		"wrong hash": {head + "a,0,lmsys," + c + "\nb,0,dolly,\nc,0,lmsys_ai_adjacent," + c + "\n", Changed, 0,
			"has the frozen rows but wrong fingerprints: hard.csv: row 0"},
		"wrong text": {head + "x,0,lmsys," + a + "\nb,0,dolly,\n,0,lmsys_ai_adjacent," + c + "\n", Changed, 1,
			"has changed"},
		"other text": {head + "a,0,lmsys," + a + "\nx,0,dolly,\nc,0,lmsys_ai_adjacent," + c + "\n", Changed, 0,
			"has changed"},
		"a blank too few": {head + ",0,lmsys," + a + "\nb,0,dolly,\nc,0,dolly,\n", Changed, 1, "has changed"},
		"a blank that is not restricted": {head + ",0,lmsys," + a + "\n,0,dolly," + c + "\n,0,lmsys," + c + "\n", Changed, 3,
			"has changed"},
		"no fingerprint": {head + ",0,lmsys,\nb,0,dolly,\n,0,lmsys," + c + "\n", Changed, 0, "has changed"},
		"one twice":      {head + ",0,lmsys," + a + "\nb,0,dolly,\n,0,lmsys," + a + "\n", Changed, 2, "has changed"},
		"hash of nan": {head + ",0,lmsys," + a + "\nb,0,dolly,\n,0,lmsys," + restrict.Hash("nan") + "\n", Changed, 2,
			"has changed"},
		"a row less":    {head + ",0,lmsys," + a + "\n,0,lmsys," + c + "\n", Changed, 2, "has changed"},
		"another label": {head + ",0,lmsys," + a + "\nb,1,dolly,\n,0,lmsys," + c + "\n", Changed, 2, "has changed"},
		"column not last": {"text,text_sha256,label,source\n," + a + ",0,lmsys\nb,,0,dolly\n," + c + ",0,lmsys\n",
			Changed, 2, "has changed"},
		"column of blanks": {"text,label,source,text_sha256\na,0,lmsys,\nb,0,dolly,\nc,0,lmsys_ai_adjacent,\n", OK, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, dir, _ := withheldEdition(t)
			write(t, dir+"/hard.csv", tt.data)
			r, err := Verify(m, dir)
			got, _ := r.Result("hard.csv")
			if got.Status != tt.status || got.Withheld != tt.withheld || (got.Split() != nil) != (tt.status != Changed) {
				t.Errorf("%s, %d withheld, rows %v", got.Status, got.Withheld, got.Split() != nil)
			}
			if tt.problem == "" && err != nil || tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem)) {
				t.Errorf("error %v, want %q", err, tt.problem)
			}
			if s := got.Split(); tt.status == OK && s.SHA256 != m.Files[0].SHA256 {
				t.Error("a rebuilt file does not count as the frozen one")
			}
			want := map[Status]int{OK: 0, Public: int(fault.Incomplete), Changed: int(fault.Integrity)}[tt.status]
			if code := fault.ExitCode(err); code != want {
				t.Errorf("exit status %d, want %d", code, want)
			}
			if err := r.Err(Public); tt.status == Public && err != nil {
				t.Errorf("where the public form is accepted: %v", err)
			}
			if s, ok := r.Split("hard.csv"); ok && tt.status == Public {
				t.Errorf("rows of the public form pass as frozen: %v", s)
			}
		})
	}
}

func TestAFileWithoutPublicFormHasNone(t *testing.T) {
	m, dir, public := withheldEdition(t)
	m.Files[0].Withheld = 0
	write(t, dir+"/hard.csv", public)
	if _, err := Verify(m, dir); fault.ExitCode(err) != int(fault.Integrity) || !strings.Contains(err.Error(),
		"texts of 3 are withheld") {
		t.Errorf("%v", err)
	}
}

func TestWhatIsMissingFromAFolderOfTheUsersIsIncompleteNotBroken(t *testing.T) {
	m, dir, _ := withheldEdition(t)
	write(t, dir+"/notes/more.csv", "x")
	must(t, os.Remove(dir+"/test.csv"))
	m.Files = append(m.Files, File{Path: "outputs/run/test_predictions.csv", SHA256: hash("a")})
	r, err := Verify(m, dir)
	if fault.ExitCode(err) != int(fault.Incomplete) || r.Changed() != nil {
		t.Errorf("%v, %v", err, r.Changed())
	}
	var got []string
	for _, f := range r.Results {
		got = append(got, f.Path+" "+string(f.Status))
	}
	if want := "hard.csv ok, notes/more.csv extra, test.csv missing"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	write(t, dir+"/hard.csv", "text,label,source\nx,0,lmsys\nb,0,dolly\nc,0,lmsys\n")
	if _, err := Verify(m, dir); fault.ExitCode(err) != int(fault.Integrity) || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("%v", err)
	}
	r, err = Examine(m, dir, "test.csv")
	if err != nil || len(r.Results) != 1 || r.Results[0].Status != Missing {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Examine(m, dir, "outputs/run/test_predictions.csv"); err == nil {
		t.Error("what is made of the data passes for a split")
	}
	if _, err := Examine(m, filepath.Join(dir, "absent"), "test.csv"); fault.ExitCode(err) != int(fault.Integrity) {
		t.Errorf("%v", err)
	}
}

func TestBadLinesOnWithheldTexts(t *testing.T) {
	entry := hash("a") + "  3  3  0  hard.csv\n"
	for line, want := range map[string]string{
		"# withheld: x hard.csv\n" + entry:                         "M.txt:2: the line is",
		"# withheld: 0 hard.csv\n" + entry:                         "M.txt:2: the line is",
		"# withheld: 2\n" + entry:                                  "M.txt:2: the line is",
		"# withheld: 2 hard.csv\n# withheld: 1 hard.csv\n" + entry: "M.txt:3: the line is",
		entry + "# withheld: 2 hard.csv\n":                         "M.txt:3: the line is",
		"# withheld: 4 hard.csv\n" +
			entry: "M.txt:3: hard.csv withholds 4 texts, expected at most its 3 rows",
		"# withheld: 2 other.csv\n" +
			entry: "M.txt says that texts of other.csv are withheld and does not freeze that file",
		"# withheld: 2 note.txt\n" + hash("b") + "  -  -  -  note.txt\n": "M.txt:3: note.txt withholds 2 texts",
	} {
		_, err := Parse("M.txt", []byte(Header+"\n"+line))
		if fault.ExitCode(err) != int(fault.Integrity) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}
