package builder

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// addFamilies appends one family of each size.
func addFamilies(in *[]Record, source string, label dataset.Label, kind string, sizes ...int) {
	for f, n := range sizes {
		for k := range n {
			r := pool(label, fmt.Sprint(source, label, kind, f, "/", k))
			r.Source, r.Family, r.AttackType = source, fmt.Sprint(source, label, kind, f), kind
			*in = append(*in, r)
		}
	}
}

func ones(n int) []int { return slices.Repeat([]int{1}, n) }

func splitInput() []Record {
	var in []Record
	addFamilies(&in, "a", 0, "", append([]int{60, 30, 10, 4, 2}, ones(400)...)...)
	addFamilies(&in, "b", 0, "", ones(100)...)
	addFamilies(&in, "a", 1, "direct_override", append([]int{40, 7}, ones(250)...)...)
	addFamilies(&in, "b", 1, "direct_override", ones(60)...)
	addFamilies(&in, "b", 1, "tool_injection", slices.Repeat([]int{3}, 40)...)
	canonical(in)
	return in
}

var splitQuotas = Quotas{
	Train: Quota{"benign": 380, "direct_override": 210, "tool_injection": 61},
	Val:   Quota{"benign": 57, "direct_override": 30, "tool_injection": 8},
	Test:  Quota{"benign": 58, "direct_override": 33, "tool_injection": 10},
}

func (q Quotas) parts() [3]Quota { return [3]Quota{q.Train, q.Val, q.Test} }

func TestSplitFillsQuotasToTheRowAndKeepsFamiliesWhole(t *testing.T) {
	in := splitInput()
	out, removed := Split(in, splitQuotas, 42)
	where := map[string]int{}
	seen := map[string]bool{}
	for p, rows := range out {
		if err := checkShares(partNames[p], rows, splitQuotas.parts()[p], BalanceConfig{}); err != nil {
			t.Error(err)
		}
		for _, r := range rows {
			if q, ok := where[r.Family]; ok && q != p {
				t.Errorf("family %s is in two parts", r.Family)
			}
			where[r.Family] = p
			seen[r.ID] = true
		}
		if !slices.IsSortedFunc(rows, func(a, b Record) int { return compareIDs(a, b) }) {
			t.Errorf("part %d is not in canonical order", p)
		}
	}
	for _, r := range removed {
		if seen[r.ID] {
			t.Errorf("%s is removed twice or in a part", r.ID)
		}
		seen[r.ID] = true
	}
	if len(seen) != len(in) {
		t.Errorf("%d rows of %d are accounted for", len(seen), len(in))
	}
}

func compareIDs(a, b Record) int {
	switch {
	case a.ID < b.ID:
		return -1
	case a.ID > b.ID:
		return 1
	}
	return 0
}

func TestSplitKeepsTheProportionsOfSources(t *testing.T) {
	in := splitInput()
	type key struct{ kind, source string }
	total, kinds := map[key]int{}, map[string]int{}
	for _, r := range in {
		total[key{r.stratum(), r.Source}]++
		kinds[r.stratum()]++
	}
	out, _ := Split(in, splitQuotas, 42)
	for p, rows := range out {
		got := map[key]int{}
		for _, r := range rows {
			got[key{r.stratum(), r.Source}]++
		}
		for k, n := range total {
			quota := splitQuotas.parts()[p][k.kind]
			due := float64(n) * float64(quota) / float64(kinds[k.kind])
			if d := math.Abs(float64(got[k]) - due); d > 2+0.03*float64(quota) {
				t.Errorf("part %s has %d rows of %v, want about %.1f", partNames[p], got[k], k, due)
			}
		}
	}
}

func TestSplitDoesNotDependOnTheOrderOfRows(t *testing.T) {
	in := splitInput()
	want, gone := Split(in, splitQuotas, 42)
	draw.Order(in, 7, "shuffle", byID)
	got, more := Split(in, splitQuotas, 42)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	byIDs := func(a, b Removal) int { return compareIDs(Record{ID: a.ID}, Record{ID: b.ID}) }
	slices.SortFunc(gone, byIDs)
	slices.SortFunc(more, byIDs)
	if diff := cmp.Diff(gone, more); diff != "" {
		t.Error(diff)
	}
	if other, _ := Split(in, splitQuotas, 43); cmp.Equal(want, other) {
		t.Error("the seed changes nothing")
	}
}

func TestSplitGivesNothingThatNoQuotaAsksFor(t *testing.T) {
	in := splitInput()
	q := Quotas{Train: Quota{"benign": 5}, Val: Quota{"benign": 1}, Test: Quota{"benign": 1}}
	out, removed := Split(in, q, 42)
	for p, rows := range out {
		for _, r := range rows {
			if r.stratum() != "benign" {
				t.Errorf("part %s holds a %s", partNames[p], r.stratum())
			}
		}
	}
	if len(out[trainPart]) != 5 || len(out[valPart]) != 1 || len(out[testPart]) != 1 || len(removed) != len(in)-7 {
		t.Errorf("%d, %d and %d rows, %d removed", len(out[0]), len(out[1]), len(out[2]), len(removed))
	}
}

func TestSplitFillsWhatFamiliesLeaveOpenFromTheSpareRows(t *testing.T) {
	var in []Record
	addFamilies(&in, "a", 0, "", append(slices.Repeat([]int{7}, 10), ones(20)...)...)
	q := Quotas{Train: Quota{"benign": 50}, Val: Quota{"benign": 10}, Test: Quota{"benign": 11}}
	for seed := range int64(20) {
		out, _ := Split(in, q, seed)
		if len(out[trainPart]) != 50 || len(out[valPart]) != 10 || len(out[testPart]) != 11 {
			t.Errorf("seed %d: %d, %d and %d rows", seed, len(out[0]), len(out[1]), len(out[2]))
		}
	}
}

func TestMissedSharesAreNamedTogether(t *testing.T) {
	var in []Record
	addFamilies(&in, "a", 0, "", ones(7)...)
	addFamilies(&in, "b", 0, "", ones(3)...)
	addFamilies(&in, "a", 1, "direct_override", ones(4)...)
	addFamilies(&in, "a", 1, "", ones(1)...)
	for i := range in {
		if in[i].Source == "b" {
			in[i].Frame = "b/frame"
		}
	}
	quota := Quota{"benign": 10, "direct_override": 4, "": 1}
	if err := checkShares("val", in, quota, BalanceConfig{MaxSource: 700, MaxFrame: 200}); err != nil {
		t.Error(err)
	}
	if err := checkShares("val", in, quota, BalanceConfig{}); err != nil {
		t.Errorf("without limits: %v", err)
	}
	err := checkShares("val", in, Quota{"benign": 11, "direct_override": 4, "tool_injection": 2},
		BalanceConfig{MaxSource: 699, MaxFrame: 199})
	testenv.WantFault(t, err, fault.Integrity, ConfigPath, "val misses its shares", "benign 10, expected 11",
		"tool_injection 0, expected 2",
		" 1, expected none", "source a has 7 of 10 rows, expected at most 699 in 1000",
		"frame b/frame has 3 of 15 rows, expected at most 199 in 1000")
}

func TestAShortPoolEndsTheBuild(t *testing.T) {
	s := small()
	s.cfg.Quotas.Test["roleplay_attack"] = 60
	_, err := s.assembleIn(t, t.TempDir())
	testenv.WantFault(t, err, fault.Integrity, ConfigPath, "misses its shares", "roleplay_attack")
}

func TestBalanceKeepsOriginsApartAndCapsSources(t *testing.T) {
	var in []Record
	addFamilies(&in, "big", 0, "", ones(300)...)
	addFamilies(&in, "small", 0, "", ones(90)...)
	addFamilies(&in, "public", 1, "direct_override", ones(30)...)
	addFamilies(&in, TemplateSource, 1, "direct_override", ones(100)...)
	addFamilies(&in, WrittenSource, 1, "direct_override", ones(25)...)
	addFamilies(&in, "public", 1, "tool_injection", ones(200)...)
	addFamilies(&in, TemplateSource, 1, "tool_injection", ones(50)...)
	addFamilies(&in, "public", 1, "roleplay_attack", ones(9)...)
	for i := range in {
		in[i].Own = slices.Contains(OwnSources, in[i].Source)
	}
	canonical(in)
	q := Quotas{Train: Quota{"benign": 150, "direct_override": 40, "own_direct_override": 20, "tool_injection": 40},
		Val: Quota{"benign": 30}, Test: Quota{"benign": 20, "own_direct_override": 10}}
	out, removed := Balance(in, q, BalanceConfig{MaxSource: 500}, 42)
	count := map[string]int{}
	for _, r := range out {
		count[r.Source+" "+r.stratum()]++
	}
	want := map[string]int{
		"big benign": 100, "small benign": 90, // half of 200
		"public direct_override":      30,
		"written own_direct_override": 25, "template own_direct_override": 45, // 30 and at least 40 spare ones
		"public tool_injection": 80, // no text of ours is asked for
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Error(diff)
	}
	if n := reasons(removed); n["beyond the share of its source"] != 200 ||
		n["beyond the quotas of own_direct_override"] != 55 ||
		n["beyond the quotas of tool_injection"] != 120 || len(out)+len(removed) != len(in) {
		t.Errorf("%d of %d rows, %v removed", len(out), len(in), n)
	}
	draw.Order(in, 3, "permute", byID)
	again, _ := Balance(in, q, BalanceConfig{MaxSource: 500}, 42)
	if diff := cmp.Diff(out, again); diff != "" {
		t.Errorf("the order of the rows matters: %s", diff)
	}
	free, _ := Balance(in, q, BalanceConfig{}, 42)
	benign := 0
	for _, r := range free {
		if r.stratum() == "benign" {
			benign++
		}
	}
	if benign != 240 { // 200 and the least slack of 40
		t.Errorf("%d benign rows without a limit, want 240", benign)
	}
}

func TestBalanceKeepsSixInAHundredMoreThanLargeQuotas(t *testing.T) {
	var in []Record
	addFamilies(&in, "a", 0, "", ones(1200)...)
	out, _ := Balance(in, Quotas{Train: Quota{"benign": 1000}}, BalanceConfig{}, 42)
	if len(out) != 1060 {
		t.Errorf("%d rows, want 6 in 100 more than 1000", len(out))
	}
}

// A quota is cut by rows of frames first, so that documents keep all their places.
func TestMatchedCarriersStayWholeWhereAQuotaIsCut(t *testing.T) {
	var in []Record
	addFamilies(&in, TemplateSource, 1, "tool_injection", ones(60)...)
	addFamilies(&in, WrittenSource, 1, "tool_injection", ones(60)...)
	addFamilies(&in, CarrierSource, 1, "tool_injection", 3, 3, 3, 3, 3, 3, 3, 3, 3, 3)
	for i := range in {
		in[i].Own = true
	}
	canonical(in)
	q := Quotas{Train: Quota{"own_tool_injection": 20}, Val: Quota{"own_tool_injection": 6},
		Test: Quota{"own_tool_injection": 7}}
	pool, _ := Balance(in, q, BalanceConfig{}, 42)
	count := map[string]int{}
	for _, r := range pool {
		count[r.Source]++
	}
	if count[CarrierSource] != 30 || count[WrittenSource] != 43 || count[TemplateSource] != 0 { // 33 and 40 spare ones
		t.Errorf("the pool holds %v", count)
	}
	parts, _ := Split(pool, q, 42)
	for p, rows := range parts {
		_, members := byFamily(rows)
		for name, m := range members {
			if rows[m[0]].Source == CarrierSource && len(m) != 3 && len(rows) > 6 {
				t.Errorf("%s holds %d of 3 rows of %s", partNames[p], len(m), name)
			}
		}
	}
}
