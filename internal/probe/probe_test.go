package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/lists"
	"pidsbench/internal/testenv"
)

// corpus makes rows of four sources: garden and kitchen are benign, thief and liar injections. Each source has words of
// its own beside those that all share; injections are a little longer.
func corpus(seed uint64, n int) []string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var out []string
	for i := range n {
		source := []string{"garden", "kitchen", "thief", "liar"}[rng.IntN(4)]
		label := 0
		length := 6
		if source == "thief" || source == "liar" {
			label, length = 1, 7
		}
		var words []string
		for range length + rng.IntN(6) {
			switch rng.IntN(4) {
			case 0:
				words = append(words, fmt.Sprintf("%s%d", source, rng.IntN(12)))
			case 1:
				words = append(words, fmt.Sprintf("%s%d", []string{"calm", "grab"}[label], rng.IntN(12)))
			default:
				words = append(words, fmt.Sprintf("word%d", rng.IntN(400)))
			}
		}
		kind := []string{"real", "template"}[i%5/4]
		if kind == "template" {
			words = append(words, "slot")
		}
		who := map[string]string{"garden": "human", "kitchen": "llm", "thief": "unknown", "liar": "human"}[source]
		out = append(out, fmt.Sprintf("%s,%d,%s,%s,%s,f%d-%d", strings.Join(words, " "), label, source, kind, who, seed, i/2))
	}
	return out
}

const head = "text,label,source,source_type,authorship,family_id\n"

func split(t testing.TB, name string, lines []string) *dataset.Split {
	t.Helper()
	s, err := dataset.ReadBytes(name+".csv", []byte(head+strings.Join(lines, "\n")+"\n"), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hardLines are 240 benign rows that use words of attacks, in families of two.
func hardLines() []string {
	var out []string
	for _, line := range corpus(3, 1000) {
		f := strings.Split(line, ",")
		if f[1] == "0" && len(out) < 240 {
			text := strings.ReplaceAll(strings.ReplaceAll(f[0], "calm", "grab"), "kitchen", "grab")
			out = append(out, fmt.Sprintf("%s lesson,0,hard,real,human,h%d", text, len(out)/2))
		}
	}
	return out
}

func words(t testing.TB, terms ...string) *lists.Words {
	t.Helper()
	path := filepath.Join(t.TempDir(), "words.yaml")
	content := "schema: pidsbench-words/1\ntopics:\n  - name: some\n    terms: [" + strings.Join(terms, ", ") + "]\n"
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := lists.LoadWords(filepath.Split(path))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func small(t testing.TB, train, test, hard []string) Data {
	t.Helper()
	return Data{Train: split(t, "train", train), Test: split(t, "test", test), HardBenign: split(t, "hard", hard),
		Words: words(t, "word1", "grab*"), Seed: 42, ThirdParty: map[string]bool{"garden": true, "thief": true, "liar": true}}
}

func run(t testing.TB, d Data, names ...string) map[string]Result {
	t.Helper()
	if len(names) == 0 {
		names = Names()
	}
	results, err := Run(t.Context(), names, d)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Result{}
	for _, r := range results {
		out[r.Name] = r
	}
	return out
}

// get returns a number of a row, which must be there.
func get(t testing.TB, r Result, row, on, metric string) Number {
	t.Helper()
	for _, x := range r.Rows {
		if x.Case != row {
			continue
		}
		for _, n := range x.Numbers {
			if n.On == on && n.Metric == metric {
				return n
			}
		}
	}
	t.Fatalf("%s has no %s of %q on %q: %+v", r.Name, metric, row, on, r)
	return Number{}
}

func TestProbesFindWhatWasPutIn(t *testing.T) {
	d := small(t, corpus(1, 1200), corpus(2, 400), hardLines())
	got := run(t, d)
	if len(got) != len(Names()) {
		t.Fatalf("%d results", len(got))
	}
	between := func(n Number, lo, hi float64) {
		t.Helper()
		if !n.OK || n.V < lo || n.V > hi {
			t.Errorf("%s is %v %s, expected %v to %v", n.Metric, n.V, n.Reason, lo, hi)
		}
	}
	for _, model := range []string{"logistic regression", "boosted trees"} {
		between(get(t, got["length"], model, "test", "roc_auc"), 0.55, 0.95)
	}
	for _, class := range []string{"benign", "injection"} {
		between(get(t, got["source"], class, "test", "accuracy"), 0.9, 1)
		between(get(t, got["source"], class, "test", "majority"), 0.3, 0.7)
		between(get(t, got["source_type"], "template or real, "+class, "test", "roc_auc"), 0.98, 1)
	}
	between(get(t, got["authored"], "ours or third-party, benign", "test", "accuracy"), 0.9, 1)
	between(get(t, got["authored"], "machine-made or human, benign", "test", "accuracy"), 0.9, 1)
	if n := get(t, got["authored"], "ours or third-party, injection", "test", "accuracy"); n.OK || n.Reason == "" {
		t.Errorf("no injection is ours, and the accuracy is %+v", n)
	}
	for k := 1; k <= shuffles; k++ {
		between(get(t, got["shuffle"], fmt.Sprintf("permutation %d", k), "test", "roc_auc"), 0.35, 0.65)
	}
	with := get(t, got["leave-one-out"], "thief, in train", "its test rows", "recall")
	without := get(t, got["leave-one-out"], "thief, left out", "its test rows", "recall")
	if !(without.V < with.V) || without.N != with.N {
		t.Errorf("recall of thief is %v without and %v with it in train", without, with)
	}
	if n := get(t, got["leave-one-out"], "thief, left out", "its test rows", "fpr"); n.OK {
		t.Errorf("a source of injections has the FPR %v", n.V)
	}
	zero, most := get(t, got["curve"], "0 %", "hard-benign", "fpr"), get(t, got["curve"], "75 %", "hard-benign", "fpr")
	if !(most.V < zero.V/2) || zero.N != most.N {
		t.Errorf("hard-benign FPR goes from %d/%d to %d/%d", zero.K, zero.N, most.K, most.N)
	}
	hard := get(t, got["placebo"], "hard-benign rows", heldOut, "fpr")
	if random := get(t, got["placebo"], "random words, mean", heldOut, "fpr"); !(random.V < hard.V/2) {
		t.Errorf("the placebo has FPR %v, hard-benign rows %v", random.V, hard.V)
	}
}

func TestTheOrderOfRowsAndTheWorkersDoNotMatter(t *testing.T) {
	train, test, hard := corpus(1, 600), corpus(2, 200), hardLines()[:120]
	want := run(t, small(t, train, test, hard))
	rng := rand.New(rand.NewPCG(9, 9))
	for _, lines := range [][]string{train, test, hard} {
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	d := small(t, train, test, hard)
	d.Workers = 1
	if diff := cmp.Diff(want, run(t, d), cmp.AllowUnexported(Number{})); diff != "" {
		t.Error(diff)
	}
}

func TestTheCurveAddsNestedFamiliesAndMeasuresOnTheRest(t *testing.T) {
	d := small(t, corpus(1, 300), corpus(2, 80), hardLines())
	curve := run(t, d, "curve")["curve"]
	kept := 0
	for k, r := range curve.Rows {
		added := int(get(t, curve, r.Case, "", "rows_added").V)
		if r.Train != 300+added {
			t.Errorf("%s: %d rows are fitted, %d added to 300", r.Case, r.Train, added)
		}
		if want := 240 * k / 4; added < want || added > want+2 { // families hold two rows
			t.Errorf("%s: %d rows are added, expected about %d", r.Case, added, want)
		}
		kept = get(t, curve, r.Case, "hard-benign", "fpr").N
		if added+kept > 240 {
			t.Errorf("%s: %d rows are added and %d measured", r.Case, added, kept)
		}
	}
	if kept < 58 {
		t.Errorf("only %d rows are measured on", kept)
	}
}

func TestThePlaceboDrawsUnlistedWordsAndLeavesNoFamilyInTrain(t *testing.T) {
	d := small(t, corpus(1, 1200), corpus(2, 80), hardLines())
	p := &prober{ctx: t.Context(), data: d, train: rowsOf(d.Train)}
	x := p.placeboWords()
	for _, w := range []string{"word1", "grab3", "garden1"} { // listed, listed by prefix, too frequent
		if slices.Contains(x.words, w) {
			t.Errorf("%s may be drawn", w)
		}
	}
	if !slices.Contains(x.words, "word2") || len(x.attack) == 0 || len(x.attack) >= len(x.words) {
		t.Fatalf("%d words, %d of attacks", len(x.words), len(x.attack))
	}
	held, n := x.hold(x.words, 50)
	if len(held) < 50 || n < 1 || n >= len(x.words) {
		t.Fatalf("%d rows by %d words", len(held), n)
	}
	var rows []row
	for _, i := range held {
		r := p.train[i]
		holds := func(w string) bool { return slices.Contains(wordsOf(r.text), w) }
		if r.label != dataset.Benign || !slices.ContainsFunc(x.words[:n], holds) {
			t.Fatalf("%+v is held out", r)
		}
		rows = append(rows, r)
	}
	gone := families(rows)
	for _, r := range without(p.train, rows) {
		if gone[r.family] {
			t.Fatalf("family %s stays in train", r.family)
		}
	}
}

func TestPermutedLabelsKeepTheirCounts(t *testing.T) {
	d := small(t, corpus(1, 300), corpus(2, 80), hardLines())
	p := &prober{ctx: t.Context(), data: d, train: rowsOf(d.Train)}
	a, b := p.permuted("a"), p.permuted("b")
	same, moved := 0, 0
	for i := range a {
		if a[i].text != p.train[i].text {
			t.Fatal("a text moved")
		}
		if a[i].label == b[i].label {
			same++
		}
		if a[i].label != p.train[i].label {
			moved++
		}
	}
	if len(only(a, dataset.Benign)) != len(only(p.train, dataset.Benign)) {
		t.Error("the classes have other counts")
	}
	if same == len(a) || moved < len(a)/4 {
		t.Errorf("%d labels are equal in two draws, %d moved", same, moved)
	}
}

func TestWhatCannotBeMeasuredSaysWhy(t *testing.T) {
	d := small(t, corpus(1, 200), corpus(2, 80), hardLines())
	for _, c := range []struct {
		name   string
		change func(*Data)
		probes []string
		reason string
	}{
		{"no train", func(d *Data) { d.Train = nil }, Names(), "no split train"},
		{"no test", func(d *Data) { d.Test = nil }, Names(), "no split test"},
		{"no hard-benign rows", func(d *Data) { d.HardBenign = nil }, []string{"curve"}, "no split of hard-benign rows"},
		{"no list", func(d *Data) { d.Words = nil }, []string{"placebo"}, "no list"},
		{"one class", func(d *Data) { d.Train = d.HardBenign },
			[]string{"length", "leave-one-out", "placebo", "curve", "shuffle"}, ""},
	} {
		changed := d
		c.change(&changed)
		for _, r := range run(t, changed, c.probes...) {
			if r.Reason == "" || len(r.Rows) > 0 || !strings.Contains(r.Reason, c.reason) {
				t.Errorf("%s: %s gives %q and %d rows", c.name, r.Name, r.Reason, len(r.Rows))
			}
		}
	}
}

func TestFilesWithoutTheColumnsAreProbedAsFarAsTheyGo(t *testing.T) {
	bare := func(lines []string) *dataset.Split {
		var b strings.Builder
		b.WriteString("text,label\n")
		for _, l := range lines {
			f := strings.Split(l, ",")
			b.WriteString(f[0] + "," + f[1] + "\n")
		}
		s, err := dataset.ReadBytes("own.csv", []byte(b.String()), dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	got := run(t, Data{Train: bare(corpus(1, 300)), Test: bare(corpus(2, 100)), Seed: 1})
	if n := get(t, got["length"], "boosted trees", "test", "roc_auc"); !n.OK {
		t.Errorf("length: %+v", n)
	}
	if n := get(t, got["source"], "benign", "test", "accuracy"); n.OK || n.Reason != "the benign rows of train have one source only" {
		t.Errorf("source: %+v", n)
	}
}

func TestRunStopsWhenTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := small(t, corpus(1, 200), corpus(2, 80), hardLines())
	fits := 0
	d.Step = func(string) {
		if fits++; fits == 3 {
			cancel()
		}
	}
	if _, err := Run(ctx, Names(), d); !errors.Is(err, context.Canceled) || fits != 3 {
		t.Errorf("%v after %d fits", err, fits)
	}
}

// TestProbesOfTheOpenEdition holds what must be so on any sound edition; the figures themselves are for the page.
func TestProbesOfTheOpenEdition(t *testing.T) {
	read := func(path string) *dataset.Split {
		s, err := dataset.ReadFile(testenv.Built(t, "data/open/"+path), dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	d := Data{Train: read("train.csv"), Test: read("test.csv"), Seed: 42}
	got := run(t, d, "length", "shuffle")
	linear := get(t, got["length"], "logistic regression", "test", "roc_auc").V
	trees := get(t, got["length"], "boosted trees", "test", "roc_auc").V
	if linear < 0.5 || trees < linear-0.02 || trees > 0.95 {
		t.Errorf("length alone: ROC-AUC %v by regression and %v by trees", linear, trees)
	}
	for _, r := range got["shuffle"].Rows {
		if auc := r.Numbers[0].V; math.Abs(auc-0.5) > 0.15 {
			t.Errorf("%s: ROC-AUC %v on labels that mean nothing", r.Case, auc)
		}
	}
}

func TestTheBaselineIsMeasuredOnEveryKindOfBenignRow(t *testing.T) {
	hard := hardLines()
	for i := range 40 {
		hard[i] = strings.Replace(hard[i], ",real,", ",curated,", 1)
	}
	d := small(t, corpus(1, 600), corpus(2, 200), hard)
	var calm []string
	for _, line := range corpus(4, 200) {
		if strings.Split(line, ",")[1] == "0" {
			calm = append(calm, line)
		}
	}
	d.Ordinary = split(t, "ordinary", calm)
	r := run(t, d, "baseline")["baseline"]
	if f1 := get(t, r, "train as it is", "test", "f1"); !f1.OK || f1.V < 0.9 || f1.N != 200 {
		t.Errorf("F1 %+v", f1)
	}
	for on, n := range map[string]int{"hard-benign curated": 40, "hard-benign real": 200, "ordinary": len(calm)} {
		if fpr := get(t, r, "train as it is", on, "fpr"); fpr.N != n || !fpr.IsProportion() {
			t.Errorf("%s: %+v, want %d rows", on, fpr, n)
		}
	}
	if a, b := get(t, r, "train as it is", "hard-benign real", "fpr"), get(t, r, "train as it is", "ordinary",
		"fpr"); a.V <= b.V {
		t.Errorf("rows with words of attacks: %g, others %g", a.V, b.V)
	}
	d.Ordinary = nil
	if n := get(t, run(t, d, "baseline")["baseline"], "train as it is", "ordinary", "fpr"); n.OK || n.Reason == "" {
		t.Errorf("without a control: %+v", n)
	}
}
