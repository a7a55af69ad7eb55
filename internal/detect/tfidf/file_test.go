package tfidf

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

var _ detect.TextScorer = (*Detector)(nil)

const trainSHA = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func smallModel(t testing.TB) *Model {
	t.Helper()
	texts, labels := sentences(6, 80, 6)
	return fit(t, texts, labels, Options{TrainSHA256: trainSHA})
}

func TestModelFileRoundTrips(t *testing.T) {
	m := smallModel(t)
	path := filepath.Join(t.TempDir(), "model.tfidf")
	if err := m.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	got, _, err := readFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), m.Bytes()) || got.TrainSHA256 != trainSHA || got.Terms() != m.Terms() {
		t.Error("the model read is not the model written")
	}
	texts, _ := sentences(7, 200, 8)
	d := newDetector(m, detect.Entry{ID: "tfidf"}, 0)
	o, err := Open(path, detect.Entry{ID: "tfidf"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		want, err1 := d.Score(t.Context(), text)
		s, err2 := o.Score(t.Context(), text)
		if err1 != nil || err2 != nil || s != want {
			t.Fatalf("%.40q scores %v (%v) from the file and %v (%v) before", text, s, err2, want, err1)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v: a temporary file is left over", entries, err)
	}
}

func TestOpenSaysWhatTheModelIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.tfidf")
	m := smallModel(t)
	if err := m.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path, detect.Entry{ID: "tfidf", Name: "TF-IDF+LR", Kind: "tfidf"}, 42)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(m.Bytes())
	info := d.Info()
	if info.ID != "tfidf" || info.DisplayName != "TF-IDF+LR" || info.Kind != "tfidf" || info.Seed != 42 ||
		info.TrainSHA256 != trainSHA || len(info.Files) != 1 ||
		info.Files[0] != (detect.File{Path: "model.tfidf", SHA256: hex.EncodeToString(sum[:])}) {
		t.Errorf("info is %+v", info)
	}
}

// seal gives content the checksum that belongs to it.
func seal(content []byte) []byte {
	sum := sha256.Sum256(content)
	return append(bytes.Clone(content), sum[:]...)
}

func TestDamagedModelFilesAreIntegrityErrors(t *testing.T) {
	good := smallModel(t).Bytes()
	content := good[:len(good)-sha256.Size]
	head, body, _ := bytes.Cut(content, []byte{'\n'})
	replace := func(old, new string) []byte {
		if !bytes.Contains(head, []byte(old)) {
			t.Fatalf("the header %s does not hold %s", head, old)
		}
		return seal(bytes.Join([][]byte{bytes.Replace(head, []byte(old), []byte(new), 1), body}, []byte{'\n'}))
	}
	swap := func(at int, b byte) []byte {
		c := bytes.Clone(content)
		c[len(head)+1+at] = b
		return seal(c)
	}
	firstLength := int(body[0])
	nan := bytes.Clone(content)
	for i := range 8 {
		nan[len(nan)-1-i] = 0xff
	}
	for name, c := range map[string]struct {
		data []byte
		part string
	}{
		"empty":             {nil, "no JSON header"},
		"no header":         {[]byte("hello\nworld"), "no JSON header"},
		"a Git LFS pointer": {[]byte("version https\noid sha256:1\nsize 3\n"), "no JSON header"},
		"other JSON":        {[]byte("{}\n"), "schema is"},
		"other version":     {replace("tfidf/1", "tfidf/2"), "pidsbench-tfidf/2"},
		"no checksum":       {append(bytes.Clone(head), '\n'), "ends before its checksum"},
		"cut off":           {good[:len(good)-1], "damaged or cut off"},
		"one byte too many": {append(bytes.Clone(good), 0), "damaged or cut off"},
		"other parameters":  {replace(`"min_df":2`, `"min_df":3`), "parameters"},
		"bad hash":          {replace(trainSHA, "xyz"), "train_sha256"},
		"no benign rows":    {replace(`"benign":`, `"benign":0,"x":`), "benign is 0"},
		"too many terms":    {replace(`"terms":`, `"terms":9`), "terms is 9"},
		"wrong type":        {replace(`"terms":`, `"terms":"a","x":`), "wrong type"},
		"unknown field":     {replace(`"benign":`, `"x":1,"benign":`), "unknown"},
		"repeated field":    {replace(`"terms":`, `"terms":1,"terms":`), "repeated"},
		"term too long":     {swap(0, 0x7f), "term 1"},
		"term not UTF-8":    {swap(1, 0xff), "no rising term"},
		"terms not rising":  {swap(1, 'z'), "term 2"},
		"df of zero":        {swap(1+firstLength, 0), "document frequency"},
		"df too large":      {swap(1+firstLength, 0x7f), "document frequency"},
		"weight not finite": {seal(nan), "weight is NaN"},
		"bytes left over":   {seal(append(bytes.Clone(content), 1, 2)), "2 bytes follow"},
	} {
		path := filepath.Join(t.TempDir(), "m")
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, detect.Entry{ID: "tfidf"}, 0)
		if fault.ExitCode(err) != int(fault.Integrity) {
			t.Errorf("%s: error is %v", name, err)
			continue
		}
		msg := err.Error()
		if !strings.HasPrefix(msg, path+": ") || !strings.Contains(msg, c.part) || !strings.Contains(msg, "; delete it") {
			t.Errorf("%s: the message lacks the file, %q or the cure: %s", name, c.part, msg)
		}
	}
}

func TestEveryFlippedByteIsNoticed(t *testing.T) {
	good := smallModel(t).Bytes()
	for i := 0; i < len(good); i += 7 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x20
		if _, err := Read(bad); err == nil {
			t.Fatalf("byte %d flipped goes unnoticed", i)
		}
	}
}

func TestMissingModelFileSaysHowToGetOne(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "none"), detect.Entry{}, 0)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "pidsbench train tfidf") {
		t.Errorf("error is %v", err)
	}
}

func FuzzRead(f *testing.F) {
	texts, labels := sentences(8, 12, 3)
	m, err := Fit(texts, labels, Options{})
	if err != nil {
		f.Fatal(err)
	}
	good := m.Bytes()
	f.Add(good[:len(good)-sha256.Size])
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := Read(content); err == nil {
			t.Fatal("a file without its checksum is read")
		}
		sealed := seal(content)
		m, err := Read(sealed)
		if err != nil {
			return
		}
		if !bytes.Equal(m.Bytes(), sealed) {
			t.Fatal("a model does not write back to the bytes it was read from")
		}
		var v vector
		m.vectorize("word1 word2 word1 é", &v)
		if p := m.probability(&v); !(p >= 0 && p <= 1) {
			t.Fatalf("the model gives the probability %v", p)
		}
	})
}
