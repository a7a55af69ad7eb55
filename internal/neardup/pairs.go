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
// lies in the rest of one of them.
func Pairs(texts []string, threshold float64, workers int) []Pair {
	if !(threshold > 0 && threshold <= 1) {
		panic("neardup: the threshold must lie in (0, 1]")
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	j := newJoin(vectorise(texts), threshold)
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
	from      []int // of feature f in the postings; one more than there are features
	posts     []post
}

// post says that a vector holds a feature in its prefix.
type post struct {
	text uint32
	at   uint32  // position in the vector
	rest float64 // L2 norm of the vector from there on
}

func newJoin(v *vectors, threshold float64) *join {
	n := len(v.start) - 1
	j := &join{vectors: v, threshold: threshold, prefix: make([]int, n), from: make([]int, len(v.terms)+1)}
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
		for k, f := range feature[:j.prefix[i]] {
			j.posts[at[f]] = post{uint32(i), uint32(k), rest[k]}
			at[f]++
		}
	}
	return j
}

// restNorms returns for each position the L2 norm of the weights from there on, in the given buffer.
func restNorms(weight, buffer []float64) []float64 {
	rest := slices.Grow(buffer[:0], len(weight))[:len(weight)]
	var squares float64
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
	dense []float64 // the vector of x by feature, zero elsewhere
	seen  []uint32  // the last x, plus one, for which a text was looked at
	rest  []float64
}

func (j *join) newSearch() *search {
	return &search{join: j, dense: make([]float64, len(j.terms)), seen: make([]uint32, len(j.prefix))}
}

// before appends the pairs of text x with the texts before it.
func (s *search) before(x int, out []Pair) []Pair {
	feature, weight := s.row(x)
	for k, f := range feature {
		s.dense[f] = weight[k]
	}
	s.rest = restNorms(weight, s.rest)
	mark := uint32(x) + 1
	for k, f := range feature[:s.prefix[x]] {
		for _, p := range s.posts[s.from[f]:s.from[f+1]] {
			if p.text >= uint32(x) {
				break
			}
			if s.seen[p.text] == mark {
				continue
			}
			s.seen[p.text] = mark
			// This is the first feature that both vectors hold, so nothing before it counts.
			if s.rest[k]*p.rest < s.threshold-slack {
				continue
			}
			if cosine, ok := s.cosine(p); ok {
				out = append(out, Pair{int(p.text), x, cosine})
			}
		}
	}
	for _, f := range feature {
		s.dense[f] = 0
	}
	return out
}

// cosine sums the products of x and the vector of p from p's position on, in feature order, and gives up as soon as
// what is left cannot reach the threshold.
func (s *search) cosine(p post) (float64, bool) {
	feature, weight := s.row(int(p.text))
	left := p.rest * p.rest // squared norm of what is left
	var sum float64
	for k := int(p.at); k < len(feature); k++ {
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
