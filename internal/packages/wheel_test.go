package packages

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// member is one entry of a test archive. Zero mode means a plain file.
type member struct {
	name string
	data string
	edit func(*zip.FileHeader)
}

func zipBytes(t testing.TB, members ...member) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(0o644)
		if m.edit != nil {
			m.edit(h)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(m.data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func writeFile(t testing.TB, path string, data []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tinyWheel writes an installable wheel with one file of its own into dir and returns its pin.
func tinyWheel(t testing.TB, dir, name string) Package {
	t.Helper()
	p := Package{Name: name, Version: "1.2.3"}
	info := p.stem()[:len(p.stem())-1] + ".dist-info/"
	data := zipBytes(t,
		member{name: "tiny/words.txt", data: "one\ntwo\n"},
		member{name: info + "METADATA", data: fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: 1.2.3\n", name)},
		member{name: info + "WHEEL", data: "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		member{name: info + "RECORD", data: ""},
	)
	sum := sha256.Sum256(data)
	p.SHA256 = hex.EncodeToString(sum[:])
	writeFile(t, filepath.Join(dir, p.FileName()), data)
	return p
}
