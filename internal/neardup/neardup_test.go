package neardup

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestVectorsEqualTheReference(t *testing.T) {
	data, err := os.ReadFile("testdata/tfidf.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Texts   []string
		Vectors []map[string]float64
		Cosines [][]float64
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	v := vectorise(golden.Texts, 2)
	for i, want := range golden.Vectors {
		if len(v.rows[i]) != len(want) {
			t.Errorf("text %d (%q) has %d features, want %d", i, golden.Texts[i], len(v.rows[i]), len(want))
		}
		for _, e := range v.rows[i] {
			term, weight := v.terms[e.feature()], v.weight(e, i)
			if w, ok := want[term]; !ok || math.Abs(w-weight) > 1e-14 {
				t.Errorf("text %d, feature %q: weight %v, want %v", i, term, weight, w)
			}
		}
	}
	for _, p := range Pairs(golden.Texts, 1e-6, 2) {
		if want := golden.Cosines[p.I][p.J]; math.Abs(want-p.Cosine) > 1e-14 {
			t.Errorf("cosine of %d and %d is %v, want %v", p.I, p.J, p.Cosine, want)
		}
		golden.Cosines[p.I][p.J] = 0
	}
	for i, row := range golden.Cosines {
		for j := i + 1; j < len(row); j++ {
			if row[j] >= 2e-6 {
				t.Errorf("the pair %d, %d with cosine %v is missing", i, j, row[j])
			}
		}
	}
}

// bruteForce compares all pairs, with sums in the order that Pairs promises.
func bruteForce(texts []string, threshold float64) []Pair {
	v := vectorise(texts, 1)
	var out []Pair
	dense := make([]float64, len(v.terms))
	start := []int{0} // of each text in the two lists that follow
	var feature []uint32
	var weight []float64
	for i, row := range v.rows {
		for _, e := range row {
			feature = append(feature, e.feature())
			weight = append(weight, v.weight(e, i))
		}
		start = append(start, len(feature))
	}
	for i := range texts {
		for k := start[i]; k < start[i+1]; k++ {
			dense[feature[k]] = weight[k]
		}
		for j := i + 1; j < len(texts); j++ {
			var sum float64
			w := weight[start[j]:start[j+1]]
			for k, f := range feature[start[j]:start[j+1]] {
				sum += float64(dense[f] * w[k])
			}
			if sum >= threshold {
				out = append(out, Pair{i, j, sum})
			}
		}
		for _, f := range feature[start[i]:start[i+1]] {
			dense[f] = 0
		}
	}
	return out
}

// randomTexts draws sentences over a skewed vocabulary and lets a third of them be edited copies of earlier ones.
func randomTexts(rng *rand.Rand, n int) []string {
	syllables := strings.Fields("ba ke li mo nu sar tes vin dro pla que ith orn ély ß ж 港")
	words := make([]string, 400)
	for i := range words {
		for range 1 + rng.IntN(4) {
			words[i] += syllables[rng.IntN(len(syllables))]
		}
	}
	texts := make([]string, 0, n)
	for len(texts) < n {
		if len(texts) > 0 && rng.IntN(3) == 0 {
			f := strings.Fields(texts[rng.IntN(len(texts))])
			for range rng.IntN(3) {
				if len(f) > 0 {
					f[rng.IntN(len(f))] = words[rng.IntN(len(words))]
				}
			}
			texts = append(texts, strings.Join(f, " "))
			continue
		}
		var f []string
		for range rng.IntN(14) {
			x := rng.Float64()
			f = append(f, words[int(x*x*x*float64(len(words)))]) // few words are very common
		}
		texts = append(texts, strings.Join(f, " "))
	}
	return texts
}

func TestPairsEqualBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	texts := randomTexts(rng, 2000)
	for _, threshold := range []float64{0.95, 0.8, 0.5} {
		want := bruteForce(texts, threshold)
		if len(want) < 100 {
			t.Fatalf("only %d pairs reach %v: the texts test nothing", len(want), threshold)
		}
		for _, workers := range []int{1, 3} {
			if got := Pairs(texts, threshold, workers); !slices.Equal(got, want) {
				t.Errorf("at %v with %d workers: %d pairs, want %d", threshold, workers, len(got), len(want))
			}
		}
	}
}

func TestPairsEqualBruteForceOnManySmallSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	for round := range 300 {
		texts := randomTexts(rng, rng.IntN(40))
		threshold := 1 - rng.Float64()
		if got, want := Pairs(texts, threshold, 0), bruteForce(texts, threshold); !slices.Equal(got, want) {
			t.Fatalf("round %d at %v: %v, want %v for %q", round, threshold, got, want, texts)
		}
	}
}

func TestPairsKeepTheirCosinesWhenTextsAreReordered(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	texts := randomTexts(rng, 300)
	perm := rng.Perm(len(texts))
	shuffled := make([]string, len(texts))
	for i, p := range perm {
		shuffled[p] = texts[i]
	}
	want := map[[2]int]float64{}
	for _, p := range Pairs(texts, 0.7, 0) {
		a, b := perm[p.I], perm[p.J]
		want[[2]int{min(a, b), max(a, b)}] = p.Cosine
	}
	got := Pairs(shuffled, 0.7, 0)
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d pairs, want %d", len(got), len(want))
	}
	for _, p := range got {
		if want[[2]int{p.I, p.J}] != p.Cosine {
			t.Errorf("cosine of %d, %d is %v, want %v", p.I, p.J, p.Cosine, want[[2]int{p.I, p.J}])
		}
	}
}

func TestPairsAtTheEdges(t *testing.T) {
	if got := Pairs(nil, 0.9, 0); len(got) != 0 {
		t.Errorf("no texts: %v", got)
	}
	if got := Pairs([]string{"", " ", "\x00"}, 0.9, 0); len(got) != 0 {
		t.Errorf("texts without a word in common: %v", got)
	}
	// Every n-gram in every text: idf is 1 everywhere and nothing is rare.
	same := slices.Repeat([]string{"one bell rings"}, 70)
	if got := Pairs(same, 0.99, 4); len(got) != 70*69/2 {
		t.Errorf("equal texts: %d pairs, want all %d", len(got), 70*69/2)
	}
	for _, bad := range []float64{0, -1, 1.1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("threshold %v is accepted", bad)
				}
			}()
			Pairs(same, bad, 1)
		}()
	}
}

func TestFamilies(t *testing.T) {
	f := NewFamilies(7)
	f.Join(5, 3)
	f.JoinPairs([]Pair{{I: 1, J: 2, Cosine: 1}, {I: 3, J: 6, Cosine: 1}})
	f.Join(6, 1)
	f.Join(6, 6)
	if got, want := f.Roots(), []int{0, 1, 1, 1, 4, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("Roots = %v, want %v", got, want)
	}
}

func TestFamiliesDoNotDependOnTheOrderOfJoins(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 6))
	for range 50 {
		n := 1 + rng.IntN(60)
		links := make([][2]int, rng.IntN(60))
		for i := range links {
			links[i] = [2]int{rng.IntN(n), rng.IntN(n)}
		}
		var first []int
		for range 3 {
			f := NewFamilies(n)
			for _, k := range rng.Perm(len(links)) {
				side := rng.IntN(2)
				f.Join(links[k][side], links[k][1-side])
			}
			if first == nil {
				first = f.Roots()
			} else if !slices.Equal(first, f.Roots()) {
				t.Fatalf("%v: %v, then %v", links, first, f.Roots())
			}
		}
	}
}

func BenchmarkPairs(b *testing.B) {
	texts := randomTexts(rand.New(rand.NewPCG(11, 7)), 5000)
	for _, threshold := range []float64{0.95, 0.8} {
		b.Run(fmt.Sprint(threshold), func(b *testing.B) {
			for b.Loop() {
				Pairs(texts, threshold, 0)
			}
		})
	}
}
