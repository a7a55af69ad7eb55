package strictyaml

import "github.com/goccy/go-yaml/ast"

// Line returns the line, from 1, of a value by its path from the top of the document: field names and positions in
// lists, counted from 0. Where the path ends early it is the line of the last part that exists, 1 for none. A field
// stands on the line of its name, a mapping or list without one on that of its first part.
func (f *File) Line(path ...any) int {
	line, _ := f.find(path)
	return line
}

// Has reports whether a value stands at the path, see Line. An empty one is none.
func (f *File) Has(path ...any) bool {
	_, node := f.find(path)
	_, null := node.(*ast.NullNode)
	return node != nil && !null
}

// find returns the line of a path and the value there, nil when it ends early.
func (f *File) find(path []any) (int, ast.Node) {
	node, line := f.root, 1
	if node != nil && len(path) == 0 {
		return lineOf(node), node
	}
	for _, part := range path {
		var next ast.Node
		switch part := part.(type) {
		case string:
			for _, v := range entries(f.plain(node)) {
				if v.Key.GetToken().Value == part {
					next, line = v.Value, v.Key.GetToken().Position.Line
				}
			}
		case int:
			if s, ok := f.plain(node).(*ast.SequenceNode); ok && part < len(s.Values) {
				next = s.Values[part]
				line = lineOf(next)
			}
		}
		if next == nil {
			return line, nil
		}
		node = next
	}
	return line, node
}

func entries(node ast.Node) []*ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// plain returns the value that an anchor names or an alias stands for.
func (f *File) plain(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.AnchorNode:
		return f.plain(n.Value)
	case *ast.AliasNode:
		if to, ok := f.anchors[n.Value.GetToken().Value]; ok {
			return to
		}
	}
	return node
}

func lineOf(node ast.Node) int {
	if a, ok := node.(*ast.AnchorNode); ok {
		node = a.Value
	}
	if v := entries(node); len(v) > 0 {
		node = v[0].Key
	}
	if t := node.GetToken(); t != nil {
		return t.Position.Line
	}
	return 1
}
