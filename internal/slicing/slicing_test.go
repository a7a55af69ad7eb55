package slicing

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/dataset/datasettest"
	"pidsbench/internal/results"
	"pidsbench/internal/threshold"
)

// verdicts makes those of seeds given as a string each: x flags the row, . passes it, ? has no score.
func verdicts(seeds ...string) Verdicts {
	in, r := &results.Input{}, &results.Results{}
	d := results.Detector{ID: "d"}
	tau := map[string]float64{}
	for k, flags := range seeds {
		out := make([]results.Outcome, len(flags))
		for i, c := range flags {
			switch c {
			case 'x':
				out[i].Score = 0.9
			case '?':
				out[i].State = results.Failed
			}
		}
		d.Seeds = append(d.Seeds, results.Seed{Seed: k, Outcomes: map[string][]results.Outcome{"s": out}})
		tau[fmt.Sprint(k)] = 0.5
	}
	in.Detectors = []results.Detector{d}
	r.Detectors = []results.DetectorSummary{{ID: "d", Tau: map[string]map[string]float64{"p": tau}}}
	v, reason := Read(in, r, 0, "p", "s")
	if reason != "" {
		panic(reason)
	}
	return v
}

// sliced is a split of benign rows: value a has 20 families of two rows, b and c 20 rows each, d three.
func sliced(t *testing.T) *dataset.Split {
	var b strings.Builder
	b.WriteString("text,label,family_id,source,language\n")
	for i := range 40 {
		fmt.Fprintf(&b, "x,0,fa%d,a,en\n", i/2)
	}
	for i := range 20 {
		fmt.Fprintf(&b, "x,0,,b,en\nx,0,,c,en\n")
		if i < 3 {
			fmt.Fprintf(&b, "x,0,,d,en\n")
		}
	}
	return datasettest.Split(t, "s", b.String())
}

func TestSlicesAreOrderedByTheirErrorRate(t *testing.T) {
	s := sliced(t)
	sources, _ := s.Column("source")
	mark := func(rate map[string]int) string { // one row in so many is flagged
		seen := map[string]int{}
		var b strings.Builder
		for _, v := range sources {
			if seen[v]++; rate[v] > 0 && seen[v]%rate[v] == 0 {
				b.WriteByte('x')
			} else {
				b.WriteByte('.')
			}
		}
		return b.String()
	}
	v := verdicts(mark(map[string]int{"a": 4, "b": 2, "d": 1}), mark(map[string]int{"a": 4, "c": 5}))
	cuts := Cuts(s, nil, map[int]Verdicts{3: v})
	if len(cuts) != 1 {
		t.Fatalf("%d cuts, expected that by source alone: %+v", len(cuts), cuts)
	}
	c := cuts[0]
	if c.Detector != 3 || c.Facet != "source" || c.Class != dataset.Benign || c.K != 3 || c.ByRule {
		t.Errorf("%+v", c)
	}
	var got []string
	for _, x := range c.Slices {
		got = append(got, fmt.Sprintf("%s %d/%d of %d groups %.3f %v", x.Value, x.Rows, x.Of, x.Groups, x.Rate,
			!math.IsNaN(x.Lo)))
		if !math.IsNaN(x.Lo) && !(0 <= x.Lo && x.Lo < x.Rate && x.Rate < x.Hi && x.Hi <= 1) {
			t.Errorf("%s: %v is not within %v and %v", x.Value, x.Rate, x.Lo, x.Hi)
		}
	}
	want := "d 3/3 of 3 groups 0.500 false\na 40/40 of 20 groups 0.250 true\nb 20/20 of 20 groups 0.250 true\n" +
		"c 20/20 of 20 groups 0.100 true"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nexpected\n%s", strings.Join(got, "\n"), want)
	}
	// All cards have the rate of their slices or 0, and the worst of three is beyond the mean rate of 0.2.
	if !(0.2 < c.Expected && c.Expected < 0.6) {
		t.Errorf("the worst slice is expected at %v", c.Expected)
	}
}

func TestRowsWithoutAScoreAndRowsLeftOutCountNowhere(t *testing.T) {
	s := sliced(t)
	flags := []byte(strings.Repeat(".", len(s.Rows)))
	flags[0], flags[2], flags[40], flags[41] = '?', 'x', 'x', 'x'
	v := verdicts(string(flags), strings.Repeat("x", len(s.Rows)))
	cuts := Cuts(s, map[int]bool{40: true}, map[int]Verdicts{0: v})
	for _, x := range cuts[0].Slices {
		switch x.Value {
		case "a":
			if x.Rows != 39 || x.Of != 40 || math.Abs(x.Rate-40.0/78) > 1e-12 {
				t.Errorf("%+v", x)
			}
		case "b":
			if x.Rows != 19 || x.Of != 19 || x.Rate != 0.5 {
				t.Errorf("%+v", x)
			}
		}
	}
}

func TestTheRowsOfRareValuesAreOneSlice(t *testing.T) {
	var b strings.Builder
	b.WriteString("text,label,source,language\n")
	for i := range 120 {
		fmt.Fprintf(&b, "x,0,s%d,en\n", i*i%101)
	}
	s := datasettest.Split(t, "s", b.String())
	cuts := Cuts(s, nil, map[int]Verdicts{0: verdicts(strings.Repeat(".", 119) + "x")})
	rows, rest := 0, 0
	for _, x := range cuts[0].Slices {
		rows += x.Rows
		if strings.HasSuffix(x.Value, " other values") {
			rest = x.Rows
		}
	}
	// The squares modulo 101 have 51 values; two of those with two rows each, the fewest, are one slice.
	if len(cuts[0].Slices) != MaxSlices || rows != 120 || rest != 4 {
		t.Errorf("%d slices of %d rows, %d of them in the last", len(cuts[0].Slices), rows, rest)
	}
}

func TestAComplementOfErrorsHasTheMirroredInterval(t *testing.T) {
	s := sliced(t)
	n := len(s.Rows)
	few := strings.Repeat(".x.....", n)[:n]
	many := strings.Map(func(r rune) rune { return map[rune]rune{'.': 'x', 'x': '.'}[r] }, few)
	of := func(flags string) map[string]Slice {
		out := map[string]Slice{}
		for _, x := range Cuts(s, nil, map[int]Verdicts{0: verdicts(flags)})[0].Slices {
			out[x.Value] = x
		}
		return out
	}
	a, b := of(few)["a"], of(many)["a"]
	if math.Abs(a.Rate+b.Rate-1) > 1e-12 || math.Abs(a.Lo+b.Hi-1) > 1e-9 || math.Abs(a.Hi+b.Lo-1) > 1e-9 {
		t.Errorf("%+v and %+v are no mirror of each other", a, b)
	}
}

func TestTheWorstOfEqualSlicesGrowsWithTheirNumber(t *testing.T) {
	worst := func(k, n int) float64 {
		sizes, cards := make([]int, k), []card{}
		for j := range sizes {
			sizes[j] = n
			for i := range n {
				cards = append(cards, card{int32(i % 2), 1})
			}
		}
		return newDeck("test", sizes).worst(cards, 1)
	}
	// The larger of two means of 100 fair coins is expected at 0.5 + 0.05/√π.
	if got, want := worst(2, 100), 0.5+0.05/math.Sqrt(math.Pi); math.Abs(got-want) > 0.005 {
		t.Errorf("two slices: %v, expected about %v", got, want)
	}
	if a, b := worst(2, 100), worst(20, 100); b <= a+0.03 {
		t.Errorf("the worst of 20 slices is expected at %v, of 2 at %v", b, a)
	}
	if got := newDeck("test", []int{3, 3}).worst([]card{{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 2}}, 5); got != 0 {
		t.Errorf("without an error the worst slice is expected at %v", got)
	}
}

func TestReadSaysWhyThereAreNoVerdicts(t *testing.T) {
	in := &results.Input{Detectors: []results.Detector{
		{ID: "gone", Unavailable: "its model is not here"}, {ID: "none"},
		{ID: "part", Seeds: []results.Seed{{Seed: 1, Missing: map[string]string{"s": "no file"}}}},
		{ID: "tau", Seeds: []results.Seed{{Seed: 1, Outcomes: map[string][]results.Outcome{"s": {}}}}},
	}}
	r := results.Build(results.Input{Detectors: in.Detectors, NoVal: "there is no val",
		Policies: []threshold.Policy{{Kind: threshold.ValF1}}})
	for i, want := range []string{"its model is not here", "there are no scores", "no file", "there is no val"} {
		if _, reason := Read(in, r, i, "val_f1", "s"); reason != want {
			t.Errorf("%s: %q, expected %q", in.Detectors[i].ID, reason, want)
		}
	}
}

// disguised has two attacks in three and one disguises, and their plain texts.
func disguised(t *testing.T) (s, plain *dataset.Split) {
	return datasettest.Split(t, "s", "text,label,parent_seed_id,pair_id,kind,family_id\na,1,p,1,k,f\nb,1,p,2,k,f\nc,1,p,3,l,f\n"+
			"d,1,q,4,l,g\ne,0,z,1,k,h\n"),
		datasettest.Split(t, "plain", "text,label,pair_id\ne0,0,1\na0,1,1\nb0,1,2\nc0,1,3\nd0,1,4\n")
}

func TestAnAttackIsMissedWhenOneOfItsTriesPasses(t *testing.T) {
	s, plain := disguised(t)
	tries := TriesOf(s, dataset.Injection, "parent_seed_id", nil, plain, "pair_id")
	if fmt.Sprint(tries) != "{[[0 1 2] [3]] [[1 2 3] [4]]}" {
		t.Fatalf("tries %v", tries)
	}
	draws := Draw(s)
	v, p := verdicts("xx.xx", "xxxx."), verdicts("xxxxx", "x.xx.")
	e, ok := Evade(s, draws, tries, &v, &p)
	// Of 8 tries 1 is missed; of 4 attacks 1 in any disguise, and 2 as they are.
	if !ok || e.Attacks != 2 || e.Of != 2 || e.Groups != 2 || e.Tries != 4 || e.One.Value != 0.125 ||
		e.Any.Value != 0.25 || e.Plain.Value != 0.5 || e.More.Value != -0.25 {
		t.Errorf("%+v, plain %+v, more %+v", e, e.Plain, e.More)
	}
	if e.Any.Lo != 0 || e.Any.Hi != 0.5 {
		t.Errorf("of two families the interval is %v to %v, expected 0 to 0.5", e.Any.Lo, e.Any.Hi)
	}
	failed := verdicts("xx?xx")
	e, ok = Evade(s, draws, tries, &failed, nil)
	if !ok || e.Attacks != 1 || e.Of != 2 || e.Any.Value != 0 || e.Plain != nil {
		t.Errorf("an attack with a try that failed counts: %+v", e)
	}
	none := verdicts("?????")
	if _, ok := Evade(s, draws, tries, &none, nil); ok {
		t.Error("no attack is left and there is a number")
	}
	if got := TriesOf(s, dataset.Injection, "no_such", nil, plain, "pair_id"); got.Rows != nil {
		t.Errorf("without the column there are the tries %v", got)
	}
	got := TriesOf(s, dataset.Injection, "parent_seed_id", map[int]bool{3: true}, nil, "")
	if len(got.Rows) != 1 || got.Plain != nil {
		t.Errorf("without row 3 and plain texts there are the tries %v", got)
	}
}

func TestTwinsAreComparedRowByRowAndByKind(t *testing.T) {
	s, plain := disguised(t)
	pairs := PairsOf(s, plain, dataset.Injection, "kind", "pair_id", nil)
	if got := fmt.Sprint(Kinds(pairs, PairsOf(s, plain, dataset.Benign, "kind", "pair_id", nil))); got != "[ k l]" {
		t.Errorf("kinds %s", got)
	}
	draws := Draw(s)
	v, p := verdicts("x..xx", "x.xxx"), verdicts(".xxxx", ".xx?.")
	for kind, want := range map[string]string{"": "3 of 4: 0.667 0.833", "k": "2 of 2: 0.500 1.000",
		"l": "1 of 2: 1.000 0.500"} {
		c, ok := Compare(s, draws, pairs[kind], &v, &p)
		if got := fmt.Sprintf("%d of %d: %.3f %.3f", c.Rows, c.Of, c.Here.Value, c.Plain.Value); !ok || got != want {
			t.Errorf("kind %q: %s, expected %s", kind, got, want)
		}
		if math.Abs(c.More.Value-(c.Here.Value-c.Plain.Value)) > 1e-12 || c.More.Lo > c.More.Value ||
			c.More.Hi < c.More.Value || !(c.Here.Lo < c.Here.Hi) {
			t.Errorf("kind %q: the difference is %+v", kind, c.More)
		}
	}
	if _, ok := Compare(s, draws, Pairs{}, &v, &p); ok {
		t.Error("without a pair there is a number")
	}
	if got := PairsOf(s, plain, dataset.Injection, "no_such", "pair_id", nil); got != nil {
		t.Errorf("without the column there are the pairs %v", got)
	}
}

func TestCorrelationIsThatOfTheFlagsWithANumber(t *testing.T) {
	s := datasettest.Split(t, "s", "text,label,family_id\n"+strings.Repeat("x,0,\n", 40))
	draws := Draw(s)
	rows, x := make([]int, 40), make([]float64, 40)
	for i := range rows {
		rows[i], x[i] = i, float64(i/10)/10 // 0, 0.1, 0.2, 0.3, ten rows each
	}
	flags := strings.Repeat(".", 15) + strings.Repeat("x", 25)
	v := verdicts(flags)
	// x: mean 0.15, y: mean 5/8; Σxy = 0.1·5 + 0.2·10 + 0.3·10 = 5.5; Σx² = 10·0.14 = 1.4.
	want := (5.5/40 - 0.15*0.625) / math.Sqrt((1.4/40-0.0225)*(0.625-0.625*0.625))
	e, value := Correlation(s, draws, rows, x, &v)
	if !value.OK || math.Abs(e.Value-want) > 1e-12 || !(0 < e.Lo && e.Lo < want && want < e.Hi && e.Hi < 1) {
		t.Errorf("%+v (%+v), expected %v", e, value, want)
	}
	if got := Quarters(rows, x, &v); got != [4]float64{0, 0.5, 1, 1} {
		t.Errorf("quarters %v", got)
	}
	same := verdicts(strings.Repeat("x", 40))
	if _, value := Correlation(s, draws, rows, x, &same); value.OK || value.Reason != "all rows are alike" {
		t.Errorf("flags that do not vary: %+v", value)
	}
	none := verdicts(strings.Repeat("?", 40))
	if _, value := Correlation(s, draws, rows, x, &none); value.OK || value.Reason != "no rows" {
		t.Errorf("no row: %+v", value)
	}
	if got := Quarters(rows, x, &none); !math.IsNaN(got[0]) {
		t.Errorf("quarters of no row: %v", got)
	}
}
