package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pidsbench/internal/fault"
)

// MaxFileSize is the largest file that is read, in bytes: 1 GiB. A file is held in memory as a whole; a single field
// may be as large as the file.
const MaxFileSize = 1 << 30

// ReadFile reads a .csv, .tsv, .jsonl, .ndjson, .json or .parquet file strictly: every row as it stands in the file or
// one error that names file, line and field. A path that does not exist, a folder, another extension and a column named
// by the mapping that the file lacks are fault.Usage; whatever is wrong inside the file is fault.Integrity.
func ReadFile(path string, m Mapping) (*Split, error) {
	if _, err := formatOf(path); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Usage, "%s does not exist", fault.Name(path)).WithCure("check the path")
	case err != nil:
		return nil, unreadable(path, err)
	case info.IsDir():
		return nil, fault.New(fault.Usage, "%s is a folder, expected a file", fault.Name(path))
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Usage, "%s is not a regular file", fault.Name(path)).
			WithCure("write its contents to a file first")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	return readFrom(f, path, info.Size(), m)
}

func readFrom(f io.Reader, path string, size int64, m Mapping) (*Split, error) {
	tooBig := fault.New(fault.Integrity, "%s has more than %d bytes (1 GiB), the most that is read", fault.Name(path),
		int64(MaxFileSize)).WithCure("split it into smaller files")
	if size > MaxFileSize {
		return nil, tooBig
	}
	// The hash is taken from the very bytes that are parsed.
	var text strings.Builder
	text.Grow(int(size))
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(&text, hash), io.LimitReader(f, MaxFileSize+1)); err != nil {
		return nil, unreadable(path, err)
	}
	if text.Len() > MaxFileSize { // it grew meanwhile
		return nil, tooBig
	}
	s, err := parse(path, text.String(), m)
	if err != nil {
		return nil, err
	}
	s.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return s, nil
}

// ReadBytes reads the contents of a file as ReadFile does; the name gives the format and stands in messages.
func ReadBytes(name string, data []byte, m Mapping) (*Split, error) {
	s, err := parse(name, string(data), m)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	s.SHA256 = hex.EncodeToString(sum[:])
	return s, nil
}

func parse(file, src string, m Mapping) (*Split, error) {
	format, err := formatOf(file)
	if err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	t, err := format(fault.Name(file), src, false)
	if err != nil {
		return nil, err
	}
	s, err := t.split(m)
	if err != nil {
		return nil, err
	}
	s.Name, s.File = splitName(file), file
	return s, nil
}

// reader reads the cells of a file. With loose, cells may hold bytes that are not UTF-8.
type reader func(file, src string, loose bool) (*table, error)

const readable = ".csv, .tsv, .jsonl, .json or .parquet"

func formatOf(path string) (reader, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".csv":
		return readCSVTable, nil
	case ".tsv", ".tab":
		return readTSVTable, nil
	case ".jsonl", ".ndjson":
		return readJSONLines, nil
	case ".json":
		return readJSON, nil
	case ".parquet":
		return readParquet, nil
	case ".arrow", ".feather":
		return nil, fault.New(fault.Usage, "%s is an Arrow file by its name, expected %s", fault.Name(path), readable).
			WithCure("save it as .parquet")
	default:
		return nil, fault.New(fault.Usage, "%s has the extension %q, expected %s", fault.Name(path), ext, readable)
	}
}

// splitName is the base name without its extension.
func splitName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
