// Package strictyaml reads YAML files so that no slip passes unnoticed, and knows the line of every value. Unlike the
// decoder below it, it refuses a number where a text belongs (a version 1.10 would become 1.1), a fraction where a
// whole number belongs, a second document, tags and merge keys.
package strictyaml

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"pidsbench/internal/fault"
)

// maxSize bounds the bytes of a file.
const maxSize = 4 << 20

// maxDepth bounds the levels of a file: the parser's memory grows with their square.
const maxDepth = 1000

// tooDeep returns the line on which brackets, or the marks of lists and keys before a value, pass maxDepth, else 0. It
// takes brackets in texts for brackets too, which lie far below the bound.
func tooDeep(data []byte) int {
	line, open, marks := 1, 0, 0
	for i, c := range data {
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open = max(0, open-1)
		case '-', '?':
			if i+1 < len(data) && (data[i+1] == ' ' || data[i+1] == '\n') {
				marks++
			}
		}
		if max(open, marks) > maxDepth {
			return line
		}
		if c == '\n' {
			line, marks = line+1, 0
		}
	}
	return 0
}

// File is a YAML file being read, and after Load or Decode the source of its lines.
type File struct {
	Name string     // stands in messages
	Kind fault.Kind // of the errors
	Cure string     // of errors that have no better one
	// Elsewhere says where a field that is often sought in a section stands: "section.field" → "under other.section".
	Elsewhere map[string]string

	root    ast.Node
	anchors map[string]ast.Node // what each anchor names
}

// Load reads the file at path and decodes it as Decode does.
func (f *File) Load(path string, into any) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fault.New(f.Kind, "%s is no file", fault.Name(f.Name)).WithCure("%s", f.Cure)
	case err == nil && info.Size() > maxSize:
		return fault.New(f.Kind, "%s has %d bytes, expected at most %d", fault.Name(f.Name), info.Size(), maxSize).
			WithCure("%s", f.Cure)
	}
	data, err := os.ReadFile(path)
	var pe *fs.PathError
	if errors.As(err, &pe) { // the message names the path itself
		err = pe.Err
	}
	if err != nil {
		return fault.New(f.Kind, "%s cannot be read: %w", fault.Name(f.Name), err).WithCure("%s", f.Cure)
	}
	return f.Decode(data, into)
}

// Decode decodes the one document of data into what the pointer points to: structs with yaml tags, maps, slices, texts,
// numbers and truth values. The first mistake is an error of the file's kind: one sentence with the line and a cure.
func (f *File) Decode(data []byte, into any) (err error) {
	defer func() {
		if v := recover(); v != nil { // the parser gives up on some damaged files this way
			err = f.Fail(1, "the file is no YAML that can be understood")
		}
	}()
	if line := tooDeep(data); line > 0 {
		return f.Fail(line, "the file nests too deeply here, expected at most %d levels", maxDepth)
	}
	doc, err := parser.ParseBytes(data, 0)
	if err != nil {
		return f.explain(err)
	}
	for _, d := range doc.Docs {
		switch {
		case d.Body == nil || d.Body.GetToken() == nil:
		case f.root != nil:
			return f.Fail(lineOf(d.Body), "a second document begins here, expected one").WithCure("delete it")
		default:
			f.root = d.Body
		}
	}
	if f.root == nil {
		return fault.New(f.Kind, "%s is empty", fault.Name(f.Name)).WithCure("%s", f.Cure)
	}
	if err := f.check(into); err != nil {
		return err
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(into); err != nil {
		return f.explain(err)
	}
	return nil
}

// Fail returns an error about a line, "NAME:LINE: …", with the file's cure.
func (f *File) Fail(line int, format string, args ...any) *fault.Error {
	err := fault.New(f.Kind, "%s:%d: "+format, append([]any{fault.Name(f.Name), line}, args...)...)
	return err.WithCure("%s", f.Cure)
}

// explain makes a sentence of an error of the parser or decoder.
func (f *File) explain(err error) error {
	var ye yaml.Error
	if !errors.As(err, &ye) || ye.GetToken() == nil {
		return f.Fail(1, "%s", fault.Line(err.Error()))
	}
	token := ye.GetToken()
	if duplicate.MatchString(ye.GetMessage()) {
		return f.Fail(token.Position.Line, "field %s stands twice", short(token.Value)).
			WithCure("delete one of them")
	}
	var overflow *yaml.OverflowError
	if errors.As(err, &overflow) {
		return f.Fail(token.Position.Line, "the number %s is too large", fault.Quote(token.Value))
	}
	return f.Fail(token.Position.Line, "%s", fault.Line(ye.GetMessage()))
}
