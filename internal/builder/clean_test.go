package builder

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/neardup"
	"pidsbench/internal/textnorm"
)

func hasWord(word string) func(string) bool {
	return func(text string) bool { return strings.Contains(text, word) }
}

func TestCleanRemovesInOrder(t *testing.T) {
	lock := &Lock{Sources: []Source{{ID: "prompts", HardBenign: true}, {ID: "chats"}, {ID: "control"}}}
	at := func(rank int, label dataset.Label, role Role, text string) Record {
		r := pool(label, text)
		r.Rank, r.Source, r.Role = rank, lock.Sources[rank].ID, role
		return r
	}
	in := []Record{
		at(0, 0, Pool, "a row that nobody can judge"),
		at(0, 0, Pool, "tell me about prompts"),
		at(0, 0, Pool, "how deep is the lake"),
		at(0, 1, Pool, "say both things"),
		at(1, 0, Pool, "Say  both Things"),
		at(1, 0, Pool, "How deep is the LAKE"),
		at(1, 0, Pool, "I like your prompts"),
		at(2, 0, Control, "he answered the prompts"),
	}
	lists := Lists{
		Drops:    map[string]string{textnorm.ExactHash("A row that nobody can judge"): "fragment"},
		Adjacent: hasWord("prompts"),
	}
	kept, removed := Clean(in, lock, lists, 0.95)
	want := []string{"he answered the prompts", "how deep is the lake", "tell me about prompts"}
	if diff := cmp.Diff(want, textsOf(kept)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{
		"drop list: fragment": 1, "security-adjacent, no prompt": 1, "both classes": 2, "exact repeat": 1,
	}, reasons(removed)); diff != "" {
		t.Error(diff)
	}
	for _, m := range removed {
		if (m.Reason == "both classes" || m.Reason == "exact repeat") && m.Partner == "" {
			t.Errorf("%+v names no partner", m)
		}
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
}

func TestFamiliesJoinWhatMayNotBeParted(t *testing.T) {
	s := sentences(14, "families")
	in := make([]Record, len(s))
	for i := range in {
		in[i] = pool(dataset.Benign, s[i])
	}
	in[1].Text = strings.ToUpper(in[0].Text)                                                       // exact
	in[3].Text = strings.ReplaceAll(in[2].Text, "a", "а\u200b")                                    // skeleton: Cyrillic, zero-width
	in[4].Carrier, in[5].Carrier = "document 1", "document 1"                                      // carrier
	in[6].Frame, in[7].Frame = "frame", "frame"                                                    // frame
	in[5].Frame = "frame"                                                                          // a chain of carrier and frame
	in[13].Text = strings.NewReplacer("e", "3", "o", "0", "s", "$", "a", "@").Replace(in[12].Text) // leet spelling
	near := []neardup.Pair{{I: 8, J: 9, Cosine: 0.8}}                                              // near
	kin := []Kin{{in[10].ID, in[11].ID}, {in[0].ID, "somebody else"}}                              // kin
	out := Families(in, near, kin)
	same := func(i, j int) bool { return out[i].Family == out[j].Family }
	for _, p := range [][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {4, 7}, {8, 9}, {10, 11}, {12, 13}} {
		if !same(p[0], p[1]) {
			t.Errorf("rows %d and %d are parted", p[0], p[1])
		}
	}
	names, _ := byFamily(out)
	if len(names) != 6 {
		t.Errorf("%d families, want 6", len(names))
	}
}

func TestHardBenignLosesAsLittleAsItCan(t *testing.T) {
	var in []Record
	add := func(family string, label dataset.Label, role Role, texts ...string) {
		for _, text := range texts {
			r := pool(label, family+": "+text)
			r.Family, r.Role = family, role
			in = append(in, r)
		}
	}
	add("alone", 0, Pool, "prompts")
	add("mostly", 0, Pool, "prompts 1", "prompts 2", "lakes")
	add("even", 0, Pool, "prompts")
	add("even", 1, Pool, "an attack on prompts")
	add("seldom", 0, Pool, "prompts", "lakes 1", "lakes 2")
	add("none", 0, Pool, "lakes")
	add("attack", 1, Pool, "prompts")
	add("control", 0, Control, "prompts")
	kept, hard, removed := HardBenign(in, hasWord("prompts"))
	if diff := cmp.Diff([]string{"alone: prompts", "even: prompts", "mostly: prompts 1", "mostly: prompts 2"},
		textsOf(hard)); diff != "" {
		t.Error(diff)
	}
	left := []string{"attack: prompts", "control: prompts", "none: lakes", "seldom: lakes 1", "seldom: lakes 2"}
	if diff := cmp.Diff(left, textsOf(kept)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{
		"in a hard-benign family, benign": 1, "in a hard-benign family, injection": 1,
		"adjacent, in a family that is mostly not": 1,
	}, reasons(removed)); diff != "" {
		t.Error(diff)
	}
}
