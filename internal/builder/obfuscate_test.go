package builder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

// drawn is a stream for transforms that draw nothing.
var drawn draw.Stream

var weights = map[string]int{
	"unicode_confusables": 200, "homoglyph": 150, "zero_width": 150, "spacing_jitter": 150, "markdown_split": 150,
	"base64_wrap": 100, "rot13_wrap": 100,
}

func obfuscatorOf(w map[string]int) obfuscator {
	o := obfuscator{seed: 42, weights: w, cfg: shape}
	for _, s := range sentences(30, "filler") {
		o.fillers = append(o.fillers, pool(dataset.Benign, s))
	}
	return o
}

func bothClasses(n int, purpose string) []Record {
	var in []Record
	for i, s := range sentences(n, purpose) {
		in = append(in, pool(dataset.Label(i%3/2), s))
	}
	canonical(in)
	return in
}

func TestObfuscateDisguisesSoManyOfEachClass(t *testing.T) {
	in := bothClasses(600, "obfuscate")
	for i := range in[:30] {
		in[i].Obfuscation = disguise.AsFound
	}
	out, err := obfuscatorOf(weights).Obfuscate(in, Classes{80, 40})
	if err != nil {
		t.Fatal(err)
	}
	count := map[dataset.Label]int{}
	names := map[string]int{}
	for i, r := range out {
		if r.ID != in[i].ID {
			t.Fatal("the order changed")
		}
		if i < 30 || r.Obfuscation == "none" {
			if !cmp.Equal(r, in[i]) {
				t.Errorf("%s is marked %s and was changed", r.ID, r.Obfuscation)
			}
			continue
		}
		count[r.Label]++
		names[r.Obfuscation]++
		if textnorm.Exact(r.Text) == textnorm.Exact(in[i].Text) || r.Edits < 1 || r.Clean != in[i].Text {
			t.Errorf("%s: %s changed nothing or lost the clean text", r.ID, r.Obfuscation)
		}
	}
	if count[0] != 80 || count[1] != 40 || len(names) != len(weights) {
		t.Errorf("%v rows of the classes, names %v; want 80 and 40, and all of %v", count, names, weights)
	}
	for name := range names {
		if weights[name] == 0 {
			t.Errorf("%s has no weight and was drawn", name)
		}
	}
}

func TestObfuscatedRowsDoNotDependOnTheOthers(t *testing.T) {
	var in []Record
	for _, s := range sentences(200, "independent") {
		in = append(in, pool(dataset.Benign, s))
	}
	all := map[string]Record{}
	out, err := obfuscatorOf(weights).Obfuscate(in, Classes{100, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out {
		all[r.ID] = r
	}
	if out, err = obfuscatorOf(weights).Obfuscate(in[:150], Classes{75, 0}); err != nil {
		t.Fatal(err)
	}
	both := 0
	for _, r := range out {
		if r.Obfuscation != "none" && all[r.ID].Obfuscation != "none" {
			both++
			if diff := cmp.Diff(all[r.ID], r); diff != "" {
				t.Error(diff)
			}
		}
	}
	if both < 20 {
		t.Errorf("%d rows to compare, want more", both)
	}
}

func TestRowsThatCannotChangeStayUnmarked(t *testing.T) {
	in := []Record{pool(0, "1234"), pool(0, "5678"), pool(0, "a cap on a coconut axe, peace on a pax")}
	o := obfuscatorOf(map[string]int{"homoglyph": 1})
	out, err := o.Obfuscate(in, Classes{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out {
		if changed := r.Obfuscation != "none"; changed != strings.Contains(r.Clean+r.Text, "n") {
			t.Errorf("%q is marked %s", r.Text, r.Obfuscation)
		}
	}
	_, err = o.Obfuscate(in, Classes{2, 0})
	testenv.WantFault(t, err, fault.Integrity, ConfigPath, "1 more benign rows than can be disguised")
}

func TestTestTakesTheKindsEvenlyAndInPairs(t *testing.T) {
	in := bothClasses(300, "evenly")
	want := Classes{7, 40}
	out, twins, err := obfuscatorOf(weights).ObfuscateEvenly(in, want, 20)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	attacks := map[string]Record{}
	inTest := map[string]Record{}
	benign := 0
	for i, r := range out {
		if r.ID != in[i].ID {
			t.Fatal("the order changed")
		}
		inTest[r.ID] = r
		switch {
		case r.Clean == "":
			if !cmp.Equal(r, in[i]) {
				t.Errorf("the plain row %s changed", r.ID)
			}
		case r.Label == dataset.Injection:
			attacks[r.Pair] = r
			kinds[disguise.KindOf(r.Obfuscation)]++
		default:
			benign++
		}
	}
	if len(attacks) != want.Injection || benign != want.Benign || len(twins) != 20 {
		t.Errorf("%d attacks and %d benign rows in test, %d twins", len(attacks), benign, len(twins))
	}
	for i, kind := range disguise.Kinds {
		if n := 6 + min(1, max(0, want.Injection-36-i)); kinds[kind] != n {
			t.Errorf("kind %s stands %d times, want %d", kind, kinds[kind], n)
		}
	}
	seen := map[string]bool{}
	for _, r := range twins {
		a := attacks[r.Pair]
		if r.Label != dataset.Benign || a.Obfuscation != r.Obfuscation || seen[r.Pair] || r.Edits < 1 {
			t.Errorf("the twin %+v of %+v", r, a)
		}
		seen[r.Pair] = true
		if in := inTest[r.ID]; in.Clean != "" && !cmp.Equal(in, r) {
			t.Errorf("twin %s stands otherwise in test", r.ID)
		}
	}
	both := slices.Concat(disguised(out, dataset.Injection), twins)
	for _, p := range parents(disguised(out, dataset.Injection), twins) {
		i := slices.IndexFunc(both, func(r Record) bool { return r.ID == p.ID })
		if both[i].Clean != p.Text || both[i].Pair != p.Pair || p.Obfuscation != "none" || p.Edits != 0 || p.Clean != "" {
			t.Errorf("the parent of %s is %+v", both[i].ID, p)
		}
	}
}

func TestObfuscateEvenlySaysWhenRowsRunOut(t *testing.T) {
	in := bothClasses(60, "run out") // 40 benign, 20 attacks
	_, _, err := obfuscatorOf(weights).ObfuscateEvenly(in, Classes{0, 21}, 0)
	testenv.WantFault(t, err, fault.Integrity, ConfigPath,
		"obfuscation.test.injection holds 21, found 1 rows too few for kind")
	few := slices.DeleteFunc(slices.Clone(in), func(r Record) bool { return r.Label == 0 && r.ID > "ours_3" })
	_, _, err = obfuscatorOf(weights).ObfuscateEvenly(few, Classes{0, 15}, 15)
	testenv.WantFault(t, err, fault.Integrity, ConfigPath, "obfuscation.twins holds 15, found")
	in = in[:0]
	for i := range 12 { // nothing but the kinds that change every text serves
		in = append(in, pool(dataset.Injection, fmt.Sprint(i)))
	}
	_, _, err = obfuscatorOf(weights).ObfuscateEvenly(in, Classes{0, 6}, 0)
	testenv.WantFault(t, err, fault.Integrity, "found 1 rows too few for kind rot13")
}
