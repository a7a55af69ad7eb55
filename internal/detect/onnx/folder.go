package onnx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/models"
)

const (
	maxModelBytes     = 2 << 30 // what one protobuf message may hold
	maxTokenizerBytes = 256 << 20
	maxConfigBytes    = 16 << 20
)

// folder is a model folder, read and checked. Nothing in it can name a file outside.
type folder struct {
	dir       string // absolute
	name      string // as the entry has it
	cure      string // how to get the folder again
	modelPath string // absolute, for the runtime to open where weights lie beside the graph
	model     []byte
	graph     *graph
	tokenizer []byte
	config    *modelConfig
	files     []detect.File // sorted by path

	displayName, trainSHA256 string // what its lock says, if it has one
}

// readFolder reads the model folder of an entry: the graph (e.File, model.onnx or onnx/model.onnx), the files with its
// external data, tokenizer.json and, where present, config.json and model.lock.json.
func readFolder(dir string, e detect.Entry) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.New(fault.Incomplete, "the model folder of detector %q cannot be opened: %w", e.ID, err).
			WithCure("%s", getModel(e))
	}
	defer root.Close()
	f := &folder{dir: dir, name: e.ModelPath(dir), cure: getModel(e)}
	name, err := f.findModel(root, e)
	if err != nil {
		return nil, err
	}
	if f.model, err = f.read(root, name, maxModelBytes); err != nil {
		return nil, err
	}
	if f.graph, err = parseGraph(f.model); err != nil {
		return nil, fault.New(fault.Integrity, "%s is not a complete ONNX model: %w", f.path(name), err).
			WithCure("%s", f.cure)
	}
	f.modelPath = filepath.Join(dir, filepath.FromSlash(name))
	if err := f.checkExternal(root, name); err != nil {
		return nil, err
	}
	if f.tokenizer, err = f.read(root, "tokenizer.json", maxTokenizerBytes); err != nil {
		return nil, err
	}
	if err := f.readConfig(root); err != nil {
		return nil, err
	}
	sort.Slice(f.files, func(i, j int) bool { return f.files[i].Path < f.files[j].Path })
	return f, nil
}

// path names a file of the folder for a message.
func (f *folder) path(name string) string { return f.name + "/" + name }

func (f *folder) findModel(root *os.Root, e detect.Entry) (string, error) {
	names := []string{"model.onnx", "onnx/model.onnx"}
	if e.File != "" {
		if !filepath.IsLocal(e.File) {
			return "", fault.New(fault.Usage, "detector %q: file is %s, which leads out of the model folder",
				e.ID, short(e.File)).WithCure("name a file inside the folder")
		}
		names = []string{filepath.ToSlash(filepath.Clean(e.File))}
	}
	for _, name := range names {
		if _, err := root.Lstat(name); err == nil {
			return name, nil
		}
	}
	return "", f.noModel(root, e)
}

// read returns a file's bytes and records its hash.
func (f *folder) read(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, f.openError(name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, f.openError(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Integrity, "%s is not a plain file", f.path(name)).WithCure("%s", f.cure)
	}
	if info.Size() > limit {
		return nil, fault.New(fault.Integrity, "%s holds %d bytes, expected at most %d", f.path(name), info.Size(), limit).
			WithCure("%s", f.cure)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, f.openError(name, err)
	}
	if bytes.HasPrefix(data, []byte("version https://git-lfs")) {
		return nil, fault.New(fault.Integrity, "%s is a Git LFS pointer, not the file itself", f.path(name)).
			WithCure("run `git lfs pull` in the repository it came from")
	}
	sum := sha256.Sum256(data)
	f.files = append(f.files, detect.File{Path: name, SHA256: hex.EncodeToString(sum[:])})
	return data, nil
}

func (f *folder) openError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Incomplete, "%s is missing", f.path(name)).WithCure("%s", f.cure)
	case strings.Contains(err.Error(), "escapes"):
		return fault.New(fault.Integrity, "%s is a link that leads out of the model folder", f.path(name)).
			WithCure("put a copy of the file there")
	}
	return fault.New(fault.Integrity, "%s cannot be read: %w", f.path(name), err).WithCure("%s", f.cure)
}

// checkExternal looks at every file that the graph takes weights from. The location comes from the model file, so it is
// not to be trusted: it has to be a plain relative path to an existing file inside the folder that holds the graph.
func (f *folder) checkExternal(root *os.Root, model string) error {
	sizes := map[string]int64{}
	for _, x := range f.graph.external {
		at := f.path(model) + ": the weights of tensor " + short(x.tensor)
		if x.location == "" || strings.HasPrefix(x.location, "*") || strings.ContainsAny(x.location, "\\\x00") ||
			!filepath.IsLocal(x.location) {
			return fault.New(fault.Integrity, "%s are said to lie in %s, expected a relative path inside the model folder",
				at, short(x.location)).WithCure("do not use this file; %s", f.cure)
		}
		name := filepath.ToSlash(filepath.Join(filepath.Dir(model), x.location))
		size, seen := sizes[name]
		if !seen {
			var err error
			if size, err = f.hash(root, name); err != nil {
				return err
			}
			sizes[name] = size
		}
		offset, errO := number(x.offset)
		length, errL := number(x.length)
		if errO != nil || errL != nil || offset > size || length > size-offset {
			return fault.New(fault.Integrity, "%s are said to lie at offset %s, length %s of %s, which holds %d bytes",
				at, short(x.offset), short(x.length), short(x.location), size).WithCure("%s", f.cure)
		}
	}
	return nil
}

func number(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 62)
	return int64(n), err
}

// hash records the hash of a file that may be too large to hold in memory, and returns its size.
func (f *folder) hash(root *os.Root, name string) (int64, error) {
	file, err := root.Open(name)
	if err != nil {
		return 0, f.openError(name, err)
	}
	defer file.Close()
	h := sha256.New()
	size, err := io.Copy(h, file)
	if err != nil {
		return 0, f.openError(name, err)
	}
	f.files = append(f.files, detect.File{Path: name, SHA256: hex.EncodeToString(h.Sum(nil))})
	return size, nil
}

func (f *folder) readConfig(root *os.Root) error {
	f.config = &modelConfig{absent: true}
	if _, err := root.Lstat("config.json"); err == nil {
		data, err := f.read(root, "config.json", maxConfigBytes)
		if err != nil {
			return err
		}
		if f.config, err = parseConfig(data, f.path("config.json")); err != nil {
			return err
		}
	}
	if _, err := root.Lstat(models.LockName); err != nil {
		return nil // a folder of the user's own need not have one
	}
	lock, err := models.ReadLock(f.dir)
	if err != nil {
		return err
	}
	f.displayName = lock.DisplayName
	if lock.Training != nil {
		f.trainSHA256 = lock.Training.TrainSHA256
	}
	return nil
}
