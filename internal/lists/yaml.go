package lists

import (
	"bytes"
	"errors"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"pidsbench/internal/fault"
)

// value is a scalar with the line it stands on.
type value struct {
	text string
	line int
}

// UnmarshalYAML takes any scalar as it is written, so that a word such as `on` or `404` stays a word.
func (v *value) UnmarshalYAML(node ast.Node) error {
	token := node.GetToken()
	switch n := node.(type) {
	case *ast.StringNode:
		v.text = n.Value
	case *ast.LiteralNode, *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode, *ast.NullNode, *ast.AnchorNode,
		*ast.AliasNode, *ast.TagNode:
		return &yaml.SyntaxError{Message: "expected a plain or quoted value on one line", Token: token}
	default:
		v.text = token.Value
	}
	v.line = token.Position.Line
	return nil
}

// load decodes a YAML file strictly: unknown and repeated keys are errors, with the line.
func load(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fault.New(fault.Integrity, "the list cannot be read: %w", err).
			WithCure("restore the file from the repository")
	}
	err = yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(into)
	var ye yaml.Error
	if errors.As(err, &ye) && ye.GetToken() != nil {
		return bad(path, ye.GetToken().Position.Line, "%s", ye.GetMessage())
	}
	if err != nil {
		return fault.New(fault.Integrity, "%s: %w", path, err).WithCure(restore)
	}
	return nil
}

const restore = "restore the file from the repository"

func bad(path string, line int, format string, args ...any) *fault.Error {
	return fault.New(fault.Integrity, "%s:%d: "+format, append([]any{path, line}, args...)...).WithCure(restore)
}

// cut shortens a value for a message.
func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
