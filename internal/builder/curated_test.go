package builder

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/grammar"
	"pidsbench/internal/neardup"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

// curatedRows makes so many rows of each frame of a topic.
func curatedRows(topic string, frames ...int) (in []Record) {
	for f, n := range frames {
		for k := range n {
			r := pool(dataset.Benign, fmt.Sprint(topic, f, "/", k))
			r.Role, r.Topic, r.Frame, r.Own = Curated, topic, fmt.Sprint(topic, f), true
			in = append(in, r)
		}
	}
	return in
}

func TestCuratedTopicsAreEvenAndTheirFramesServeInTurn(t *testing.T) {
	in := slices.Concat(curatedRows("models", 30, 30, 30), curatedRows("policy", 1, 2, 40, 40), curatedRows("roles", 99))
	canonical(in)
	out, removed, err := CuratedRows(in, HardBenignConfig{Curated: 35}, 42)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range out {
		count[r.Topic]++
		count[r.Frame]++
	}
	for topic, want := range map[string]int{"models": 12, "policy": 12, "roles": 11, // 35 of three
		"models0": 4, "models1": 4, "models2": 4, "policy0": 1, "policy1": 2, "roles0": 11} {
		if count[topic] != want {
			t.Errorf("%d rows of %s, want %d", count[topic], topic, want)
		}
	}
	if d := count["policy2"] - count["policy3"]; count["policy2"]+count["policy3"] != 9 || d*d != 1 {
		t.Errorf("%d and %d rows of the large frames, want 9 in turn", count["policy2"], count["policy3"])
	}
	if len(out)+len(removed) != len(in) || reasons(removed)["beyond the quota"] != len(removed) {
		t.Errorf("%d rows, %v removed of %d", len(out), reasons(removed), len(in))
	}
	draw.Order(in, 3, "permute", byID)
	again, _, err := CuratedRows(in, HardBenignConfig{Curated: 35}, 42)
	if diff := cmp.Diff(out, again); diff != "" || err != nil {
		t.Errorf("the order of the rows matters: %s (%v)", diff, err)
	}
}

func TestAShortCuratedTopicIsNamed(t *testing.T) {
	in := slices.Concat(curatedRows("models", 9), curatedRows("policy", 2, 1))
	_, _, err := CuratedRows(in, HardBenignConfig{Curated: 8}, 42)
	testenv.WantFault(t, err, fault.Integrity, ConfigPath,
		"field hard_benign.curated asks for 4 authored rows of policy, found 3")
	_, _, err = CuratedRows(nil, HardBenignConfig{Curated: 8}, 42)
	testenv.WantFault(t, err, fault.Integrity, "field hard_benign.curated asks for 8 authored rows, found none")
	if out, removed, err := CuratedRows(in, HardBenignConfig{}, 42); len(out) > 0 || len(removed) != 12 || err != nil {
		t.Errorf("no rows asked for: %d, %d removed, %v", len(out), len(removed), err)
	}
}

// D4: what trains the augmented arms has neither the frames of the curated rows nor the values of their slots.
func TestCuratedRowsAndHardNegativesShareNoFrameAndNoValue(t *testing.T) {
	root := testenv.Root(t)
	cfg, err := LoadConfig(root)
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	var names [][2]string          // file and frame, by the position of the pattern
	home := map[string][2]string{} // value → file and slot
	for _, file := range []string{"hard_benign.yaml", "hard_negative.yaml"} {
		f, err := grammar.Load(root, authoredDir+"grammar/"+file)
		if err != nil {
			t.Fatal(err)
		}
		for _, fr := range f.Frames {
			patterns, names = append(patterns, fr.Pattern()), append(names, [2]string{file, fr.ID})
			of := fr.Values()
			for _, slot := range slices.Sorted(maps.Keys(of)) {
				for _, v := range of[slot] {
					key := textnorm.Exact(v)
					if at, ok := home[key]; ok && at[0] != file {
						t.Errorf("%s: slot %s holds %q, and so does slot %s of %s", file, slot, v, at[1], at[0])
					}
					home[key] = [2]string{file, slot}
				}
			}
		}
	}
	for _, p := range neardup.Pairs(patterns, cfg.Family-cfg.FamilyMargin, 0) {
		if a, b := names[p.I], names[p.J]; a[0] != b[0] {
			t.Errorf("frame %s of %s is near frame %s of %s: cosine %.2f", b[1], b[0], a[1], a[0], p.Cosine)
		}
	}
	if len(home) < 100 {
		t.Errorf("%d values in all, so this shows little", len(home))
	}
}
