package lists

import (
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
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

// list is a list file being read: its mistakes are integrity errors, since the lists decide rows of a frozen edition.
func list(name string) *strictyaml.File {
	return &strictyaml.File{Name: name, Kind: fault.Integrity, Cure: "restore the file from the repository"}
}
