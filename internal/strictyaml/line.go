package strictyaml

import "github.com/goccy/go-yaml/ast"

// Line returns the line, from 1, of a value by its path from the top of the document: field names and positions in
// lists, counted from 0. Where the path ends early it is the line of the last part that exists, 1 for none. A field
// stands on the line of its name, a mapping or list without one on that of its first part.
func (f *File) Line(path ...any) int {
	node, line := f.root, 1
	if node != nil && len(path) == 0 {
		return lineOf(node)
	}
	for _, part := range path {
		var next ast.Node
		switch part := part.(type) {
		case string:
			for _, v := range entries(node) {
				if v.Key.GetToken().Value == part {
					next, line = v.Value, v.Key.GetToken().Position.Line
				}
			}
		case int:
			if s, ok := plain(node).(*ast.SequenceNode); ok && part < len(s.Values) {
				next = s.Values[part]
				line = lineOf(next)
			}
		}
		if next == nil {
			return line
		}
		node = next
	}
	return line
}

func entries(node ast.Node) []*ast.MappingValueNode {
	switch n := plain(node).(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// plain returns the value that an anchor names.
func plain(node ast.Node) ast.Node {
	if a, ok := node.(*ast.AnchorNode); ok {
		return a.Value
	}
	return node
}

func lineOf(node ast.Node) int {
	node = plain(node)
	if v := entries(node); len(v) > 0 {
		node = v[0].Key
	}
	if t := node.GetToken(); t != nil {
		return t.Position.Line
	}
	return 1
}
