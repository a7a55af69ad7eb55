package external

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
	"pidsbench/internal/testenv"
)

func TestPinsAreReadInBothForms(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	for text, want := range map[string]packages.Package{
		"pip:some-name==1.2.3#" + hash:         {Name: "some-name", Version: "1.2.3", SHA256: hash},
		"npm:name@1.2.3#" + hash:               {Client: packages.NPM, Name: "name", Version: "1.2.3", SHA256: hash},
		"npm:@scope/name@1.2.3#sha256:" + hash: {Client: packages.NPM, Name: "@scope/name", Version: "1.2.3", SHA256: hash},
	} {
		if got, err := ParsePin(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "pip:a==1.0", "npm:@scope/name#" + hash, "gem:a==1#" + hash, "pip:a@1#" + hash,
		"a==1#" + hash,
		"npm:a@latest#" + hash, "pip:--index-url==1#" + hash, "npm:a@1.0.0#abc"} {
		_, err := ParsePin(bad)
		testenv.WantFault(t, err, fault.Usage)
	}
}

func TestMembersOfAPackageAreImported(t *testing.T) {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, f := range [][2]string{{"pkg/a/1.csv", "text,kind\none,ok\n"}, {"pkg/a/2.csv", "text,kind\ntwo,bad\none,ok\n"},
		{"pkg/b.csv", "text,kind\nthree,ok\n"}} {
		w, err := z.Create(f[0])
		if err == nil {
			_, err = w.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(buf.Bytes())
	p := packages.Package{Name: "tiny", Version: "1.0", SHA256: hex.EncodeToString(sum[:])}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, p.FileName()), buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv(packages.SourcesVar, dir)
	s := Store{t.TempDir()}
	in := Input{Package: &p, Members: []string{"a/*.csv"}}
	set, _, err := s.Import(context.Background(), "mine", labelled(t), in, false)
	if err != nil {
		t.Fatal(err)
	}
	o := set.Origins[0]
	if set.Benign != 1 || set.Injection != 1 || o.Name != "pip:tiny==1.0" || o.SHA256 != p.SHA256 || o.Files != 2 ||
		o.Rows != 3 {
		t.Errorf("%+v", set)
	}
	if got, want := read(t, s, "mine", rejectsFile), `{"file":"pkg/a/2.csv","row":1,"reason":"repeat"}`+"\n"; got != want {
		t.Errorf("rejects %s", got)
	}
	_, _, err = s.Import(context.Background(), "other", labelled(t), Input{Package: &p, Members: []string{"c.csv"}}, false)
	testenv.WantFault(t, err, fault.Usage, "pip:tiny==1.0 holds no file named c.csv", "--member")
}

func TestFilesAreNamedByWhatTellsThemApart(t *testing.T) {
	for want, paths := range map[string][]string{
		"b.csv":                    {"/home/a/b.csv"},
		"b.csv c.csv":              {"/home/a/b.csv", "/var/c.csv"},
		"a/x.csv b/x.csv":          {"/home/a/x.csv", "/home/b/x.csv"},
		"x.csv t/x.csv":            {"/home/x.csv", "/home/t/x.csv"},
		"a/d/x.csv b/d/x.csv":      {"/home/a/d/x.csv", "/var/b/d/x.csv"},
		"home/d/x.csv var/d/x.csv": {"/home/d/x.csv", "/var/d/x.csv"},
	} {
		names, err := shortNames(paths)
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%v: %s, want %s (%v)", paths, got, want, err)
		}
	}
}
