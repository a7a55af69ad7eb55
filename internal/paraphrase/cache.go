package paraphrase

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
)

// Cache keeps the answers of models in a JSON Lines file that can be shipped and replayed. An answer is found again by
// the content of its request: provider, model, prompt, parameters, seed text, round and try. The file holds the seed's
// hash, not its text. It is safe for concurrent use by one process at a time.
type Cache struct {
	path string
	lock *flock.Flock // nil when it is only read

	mu      sync.Mutex
	entries map[string]entry
	file    *os.File
}

// entry is one answer with what it answers.
type entry struct {
	Key         string  `json:"key"` // SHA-256 of all that follows up to the seed
	Provider    string  `json:"provider"`
	Model       string  `json:"model"`
	Prompt      string  `json:"prompt"`
	Temperature float64 `json:"temperature"`
	MaxTokens   int     `json:"max_tokens"`
	Round       int     `json:"round"`
	Try         int     `json:"try"`
	Seed        string  `json:"seed_sha256"`
	Text        string  `json:"text"`
	Finish      string  `json:"finish_reason"`
}

// key is the hash over the request.
func (e entry) key() string {
	e.Key, e.Text, e.Finish = "", "", ""
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // plain texts and finite numbers
	}
	return hashOf(string(b))
}

// result is the answer as a provider gives it.
func (e entry) result() (string, error) {
	switch e.Finish {
	case "stop":
		return e.Text, nil
	case "content_filter":
		return "", &Rejected{Refusal}
	}
	return "", &Rejected{Unfinished}
}

// OpenCache opens a cache to read and to add to; a file that does not exist is made. Another process that has it open
// is an error of kind Usage. A last line that was cut off is dropped.
func OpenCache(path string) (*Cache, error) {
	c := &Cache{path: path, entries: map[string]entry{}}
	if err := c.regular(); err != nil {
		return nil, err
	}
	if err := c.take(); err != nil {
		return nil, err
	}
	err := c.load(true)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		if err = c.write(); err == nil { // without what was cut off
			if c.file, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err != nil {
				err = c.failed("written", err)
			}
		}
	}
	if err != nil {
		c.unlock()
		return nil, err
	}
	return c, nil
}

// regular refuses what is no file: a pipe would be waited for, a device read for ever.
func (c *Cache) regular() error {
	if info, err := os.Stat(c.path); err == nil && !info.Mode().IsRegular() {
		return fault.New(fault.Usage, "the cache %s is no regular file", c.name()).WithCure("name another one")
	}
	return nil
}

// take takes the lock file beside the cache for this process.
func (c *Cache) take() error {
	for range 100 {
		l := flock.New(c.path+".lock", flock.SetPermissions(0o666))
		ok, err := l.TryLock()
		if err != nil {
			return c.failed("locked", err)
		}
		if !ok {
			_ = l.Close()
			break
		}
		// Another process may have removed the file between our opening and locking it.
		mine, err1 := l.Stat()
		named, err2 := os.Lstat(c.path + ".lock")
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			c.lock = l
			return nil
		}
		_ = l.Close()
	}
	return fault.New(fault.Usage, "another run has the cache %s open", c.name()).
		WithCure("wait for it or name another cache")
}

func (c *Cache) unlock() {
	_ = os.Remove(c.lock.Path()) // while it is ours
	_ = c.lock.Close()
}

// ReadCache opens a cache to read only. A line that does not belong there is an error of kind Integrity.
func ReadCache(path string) (*Cache, error) {
	c := &Cache{path: path, entries: map[string]entry{}}
	if err := c.regular(); err != nil {
		return nil, err
	}
	if err := c.load(false); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.Incomplete, "there is no cache %s", fault.Name(path)).WithCure("name one that exists")
		}
		return nil, err
	}
	return c, nil
}

// lineStart is what every line of a cache begins with.
var lineStart = []byte(`{"key":"`)

func (c *Cache) load(torn bool) error {
	f, err := os.Open(c.path)
	if err != nil {
		return c.failed("read", err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err == io.EOF && torn && (bytes.HasPrefix(line, lineStart) || bytes.HasPrefix(lineStart, line)) {
			return nil // cut off while it was written; what begins otherwise is no cache, and stays as it is
		}
		if err != nil && err != io.EOF {
			return c.failed("read", err)
		}
		if err := c.line(line, n); err != nil {
			return err
		}
	}
}

// line takes one line of the file.
func (c *Cache) line(line []byte, n int) error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Integrity, "%s:%d: "+format, append([]any{fault.Name(c.path), n}, args...)...).
			WithCure("restore the cache, or delete the line")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	var e entry
	if err := d.Decode(&e); err != nil {
		return bad("the line is no cached answer: %s", fault.Line(err.Error()))
	}
	if rest, _ := io.ReadAll(d.Buffered()); len(bytes.TrimSpace(rest)) > 0 {
		return bad("more stands on the line than one cached answer")
	}
	if e.Key != e.key() {
		return bad("field key holds %s, expected the hash of the request, %s", fault.Quote(e.Key), fault.Quote(e.key()))
	}
	if old, ok := c.entries[e.Key]; ok && old != e {
		return bad("the request %s has another answer already, expected one", fault.Quote(e.Key))
	}
	c.entries[e.Key] = e
	return nil
}

func (c *Cache) name() string { return fault.Name(c.path) }

func (c *Cache) get(e entry) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.entries[e.key()]
	return found, ok
}

// put adds an answer, on disk too.
func (c *Cache) put(e entry) error {
	e.Key = e.key()
	e.Text = strings.ToValidUTF8(e.Text, "\ufffd")
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[e.Key]; ok {
		return nil
	}
	if _, err := c.file.Write(append(b, '\n')); err != nil {
		return c.failed("written", err)
	}
	c.entries[e.Key] = e
	return nil
}

// Close rewrites the file in the order of the keys, so that equal answers make equal bytes, and gives it free.
func (c *Cache) Close() error {
	if c.lock == nil {
		return nil
	}
	err := c.file.Close()
	if werr := c.write(); err == nil {
		err = werr
	}
	c.unlock()
	return err
}

func (c *Cache) write() error {
	keys := make([]string, 0, len(c.entries))
	for k := range c.entries {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	err := atomicfile.Write(c.path, 0o644, func(w io.Writer) error {
		for _, k := range keys {
			b, err := json.Marshal(c.entries[k])
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%s\n", b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return c.failed("written", err)
	}
	return nil
}

// failed says that the file could not be locked, read or written. The cause goes without the path, which the sentence
// names.
func (c *Cache) failed(what string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fault.New(fault.Failed, "the cache %s cannot be %s: %w", c.name(), what, err).
		WithCure("check the path, its folder and the space left")
}
