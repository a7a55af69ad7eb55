// Package nanoguard makes a model folder of the detector metatronnanoguard, whose weights and vocabulary come as
// pickles: an ONNX graph that takes its weights from the unmodified file, a tokenizer file and a configuration. The
// pickles are read as data; nothing in them is run.
package nanoguard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
)

const (
	vocabularyFile = "tokenizer.pkl"
	graphFile      = "model.onnx"
	tokenizerFile  = "tokenizer.json"
	configFile     = "config.json"
)

const cure = "pull the model again"

// Convert reads model.pt and tokenizer.pkl in the folder dir and writes model.onnx, tokenizer.json and config.json
// beside them. It returns the names it wrote, sorted. model.pt stays a part of the model: the graph says where in it
// each tensor lies. The same files give the same bytes. Errors are Incomplete where a file is missing, Integrity where
// one is not what it should be, and Failed where reading or writing fails.
func Convert(dir string) ([]string, error) {
	v, err := open(dir, vocabularyFile, func(f *os.File, _ int64) (*vocabulary, error) {
		data, err := io.ReadAll(io.LimitReader(f, maxPickleBytes+1))
		if err != nil {
			return nil, err
		}
		return readVocabulary(data)
	})
	if err != nil {
		return nil, err
	}
	c, err := open(dir, weightsFile, func(f *os.File, size int64) (*checkpoint, error) { return readCheckpoint(f, size) })
	if err != nil {
		return nil, err
	}
	files, err := makeFiles(v, c)
	if err != nil {
		return nil, fault.New(fault.Integrity, "%s: %s and %s are no model of the known form: %w", dir, weightsFile,
			vocabularyFile, err).WithCure(cure)
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		err := atomicfile.Write(filepath.Join(dir, name), 0o666, func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		})
		if err != nil {
			return nil, fault.New(fault.Failed, "cannot write a model's file: %w", err)
		}
	}
	return names, nil
}

// open calls read with an open file of a model folder and its size in bytes.
func open[T any](dir, name string, read func(*os.File, int64) (*T, error)) (*T, error) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Incomplete, "%s is missing", path).WithCure(cure)
	case err == nil && !info.Mode().IsRegular():
		return nil, fault.New(fault.Integrity, "%s is not a plain file", path).WithCure(cure)
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot read a model's file: %w", err).WithCure(cure)
	}
	defer f.Close()
	v, err := read(f, info.Size())
	if err != nil {
		return nil, fault.New(fault.Integrity, "%s: %w", path, err).WithCure(cure)
	}
	return v, nil
}

// makeFiles returns the files to write by name.
func makeFiles(v *vocabulary, c *checkpoint) (map[string][]byte, error) {
	n, err := readNetwork(c)
	if err != nil {
		return nil, err
	}
	if most := int64(len(v.tokens) + len(v.specials)); most != n.vocabulary {
		return nil, fmt.Errorf("%d tokens, but the network knows %d", most, n.vocabulary)
	}
	begin, err := v.special(beginToken)
	if err != nil {
		return nil, err
	}
	pad, err := v.special(padToken)
	if err != nil {
		return nil, err
	}
	words, err := v.tokenizerJSON(begin)
	if err != nil {
		return nil, err
	}
	config, err := marshal(map[string]any{
		"model_type": "nanoguard", "id2label": map[string]string{"0": "safe", "1": "injection"},
		"max_position_embeddings": n.positions, "vocab_size": n.vocabulary, "hidden_size": n.width,
		"num_hidden_layers": n.layers, "num_attention_heads": n.heads, "bos_token_id": begin, "pad_token_id": pad,
	})
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		graphFile: buildGraph(n, c.tensors, int64(pad)), tokenizerFile: words, configFile: config,
	}, nil
}

func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}
