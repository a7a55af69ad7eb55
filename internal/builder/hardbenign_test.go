package builder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/lists"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

func TestHardBenignLosesAsLittleAsItCan(t *testing.T) {
	var in []Record
	verdicts := map[string]lists.Verdict{}
	add := func(family string, label dataset.Label, role Role, texts ...string) {
		for _, text := range texts {
			r := pool(label, family+": "+text)
			r.Family, r.Role = family, role
			in = append(in, r)
			switch {
			case strings.Contains(text, "prompts"):
				verdicts[textnorm.ExactHash(r.Text)] = lists.Verdict{Verdict: verdictKeep, Topic: "models"}
			case strings.Contains(text, "homonym"):
				verdicts[textnorm.ExactHash(r.Text)] = lists.Verdict{Verdict: "homonym"}
			}
		}
	}
	add("alone", 0, Pool, "prompts")
	add("mostly", 0, Pool, "prompts 1", "prompts 2", "lakes")
	add("even", 0, Pool, "prompts")
	add("even", 1, Pool, "an attack on prompts")
	add("seldom", 0, Pool, "prompts", "lakes 1", "lakes 2")
	add("none", 0, Pool, "lakes", "a homonym")
	add("attack", 1, Pool, "prompts")
	add("control", 0, Control, "prompts")
	kept, hard, removed := HardBenign(in, verdicts)
	if diff := cmp.Diff([]string{"alone: prompts", "even: prompts", "mostly: prompts 1", "mostly: prompts 2"},
		textsOf(hard)); diff != "" {
		t.Error(diff)
	}
	left := []string{"attack: prompts", "control: prompts", "none: a homonym", "none: lakes", "seldom: lakes 1",
		"seldom: lakes 2"}
	if diff := cmp.Diff(left, textsOf(kept)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{
		"in a hard-benign family, benign": 1, "in a hard-benign family, injection": 1,
		"adjacent, in a family that is mostly not": 1,
	}, reasons(removed)); diff != "" {
		t.Error(diff)
	}
	for _, r := range hard {
		if r.Topic != "models" {
			t.Errorf("%q has the topic %q", r.Text, r.Topic)
		}
	}
}

// hardRows makes hard-benign families of the sizes.
func hardRows(sizes ...int) []Record {
	var in []Record
	addFamilies(&in, "prompts", 0, "", sizes...)
	canonical(in)
	return in
}

func TestDealGivesEachFamilyToOneShare(t *testing.T) {
	in := hardRows(append([]int{9, 5, 5, 4, 3, 3}, ones(40)...)...)
	shares := []share{{"first", 20, 3, nil}, {"second", 8, 0, nil}, {"third", 5, 1, nil}}
	dealt, removed, err := Deal(in, shares, 42)
	if err != nil {
		t.Fatal(err)
	}
	home := map[string]string{}
	seen := map[string]bool{}
	for _, s := range shares {
		if len(dealt[s.name]) != s.rows {
			t.Errorf("share %s has %d rows, want %d", s.name, len(dealt[s.name]), s.rows)
		}
		for _, r := range dealt[s.name] {
			if at, ok := home[r.Family]; ok && at != s.name {
				t.Errorf("family %s serves %s and %s", r.Family, at, s.name)
			}
			home[r.Family], seen[r.ID] = s.name, true
			if n := countFamily(dealt[s.name], r.Family); s.maxFamily > 0 && n > s.maxFamily {
				t.Errorf("share %s has %d rows of %s", s.name, n, r.Family)
			}
		}
	}
	for _, r := range removed {
		if seen[r.ID] {
			t.Errorf("%s is removed and dealt", r.ID)
		}
		seen[r.ID] = true
	}
	if len(seen) != len(in) {
		t.Errorf("%d of %d rows are accounted for", len(seen), len(in))
	}
	draw.Order(in, 3, "permute", byID)
	again, _, err := Deal(in, shares, 42)
	if diff := cmp.Diff(dealt, again); diff != "" || err != nil {
		t.Errorf("the order of the rows matters: %s", diff)
	}
}

func TestDealSaysWhichShareIsShort(t *testing.T) {
	in := hardRows(ones(10)...)
	_, _, err := Deal(in, []share{{"first", 7, 1, nil}, {"second", 4, 1, nil}}, 42)
	testenv.WantFault(t, err, fault.Integrity, ConfigPath, "second asks for 4 security-adjacent rows, found 3",
		"hard_benign.yaml")
	_, _, err = Deal(hardRows(10), []share{{"first", 7, 6, nil}}, 42)
	testenv.WantFault(t, err, fault.Integrity, "first asks for 7 security-adjacent rows, found 6")
	if dealt, removed, err := Deal(in, []share{{"none", 0, 1, nil}}, 42); err != nil || len(dealt["none"]) != 0 ||
		len(removed) != 10 {
		t.Errorf("no rows asked for: %v, %d removed, %v", dealt, len(removed), err)
	}
}

func TestTheOrdinaryArmMirrorsTheSourcesOfTheOther(t *testing.T) {
	var in, adjacent []Record
	addFamilies(&in, "a", 0, "", append([]int{2, 3, 9}, ones(30)...)...)
	addFamilies(&in, "b", 0, "", ones(30)...)
	addFamilies(&in, "c", 0, "", ones(30)...)
	addFamilies(&in, "a", 1, "direct_override", ones(30)...)
	addFamilies(&adjacent, "a", 0, "", ones(8)...)
	addFamilies(&adjacent, "b", 0, "", ones(4)...)
	for i := range adjacent {
		if adjacent[i].Source == "b" {
			adjacent[i].Rank = 1
		}
	}
	canonical(in)
	canonical(adjacent) // all of a stand before all of b
	for i := range in {
		if in[i].Source == "b" && i%2 == 0 {
			in[i].Carrier = fmt.Sprint("document ", i)
		}
	}
	for _, n := range []int{12, 6} {
		left, arm, removed, err := ordinaryArm(in, adjacent, n, 3, 42)
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		families := map[string]bool{}
		for _, r := range arm {
			count[r.Source]++
			if families[r.Family] || r.Label != dataset.Benign || r.Carrier != "" {
				t.Errorf("the arm holds %+v", r)
			}
			families[r.Family] = true
		}
		for _, r := range left {
			if families[r.Family] {
				t.Errorf("a row of family %s stays in the pool", r.Family)
			}
		}
		if len(left)+len(arm)+len(removed) != len(in) {
			t.Errorf("%d left, %d in the arm, %d removed of %d", len(left), len(arm), len(removed), len(in))
		}
		if d := count["a"] - 2*n/3; d < -1 || d > 1 || count["a"]+count["b"] != n || n == 12 && d != 0 {
			t.Errorf("%d rows of the sources %v, want two of a for one of b", n, count)
		}
	}
	ofA := slices.DeleteFunc(slices.Clone(in), func(r Record) bool { return r.Source == "b" })
	if _, arm, _, err := ordinaryArm(ofA, adjacent, 12, 3, 42); err != nil || len(arm) != 12 || arm[0].Source != "a" {
		t.Errorf("where a source has none, the other gives %d rows, want 12 (%v)", len(arm), err)
	}
	_, _, _, err := ordinaryArm(in, adjacent, 1000, 3, 42)
	testenv.WantFault(t, err, fault.Integrity, "augmentation.ordinary holds 1000, expected at most")
	if _, arm, _, err := ordinaryArm(in, nil, 0, 3, 42); err != nil || arm != nil {
		t.Errorf("no rows asked for: %v, %v", arm, err)
	}
}

// Authored families may be of any size; no two files may share one.
func TestAuthoredFramesAreNotPartedBetweenFiles(t *testing.T) {
	s := small()
	frames := map[Role]int{}
	for i := range s.texts {
		if r := &s.texts[i]; r.Role == HardNegative {
			r.Frame = fmt.Sprint("template/negative", frames[r.Role]/4)
			frames[r.Role]++
		}
	}
	s.cfg.HardBenign.Negative.Train, s.cfg.HardBenign.Negative.Val = 4, 6
	b := s.build(t)
	noLeaks(t, b.files, s.cfg.Family)
	train, val := b.file(t, negativeTrainFile), b.file(t, negativeValFile)
	if len(train.Records) != 4 || len(val.Records) != 6 {
		t.Errorf("%d and %d rows", len(train.Records), len(val.Records))
	}
}

func TestTooFewAuthoredRowsEndTheBuild(t *testing.T) {
	s := small()
	s.cfg.HardBenign.Curated = 11
	_, err := s.assembleIn(t, t.TempDir())
	testenv.WantFault(t, err, fault.Integrity, ConfigPath,
		"hard_benign.curated asks for 11 authored rows of prompts, found 10")
}

// A curated row in the family of a row that a split trains on must not be measured by it.
func TestAuthoredRowsLikeARowOfThePoolAreRemoved(t *testing.T) {
	s := small()
	s.cfg.HardBenign.Curated = 9
	id := ""
	for i := range s.texts {
		if r := &s.texts[i]; r.Role == Curated && id == "" {
			r.Text = s.items[0][6].Text + " here" // a plain benign row
			r.ID, r.Frame = recordID(r.Source, r.Label, r.Text), ""
			id = r.ID
		}
	}
	s.cfg.NearDuplicate = 1
	b := s.build(t)
	i := slices.IndexFunc(b.removed, func(m Removal) bool { return m.ID == id })
	if i < 0 || b.removed[i].Reason != "in a family of another split" {
		t.Error("the row was not removed")
	}
}

func TestTheControlTakesItsQuotaOfEachSource(t *testing.T) {
	lock := &Lock{Sources: []Source{{ID: "a", Select: Selection{Max: 5}}, {ID: "b"}, {ID: "c", Select: Selection{Max: 9}}}}
	var in []Record
	for i, s := range sentences(30, "control quota") {
		r := pool(0, s)
		r.Rank = i % 3
		in = append(in, r)
	}
	kept, removed := Ordinary(in, lock, 42)
	n := map[int]int{}
	for _, r := range kept {
		n[r.Rank]++
	}
	if diff := cmp.Diff(map[int]int{0: 5, 1: 10, 2: 9}, n); diff != "" || len(removed) != 6 {
		t.Errorf("%d removed, %s", len(removed), diff)
	}
}

// A hard-benign row in the family of an authored one gives way, whichever file would take it.
func TestHardBenignRowsLikeAuthoredOnesAreRemoved(t *testing.T) {
	s := small()
	s.cfg.NearDuplicate, s.cfg.HardBenign.Curated = 1, 10
	like := s.items[0][0] // to be kept, says its reader
	for i := range s.texts {
		if r := &s.texts[i]; r.Role == Curated {
			r.Text = like.Text + " here"
			r.ID = recordID(r.Source, r.Label, r.Text)
			break
		}
	}
	id := recordID("prompts", like.Label, like.Text)
	i := slices.IndexFunc(s.build(t).removed, func(m Removal) bool { return m.ID == id && m.Stage == stageHardBenign })
	if i < 0 {
		t.Errorf("row %s was not removed", id)
	}
}
