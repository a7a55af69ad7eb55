package grammar

// Pattern is the text of the frame in the notation, without weights.
func (f *Frame) Pattern() string { return show(f.body) }

// Values are the values of the slots that the texts of the frame can name, in the notation without weights, by the name
// of the slot.
func (f *Frame) Values() map[string][]string {
	out := map[string][]string{}
	var walk func(nodes []node)
	walk = func(nodes []node) {
		for _, n := range nodes {
			for _, o := range n.options {
				walk(o.nodes)
			}
			if n.kind != slotRef && n.kind != encodeRef || out[n.name] != nil {
				continue
			}
			items := f.slots[n.name].items
			out[n.name] = make([]string, 0, len(items))
			for _, it := range items {
				out[n.name] = append(out[n.name], show(it.nodes))
				walk(it.nodes)
			}
		}
	}
	walk(f.body)
	return out
}
