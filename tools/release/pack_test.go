package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// folder makes files in a new folder, in the order given, and returns them.
func folder(t *testing.T, mode os.FileMode, names ...string) []file {
	t.Helper()
	dir := t.TempDir()
	var files []file
	for _, name := range names {
		from := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(from), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(from, []byte("what is in "+name), mode); err != nil {
			t.Fatal(err)
		}
		files = append(files, file{name: name, from: from, program: strings.HasPrefix(name, "bin/")})
	}
	return files
}

func packed(t *testing.T, files []file, when time.Time) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := pack(&out, "top-1", files, when); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTheSameFilesGiveTheSameArchive(t *testing.T) {
	when := time.Unix(1_700_000_000, 0)
	names := []string{"docs/b.md", "bin/program", "README.md", "docs/a.md", "docs-of/c.md"}
	first := packed(t, folder(t, 0o600, names...), when)
	slices.Reverse(names)
	time.Sleep(10 * time.Millisecond)
	second := packed(t, folder(t, 0o666, names...), when.In(time.FixedZone("east", 3600)))
	if !bytes.Equal(first, second) {
		t.Error("the order, the modes or the times of the files decide the bytes")
	}
	if bytes.Equal(first, packed(t, folder(t, 0o600, names...), when.Add(time.Second))) {
		t.Error("the time that is given is not in the archive")
	}
}

func TestTheArchiveHasOneFolderAndNoOwner(t *testing.T) {
	when := time.Unix(1_700_000_000, 0)
	unzipped, err := gzip.NewReader(bytes.NewReader(packed(t, folder(t, 0o644, "bin/program", "a/b/c.txt"), when)))
	if err != nil {
		t.Fatal(err)
	}
	if unzipped.Name != "" || !unzipped.ModTime.IsZero() {
		t.Errorf("gzip names %q, %v", unzipped.Name, unzipped.ModTime)
	}
	var got []string
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %o", h.Name, h.Mode))
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || !h.ModTime.Equal(when) {
			t.Errorf("%s has an owner or another time: %+v", h.Name, h)
		}
		if body, err := io.ReadAll(archive); err != nil ||
			h.Typeflag == tar.TypeReg && "top-1/"+strings.TrimPrefix(string(body), "what is in ") != h.Name {
			t.Errorf("%s holds %q, %v", h.Name, body, err)
		}
	}
	want := []string{"top-1/ 755", "top-1/a/ 755", "top-1/a/b/ 755", "top-1/a/b/c.txt 644", "top-1/bin/ 755",
		"top-1/bin/program 755"}
	if !slices.Equal(got, want) {
		t.Errorf("the archive holds\n%q, want\n%q", got, want)
	}
}
