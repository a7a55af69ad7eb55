package scores

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
)

var (
	hashA = strings.Repeat("a1", 32)
	hashB = strings.Repeat("b2", 32)
)

// header returns a header for a split of some rows.
func header(rows int) Header {
	return Header{
		Identity: Identity{
			Schema: Schema, Edition: "open", Split: "test", SplitSHA256: hashA, Rows: rows, Detector: "deberta", Seed: 42,
			ConfigHash: hashB,
			Files:      []detect.File{{Path: "model.onnx", SHA256: hashA}, {Path: "tokenizer.json", SHA256: hashB}},
			Precision:  "fp32", WindowMode: engine.Max, MaxLength: 512, Stride: 64,
		},
		Info: Info{Setup: Setup{Tool: "pidsbench 1.0", Runtime: "onnxruntime 1.30.0", CPU: "avx2 fma"}},
	}
}

// lineOf returns the line that the tests give a row.
func lineOf(row int) Line {
	switch {
	case row%7 == 3:
		return Line{Row: row, MissingText: true}
	case row%11 == 5:
		return Line{Row: row, Error: fmt.Sprintf("no luck with %q", fmt.Sprint("row\n", row))}
	case row%5 == 1:
		return Line{Row: row, Score: float64(row) / 1000}
	}
	tokens := 40 + row
	return Line{
		Row: row, Score: 1 / float64(row+1), Windows: 1 + row%3, Tokens: tokens, TokensScored: tokens, NULs: row % 2,
	}
}

func open(t testing.TB, path string, h Header, opt Options) *Writer {
	t.Helper()
	w, err := Open(path, h, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func add(t testing.TB, w *Writer, rows ...int) {
	t.Helper()
	for _, row := range rows {
		if err := w.Append(lineOf(row)); err != nil {
			t.Fatal(err)
		}
	}
}

func finish(t testing.TB, w *Writer) {
	t.Helper()
	add(t, w, w.Todo()...)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
}

func contents(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func place(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// whole returns a finished file of the header, made in one go.
func whole(t testing.TB, h Header) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whole.jsonl")
	finish(t, open(t, path, h, Options{}))
	return contents(t, path)
}
