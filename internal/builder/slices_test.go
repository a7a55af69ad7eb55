package builder

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func testRows() []Record {
	in := bothClasses(90, "slices")
	for i := range in {
		if in[i].Label == dataset.Injection {
			in[i].AttackType = []string{"direct_override", "direct_override", "tool_injection"}[i%3]
		}
	}
	return in
}

func TestBalancedSubtypesTakesEachTypeAsOften(t *testing.T) {
	in := testRows()
	tools := 0
	for _, r := range in {
		if r.AttackType == "tool_injection" {
			tools++
		}
	}
	cfg := SlicesConfig{Benign: 20, PerSubtype: tools + 1}
	out, err := BalancedSubtypes(in, cfg, 42)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range out {
		count[r.stratum()]++
	}
	if diff := cmp.Diff(map[string]int{"benign": 20, "direct_override": tools + 1, "tool_injection": tools},
		count); diff != "" {
		t.Error(diff)
	}
	draw.Order(in, 9, "permute", byID)
	again, err := BalancedSubtypes(in, cfg, 42)
	if diff := cmp.Diff(out, again); diff != "" || err != nil {
		t.Errorf("the order of the rows matters: %s", diff)
	}
	_, err = BalancedSubtypes(in, SlicesConfig{Benign: 61}, 42)
	testenv.WantFault(t, err, fault.Integrity, ConfigPath, "slices.benign holds 61, expected at most 60")
}

func TestHeldOutRowsTakeEveryDisguiseOrNone(t *testing.T) {
	in := testRows()
	for i := range in {
		in[i].Family = in[i].ID
	}
	unfit := map[string]bool{}
	fit := in
	for _, text := range sentences(60, "unfit") {
		r := pool(dataset.Benign, text+" é") // tag characters cannot hide it
		r.Family = r.ID
		unfit[r.ID], in = true, append(in, r)
	}
	hidden := pool(dataset.Benign, in[0].Text+" again")
	hidden.Obfuscation = "rot13_wrap"
	kin := pool(dataset.Benign, in[1].Text+" once more")
	kin.Family = in[1].ID // of two rows of a family one serves at most
	in = append(in, kin)
	out, seeds, err := HeldOutObfuscation(append(slices.Clone(in), hidden), 20, 42)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string][]string{}
	for _, r := range out {
		by[r.Obfuscation] = append(by[r.Obfuscation], r.ID)
		if unfit[r.ID] || r.ID == hidden.ID {
			t.Errorf("%q serves", r.Text)
		}
		if h := slices.IndexFunc(disguise.HeldOuts,
			func(h disguise.HeldOut) bool { return h.Name == r.Obfuscation }); h >= 0 &&
			!disguise.HeldOuts[h].Shows(r.Text) && r.Obfuscation != "reversed_words" && r.Obfuscation != "upside_down" {
			t.Errorf("%q does not show %s", r.Text, r.Obfuscation)
		}
	}
	count := map[dataset.Label]int{}
	families := map[string]bool{}
	for _, r := range seeds {
		if families[r.Family] {
			t.Errorf("two rows of family %s serve", r.Family)
		}
		families[r.Family] = true
		count[r.Label]++
		if r.Obfuscation != "none" || r.Clean != "" {
			t.Errorf("the seed %s is disguised", r.ID)
		}
	}
	if count[dataset.Benign] != 20 || count[dataset.Injection] != 20 || len(by) != len(disguise.HeldOuts) {
		t.Errorf("%v seeds in %d forms", count, len(by))
	}
	for name, rows := range by {
		slices.Sort(rows)
		if diff := cmp.Diff(ids(seeds), rows); diff != "" {
			t.Errorf("%s has other rows: %s", name, diff)
		}
	}
	_, _, err = HeldOutObfuscation(fit, 31, 42) // 30 injections
	testenv.WantFault(t, err, fault.Integrity, "held_out_obfuscation.seeds holds 31, expected at most 30",
		"injection rows")
}

func TestDomainRowsFillEachDomainFromFamiliesOfTheirOwn(t *testing.T) {
	var in []Record
	for i, s := range sentences(40, "domain rows") {
		r := pool(dataset.Label(i%2), s)
		r.Domain, r.Family, r.Role = []string{"legal", "medical", "cooking"}[i%3], s, DomainShift
		in = append(in, r)
	}
	used := map[string]bool{in[0].Family: true}
	want := map[string]Domain{"legal": {Benign: 6, ThirdParty: 1, Injection: 4}, "medical": {Benign: 3}}
	public := pool(dataset.Benign, "a public text")
	public.Domain, public.Family = "legal", "public"
	out, removed, err := DomainRows(in, []Record{public}, want, used, 42)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Domain{}
	for _, r := range out {
		c := got[r.Domain]
		if r.Label == dataset.Injection {
			c.Injection++
		} else {
			c.Benign++
		}
		if r.Family == "public" {
			c.ThirdParty++
		}
		got[r.Domain] = c
		if r.ID == in[0].ID {
			t.Error("a row of a used family serves")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := reasons(removed); n["in a family of another split"] != 1 || n["no domain of the split"] != 13 ||
		len(out)+len(removed) != len(in)+1 {
		t.Errorf("%d rows and %v removed", len(out), n)
	}
	want["medical"] = Domain{Benign: 8}
	_, _, err = DomainRows(in, []Record{public}, want, used, 42)
	testenv.WantFault(t, err, fault.Integrity, ConfigPath,
		"domain_ood.medical asks for 8 benign and 0 injection, found 6 and 0")
}

func TestParaphraseTakesPlainScarceAttacksAndDropsRepeats(t *testing.T) {
	seed, other, benign, disguisedRow := pool(1, "seed"), pool(1, "other"), pool(0, "benign"), pool(1, "odd")
	seed.AttackType, other.AttackType, disguisedRow.AttackType = "tool_injection", "direct_override", "tool_injection"
	disguisedRow.Obfuscation = disguise.AsFound
	control := seed
	control.ID, control.Role = "control", Control
	in := []Record{seed, other, benign, disguisedRow, control}
	canonical(in)
	var seeds []Record
	reword := func(_ context.Context, of []Record, _ int) (out []Record, err error) {
		seeds = of
		for _, text := range []string{"Other", "seed  reworded", "SEED reworded", "seed again"} {
			r := of[0]
			r.ID, r.Text, r.Parent, r.Round, r.Generator = recordID("ours", 1, text), text, of[0].ID, 1, "g"
			out = append(out, r)
		}
		return out, nil
	}
	cfg := ParaphraseConfig{Rounds: map[string]int{"tool_injection": 2}}
	out, removed, err := Paraphrase(t.Context(), in, cfg, 42, reword)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{seed.ID}, ids(seeds)); diff != "" {
		t.Errorf("other seeds: %s", diff)
	}
	if diff := cmp.Diff([]string{"benign", "odd", "other", "seed", "seed", "seed  reworded", "seed again"},
		textsOf(out)); diff != "" {
		t.Error(diff)
	}
	if len(removed) != 2 || removed[0].Partner != other.ID || removed[1].Partner == "" {
		t.Errorf("removed %+v", removed)
	}
	seeds = nil
	out, _, err = Paraphrase(t.Context(), in, ParaphraseConfig{}, 42, reword)
	if err != nil || !cmp.Equal(in, out) || seeds != nil {
		t.Errorf("no rounds, and yet %d rows of %d, %v", len(out), len(in), err)
	}
}
