package builder

import (
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/textnorm"
)

// A doubt about a class is one about every row made of the text: reworded, disguised, or in other surroundings.
func TestTheColumnDisputedFollowsATextThroughAllThatIsMadeOfIt(t *testing.T) {
	s := small()
	for _, it := range s.items[0] {
		if strings.HasPrefix(it.Text, "execute") || it.Label == dataset.Benign && len(it.Text)%2 == 0 {
			s.lists.Disputed[textnorm.ExactHash(it.Text)] = "may be meant"
		}
	}
	listed := map[string]bool{} // by ID
	for _, it := range s.items[0] {
		_, listed[recordID("prompts", it.Label, it.Text)] = s.lists.Disputed[textnorm.ExactHash(it.Text)]
	}
	seen := map[string]int{}
	for _, f := range s.build(t).files {
		column := slices.Index(f.Columns, "disputed")
		for i, r := range f.Records {
			want := "no"
			if listed[r.seedID()] {
				want = "yes"
				seen[f.Path]++
				if r.Round > 0 {
					seen["reworded"]++
				}
			}
			if got := f.Rows[i][column]; got != want {
				t.Errorf("%s: %s of round %d is disputed: %s, want %s", f.Path, r.ID, r.Round, got, want)
			}
		}
	}
	for _, what := range []string{"reworded", trainFile, testFile, hardBenignFile, obfuscatedAttacksFile,
		obfuscatedBenignFile, structuralFile, heldOutFile, domainFile} {
		if seen[what] == 0 {
			t.Errorf("no disputed row is in %s, so this shows nothing", what)
		}
	}
}
