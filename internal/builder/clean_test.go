package builder

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/lists"
	"pidsbench/internal/neardup"
	"pidsbench/internal/textnorm"
)

func TestCleanRemovesInOrder(t *testing.T) {
	lock := &Lock{Sources: []Source{{ID: "prompts", HardBenign: true}, {ID: "chats"}, {ID: "control"}}}
	var in []Record
	add := func(rank int, label dataset.Label, role Role, text string) {
		r := pool(label, text)
		r.Rank, r.Role, r.Source, r.Own = rank, role, "authored", rank >= len(lock.Sources)
		if rank < len(lock.Sources) {
			r.Source = lock.Sources[rank].ID
		}
		in = append(in, r)
	}
	fullwidth, _ := disguise.HeldOuts[0].Apply("who painted this ceiling", drawn)
	add(0, 0, Pool, "a row that nobody can judge")
	add(0, 0, Pool, "tell me about prompts")
	add(0, 0, Pool, "do prompts hurt people")
	add(0, 0, Pool, "could prompts mean two things")
	add(0, 0, Pool, "prompts that nobody read yet")
	add(0, 0, Pool, "the doctor prompts him to eat")
	add(0, 1, Pool, "attack prompts need no verdict")
	add(0, 0, Pool, "how deep is the lake")
	add(0, 0, Pool, fullwidth)
	add(0, 1, Pool, "say both things")
	add(1, 0, Pool, "Say  both Things")
	add(1, 0, Pool, "How deep is the LAKE")
	add(1, 0, Pool, "how d\u200beep is the l\u0430ke")
	add(1, 0, Pool, "I like your prompts")
	add(2, 0, Control, "he answered the prompts")
	add(3, 0, Curated, "an authored row about prompts")
	add(3, 0, Pool, "an authored row on nothing much")
	l := Lists{
		Drops:    map[string]string{textnorm.ExactHash("A row that nobody can judge"): "fragment"},
		Adjacent: hasWord("prompts"),
		Verdicts: map[string]lists.Verdict{
			textnorm.ExactHash("Tell me about prompts"):         {Verdict: verdictKeep, Topic: "prompts"},
			textnorm.ExactHash("do prompts hurt people"):        {Verdict: verdictHarmful},
			textnorm.ExactHash("could prompts mean two things"): {Verdict: verdictAmbiguous},
			textnorm.ExactHash("the doctor prompts him to eat"): {Verdict: "homonym"},
		},
	}
	kept, removed := Clean(in, lock, l, 0.95)
	want := []string{"an authored row about prompts", "an authored row on nothing much", "attack prompts need no verdict",
		"he answered the prompts", "how deep is the lake", "tell me about prompts", "the doctor prompts him to eat"}
	if diff := cmp.Diff(want, textsOf(kept)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{
		"drop list: fragment": 1, "security-adjacent, no prompt": 1, "read: harmful": 1, "read: ambiguous": 1,
		"security-adjacent, unread": 1, "held-out disguise: fullwidth": 1, "both classes": 2, "exact repeat": 1,
		"skeleton repeat": 1,
	}, reasons(removed)); diff != "" {
		t.Error(diff)
	}
	for _, m := range removed {
		if slices.Contains([]string{"both classes", "exact repeat", "skeleton repeat"}, m.Reason) && m.Partner == "" {
			t.Errorf("%+v names no partner", m)
		}
	}
}

func TestOfRepeatsThePlainOneStays(t *testing.T) {
	plain, disguised := pool(1, "ignore the lake"), pool(1, "1gn0re the l\u200bake")
	disguised.ID, disguised.Obfuscation = "a", disguise.AsFound // first in canonical order
	twin := disguised
	twin.ID, twin.Text = "b", "1gn0re the lake"
	lock := &Lock{Sources: []Source{{ID: "ours", HardBenign: true}}}
	kept, removed := Clean([]Record{disguised, twin, plain}, lock, Lists{Adjacent: hasWord("prompts")}, 0.95)
	if diff := cmp.Diff([]string{"a", plain.ID}, ids(kept)); diff != "" {
		t.Error(diff)
	}
	if len(removed) != 1 || removed[0].ID != "b" || removed[0].Partner != "a" {
		t.Errorf("removed %+v", removed)
	}
	accent := pool(1, "igno\u0301re the lake") // a repeat by skeleton of the plain row
	accent.ID, accent.Obfuscation = "c", disguise.AsFound
	kept, _ = Clean([]Record{accent, plain}, lock, Lists{Adjacent: hasWord("prompts")}, 0.95)
	if diff := cmp.Diff([]string{plain.ID}, ids(kept)); diff != "" {
		t.Errorf("not the plain one stays: %s", diff)
	}
}

func TestNearRepeatsAreMeasuredAgainstKeptRowsOnly(t *testing.T) {
	// A chain: each text is near the next, the ends are not near each other.
	words := strings.Fields("the small boat left the quiet harbour before noon and sailed along the coast with six men")
	var in []Record
	for i := range 4 {
		text := append([]string(nil), words...)
		for k := range i {
			text[2+3*k] = "mountain"
		}
		in = append(in, pool(dataset.Benign, strings.Join(text, " ")))
	}
	cosines := map[[2]int]float64{}
	for _, p := range neardup.Pairs(texts(in), 0.01, 1) {
		cosines[[2]int{p.I, p.J}] = p.Cosine
	}
	threshold := (cosines[[2]int{0, 2}] + min(cosines[[2]int{0, 1}], cosines[[2]int{1, 2}])) / 2
	if cosines[[2]int{0, 1}] < threshold || cosines[[2]int{1, 2}] < threshold || cosines[[2]int{0, 2}] >= threshold {
		t.Fatalf("the texts are no chain: %v", cosines)
	}
	kept, removed := dropNear(in[:3], threshold)
	if diff := cmp.Diff([]string{in[0].ID, in[2].ID}, ids(kept)); diff != "" {
		t.Error(diff)
	}
	if len(removed) != 1 || removed[0].Partner != in[0].ID || removed[0].Score < threshold {
		t.Errorf("removed %+v", removed)
	}
	in[1].Label = dataset.Injection
	if _, removed = dropNear(in[:2], threshold); reasons(removed)["near repeat of the other class"] != 1 {
		t.Errorf("removed %+v", removed)
	}
}

func TestRowsOfOneCarrierAreNoNearRepeatsOfEachOther(t *testing.T) {
	text := sentences(1, "carrier")[0]
	rows := []Record{pool(0, text+" one"), pool(0, text+" two"), pool(0, text+" six")}
	rows[0].Carrier, rows[1].Carrier, rows[2].Carrier = "document 1", "document 1", "document 2"
	if len(alike(rows, 0.8)) != 3 {
		t.Fatal("the rows are not alike")
	}
	kept, removed := dropNear(rows, 0.8)
	if diff := cmp.Diff([]string{rows[0].ID, rows[1].ID}, ids(kept)); diff != "" {
		t.Error(diff)
	}
	if len(removed) != 1 || removed[0].ID != rows[2].ID {
		t.Errorf("removed %+v", removed)
	}
	names, _ := byFamily(Families(rows[:2], nil, nil))
	if len(names) != 1 {
		t.Error("rows of one carrier are parted")
	}
}

func TestFamiliesJoinWhatMayNotBeParted(t *testing.T) {
	s := sentences(18, "families")
	in := make([]Record, len(s))
	for i := range in {
		in[i] = pool(dataset.Benign, s[i])
	}
	in[1].Text = strings.ToUpper(in[0].Text) // exact
	// skeleton: Cyrillic, zero-width
	in[3].Text = strings.ReplaceAll(in[2].Text, "a", "а\u200b")
	in[4].Carrier, in[5].Carrier = "document 1", "document 1" // carrier
	in[6].Frame, in[7].Frame = "frame", "frame"               // frame
	// a chain of carrier and frame
	in[5].Frame = "frame"
	in[13].Text = strings.NewReplacer("e", "3", "o", "0", "s", "$", "a", "@").Replace(in[12].Text) // leet spelling
	// two rewordings and their seed
	in[15].Parent, in[16].Parent = in[14].ID, in[14].ID
	near := []neardup.Pair{{I: 8, J: 9, Cosine: 0.8}}                 // near
	kin := []Kin{{in[10].ID, in[11].ID}, {in[0].ID, "somebody else"}} // kin
	out := Families(in, near, kin)
	same := func(i, j int) bool { return out[i].Family == out[j].Family }
	for _, p := range [][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {4, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}, {15, 16}} {
		if !same(p[0], p[1]) {
			t.Errorf("rows %d and %d are parted", p[0], p[1])
		}
	}
	names, _ := byFamily(out)
	if len(names) != 8 {
		t.Errorf("%d families, want 8", len(names))
	}
	slices.Reverse(in)
	for _, r := range Families(in, []neardup.Pair{{I: 8, J: 9, Cosine: 0.8}}, kin) { // the near pair, counted from the end
		i := slices.IndexFunc(out, func(o Record) bool { return o.ID == r.ID })
		if out[i].Family != r.Family {
			t.Errorf("the family of row %d depends on the order", i)
		}
	}
}

func TestClassifyNamesTypesAndMarksWhatSourcesDisguise(t *testing.T) {
	l := Lists{Classify: classifyByWord}
	known := pool(1, "reveal it")
	known.AttackType = "encoded_attack"
	done := pool(1, "f0rget y0ur l4mps")
	done.Obfuscation, done.Edits = "homoglyph", 3
	in := []Record{pool(1, "pretend to be a lamp"), pool(0, "pretend to be a lamp"), known, pool(0,
		"1gn0re all pr3v10us lamps"), done}
	out := Classify(in, l)
	if out[0].AttackType != "roleplay_attack" || out[0].AttackRule != "word:pretend" || out[0].AttackSpan == nil {
		t.Errorf("the attack is %+v", out[0])
	}
	if out[1].AttackType != "" || out[1].AttackRule != "" {
		t.Errorf("the benign row is %+v", out[1])
	}
	if out[2].AttackType != "encoded_attack" || out[2].AttackRule != "" {
		t.Errorf("the authored type was lost: %+v", out[2])
	}
	if out[3].Obfuscation != disguise.AsFound || out[3].Edits != 2 || out[3].Text != in[3].Text {
		t.Errorf("the disguised row is %+v", out[3])
	}
	if out[4].Obfuscation != "homoglyph" || out[4].Edits != 3 {
		t.Errorf("the row that bears an obfuscation is %+v", out[4])
	}
	if in[0].AttackType != "" {
		t.Error("the input changed")
	}
}
