package strictyaml

import (
	"encoding"
	"reflect"
	"regexp"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"pidsbench/internal/fault"
)

var duplicate = regexp.MustCompile(`^mapping key .* already defined at `)

// checker compares a document with the type it is to be decoded into.
type checker struct {
	*File
	around []section // that the value at hand lies in, the innermost last
}

// section is a field that holds fields, and the type that it is a field of.
type section struct {
	name string
	of   reflect.Type
}

func (f *File) check(into any) error {
	f.anchors = map[string]ast.Node{}
	return (&checker{File: f}).value("", f.root, reflect.TypeOf(into).Elem())
}

var (
	nodeUnmarshaler = reflect.TypeFor[yaml.NodeUnmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// value checks the value of a field.
func (c *checker) value(field string, node ast.Node, t reflect.Type) error {
	switch n := node.(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.AnchorNode:
		if err := c.value(field, n.Value, t); err != nil {
			return err
		}
		c.anchors[n.Name.GetToken().Value] = n.Value // only now: it cannot hold itself
		return nil
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		to, ok := c.anchors[name]
		if !ok {
			return c.Fail(lineOf(n), "there is no anchor %s above", fault.Quote(name))
		}
		return c.value(field, to, t)
	case *ast.TagNode:
		return c.Fail(lineOf(n), "a tag stands here, expected a plain value").WithCure("delete the tag")
	}
	if p := reflect.PointerTo(t); p.Implements(nodeUnmarshaler) || p.Implements(textUnmarshaler) {
		return nil // it checks itself
	}
	switch t.Kind() {
	case reflect.Pointer:
		return c.value(field, node, t.Elem())
	case reflect.Struct, reflect.Map:
		if m, ok := node.(*ast.MappingNode); ok {
			return c.mapping(m, t)
		}
		if v, ok := node.(*ast.MappingValueNode); ok {
			return c.entry(v, t)
		}
		return c.mismatch(field, node, "a mapping")
	case reflect.Slice:
		s, ok := node.(*ast.SequenceNode)
		if !ok {
			return c.mismatch(field, node, "a list")
		}
		for _, item := range s.Values {
			if _, null := item.(*ast.NullNode); null {
				return c.Fail(lineOf(item), "%s holds an empty item", subject(field))
			}
			if err := c.value(field, item, t.Elem()); err != nil {
				return err
			}
		}
		return nil
	}
	return c.scalar(field, node, t)
}

func (c *checker) mapping(m *ast.MappingNode, t reflect.Type) error {
	for _, v := range m.Values {
		if err := c.entry(v, t); err != nil {
			return err
		}
	}
	return nil
}

// entry checks one key and its value.
func (c *checker) entry(v *ast.MappingValueNode, t reflect.Type) error {
	key := v.Key.GetToken().Value
	if t.Kind() == reflect.Map {
		return c.value(key, v.Value, t.Elem())
	}
	for i := range t.NumField() {
		if name := nameOf(t.Field(i)); name == key && name != "" {
			c.around = append(c.around, section{key, t})
			err := c.value(key, v.Value, t.Field(i).Type)
			c.around = c.around[:len(c.around)-1]
			return err
		}
	}
	return c.unknown(v.Key.GetToken().Position.Line, key, t)
}

func (c *checker) scalar(field string, node ast.Node, t reflect.Type) error {
	_, whole := node.(*ast.IntegerNode)
	switch kind := t.Kind(); {
	case kind == reflect.String:
		switch node.(type) {
		case *ast.StringNode, *ast.LiteralNode:
			return nil
		case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
			return c.mismatch(field, node, "a text")
		}
		return c.mismatch(field, node, "a text").WithCure("put the value in quotes")
	case kind >= reflect.Int && kind <= reflect.Uint64:
		if !whole {
			return c.mismatch(field, node, "a whole number")
		}
	case kind == reflect.Float32 || kind == reflect.Float64:
		switch node.(type) {
		case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode: // the last two are out of any range
		default:
			return c.mismatch(field, node, "a number")
		}
	case kind == reflect.Bool:
		if _, ok := node.(*ast.BoolNode); !ok {
			return c.mismatch(field, node, "true or false")
		}
	}
	return nil
}

func (c *checker) mismatch(field string, node ast.Node, expected string) *fault.Error {
	return c.Fail(lineOf(node), "%s holds %s, expected %s", subject(field), found(node), expected)
}

func subject(field string) string {
	if field == "" {
		return "the file"
	}
	return "field " + short(field)
}

// found describes a value for a message.
func found(node ast.Node) string {
	switch n := node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode:
		return fault.Quote(n.Value)
	case *ast.LiteralNode:
		return fault.Quote(n.Value.Value)
	}
	return short(node.GetToken().Value)
}

// short shows a name or number bare where it is a plain one.
func short(s string) string {
	if len(s) > 40 {
		return fault.Quote(s)
	}
	return fault.Name(s)
}
