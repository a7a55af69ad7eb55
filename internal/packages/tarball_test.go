package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// entry is one entry of a test tarball; zero type means a plain file.
type entry struct {
	name, data, link string
	kind             byte
}

func tgz(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: 0o644, Size: int64(len(e.data))}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = w.Write([]byte(e.data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if w.Close() != nil || z.Close() != nil {
		t.Fatal("the tarball cannot be closed")
	}
	return buf.Bytes()
}

func each(t testing.TB, data []byte, limit int64, want func(string) bool) (map[string]string, error) {
	t.Helper()
	got := map[string]string{}
	err := Each(writeFile(t, filepath.Join(t.TempDir(), "a.tgz"), data), limit, want, func(name string,
		data []byte) error {
		got[name] = string(data)
		return nil
	})
	return got, err
}

func all(string) bool { return true }

func TestTarballsGiveTheFilesThatAreWanted(t *testing.T) {
	data := tgz(t, entry{name: "package/", kind: tar.TypeDir}, entry{name: "package/a.txt", data: "A"},
		entry{name: "package/sub/b.txt", data: "B"}, entry{name: "package/sub/c.md", data: "C"})
	got, err := each(t, data, 10, func(name string) bool { return strings.HasSuffix(name, ".txt") })
	if diff := cmp.Diff(map[string]string{"a.txt": "A", "sub/b.txt": "B"}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestWheelsGiveTheFilesThatAreWantedByName(t *testing.T) {
	var got []string
	path := writeFile(t, filepath.Join(t.TempDir(), "a.whl"), zipBytes(t, member{name: "b.txt", data: "B"},
		member{name: "a.txt",
			data: "A"}, member{name: "c.md", data: "C"}))
	err := Each(path, 10, func(name string) bool { return strings.HasSuffix(name, ".txt") }, func(name string,
		data []byte) error {
		got = append(got, name+string(data))
		return nil
	})
	if diff := cmp.Diff([]string{"a.txtA", "b.txtB"}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestUnsafeTarballsAreRefused(t *testing.T) {
	good := entry{name: "package/a.txt", data: "A"}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"out of the folder": {tgz(t, good, entry{name: "package/../../b", data: "B"}), "not a plain relative path"},
		"absolute":          {tgz(t, entry{name: "/etc/b", data: "B"}), "not a plain relative path"},
		"backslash":         {tgz(t, entry{name: `package\b`, data: "B"}), "not a plain relative path"},
		"symbolic link": {tgz(t, good, entry{name: "package/l", link: "/etc/passwd", kind: tar.TypeSymlink}),
			"is a link"},
		"hard link": {tgz(t, good, entry{name: "package/l", link: "package/a.txt", kind: tar.TypeLink}),
			"is a link"},
		"device":              {tgz(t, entry{name: "package/d", kind: tar.TypeChar}), "not a regular file"},
		"a name twice":        {tgz(t, good, good), "stands twice"},
		"a file over a limit": {tgz(t, entry{name: "package/a.txt", data: strings.Repeat("A", 11)}), "longer than 10 bytes"},
		"no gzip":             {[]byte("PK"), "not a readable tarball"},
		"cut off": {tgz(t, entry{name: "package/a", data: strings.Repeat("ab", 5)})[:60],
			"not a readable tarball"},
	} {
		_, err := each(t, tt.data, 10, all)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		testenv.WantFault(t, err, fault.Integrity, tt.want)
	}
}

func FuzzTarball(f *testing.F) {
	f.Add(tgz(f, entry{name: "package/a.txt", data: "A"}))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := each(t, data, 1<<16, all)
		for name := range got {
			if err == nil && (filepath.IsAbs(name) || strings.Contains(name, "..")) && !filepath.IsLocal(name) {
				t.Errorf("%q leads out", name)
			}
		}
	})
}

// npmPin writes a tarball into dir under the name that npm pack gives, and returns its pin.
func npmPin(t testing.TB, dir, name string) Package {
	t.Helper()
	data := tgz(t, entry{name: "package/package.json", data: `{"name":"` + name + `","version":"1.2.3"}`},
		entry{name: "package/words.txt", data: "one\n"})
	sum := sha256.Sum256(data)
	p := Package{Client: NPM, Name: name, Version: "1.2.3", SHA256: hex.EncodeToString(sum[:])}
	writeFile(t, filepath.Join(dir, p.FileName()), data)
	return p
}

func TestNPMPackagesAreReadFromTheSourcesFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(SourcesVar, dir)
	p := npmPin(t, dir, "@tiny/words.list")
	if p.String() != "@tiny/words.list@1.2.3" || p.FileName() != "tiny-words.list-1.2.3.tgz" {
		t.Errorf("%s is in %s", p, p.FileName())
	}
	path, err := Fetch(context.Background(), p, Options{})
	if err != nil || path != filepath.Join(dir, p.FileName()) {
		t.Errorf("Fetch = %q, %v", path, err)
	}
	p.Name = "@tiny/others"
	_, err = Fetch(context.Background(), p, Options{})
	testenv.WantFault(t, err, fault.Usage, "tiny-others-1.2.3.tgz", "npm pack @tiny/others@1.2.3")
}

func TestNPMPinsThatCouldBeOptionsOrRangesAreRefused(t *testing.T) {
	good := Package{Client: NPM, Name: "a", Version: "1.0.0", SHA256: strings.Repeat("0", 64)}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*Package){
		func(p *Package) { p.Name = "--registry=x" }, func(p *Package) { p.Name = "../a" },
		func(p *Package) { p.Name = "a/b" },
		func(p *Package) { p.Name = "@a/b/c" }, func(p *Package) { p.Name = "git+ssh://a" },
		func(p *Package) { p.Name = "A" },
		func(p *Package) { p.Version = "latest" }, func(p *Package) { p.Version = "^1.0.0" },
		func(p *Package) { p.Version = "1" },
		func(p *Package) { p.Version = "1.0.0 || 2.0.0" }, func(p *Package) { p.SHA256 = "x" },
	} {
		p := good
		change(&p)
		testenv.WantFault(t, p.Check(), fault.Usage)
	}
}

// fakeNPM puts a program named npm first on the PATH: the real one cannot be told to work without a registry. What it
// does stands in the script.
func fakeNPM(t *testing.T, script string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(SourcesVar, "")
}

func TestFetchAsksNPMAndChecksTheHash(t *testing.T) {
	from, cache := t.TempDir(), t.TempDir()
	p := npmPin(t, from, "@tiny/words")
	const copies = `for a; do case $a in --pack-destination=*) cp "$FROM"/*.tgz "${a#*=}";; esac; done
case "$*" in "pack --ignore-scripts "*" @tiny/words@1.2.3") ;; *) exit 9;; esac`
	t.Setenv("FROM", from)
	fakeNPM(t, copies)
	path, err := Fetch(context.Background(), p, Options{Cache: cache})
	if err != nil || filepath.Dir(path) != cache {
		t.Fatalf("Fetch = %q, %v", path, err)
	}
	p.SHA256 = strings.Repeat("0", 64)
	_, err = Fetch(context.Background(), p, Options{Cache: t.TempDir()})
	testenv.WantFault(t, err, fault.Integrity, "npm found", "expected 0000")

	fakeNPM(t, "echo 'npm error code E404' >&2; echo 'npm error more' >&2; exit 1")
	_, err = Fetch(context.Background(), p, Options{Cache: t.TempDir()})
	testenv.WantFault(t, err, fault.Failed, "npm could not download @tiny/words@1.2.3: E404", SourcesVar)

	t.Setenv("PATH", t.TempDir())
	_, err = Fetch(context.Background(), p, Options{Cache: t.TempDir()})
	testenv.WantFault(t, err, fault.Usage, "npm is needed and not installed")
}

func TestFetchStopsNPMWhenTheContextEnds(t *testing.T) {
	p := npmPin(t, t.TempDir(), "words")
	fakeNPM(t, "sleep 60")
	ctx, cancel := context.WithCancel(context.Background())
	cache := t.TempDir()
	_, err := Fetch(ctx, p, Options{Cache: cache, Log: func(string, ...any) { cancel() }})
	if fault.ExitCode(err) != int(fault.Interrupted) {
		t.Errorf("error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, ".fetch-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
