package restrict

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// conversationColumn is the column of LMSYS-Chat-1M that holds a list of messages, each with role and content.
const conversationColumn = "conversation"

// errEnough ends a walk early; it never leaves this package.
var errEnough = errors.New("enough")

// readers stream the texts of a file: its column text, else the first user message of its column conversation.
var readers = map[string]func(f *os.File, yield func(string) error) error{
	".csv": csvTexts, ".jsonl": jsonTexts, ".ndjson": jsonTexts, ".json": jsonTexts, ".parquet": parquetTexts,
}

// Search offers the texts of the files at the given paths (CSV, JSON Lines, JSON or Parquet; of a folder all such files
// in it and below, in the order of their names; links to files count, as a download cache lays them) and stops as soon
// as nothing is left to find. It returns how many texts it looked at. A path that does not exist, or holds no such
// file, is a usage error; what cannot be read an integrity error that names the file.
func (r *Rebuild) Search(ctx context.Context, paths []string) (looked int, err error) {
	var files []string
	for _, path := range paths {
		more, err := expand(path)
		if err != nil {
			return 0, err
		}
		files = append(files, more...)
	}
	for _, path := range files {
		if r.Done() {
			break
		}
		err := readTexts(path, func(text string) error {
			if looked++; looked%1000 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			r.Offer(text)
			if r.Done() {
				return errEnough
			}
			return nil
		})
		if err != nil && err != errEnough {
			return looked, err
		}
	}
	return looked, ctx.Err()
}

// expand returns the files that a path stands for.
func expand(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Usage, "%s does not exist", fault.Name(path)).WithCure("check the path")
	case err != nil:
		return nil, fault.New(fault.Failed, "%s cannot be read: %w", fault.Name(path), err)
	case !info.IsDir():
		if readers[extension(path)] == nil {
			return nil, fault.New(fault.Usage, "%s has the extension %q, expected .csv, .jsonl, .ndjson, .json or .parquet",
				fault.Name(path), extension(path)).WithCure("name the file that holds the texts")
		}
		return []string{path}, nil
	}
	var files []string
	// The separator makes the walk begin behind a link to the folder.
	err = filepath.WalkDir(path+string(filepath.Separator), func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || readers[extension(p)] == nil || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		info, err := os.Stat(p)
		if err == nil && info.Mode().IsRegular() {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		return nil, fault.New(fault.Failed, "%s cannot be read: %w", fault.Name(path), err)
	}
	if len(files) == 0 {
		return nil, fault.New(fault.Usage, "the folder %s holds no .csv, .jsonl, .ndjson, .json or .parquet file",
			fault.Name(path)).WithCure("name the folder or file that holds the texts")
	}
	return files, nil
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

func readTexts(path string, yield func(string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.New(fault.Failed, "%s cannot be read: %w", fault.Name(path), err)
	}
	defer f.Close()
	err = readers[extension(path)](f, yield)
	var known *fault.Error
	if err == nil || err == errEnough || errors.Is(err, context.Canceled) || errors.As(err, &known) {
		return err
	}
	return fault.New(fault.Integrity, "%s cannot be read as %s: %s", fault.Name(path), extension(path),
		fault.Line(err.Error())).WithCure("download or copy it again")
}

func noColumn(columns []string) error {
	return fmt.Errorf("there is no column %q and no column %q among %.200q", TextColumn, conversationColumn, columns)
}

// firstMessage returns the first user message of a conversation, given as JSON.
func firstMessage(raw []byte) (string, bool, error) {
	var messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(raw, &messages); err != nil {
		return "", false, fmt.Errorf("column %q: %w", conversationColumn, err)
	}
	for _, m := range messages {
		if m.Role == "user" {
			return m.Content, true, nil
		}
	}
	return "", false, nil
}

// jsonTexts reads objects that follow each other, or a list of objects.
func jsonTexts(f *os.File, yield func(string) error) error {
	in := bufio.NewReaderSize(f, 1<<20)
	for {
		b, err := in.Peek(1)
		if err == io.EOF {
			return errors.New("it is empty")
		}
		if err != nil {
			return err
		}
		if strings.IndexByte(" \t\r\n", b[0]) < 0 {
			break
		}
		_, _ = in.Discard(1)
	}
	d := json.NewDecoder(in)
	b, _ := in.Peek(1)
	list := b[0] == '['
	if list {
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	for n := 1; d.More(); n++ {
		var row map[string]json.RawMessage
		if err := d.Decode(&row); err != nil {
			return fmt.Errorf("object %d: %w", n, err)
		}
		text, ok, err := jsonText(row)
		if err != nil {
			return fmt.Errorf("object %d: %w", n, err)
		}
		if ok {
			if err := yield(text); err != nil {
				return err
			}
		}
	}
	_, err := d.Token() // the closing bracket, or the end
	if err == io.EOF {
		if list {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	return err
}

func jsonText(row map[string]json.RawMessage) (text string, ok bool, err error) {
	if raw, has := row[TextColumn]; has {
		var s *string
		err = json.Unmarshal(raw, &s)
		if err != nil || s == nil {
			return "", false, err
		}
		return *s, true, nil
	}
	if raw, has := row[conversationColumn]; has {
		return firstMessage(raw)
	}
	var columns []string
	for c := range row {
		columns = append(columns, c)
	}
	slices.Sort(columns)
	return "", false, noColumn(columns)
}

// chunk is how much of a CSV file is parsed at once, in bytes; maxRecord bounds a record, so that a quote that is never
// closed does not draw in a whole file.
const (
	chunk     = 1 << 20
	maxRecord = 64 << 20
)

// csvTexts hands whole records to the strict reader, some at a time: a line end belongs to a text when the quotes
// before it are not balanced.
func csvTexts(f *os.File, yield func(string) error) error {
	in := bufio.NewReaderSize(f, 1<<16)
	var head, body []byte
	line, from := 0, 2
	balanced := true
	flush := func() error {
		if len(body) == 0 {
			return nil
		}
		name := fmt.Sprintf("%s (part from line %d, counted from its line 2)", f.Name(), from)
		if err := csvChunk(name, append(slices.Clone(head), body...), yield); err != nil {
			return err
		}
		body, from = body[:0], line+1
		return nil
	}
	for {
		b, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return err
		}
		for _, c := range b {
			if c == '"' {
				balanced = !balanced
			}
		}
		whole := balanced && err != bufio.ErrBufferFull
		if err == nil {
			line++
		}
		if head == nil {
			body = append(body, b...)
			if whole {
				head, body, from = body, nil, line+1
			}
		} else {
			body = append(body, b...)
		}
		if len(body) > maxRecord {
			return errors.New("a record is longer than 64 MiB: is a quote never closed?")
		}
		if err == io.EOF {
			if head == nil { // a header with an open quote; the strict reader says so
				head, body = body, []byte("\n")
			}
			return flush()
		}
		if whole && len(body) > chunk {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

func csvChunk(name string, data []byte, yield func(string) error) error {
	header, records, err := dataset.ReadCSV(name, data)
	if err != nil {
		return err
	}
	at, talk := slices.Index(header, TextColumn), slices.Index(header, conversationColumn)
	switch {
	case at < 0 && talk < 0 && len(header) == 1:
		at = 0
	case at < 0 && talk < 0:
		return noColumn(header)
	}
	for _, r := range records {
		text, ok := "", true
		if at >= 0 {
			text = r[at]
		} else if text, ok, err = firstMessage([]byte(r[talk])); err != nil {
			return err
		}
		if ok {
			if err := yield(text); err != nil {
				return err
			}
		}
	}
	return nil
}
