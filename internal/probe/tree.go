package probe

// grower holds what the trees of a fit share.
type grower struct {
	bins              [][]uint8 // by feature, then row
	cuts              [][]float64
	gradient, hessian []float64 // by row
	rows              []int     // the rows of each leaf side by side
}

// leaf is a node that may still be split: rows[from:to] of the grower, and its best split.
type leaf struct {
	node, from, to int
	gain           float64 // 0 when it cannot be split
	feature, bin   int
}

// grow grows a tree and adds its values to z.
func (g *grower) grow(z []float64) []treeNode {
	for i := range g.rows {
		g.rows[i] = i
	}
	tree := []treeNode{{}}
	leaves := []leaf{g.best(leaf{to: len(g.rows)})}
	for len(leaves) < boostLeaves {
		at := 0 // the leaf with the highest gain, the oldest of equals
		for k, l := range leaves {
			if l.gain > leaves[at].gain {
				at = k
			}
		}
		l := leaves[at]
		if l.gain <= 0 {
			break
		}
		middle := g.part(l)
		n := len(tree)
		tree[l.node] = treeNode{feature: l.feature, bin: l.bin, left: n, right: n + 1}
		tree = append(tree, treeNode{}, treeNode{})
		leaves[at] = g.best(leaf{node: n, from: l.from, to: middle})
		leaves = append(leaves, g.best(leaf{node: n + 1, from: middle, to: l.to}))
	}
	for _, l := range leaves {
		sum, curve := 0.0, 0.0
		for _, i := range g.rows[l.from:l.to] {
			sum += g.gradient[i]
			curve += g.hessian[i]
		}
		v := -boostRate * sum / (curve + 1e-16)
		tree[l.node].value = v
		for _, i := range g.rows[l.from:l.to] {
			z[i] += v
		}
	}
	return tree
}

// part moves the rows that go to the left to the front of the leaf, in their order, and returns where the others begin.
func (g *grower) part(l leaf) int {
	rows, bins := g.rows[l.from:l.to], g.bins[l.feature]
	var right []int
	n := 0
	for _, i := range rows {
		if int(bins[i]) <= l.bin {
			rows[n] = i
			n++
		} else {
			right = append(right, i)
		}
	}
	copy(rows[n:], right)
	return l.from + n
}

// best finds the split of a leaf with the highest gain G²/H left plus right minus that of the whole.
func (g *grower) best(l leaf) leaf {
	if l.to-l.from < 2*boostLeafRows {
		return l
	}
	type sums struct {
		rows              int
		gradient, hessian float64
	}
	for f, bins := range g.bins {
		var histogram [boostBins]sums
		var all sums
		for _, i := range g.rows[l.from:l.to] {
			s := &histogram[bins[i]]
			s.rows++
			s.gradient += g.gradient[i]
			s.hessian += g.hessian[i]
		}
		for _, s := range histogram[:len(g.cuts[f])+1] {
			all = sums{all.rows + s.rows, all.gradient + s.gradient, all.hessian + s.hessian}
		}
		var left sums
		for bin := range g.cuts[f] {
			s := histogram[bin]
			left = sums{left.rows + s.rows, left.gradient + s.gradient, left.hessian + s.hessian}
			right := sums{all.rows - left.rows, all.gradient - left.gradient, all.hessian - left.hessian}
			if min(left.rows, right.rows) < boostLeafRows || min(left.hessian, right.hessian) < boostHessian {
				continue
			}
			gain := left.gradient*left.gradient/left.hessian + right.gradient*right.gradient/right.hessian -
				all.gradient*all.gradient/all.hessian
			if gain > l.gain {
				l.gain, l.feature, l.bin = gain, f, bin
			}
		}
	}
	return l
}
