package builder

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

// withSiblings is small with further texts of the frames of hard negatives: the first frame has one that is near to its
// row, the second and third three that are near none. It returns these three frames too.
func withSiblings(t *testing.T) (s *source, frames []string) {
	t.Helper()
	s = small()
	s.cfg.Siblings = SiblingsConfig{Rows: 5, PerFrame: 2}
	rows := smallBuild(t).file(t, negativeTrainFile).Records
	for _, r := range rows {
		if !slices.Contains(frames, r.Frame) {
			frames = append(frames, r.Frame)
		}
	}
	if slices.Sort(frames); len(frames) != 3 {
		t.Fatalf("hard negatives of %d frames, want 3", len(frames))
	}
	add := func(frame, text string) {
		r := rows[0]
		r.Frame, r.Text, r.Family = frame, text, ""
		r.ID = recordID(r.Source, r.Label, text)
		s.more = append(s.more, r)
	}
	first := rows[slices.IndexFunc(rows, func(r Record) bool { return r.Frame == frames[0] })]
	add(frames[0], first.Text)
	add(frames[0], strings.ToUpper(first.Text))
	add(frames[0], first.Text+" then")
	fresh := sentences(9, "siblings")
	for i, text := range fresh[:6] {
		add(frames[1+i%2], "on prompts "+text)
	}
	add(frames[1], smallBuild(t).file(t, testFile).Records[0].Text+" likewise")
	add(frames[2], "ｆｕｌｌｗｉｄｔｈ "+fresh[6])
	for _, text := range fresh[7:] {
		add(smallBuild(t).file(t, negativeValFile).Records[0].Frame, "on prompts "+text)
	}
	return s, frames
}

func TestSiblingsAreFurtherTextsOfTheFramesOfHardNegatives(t *testing.T) {
	want := smallBuild(t)
	s, frames := withSiblings(t)
	b := s.build(t)
	if diff := cmp.Diff(want.files, b.files[:len(want.files)]); diff != "" {
		t.Errorf("siblings change other files: %s", diff)
	}
	if diff := cmp.Diff(want.families, b.families); diff != "" {
		t.Errorf("siblings change families: %s", diff)
	}
	family, forms := map[string]string{}, map[string]bool{}
	for _, r := range b.file(t, negativeTrainFile).Records {
		family[r.Frame] = r.Family
		forms[textnorm.Exact(r.Text)] = true
	}
	file := b.file(t, siblingsFile)
	count := map[string]int{}
	for i, r := range file.Records {
		count[r.Frame]++
		if r.Family != family[r.Frame] || r.Family == "" {
			t.Errorf("%s of frame %s has the family %q, want %q", r.ID, r.Frame, r.Family, family[r.Frame])
		}
		if forms[textnorm.Exact(r.Text)] {
			t.Errorf("%s stands in %s", r.ID, negativeTrainFile)
		}
		if at := slices.Index(file.Columns, "split"); file.Rows[i][at] != "test" {
			t.Errorf("%s is of split %s", r.ID, file.Rows[i][at])
		}
	}
	if diff := cmp.Diff(map[string]int{frames[0]: 1, frames[1]: 2, frames[2]: 2}, count); diff != "" {
		t.Errorf("rows by frame: %s", diff)
	}
	got := map[string]int{}
	for _, r := range b.removed {
		if r.Stage == stageSiblings {
			got[r.Reason]++
		}
	}
	if diff := cmp.Diff(map[string]int{"exact repeat": 1, "near a row of another split": 1, "beyond the quota": 2,
		"held-out disguise: fullwidth": 1}, got); diff != "" {
		t.Errorf("removed: %s", diff)
	}
	slices.Reverse(s.more)
	if diff := cmp.Diff(b.files, s.build(t).files); diff != "" {
		t.Errorf("the order of the texts matters: %s", diff)
	}
}

func TestTooFewSiblingsAreAnError(t *testing.T) {
	s, _ := withSiblings(t)
	s.cfg.Siblings.Rows = 6
	_, err := s.assembleIn(t, smallBuild(t).folder(t))
	testenv.WantFault(t, err, fault.Integrity, ConfigPath, "field siblings.rows holds 6, expected at most 5")
}

func TestSiblingsAreFarFromAllButTheirFrames(t *testing.T) {
	s, _ := withSiblings(t)
	b := s.build(t)
	sibling := b.file(t, siblingsFile)
	if l, err := Leaks(t.Context(), b.files, s.cfg.Family); len(l) > 0 || err != nil {
		t.Errorf("the files leak %v, %v", l, err)
	}
	for _, path := range []string{negativeValFile, trainFile, hardBenignFile} {
		other := File{Path: path, Records: sibling.Records[:1]}
		if l, err := Leaks(t.Context(), []File{other, sibling}, s.cfg.Family); len(l) == 0 || err != nil {
			t.Errorf("a sibling in %s is no leak: %v", path, err)
		}
	}
}

func TestTheFramesOfSiblingsGoOnBehindThoseOfTheOtherFiles(t *testing.T) {
	c := Config{Siblings: SiblingsConfig{Rows: 9, PerFrame: 2}}
	c.Authored.Frames = []FrameFile{{"a.yaml", 8, HardNegative}, {"b.yaml", 8, Curated}, {"c.yaml", 8, Pool}}
	c.Authored.Texts = []AuthoredFile{{"d.yaml", HardNegative}}
	want := AuthoredConfig{Frames: []FrameFile{{"a.yaml", 8 + 2*siblingTries, HardNegative}}}
	if diff := cmp.Diff(want, c.siblingFrames()); diff != "" {
		t.Error(diff)
	}
}
