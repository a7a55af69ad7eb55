package grammar

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// text is a scalar with its place.
type text struct {
	s     string
	line  int
	lines bool // line breaks of the value are those of the file
}

// UnmarshalYAML takes a text, quoted or not, on one line or several.
func (t *text) UnmarshalYAML(n ast.Node) error {
	token := n.GetToken()
	switch n := n.(type) {
	case *ast.StringNode:
		t.s = n.Value
	case *ast.LiteralNode:
		t.s, t.line = n.Value.Value, token.Position.Line+1
		t.lines = strings.HasPrefix(token.Value, "|")
		return nil
	case *ast.NullNode, *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode, *ast.TagNode, *ast.AnchorNode,
		*ast.AliasNode:
		return &yaml.SyntaxError{Message: "expected a text", Token: token}
	default:
		return &yaml.SyntaxError{Message: "expected a text; put the value in quotes", Token: token}
	}
	t.line = token.Position.Line
	return nil
}

type fileYAML struct {
	Schema     text              `yaml:"schema"`
	Include    []text            `yaml:"include"`
	Label      text              `yaml:"label"`
	Subtype    text              `yaml:"subtype"`
	Domain     text              `yaml:"domain"`
	Language   text              `yaml:"language"`
	Authorship text              `yaml:"authorship"`
	Schemes    []text            `yaml:"schemes"`
	Names      map[string][]text `yaml:"scheme_names"`
	Slots      map[string][]text `yaml:"slots"`
	Words      wordsYAML         `yaml:"words"`
	Frames     []frameYAML       `yaml:"frames"`
}

type frameYAML struct {
	ID         text              `yaml:"id"`
	Label      text              `yaml:"label"`
	Subtype    text              `yaml:"subtype"`
	Domain     text              `yaml:"domain"`
	Language   text              `yaml:"language"`
	Authorship text              `yaml:"authorship"`
	Schemes    []text            `yaml:"schemes"`
	Slots      map[string][]text `yaml:"slots"`
	Text       text              `yaml:"text"`
}

var (
	frameID  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	slotName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// reserved names are not those of slots.
var reserved = []string{"a", "cap", "scheme", "encode"}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
