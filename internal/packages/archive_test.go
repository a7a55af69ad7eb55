package packages

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func openBytes(t testing.TB, data []byte) (*Archive, error) {
	t.Helper()
	a, err := Open(writeFile(t, filepath.Join(t.TempDir(), "a.whl"), data))
	if err == nil {
		t.Cleanup(func() { a.Close() })
	}
	return a, err
}

func names(a *Archive) []string { return slices.Sorted(maps.Keys(a.members)) }

func TestArchiveReadsPlainFiles(t *testing.T) {
	a, err := openBytes(t, zipBytes(t,
		member{name: "b/two.txt", data: "2"},
		member{name: "b/", edit: func(h *zip.FileHeader) { h.SetMode(fs.ModeDir | 0o755) }},
		member{name: "b/one.txt", data: "1\r\n"},
		member{name: "bc.txt", data: "3"},
	))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b/one.txt", "b/two.txt", "bc.txt"}, names(a)); diff != "" {
		t.Error(diff)
	}
	if got, err := a.Member("b/one.txt", 3); err != nil || string(got) != "1\r\n" {
		t.Errorf("Member = %q, %v", got, err)
	}
	_, err = a.Member("b/three.txt", 3)
	testenv.WantFault(t, err, fault.Integrity, "a.whl", `"b/three.txt"`)
	_, err = a.Member("b/", 3)
	testenv.WantFault(t, err, fault.Integrity, `"b/"`)
}

func TestOpenRefusesUnsafeMembers(t *testing.T) {
	link := func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) }
	for name, c := range map[string]struct {
		members []member
		say     string
	}{
		"absolute":        {[]member{{name: "/etc/passwd"}}, "not a plain relative path"},
		"parent":          {[]member{{name: "a/../../b"}}, "not a plain relative path"},
		"parent at end":   {[]member{{name: "a/.."}}, "not a plain relative path"},
		"backslash":       {[]member{{name: `a\b`}}, "not a plain relative path"},
		"empty element":   {[]member{{name: "a//b"}}, "not a plain relative path"},
		"NUL":             {[]member{{name: "a\x00b"}}, "not a plain relative path"},
		"invalid UTF-8":   {[]member{{name: "a\xff"}}, "not a plain relative path"},
		"twice":           {[]member{{name: "a"}, {name: "b"}, {name: "a"}}, "stands twice"},
		"file and folder": {[]member{{name: "a"}, {name: "a/"}}, "stands twice"},
		"link":            {[]member{{name: "a", data: "/etc/passwd", edit: link}}, "is a link"},
		"link to folder":  {[]member{{name: "a/", edit: link}}, "is a link"},
		"device": {[]member{{name: "a", edit: func(h *zip.FileHeader) { h.SetMode(fs.ModeDevice | 0o644) }}},
			"is not a regular file"},
		"encrypted": {[]member{{name: "a", edit: func(h *zip.FileHeader) { h.Flags |= 1 }}}, "is encrypted"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openBytes(t, zipBytes(t, c.members...))
			testenv.WantFault(t, err, fault.Integrity, "a.whl", c.say)
		})
	}
}

func TestOpenRefusesWhatIsNoZip(t *testing.T) {
	whole := zipBytes(t, member{name: "a", data: strings.Repeat("text ", 1000)})
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte("<html>Not found</html>"), "cut": whole[:len(whole)-30],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openBytes(t, data)
			testenv.WantFault(t, err, fault.Integrity, "a.whl", "not a readable zip archive")
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent.whl")); fault.ExitCode(err) != int(fault.Failed) {
		t.Errorf("an absent file gives %v", err)
	}
}

func TestMemberStopsAtTheLimitWhateverTheHeaderSays(t *testing.T) {
	const size = 1 << 20
	bomb := zipBytes(t, member{name: "bomb", data: strings.Repeat("0", size)})
	lying := bytes.Clone(bomb) // the table of contents says 10 bytes
	table := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[table+24:], 10)

	a, err := openBytes(t, bomb)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Member("bomb", size); err != nil || len(got) != size {
		t.Errorf("at the limit: %d bytes, %v", len(got), err)
	}
	_, err = a.Member("bomb", size-1)
	testenv.WantFault(t, err, fault.Integrity, `"bomb"`, "longer than 1048575 bytes")

	if a, err = openBytes(t, lying); err != nil {
		t.Fatal(err)
	}
	_, err = a.Member("bomb", 1000)
	testenv.WantFault(t, err, fault.Integrity, `"bomb"`)
}

func TestMemberRefusesDamagedData(t *testing.T) {
	data := zipBytes(t, member{name: "a", data: "text", edit: func(h *zip.FileHeader) { h.Method = zip.Store }})
	i := bytes.Index(data, []byte("text"))
	data[i] ^= 1
	a, err := openBytes(t, data)
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Member("a", 100)
	testenv.WantFault(t, err, fault.Integrity, "a.whl", `"a"`, "checksum")
}

// FuzzOpen feeds arbitrary bytes: every outcome is an error or an archive whose names are safe and whose members are
// read within the limit.
func FuzzOpen(f *testing.F) {
	f.Add(zipBytes(f, member{name: "a/b.txt", data: "text"}, member{name: "c", data: strings.Repeat("x", 5000)}))
	f.Add(zipBytes(f, member{name: "../a", data: "text"}))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := openBytes(t, data)
		if err != nil {
			return
		}
		for _, name := range names(a) {
			if !fs.ValidPath(name) || strings.Contains(name, `\`) {
				t.Fatalf("unsafe name %q", name)
			}
			if got, err := a.Member(name, 1000); err == nil && len(got) > 1000 {
				t.Fatalf("%q: %d bytes read", name, len(got))
			}
		}
	})
}
