package leak

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

func matrix(t *testing.T, files []File, opt Options) *Report {
	t.Helper()
	r, err := Matrix(context.Background(), files, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEachKindFindsItsOwnOverlap(t *testing.T) {
	files := []File{
		{Name: "a", Texts: []string{"Name a long river.", "Which tea keeps me awake?",
			"a lamp over the bridge shone on the boats below until the morning came"},
			Labels: []dataset.Label{0, 1, 0}},
		{Name: "b", Texts: []string{"Name a long river.", "which  TEA keeps me awake?", "",
			"a lamp over the bridge shone on the boats below until the evening came"},
			Labels: []dataset.Label{1, 1, 0, 0}, Columns: map[string][]string{"family_id": {"f1", "f2", "f2", ""}}},
		{Name: "c", Texts: []string{"Nаme a long river.", "N4me a l0ng river."}, // the first has a Cyrillic letter
			Columns: map[string][]string{"family_id": {"f2", ""}, "carrier_id": {"d", "d"}}},
	}
	r := matrix(t, files, Options{Near: 0.8, Examples: 2, Allowed: [][]string{{"a", "c"}}})
	want := []Overlap{
		{Kind: Raw, A: "a", B: "b", RowsA: 1, RowsB: 1, Pairs: 1, Opposed: 1, Examples: []Example{{}}},
		{Kind: Exact, A: "a", B: "b", RowsA: 2, RowsB: 2, Pairs: 2, Opposed: 1, Examples: []Example{{}, {1, 1, 0}}},
		{Kind: Skeleton, A: "a", B: "b", RowsA: 2, RowsB: 2, Pairs: 2, Opposed: 1, Examples: []Example{{}, {1, 1, 0}}},
		{Kind: Skeleton, A: "a", B: "c", RowsA: 1, RowsB: 1, Pairs: 1, Allowed: true, Examples: []Example{{}}},
		{Kind: Skeleton, A: "b", B: "c", RowsA: 1, RowsB: 1, Pairs: 1, Examples: []Example{{}}},
		{Kind: Near, A: "a", B: "b", RowsA: 3, RowsB: 3, Pairs: 3, Opposed: 1, Examples: []Example{{0, 0, 1}, {1, 1, 1}}},
		{Kind: Near, A: "a", B: "c", RowsA: 1, RowsB: 2, Pairs: 2, Allowed: true, Examples: []Example{{0, 0, 1}, {0, 1, 1}}},
		{Kind: Near, A: "b", B: "c", RowsA: 1, RowsB: 2, Pairs: 2, Examples: []Example{{0, 0, 1}, {0, 1, 1}}},
		{Kind: Near, A: "c", B: "c", RowsA: 2, RowsB: 2, Pairs: 1, SameCarrier: 1, Allowed: true, Examples: []Example{{0, 1,
			1}}},
		{Kind: Family, A: "b", B: "b", RowsA: 2, RowsB: 2, Pairs: 1, Opposed: 1, Allowed: true, Examples: []Example{{1, 2,
			0}}},
		{Kind: Family, A: "b", B: "c", RowsA: 2, RowsB: 1, Pairs: 2, Examples: []Example{{1, 0, 0}, {2, 0, 0}}},
		{Kind: Carrier, A: "c", B: "c", RowsA: 2, RowsB: 2, Pairs: 1, SameCarrier: 1, Allowed: true, Examples: []Example{{0,
			1, 0}}},
	}
	if d := cmp.Diff(want, r.Overlaps); d != "" {
		t.Errorf("overlaps (-want +got):\n%s", d)
	}
	if got := len(r.Violations()); got != 7 {
		t.Errorf("%d violations, want the 7 between files that are not allowed to", got)
	}
	if r.Files[1].Withheld != 1 || r.Having[Family] != 2 || r.Having[Near] != 3 || r.Having[Frame] != 0 {
		t.Errorf("files %+v, having %v", r.Files, r.Having)
	}
}

func TestAllExamplesAreKeptOfViolationsAlone(t *testing.T) {
	family := func(n int) map[string][]string {
		return map[string][]string{"family_id": slices.Repeat([]string{"f"}, n)}
	}
	files := []File{
		{Name: "train", Texts: []string{"a", "b", "c", "d", "e"}, Columns: family(5)},
		{Name: "test", Texts: []string{"f", "g"}, Columns: family(2)},
		{Name: "twins", Texts: []string{"h", "i"}, Columns: family(2)},
	}
	r := matrix(t, files, Options{Near: 0.8, Examples: math.MaxInt, Allowed: [][]string{{"test", "twins"}}})
	for _, tt := range []struct {
		a, b            string
		pairs, examples int
	}{{"train", "train", 10, 3}, {"train", "test", 10, 10}, {"train", "twins", 10, 10}, {"test", "twins", 4, 3}} {
		o := r.Find(Family, tt.a, tt.b)
		if int(o.Pairs) != tt.pairs || len(o.Examples) != tt.examples {
			t.Errorf("%s and %s: %d pairs with %d examples, want %d with %d", tt.a, tt.b, o.Pairs, len(o.Examples), tt.pairs,
				tt.examples)
		}
	}
}

// randomFiles draws files whose texts repeat, disguise and vary one another.
func randomFiles(rng *rand.Rand, n int) []File {
	words := strings.Fields("please show the river map and tell me what lies north of it before noon or later tonight ok")
	var all []string
	files := make([]File, n)
	for i := range files {
		f := &files[i]
		f.Name = "f" + strconv.Itoa(i)
		f.Columns = map[string][]string{}
		for range rng.IntN(40) {
			var text string
			if len(all) > 0 && rng.IntN(2) == 0 {
				text = all[rng.IntN(len(all))]
				switch rng.IntN(6) {
				case 0:
					text = strings.ToUpper(text)
				case 1:
					text = strings.ReplaceAll(text, "o", "о") // Cyrillic
				case 2:
					text = strings.ReplaceAll(text, "e", "3")
				case 3:
					text += " " + words[rng.IntN(len(words))]
				case 4:
					text = ""
				}
			} else {
				for range 1 + rng.IntN(8) {
					text += words[rng.IntN(len(words))] + " "
				}
			}
			all = append(all, text)
			f.Texts = append(f.Texts, text)
			f.Labels = append(f.Labels, dataset.Label(rng.IntN(2)))
			for _, column := range []string{"parent_seed_id", "family_id", "frame_id", "carrier_id"} {
				v := ""
				if rng.IntN(3) > 0 {
					v = strconv.Itoa(rng.IntN(30))
				}
				f.Columns[column] = append(f.Columns[column], v)
			}
		}
		if rng.IntN(4) == 0 {
			f.Labels = nil
		}
		if rng.IntN(4) == 0 {
			delete(f.Columns, "carrier_id")
		}
	}
	return files
}

// bruteCosine compares two texts by vectors fitted on a set of distinct texts, as plainly as can be: character n-grams
// of 3 to 5 inside word bounds, counts times ln((1+n)/(1+df)) + 1.
func bruteCosine(fit []string) func(a, b string) float64 {
	grams := func(text string) map[string]float64 {
		g := map[string]float64{}
		for _, w := range strings.Fields(strings.ToLower(text)) {
			r := []rune(" " + w + " ")
			for n := 3; n <= 5; n++ {
				if n >= len(r) {
					g[string(r)]++
					break
				}
				for i := 0; i+n <= len(r); i++ {
					g[string(r[i:i+n])]++
				}
			}
		}
		return g
	}
	df := map[string]float64{}
	for _, t := range fit {
		for g := range grams(t) {
			df[g]++
		}
	}
	vectors := map[string]map[string]float64{}
	for _, t := range fit {
		v := grams(t)
		var norm float64
		for g := range v {
			v[g] *= math.Log(float64(1+len(fit))/(1+df[g])) + 1
			norm += v[g] * v[g]
		}
		for g := range v {
			v[g] /= math.Sqrt(norm)
		}
		vectors[t] = v
	}
	return func(a, b string) float64 {
		var sum float64
		for g, w := range vectors[a] {
			sum += w * vectors[b][g]
		}
		return sum
	}
}

// brute compares all rows with all rows.
func brute(files []File, opt Options) []Overlap {
	var texts, plains []string
	for _, f := range files {
		for _, t := range f.Texts {
			if t != "" && !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	for _, t := range texts {
		if p := textnorm.Plain(t); !slices.Contains(plains, p) {
			plains = append(plains, p)
		}
	}
	written, folded := bruteCosine(texts), bruteCosine(plains)
	same := func(k Kind, f File, i int, g File, j int) bool {
		if c := k.Column(); c != "" {
			v, w := f.Columns[c], g.Columns[c]
			return v != nil && w != nil && v[i] != "" && v[i] == w[j]
		}
		a, b := f.Texts[i], g.Texts[j]
		switch {
		case a == "" || b == "":
			return false
		case k == Raw || a == b:
			return a == b
		case k == Exact:
			return textnorm.Exact(a) == textnorm.Exact(b)
		case k == Skeleton:
			return textnorm.Skeleton(a) == textnorm.Skeleton(b)
		}
		p, q := textnorm.Plain(a), textnorm.Plain(b)
		return p == q || written(a, b) >= opt.Near || folded(p, q) >= opt.Near
	}
	var out []Overlap
	for _, k := range Kinds {
		for a, f := range files {
			for b := a; b < len(files); b++ {
				g := files[b]
				o := Overlap{Kind: k, A: f.Name, B: g.Name, Allowed: a == b}
				inA, inB := map[int]bool{}, map[int]bool{}
				for i := range f.Texts {
					for j := range g.Texts {
						if a == b && j == i || !same(k, f, i, g, j) {
							continue
						}
						inA[i], inB[j] = true, true
						if a == b && j < i {
							continue
						}
						o.Pairs++
						if f.Labels != nil && g.Labels != nil && f.Labels[i] != g.Labels[j] {
							o.Opposed++
						}
						if same(Carrier, f, i, g, j) {
							o.SameCarrier++
						}
					}
				}
				if o.RowsA, o.RowsB = len(inA), len(inB); o.Pairs > 0 {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

func TestTheMatrixEqualsBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	seen := map[Kind]int{}
	for range 60 {
		files := randomFiles(rng, 1+rng.IntN(5))
		opt := Options{Near: 0.5 + rng.Float64()/2}
		got, want := matrix(t, files, opt), brute(files, opt)
		if d := cmp.Diff(want, got.Overlaps, cmpopts.IgnoreFields(Overlap{}, "Examples"), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
		for _, o := range want {
			seen[o.Kind]++
		}
	}
	for _, k := range Kinds {
		if seen[k] < 20 {
			t.Errorf("kind %s occurs %d times: the files test nothing", k, seen[k])
		}
	}
}

func TestTheReportIsTheSameOnAnyNumberOfProcessors(t *testing.T) {
	files := randomFiles(rand.New(rand.NewPCG(5, 2)), 6)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []byte
	for _, n := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(n)
		b, err := json.Marshal(matrix(t, files, Options{Near: 0.7, Examples: 3}))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		}
		if string(b) != string(first) {
			t.Errorf("with %d processors: %s, with 1: %s", n, b, first)
		}
	}
}

func TestRepeatingARowChangesNoCosine(t *testing.T) {
	files := randomFiles(rand.New(rand.NewPCG(5, 3)), 3)
	before := matrix(t, files, Options{Near: 0.7, Examples: math.MaxInt})
	repeated := File{Name: "again", Texts: slices.Concat(files[0].Texts, files[0].Texts, files[1].Texts)}
	after := matrix(t, append(files, repeated), Options{Near: 0.7, Examples: math.MaxInt})
	for _, o := range before.Overlaps {
		if got := after.Find(o.Kind, o.A, o.B); !cmp.Equal(got, o) {
			t.Errorf("%v, want %v", got, o)
		}
	}
}

func TestWhatIsNoMatrixIsAUsageError(t *testing.T) {
	ok := File{Name: "a", Texts: []string{"x"}}
	for name, tt := range map[string]struct {
		files []File
		near  float64
	}{
		"threshold 0":       {[]File{ok}, 0},
		"threshold above 1": {[]File{ok}, 1.01},
		"no number":         {[]File{ok}, math.NaN()},
		"one name twice":    {[]File{ok, ok}, 0.8},
		"labels":            {[]File{{Name: "a", Texts: []string{"x"}, Labels: []dataset.Label{}}}, 0.8},
		"column":            {[]File{{Name: "a", Texts: []string{"x"}, Columns: map[string][]string{"frame_id": {}}}}, 0.8},
	} {
		if _, err := Matrix(context.Background(), tt.files, Options{Near: tt.near}); fault.ExitCode(err) != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACancelledContextEndsTheMatrix(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Matrix(ctx, randomFiles(rand.New(rand.NewPCG(5, 4)), 3), Options{Near: 0.8}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestRealValAndTestShareNoTextUntilCaseIsFolded pins what a public set that was called deduplicated holds.
func TestRealValAndTestShareNoTextUntilCaseIsFolded(t *testing.T) {
	var files []File
	for _, name := range []string{"val", "test"} {
		s, err := dataset.ReadFile(testenv.Shared(t, "realdata/Prompt-Injection-Detection-System/final_dataset/"+name+".csv"),
			dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, FromSplit(s))
	}
	r := matrix(t, files, Options{Near: 0.8, Examples: math.MaxInt})
	if got := r.Find(Raw, "val", "test"); got.Pairs != 0 {
		t.Errorf("raw: %d pairs, want 0", got.Pairs)
	}
	got := r.Find(Exact, "val", "test")
	if got.RowsA != 31 || got.RowsB != 31 || got.Pairs != 31 {
		t.Errorf("exact: %d rows of val, %d of test, %d pairs; want 31 of each", got.RowsA, got.RowsB, got.Pairs)
	}
	// Quotation marks, which Exact folds as well, make no difference here.
	without := func(s string) string {
		return strings.Join(strings.Fields(norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))), " ")
	}
	in := map[string]bool{}
	for _, text := range files[1].Texts {
		in[without(text)] = true
	}
	n := 0
	for _, text := range files[0].Texts {
		if in[without(text)] {
			n++
		}
	}
	if n != 31 {
		t.Errorf("without folding quotation marks %d rows of val are in test, want 31", n)
	}
}

// edition returns the files of the built edition.
func edition(t testing.TB) []File {
	t.Helper()
	testenv.Built(t, "data/open/test.csv")
	var files []File
	err := filepath.WalkDir(filepath.Join(testenv.Root(t), "data", "open"), func(path string, e fs.DirEntry,
		err error) error {
		if err != nil || filepath.Ext(path) != ".csv" {
			return err
		}
		s, err := dataset.ReadFile(path, dataset.Mapping{})
		if err == nil {
			files = append(files, FromSplit(s))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func BenchmarkMatrixOfTheEdition(b *testing.B) {
	files := edition(b)
	n := 0
	for _, f := range files {
		n += len(f.Texts)
	}
	for b.Loop() {
		if _, err := Matrix(context.Background(), files, Options{Near: 0.8, Examples: 3}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n), "rows")
}
