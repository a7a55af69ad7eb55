package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/testenv"
)

// edition makes a small edition and its manifest.
func edition(t *testing.T) (*Manifest, string) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"test.csv":       "text,label\n\"a\nb\",0\nc,1\nd,1\n",
		"train.csv":      "text,label,note\ne,0,x\n\"f\r\ng\",1,\n",
		"ood/domain.csv": "text,label\nh,0\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	m, err := Freeze(dir, "open", "data/open")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return parse(t, b.String()), dir
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFreezeCountsWhatIsThere(t *testing.T) {
	m, _ := edition(t)
	var b bytes.Buffer
	must(t, Write(&b, m))
	if want := Header + "\n# edition: open\n# folder: " +
		"data/open\n" + columns + "\n"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("it begins %q, want %q", b.String()[:min(b.Len(), len(want))], want)
	}
	type counts struct {
		path                    string
		rows, benign, injection int
	}
	var got []counts
	for _, f := range m.Files {
		got = append(got, counts{f.Path, f.Rows, f.Benign, f.Injection})
	}
	if diff := cmp.Diff([]counts{{"ood/domain.csv", 1, 1, 0}, {"test.csv", 3, 1, 2}, {"train.csv", 2, 1, 1}}, got,
		cmp.AllowUnexported(counts{})); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestVerifyAcceptsTheFrozenFolder(t *testing.T) {
	m, dir := edition(t)
	for _, name := range droppings {
		write(t, filepath.Join(dir, name), "x")
	}
	m.Files = append(m.Files, File{Path: "zz/not-published.csv", SHA256: hash("a")})
	r, err := Verify(m, dir)
	must(t, err)
	var got []string
	for _, f := range r.Results {
		got = append(got, f.Path+" "+string(f.Status))
	}
	if diff := cmp.Diff([]string{"ood/domain.csv ok", "test.csv ok", "train.csv ok", "zz/not-published.csv " +
		"absent"}, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	s, ok := r.Split("train.csv")
	if !ok || s.Name != "train" || s.Rows[1].Text != "f\r\ng" || s.SHA256 != r.Results[2].SHA256 ||
		s.File != filepath.Join(dir, "train.csv") {
		t.Errorf("split %+v, %v", s, ok)
	}
	if _, ok := r.Split("zz/not-published.csv"); ok {
		t.Error("an absent file has rows")
	}
}

func TestEachDifferenceHasItsSentence(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.csv")
	write(t, outside, "text,label\nh,0\n")
	const build = "; build the data again with `pidsbench data build`"
	short := func(data string) string { return hashOf([]byte(data))[:12] + "…" }
	frozen := func(m *Manifest, path string) string {
		f, _ := m.Lookup(path)
		return f.SHA256[:12] + "…"
	}
	tests := []struct {
		name   string
		damage func(t *testing.T, m *Manifest, dir string)
		status Status
		path   string
		want   func(m *Manifest) string // behind the folder
	}{
		{"missing", func(t *testing.T, m *Manifest, dir string) { must(t, os.Remove(dir+"/test.csv")) },
			Missing, "test.csv", func(*Manifest) string { return "test.csv is missing, M.txt freezes it" + build }},
		{"folder missing", func(t *testing.T, m *Manifest, dir string) { must(t, os.RemoveAll(dir+"/ood")) },
			Missing, "ood/domain.csv", func(*Manifest) string {
				return "ood/domain.csv is missing, M.txt " +
					"freezes it" + build
			}},
		{"file in the place of a folder", func(t *testing.T, m *Manifest, dir string) {
			must(t, os.RemoveAll(dir+"/ood"))
			write(t, dir+"/ood", "x")
		}, Missing, "ood/domain.csv", func(*Manifest) string {
			return "ood/domain.csv is missing: ood is a file, expected a folder" + build
		}},
		{"extra", func(t *testing.T, m *Manifest, dir string) { write(t, dir+"/ood/more.csv", "x") },
			Extra, "ood/more.csv", func(*Manifest) string {
				return "ood/more.csv is not frozen by M.txt; move it " +
					"out of the folder"
			}},
		{"extra with a hostile name", func(t *testing.T, m *Manifest, dir string) { write(t, dir+"/\x1b[2J.csv", "x") },
			Extra, "\x1b[2J.csv", nil},
		{"changed " +
			"text", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/ood/domain.csv",
				"text,label\ni,0\n")
		},
			Changed, "ood/domain.csv", func(m *Manifest) string {
				return "ood/domain.csv has changed: its SHA-256 is " + short("text,label\ni,0\n") + ", M.txt " +
					"freezes " + frozen(m, "ood/domain.csv") +
					" (it has 1 row and as many of each class as frozen)" + build
			}},
		{"changed " +
			"label", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/ood/domain.csv",
				"text,label\nh,1\n")
		},
			Changed, "ood/domain.csv", func(m *Manifest) string {
				return "ood/domain.csv has changed: its SHA-256 is " + short("text,label\nh,1\n") + ", M.txt " +
					"freezes " + frozen(m, "ood/domain.csv") +
					" (it has 1 row, 0 benign and 1 injection; frozen are 1, 1 and 0)" + build
			}},
		{"changed and " +
			"malformed", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/ood/domain.csv",
				"text,label\nh,2\n")
		},
			Changed, "ood/domain.csv", func(m *Manifest) string {
				return "ood/domain.csv has changed: its SHA-256 is " + short("text,label\nh,2\n") + ", M.txt " +
					"freezes " + frozen(m, "ood/domain.csv") +
					` (domain.csv:2: column "label" holds "2", expected 0, 1, benign or injection)` + build
			}},
		{"emptied", func(t *testing.T, m *Manifest, dir string) { write(t, dir+"/ood/domain.csv", "") },
			Changed, "ood/domain.csv", func(m *Manifest) string {
				return "ood/domain.csv has changed: its SHA-256 is " + short("") + ", M.txt " +
					"freezes " + frozen(m, "ood/domain.csv") + " (it is empty)" + build
			}},
		{"public form", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/ood/domain.csv", "text,label,text_sha256\n,0,"+hash("a")+"\n")
		}, Changed, "ood/domain.csv", func(m *Manifest) string {
			return "ood/domain.csv has changed: its " +
				"SHA-256 is " + short("text,label,text_sha256\n,0,"+hash("a")+"\n") + ", M.txt freezes " +
				frozen(m, "ood/domain.csv") + " (1 text of 1 is withheld, as in the form for the public); restore " +
				"the withheld texts first"
		}},
		{"CRLF", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/test.csv", "text,label\r\n\"a\r\nb\",0\r\nc,1\r\nd,1\r\n")
		},
			Converted, "test.csv", func(*Manifest) string {
				return "test.csv is not the frozen file byte by byte: its line ends were converted to CRLF; copy it " +
					"again without " +
					"line-end conversion (git: core.autocrlf=false)"
			}},
		{"CRLF of a file with both line ends", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/train.csv", "text,label,note\r\ne,0,x\r\n\"f\r\ng\",1,\r\n")
		}, Changed, "train.csv", func(m *Manifest) string {
			return "train.csv has changed: its " +
				"SHA-256 is " + short("text,label,note\r\ne,0,x\r\n\"f\r\ng\",1,\r\n") + ", M.txt freezes " +
				frozen(m, "train.csv") + " (all its line ends are CRLF, as after a conversion)" + build
		}},
		{"byte order mark", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/ood/domain.csv", "\ufefftext,label\nh,0\n")
		},
			Converted, "ood/domain.csv", func(*Manifest) string {
				return "ood/domain.csv is not the frozen file byte by byte: a byte order mark was put before it; " +
					"remove the mark (save as " +
					"UTF-8 without BOM)"
			}},
		{"byte order mark and CRLF", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/ood/domain.csv", "\ufefftext,label\r\nh,0\r\n")
		},
			Converted, "ood/domain.csv", func(*Manifest) string {
				return "ood/domain.csv is not the frozen file byte by byte: a byte order mark was put before it and " +
					"its line ends were " +
					"converted to CRLF; copy it again byte by byte"
			}},
		{"final " +
			"line end", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/ood/domain.csv",
				"text,label\nh,0")
		},
			Converted, "ood/domain.csv", func(*Manifest) string {
				return "ood/domain.csv is not the frozen file byte by byte: its last line end was removed; copy it " +
					"again byte by byte"
			}},
		{"LFS pointer", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/test.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:"+hash("a")+"\nsize 33\n")
		}, Pointer, "test.csv", func(*Manifest) string {
			return "test.csv is a Git LFS pointer to a file of 33 bytes, expected the frozen file; fetch the file " +
				"itself with `git lfs pull`"
		}},
		{"folder", func(t *testing.T, m *Manifest, dir string) {
			must(t, os.Remove(dir+"/test.csv"))
			write(t, dir+"/test.csv/x.csv", "x")
		}, NotAFile, "test.csv", func(*Manifest) string { return "test.csv is a folder, expected a file" + build }},
		{"link out of the folder", func(t *testing.T, m *Manifest, dir string) {
			must(t, os.Remove(dir+"/ood/domain.csv"))
			must(t, os.Symlink(outside, dir+"/ood/domain.csv"))
		}, Link, "ood/domain.csv", func(*Manifest) string {
			return "ood/domain.csv is a link that leads out of the folder, expected a file; put the file itself in " +
				"its place"
		}},
		{"link inside the folder", func(t *testing.T, m *Manifest, dir string) {
			must(t, os.Rename(dir+"/test.csv", dir+"/ood/test.csv"))
			must(t, os.Symlink("ood/test.csv", dir+"/test.csv"))
			m.Files = append(m.Files, File{Path: "ood/test.csv", SHA256: m.Files[1].SHA256})
			m.Files[1], m.Files[2], m.Files[3] = m.Files[3], m.Files[1], m.Files[2]
		}, Link, "test.csv", func(*Manifest) string {
			return "test.csv is a link, expected a file; put the file " +
				"itself in its place"
		}},
		{"broken link", func(t *testing.T, m *Manifest, dir string) {
			must(t, os.Remove(dir+"/test.csv"))
			must(t, os.Symlink("nowhere", dir+"/test.csv"))
		}, Link, "test.csv", func(*Manifest) string {
			return "test.csv is a link to nothing, expected a file; put the file itself in its place"
		}},
		{"folder that is a link", func(t *testing.T, m *Manifest, dir string) {
			must(t, os.RemoveAll(dir+"/ood"))
			must(t, os.Symlink(filepath.Dir(outside), dir+"/ood"))
		}, Link, "ood/domain.csv", func(*Manifest) string {
			return "ood/domain.csv cannot be trusted: ood is a link that leads out of the folder, expected a file; " +
				"put the file itself in its place"
		}},
		{"extra link", func(t *testing.T, m *Manifest, dir string) { must(t, os.Symlink(outside, dir+"/more.csv")) },
			Extra, "more.csv", func(*Manifest) string {
				return "more.csv is a link that M.txt does not freeze; move it out of the folder"
			}},
		{"unreadable", func(t *testing.T, m *Manifest, dir string) { // a name no file system takes cannot be looked up
			m.Files = append(m.Files, File{Path: "z" + strings.Repeat("y", 300), SHA256: hash("a")})
		}, Unreadable, "z" + strings.Repeat("y", 300), func(*Manifest) string {
			return "z" + strings.Repeat("y", 300) + " cannot be read: file name too long; make it readable, or " +
				"build the data again with `pidsbench data build`"
		}},
		{"wrong counts", func(t *testing.T, m *Manifest, dir string) { m.Files[1].Benign, m.Files[1].Injection = 2, 1 },
			Miscounted, "test.csv", func(*Manifest) string {
				return "test.csv has the frozen bytes but 3 rows, 1 benign and 2 injection; M.txt says 3, 2 and 1; " +
					"freeze the edition again"
			}},
		{"frozen but malformed", func(t *testing.T, m *Manifest, dir string) {
			write(t, dir+"/test.csv", "text,label\na\n")
			m.Files[1].SHA256 = hashOf([]byte("text,label\na\n"))
		}, Malformed, "test.csv", func(*Manifest) string {
			return `test.csv:2: the row has 1 field, expected 2 ("text", "label"); fill in the missing fields, or ` +
				`put a text that holds line breaks in quotes`
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, dir := edition(t)
			tt.damage(t, m, dir)
			r, err := Verify(m, dir)
			want := `"` + dir + `/\x1b[2J.csv" is not frozen by M.txt; move it out of the folder`
			if tt.want != nil {
				want = dir + "/" + tt.want(m)
			}
			checkError(t, err, want)
			for _, f := range r.Results {
				if (f.Problem != nil) != (f.Path == tt.path) || f.Path == tt.path && f.Status != tt.status {
					t.Errorf("%s is %s (%v)", f.Path, f.Status, f.Problem)
				}
			}
			if _, ok := r.Split(tt.path); ok {
				t.Error("the rows of the damaged file are handed out")
			}
			if tt.status != Extra && tt.status != Unreadable {
				_, err := Load(m, dir, tt.path)
				checkError(t, err, want)
			}
			if tt.path != "train.csv" {
				if s, err := Load(m, dir, "train.csv"); err != nil || len(s) != 1 || len(s[0].Rows) != 2 {
					t.Errorf("an undamaged file: %v, %v", s, err)
				}
			}
		})
	}
}

func TestVerifyListsEveryDifference(t *testing.T) {
	m, dir := edition(t)
	must(t, os.Remove(dir+"/test.csv"))
	write(t, dir+"/extra.csv", "x")
	write(t, dir+"/train.csv", "")
	const build = "; build the data again with `pidsbench data build`"
	want := dir + " does not match M.txt in 3 places:\n" +
		"  " + dir + "/extra.csv is not frozen by M.txt; move it out of the folder\n" +
		"  " + dir + "/test.csv is missing, M.txt freezes it" + build + "\n" +
		"  " + dir + "/train.csv has changed: its SHA-256 is e3b0c44298fc…, M.txt " +
		"freezes " + m.Files[2].SHA256[:12] + "… (it is empty)" + build
	for range 20 { // whatever the order in which files are read
		_, err := Verify(m, dir)
		checkError(t, err, want)
	}
}

func TestVerifyNamesTheFolderThatIsNotThere(t *testing.T) {
	m, dir := edition(t)
	_, err := Verify(m, dir+"/absent")
	checkError(t, err, "the folder "+dir+"/absent of the files that M.txt freezes does not exist; build the data "+
		"again with `pidsbench data build`")
	m.Folder = ""
	_, err = Load(m, dir+"/test.csv", "test.csv")
	checkError(t, err, "the folder "+dir+"/test.csv of the files that M.txt freezes is no folder; name the right "+
		"folder with --data")
	_, err = Load(m, dir, "other.csv")
	checkError(t, err, "M.txt does not freeze other.csv with its counts; use the manifest that belongs to this edition")
}

func TestFreezeRefusesWhatItCannotVouchFor(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		damage     func(dir string) error
	}{
		{"link", "$/more.csv is a link or no regular file and cannot be frozen; put the file itself in its place",
			func(dir string) error { return os.Symlink("test.csv", dir+"/more.csv") }},
		{"malformed", `$/more.csv:2: the row has 1 field, expected 2 ("text", "label"); fill in the missing fields, ` +
			`or put a text that ` +
			"holds line breaks in " +
			"quotes", func(dir string) error {
			return os.WriteFile(dir+"/more.csv", []byte("text,label\na\n"),
				0o644)
		}},
		{"empty folder", "the folder $ holds no file to freeze", func(dir string) error {
			return os.RemoveAll(dir + "/test.csv")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/test.csv", "text,label\na,0\n")
			must(t, tt.damage(dir))
			_, err := Freeze(dir, "x", "x")
			checkError(t, err, strings.ReplaceAll(tt.want, "$", dir))
		})
	}
}

func TestRealFilesFreezeAndVerify(t *testing.T) {
	src := testenv.Shared(t, "realdata/Prompt-Injection-Detection-System/final_dataset/test.csv")
	data, err := os.ReadFile(src)
	must(t, err)
	dir := t.TempDir()
	write(t, dir+"/test.csv", string(data))
	m, err := Freeze(dir, "pids", "")
	must(t, err)
	if f := m.Files[0]; f.Rows != 3825 || f.Benign != 1410 || f.Injection != 2415 || !strings.HasPrefix(f.SHA256,
		"5c337637c7bf30be") {
		t.Errorf("frozen as %+v", f)
	}
	r, err := Verify(m, dir)
	must(t, err)
	if s, ok := r.Split("test.csv"); !ok || len(s.Rows) != 3825 {
		t.Error("the rows are not handed back")
	}
	// Git with autocrlf makes every line end CRLF; the CRLFs inside texts cannot be told apart afterwards.
	write(t, dir+"/test.csv", strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n", "\r\n"))
	if _, err = Verify(m, dir); err == nil || !strings.Contains(err.Error(), "all its line ends are CRLF, as after "+
		"a conversion") {
		t.Errorf("a converted file: %v", err)
	}
	var own *dataset.Split
	if own, err = dataset.ReadFile(src, dataset.Mapping{}); err != nil || own.SHA256 != m.Files[0].SHA256 {
		t.Errorf("the reader's hash differs: %v", err)
	}
}
