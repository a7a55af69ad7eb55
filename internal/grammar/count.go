package grammar

import (
	"math/big"
	"slices"
)

// Count returns in how many ways the choices of the frame can be made: the number of its texts, unless two ways give
// the same one. A slot that occurs several times under one name and number is one choice; {name#2} is a choice among
// what {name} leaves.
func (f *Frame) Count() *big.Int {
	c := &counter{f: f, bit: map[string]uint{}}
	ways := c.sequence(f.body)
	ways = c.values(ways)
	total := new(big.Int)
	for used, n := range ways {
		total.Add(total, new(big.Int).Mul(n, c.schemes(used)))
	}
	return total
}

// ways counts derivations by the set of choices they leave open: slots by their bits, and the two of the encoding.
type ways map[uint64]*big.Int

const (
	schemeBit = 1 << 63 // $scheme is used
	nameBit   = 1 << 62 // {scheme} is used
)

type counter struct {
	f     *Frame
	bit   map[string]uint // of "name#n"
	slots []node          // by bit
}

func one() ways { return ways{0: big.NewInt(1)} }

func (w ways) add(used uint64, n *big.Int) {
	if w[used] == nil {
		w[used] = new(big.Int)
	}
	w[used].Add(w[used], n)
}

// times is the product: both are derived, their open choices are shared.
func (w ways) times(o ways) ways {
	out := ways{}
	for a, n := range w {
		for b, m := range o {
			out.add(a|b, new(big.Int).Mul(n, m))
		}
	}
	return out
}

func (c *counter) sequence(nodes []node) ways {
	w := one()
	for _, n := range nodes {
		switch n.kind {
		case group:
			sum := ways{}
			for _, o := range n.options {
				for used, k := range c.sequence(o.nodes) {
					sum.add(used, k)
				}
			}
			w = w.times(sum)
		case schemeRef:
			w = w.times(ways{nameBit: big.NewInt(1)})
		case slotRef, encodeRef:
			used := uint64(1) << c.slot(n)
			if n.kind == encodeRef && n.scheme == nil {
				used |= schemeBit
			}
			w = w.times(ways{used: big.NewInt(1)})
		}
	}
	return w
}

func (c *counter) slot(n node) uint {
	key := instance(n)
	if b, ok := c.bit[key]; ok {
		return b
	}
	b := uint(len(c.slots))
	c.bit[key] = b
	c.slots = append(c.slots, n)
	return b
}

// values closes the open slots, those first that no other open one can lead to.
func (c *counter) values(w ways) ways {
	for _, name := range c.f.order() {
		s := c.f.slots[name]
		next := ways{}
		for used, n := range w {
			var mine int64
			rest := used
			for i := range c.slots {
				if c.slots[i].name == name && used&(1<<i) != 0 {
					rest &^= 1 << i
					mine++
				}
			}
			switch {
			case mine == 0:
				next.add(used, n)
			case mine == 1:
				for _, it := range s.items {
					for more, k := range c.sequence(it.nodes) {
						next.add(rest|more, new(big.Int).Mul(n, k))
					}
				}
			default: // plain values, all different
				k := new(big.Int).MulRange(int64(len(s.items))-mine+1, int64(len(s.items)))
				next.add(rest, k.Mul(k, n))
			}
		}
		w = next
	}
	return w
}

// schemes counts the choices of an encoding and of its name.
func (c *counter) schemes(used uint64) *big.Int {
	n := 0
	switch {
	case used&nameBit != 0 && c.f.fixed != nil:
		n = len(c.f.fixed.Names)
	case used&nameBit != 0:
		for _, s := range c.f.schemes {
			n += len(s.Names)
		}
	case used&schemeBit != 0:
		n = len(c.f.schemes)
	default:
		n = 1
	}
	return big.NewInt(int64(n))
}

// order returns the slots that the frame can reach, each before those that its values use.
func (f *Frame) order() []string {
	var out []string
	seen := map[string]bool{}
	var walk func(nodes []node)
	walk = func(nodes []node) {
		for _, n := range nodes {
			for _, o := range n.options {
				walk(o.nodes)
			}
			if n.name == "" || seen[n.name] {
				continue
			}
			seen[n.name] = true
			for _, it := range f.slots[n.name].items {
				walk(it.nodes)
			}
			out = append(out, n.name)
		}
	}
	walk(f.body)
	slices.Reverse(out)
	return out
}
