package neardup

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Pair is two texts by position, I < J, and the cosine of their vectors, in (0, 1] up to rounding.
type Pair struct {
	I, J   int
	Cosine float64
}

// Products are converted to float64 before they are added, which keeps compilers from fusing the two steps: sums are
// the same on every processor.

// slack covers the rounding of bounds, whose parts are kept as float32 (below 1e-6), so that a bound never rejects a pair
// that the exact sum accepts.
const slack = 1e-5

// block is the number of texts a worker takes at a time.
const block = 64

// Pairs returns all pairs of texts whose TF-IDF cosine is at least threshold, in ascending order of I and J. The
// vectors are those of character n-grams of lengths 3 to 5 inside word bounds (vectorise). It is exact: it returns what
// comparing all pairs returns, bit for bit, whatever the number of workers; below one worker it takes one a processor.
// Texts without a word pair with nothing. The threshold must lie in (0, 1]; Pairs panics otherwise.
//
// Method: the L2 prefix filter (Anastasiu and Karypis, "L2AP: Fast cosine similarity search with prefix L-2 norm
// bounds", ICDE 2014). Features are ordered rare-first. The prefix of a vector ends where the norm of the rest falls
// below the threshold; two vectors that reach it share a feature of both prefixes, since otherwise all that they share
// lies in the rest of one of them. What two vectors share up to the end of the shorter prefix is summed while the index
// is read; what they share behind it is bounded by the norms of their rests, which rules out nearly all others. Only
// pairs that stand the bounds are summed exactly.
func Pairs(texts []string, threshold float64, workers int) []Pair {
	if !(threshold > 0 && threshold <= 1) {
		panic("neardup: the threshold must lie in (0, 1]")
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	j := newJoin(vectorise(texts, workers), threshold, workers)
	found := make([][]Pair, (len(texts)+block-1)/block)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, len(found)) {
		wg.Go(func() {
			s := j.newSearch()
			for b := int(next.Add(1)) - 1; b < len(found); b = int(next.Add(1)) - 1 {
				for x := b * block; x < min((b+1)*block, len(texts)); x++ {
					found[b] = s.before(x, found[b])
				}
			}
		})
	}
	wg.Wait()
	out := slices.Concat(found...)
	slices.SortFunc(out, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
	return out
}

// join is the inverted index over the prefixes.
type join struct {
	*vectors
	threshold float64
	prefix    []int // length of the prefix of each vector
	ends      []end // where it ends
	from      []int // of feature f in the postings; one more than there are features
	posts     []post
}

// post says that a vector holds a feature in its prefix. Its numbers serve bounds alone.
type post struct {
	text   uint32
	weight float32
	after  float32 // L2 norm of the vector behind the feature
}

// end is where a prefix ends, for bounds.
type end struct {
	feature uint32  // the last one in it
	rest    float32 // L2 norm of the vector behind it
}

func newJoin(v *vectors, threshold float64, workers int) *join {
	j := &join{vectors: v, threshold: threshold, prefix: make([]int, len(v.rows)), ends: make([]end, len(v.rows)),
		from: make([]int, len(v.terms)+1)}
	each(len(v.rows), workers, func(_, from, to int) {
		var weight []float64
		for i := from; i < to; i++ {
			weight = v.weights(i, weight)
			j.prefix[i] = prefixLength(weight, threshold)
		}
	})
	for i, row := range v.rows {
		for _, e := range row[:j.prefix[i]] {
			j.from[e.feature()+1]++
		}
	}
	for f := range v.terms {
		j.from[f+1] += j.from[f]
	}
	j.posts = make([]post, j.from[len(v.terms)])
	at := slices.Clone(j.from)
	var weight, rest []float64
	for i, row := range v.rows {
		weight = v.weights(i, weight)
		rest = restNorms(weight, rest)
		for k, e := range row[:j.prefix[i]] {
			f, after := e.feature(), float32(rest[k+1])
			j.posts[at[f]] = post{uint32(i), float32(weight[k]), after}
			j.ends[i] = end{f, after}
			at[f]++
		}
	}
	return j
}

// restNorms returns for each position the L2 norm of the weights from there on, and 0 for the end, in the given buffer.
func restNorms(weight, buffer []float64) []float64 {
	rest := slices.Grow(buffer[:0], len(weight)+1)[:len(weight)+1]
	var squares float64
	rest[len(weight)] = 0
	for k := len(weight) - 1; k >= 0; k-- {
		squares += float64(weight[k] * weight[k])
		rest[k] = math.Sqrt(squares)
	}
	return rest
}

// prefixLength returns how many features stand before the rest whose norm is below the threshold.
func prefixLength(weight []float64, threshold float64) int {
	var squares float64
	for k := len(weight) - 1; k >= 0; k-- {
		squares += float64(weight[k] * weight[k])
		if math.Sqrt(squares) >= threshold-slack {
			return k + 1
		}
	}
	return 0
}

// search is what one worker needs.
type search struct {
	*join
	own    []float64 // the weights of x
	rest   []float64 // its L2 norms from each position on
	seen   []bool    // by text, whether it is found
	shared []shared  // by text, of those found
	found  []uint32  // the texts that may reach the threshold by the first feature that they share with x
	dense  []float64 // the vector of x by feature, zero elsewhere
}

// shared is what x and a text are known to share.
type shared struct {
	sum   float64
	after float32 // L2 norm of the text behind the last feature of the sum
	last  uint32  // the position of that feature in x
}

func (j *join) newSearch() *search {
	return &search{join: j, dense: make([]float64, len(j.terms)), seen: make([]bool, len(j.rows)),
		shared: make([]shared, len(j.rows))}
}

// before appends the pairs of text x with the texts before it.
func (s *search) before(x int, out []Pair) []Pair {
	s.own = s.weights(x, s.own)
	s.rest = restNorms(s.own, s.rest)
	s.gather(x)
	filled := false
	for _, y := range s.found {
		s.seen[y] = false
		if !s.canReach(x, y) {
			continue
		}
		if !filled {
			filled = true
			for k, e := range s.rows[x] {
				s.dense[e.feature()] = s.own[k]
			}
		}
		if !s.mayReach(x, y) {
			continue
		}
		if cosine := s.cosine(y); cosine >= s.threshold {
			out = append(out, Pair{int(y), x, cosine})
		}
	}
	if filled {
		for _, e := range s.rows[x] {
			s.dense[e.feature()] = 0
		}
	}
	return out
}

// gather finds the texts before x that share a prefix feature with it, and what they share there. What two vectors can
// reach from a feature on is at most the product of their norms from there on, so one that falls below the threshold
// before anything is shared rules the text out.
func (s *search) gather(x int) {
	s.found = s.found[:0]
	for k, e := range s.rows[x][:s.prefix[x]] {
		f := e.feature()
		need := max(0, s.threshold-slack) / s.rest[k]
		least := float32(need * need)
		for _, p := range s.posts[s.from[f]:s.from[f+1]] {
			if p.text >= uint32(x) {
				break
			}
			if !s.seen[p.text] {
				if p.weight*p.weight+p.after*p.after < least {
					continue
				}
				s.seen[p.text] = true
				s.found = append(s.found, p.text)
				s.shared[p.text] = shared{}
			}
			sh := &s.shared[p.text]
			sh.sum += s.own[k] * float64(p.weight)
			sh.after, sh.last = p.after, uint32(k)
		}
	}
}

// canReach reports whether x and y may reach the threshold. Up to the end of the prefix that ends first, the sum is
// complete. Behind it, one vector has only the rest behind its prefix left, and the other no more than what follows the
// last shared feature.
func (s *search) canReach(x int, y uint32) bool {
	sh, a, b := &s.shared[y], s.ends[x], s.ends[y]
	left := float64(a.rest) * float64(sh.after)
	if a.feature > b.feature {
		left = float64(b.rest) * s.rest[sh.last+1]
	}
	return sh.sum+left >= s.threshold-slack
}

// mayReach bounds closer than canReach: it looks at the features behind the last that is summed one by one, until what
// is left of y cannot reach the threshold.
func (s *search) mayReach(x int, y uint32) bool {
	sh, row := &s.shared[y], s.rows[y]
	last := s.rows[x][sh.last].feature()
	at, _ := slices.BinarySearchFunc(row, last, func(e entry, f uint32) int { return cmp.Compare(e.feature(), f) })
	sum, left := sh.sum, float64(sh.after*sh.after)
	for _, e := range row[at+1:] {
		w := s.weight(e, int(y))
		sum += s.dense[e.feature()] * w
		left -= w * w
		if missing := s.threshold - sum - slack; missing > 0 && missing*missing > left+slack {
			return false
		}
	}
	return true
}

// cosine sums the products of x and the vector of text y, in feature order.
func (s *search) cosine(y uint32) float64 {
	var sum float64
	for _, e := range s.rows[y] {
		if d := s.dense[e.feature()]; d != 0 {
			sum += float64(d * s.weight(e, int(y)))
		}
	}
	return sum
}
