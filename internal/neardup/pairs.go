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

// slack covers the rounding of norms and sums (below 1e-12 for texts of a million n-grams), so that a bound never
// rejects a pair that the exact sum accepts.
const slack = 1e-9

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
// is read; what they share behind it is bounded by the norms of their rests, which rules out nearly all others.
func Pairs(texts []string, threshold float64, workers int) []Pair {
	if !(threshold > 0 && threshold <= 1) {
		panic("neardup: the threshold must lie in (0, 1]")
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	j := newJoin(vectorise(texts, workers), threshold)
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
	prefix    []int     // length of the prefix of each vector
	suffix    []float64 // L2 norm of each vector behind its prefix
	from      []int     // of feature f in the postings; one more than there are features
	posts     []post
}

// post says that a vector holds a feature in its prefix.
type post struct {
	text   uint32
	at     uint32 // position in the vector
	weight float64
	after  float64 // L2 norm of the vector behind that position
}

func newJoin(v *vectors, threshold float64) *join {
	n := len(v.start) - 1
	j := &join{vectors: v, threshold: threshold, prefix: make([]int, n), suffix: make([]float64, n),
		from: make([]int, len(v.terms)+1)}
	for i := range n {
		feature, weight := v.row(i)
		j.prefix[i] = prefixLength(weight, threshold)
		for _, f := range feature[:j.prefix[i]] {
			j.from[f+1]++
		}
	}
	for f := range v.terms {
		j.from[f+1] += j.from[f]
	}
	j.posts = make([]post, j.from[len(v.terms)])
	at := slices.Clone(j.from)
	var rest []float64
	for i := range n {
		feature, weight := v.row(i)
		rest = restNorms(weight, rest)
		j.suffix[i] = rest[j.prefix[i]]
		for k, f := range feature[:j.prefix[i]] {
			j.posts[at[f]] = post{uint32(i), uint32(k), weight[k], rest[k+1]}
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
	dense  []float64 // the vector of x by feature, zero elsewhere
	shared []shared  // by text
	found  []uint32  // the texts that share a prefix feature with x
	rest   []float64
}

// shared is what x and a text are known to share.
type shared struct {
	sum   float64 // over the features of both prefixes
	after float64 // L2 norm of the text behind the last of them
	mark  uint32  // x plus one; anything else is left from another x
	first uint32  // the position of the first of them in the text
	last  uint32  // the position of the last of them in x
}

func (j *join) newSearch() *search {
	return &search{join: j, dense: make([]float64, len(j.terms)), shared: make([]shared, len(j.prefix))}
}

// before appends the pairs of text x with the texts before it.
func (s *search) before(x int, out []Pair) []Pair {
	feature, weight := s.row(x)
	s.gather(x, feature, weight)
	s.rest = restNorms(weight, s.rest)
	filled := false
	for _, y := range s.found {
		if !s.canReach(x, y, feature) {
			continue
		}
		if !filled {
			filled = true
			for k, f := range feature {
				s.dense[f] = weight[k]
			}
		}
		if cosine, ok := s.cosine(int(y), int(s.shared[y].first)); ok {
			out = append(out, Pair{int(y), x, cosine})
		}
	}
	if filled {
		for _, f := range feature {
			s.dense[f] = 0
		}
	}
	return out
}

// gather finds the texts before x that share a prefix feature with it, and what they share there.
func (s *search) gather(x int, feature []uint32, weight []float64) {
	s.found = s.found[:0]
	mark := uint32(x) + 1
	for k, f := range feature[:s.prefix[x]] {
		for _, p := range s.posts[s.from[f]:s.from[f+1]] {
			if p.text >= uint32(x) {
				break
			}
			sh := &s.shared[p.text]
			if sh.mark != mark {
				*sh = shared{mark: mark, first: p.at}
				s.found = append(s.found, p.text)
			}
			sh.sum += float64(weight[k] * p.weight)
			sh.after, sh.last = p.after, uint32(k)
		}
	}
}

// canReach reports whether x and y may reach the threshold. Up to the end of the prefix that ends first, the sum is
// complete. Behind it, one vector has only its suffix left, and the other no more than what follows the last shared
// feature.
func (s *search) canReach(x int, y uint32, feature []uint32) bool {
	sh := &s.shared[y]
	other, _ := s.row(int(y))
	left := s.suffix[x] * sh.after
	if feature[s.prefix[x]-1] > other[s.prefix[y]-1] {
		left = s.suffix[y] * s.rest[sh.last+1]
	}
	return sh.sum+left >= s.threshold-slack
}

// cosine sums the products of x and the vector of text y, in feature order, and gives up as soon as what is left cannot
// reach the threshold. Before position first the two share nothing.
func (s *search) cosine(y, first int) (float64, bool) {
	feature, weight := s.row(y)
	left := 1.0 // bound of the squared norm of what is left
	var sum float64
	for k := first; k < len(feature); k++ {
		w := weight[k]
		if d := s.dense[feature[k]]; d != 0 {
			sum += float64(d * w)
		}
		left -= float64(w * w)
		if missing := s.threshold - sum - slack; missing > 0 && missing*missing > left+slack {
			return 0, false
		}
	}
	return sum, sum >= s.threshold
}
