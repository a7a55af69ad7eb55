package builder

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/leak"
	"pidsbench/internal/subtype"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

// origin is the file whose rows a file repeats: itself for most.
func origin(path string) string {
	switch path {
	case balancedFile, obfuscatedAttacksFile, obfuscatedBenignFile, parentsFile, heldOutFile, heldOutSeedsFile:
		return testFile
	case structuralFile:
		return structuralSeedsFile
	case siblingsFile: // other rows of its families
		return negativeTrainFile
	}
	return path
}

// clean is the text of a row before we disguised or surrounded it.
func clean(r Record) string {
	if r.Clean != "" {
		return r.Clean
	}
	return r.Text
}

func TestEveryFileOfAnEditionIsMade(t *testing.T) {
	var paths []string
	for _, f := range smallBuild(t).files {
		paths = append(paths, f.Path)
		for i, row := range f.Rows {
			if len(row) != len(f.Columns) {
				t.Fatalf("%s: row %d has %d fields, want %d", f.Path, i, len(row), len(f.Columns))
			}
		}
	}
	want := []string{trainFile, valFile, testFile, hardBenignFile, ordinaryFile, balancedFile, obfuscatedAttacksFile,
		obfuscatedBenignFile, parentsFile, domainFile, structuralFile, structuralSeedsFile, heldOutFile, heldOutSeedsFile,
		negativeTrainFile, negativeValFile, thirdPartyFile, ordinaryArmFile}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
}

func TestFilesHoldWhatTheConfigurationAsksFor(t *testing.T) {
	b := smallBuild(t)
	for _, tt := range []struct {
		path              string
		benign, injection int
	}{
		{trainFile, 74, 80}, {valFile, 12, 15}, {testFile, 28, 30}, {hardBenignFile, 9 + 8, 0}, {ordinaryFile, 20, 0},
		{balancedFile, 12, 5*4 + 3}, {obfuscatedAttacksFile, 0, 13}, {obfuscatedBenignFile, 8, 0}, {parentsFile, 8, 13},
		{domainFile, 6, 3}, {structuralFile, 15, 15}, {structuralSeedsFile, 5, 5}, {heldOutFile, 20, 20},
		{heldOutSeedsFile, 4, 4}, {negativeTrainFile, 6, 0}, {negativeValFile, 4, 0}, {thirdPartyFile, 5, 0},
		{ordinaryArmFile, 5, 0},
	} {
		if n := countFile(b.file(t, tt.path)); n.Benign != tt.benign || n.Injection != tt.injection {
			t.Errorf("%s holds %s, want %d and %d", tt.path, n, tt.benign, tt.injection)
		}
	}
}

func TestPermutedSourcesGiveTheSameFiles(t *testing.T) {
	want := smallBuild(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := small()
	for _, rows := range s.items {
		draw.Order(rows, 5, "permute", func(it Item) string { return it.Text + it.Carrier })
	}
	slices.Reverse(s.texts)
	got := s.build(t)
	if diff := cmp.Diff(want.files, got.files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.removed, got.removed); diff != "" {
		t.Errorf("the removal log differs: %s", diff)
	}
	if diff := cmp.Diff(want.families, got.families); diff != "" {
		t.Errorf("the families differ: %s", diff)
	}
}

func TestAnotherSeedGivesOtherFiles(t *testing.T) {
	want := smallBuild(t)
	s := small()
	s.cfg.Seed = 43
	got := s.build(t)
	for i, f := range want.files {
		if cmp.Equal(f.Rows, got.files[i].Rows) {
			t.Errorf("the seed changes nothing in %s", f.Path)
		}
	}
}

func TestEveryRecordIsAccountedForOnce(t *testing.T) {
	s := small()
	b := smallBuild(t)
	in := map[string]bool{}
	for rank := range s.items {
		for _, it := range s.items[rank] {
			in[recordID(s.lock.Sources[rank].ID, it.Label, it.Text)] = true
		}
	}
	for _, r := range s.texts {
		in[r.ID] = true
	}
	if _, err := s.reword(t.Context(), b.seeds(t), 2); err != nil {
		t.Fatal(err)
	}
	for _, id := range s.reworded {
		in[id] = true
	}
	for _, r := range b.stage(t, stageCarriers)[records] { // and what stage carriers made
		in[r.ID] = true
	}
	placed := map[string]string{} // record → what became of it
	for _, f := range b.files {
		for _, r := range f.Records {
			if at, ok := placed[r.ID]; ok && at != origin(f.Path) {
				t.Errorf("record %s is in %s and %s", r.ID, at, f.Path)
			}
			placed[r.ID] = origin(f.Path)
		}
	}
	fillers := map[string]bool{}
	held := b.stage(t, b.round()+stageHoldOut)
	for _, r := range slices.Concat(held["fillers"], held["structural_fillers"]) {
		if fillers[r.ID] {
			t.Errorf("filler %s pads texts of two files", r.ID)
		}
		fillers[r.ID] = true
	}
	for id := range fillers {
		if at, ok := placed[id]; ok {
			t.Errorf("filler %s is in %s", id, at)
		}
		placed[id] = "filler"
	}
	for _, r := range b.removed {
		if r.Reason == "repeat" { // one of the same ID is kept
			continue
		}
		if at, ok := placed[r.ID]; ok {
			t.Errorf("record %s is removed (%s: %s) and yet %s", r.ID, r.Stage, r.Reason, at)
		}
		placed[r.ID] = "removed by " + r.Stage
	}
	for id := range in {
		if placed[id] == "" {
			t.Errorf("record %s is in no file, no filler and not in the removal log", id)
		}
	}
	for id := range placed {
		if !in[id] {
			t.Errorf("record %s comes from nowhere", id)
		}
	}
}

func TestEveryStageThatNarrowsSaysWhy(t *testing.T) {
	got := map[string]bool{}
	for _, r := range smallBuild(t).removed {
		got[r.Stage+": "+r.Reason] = true
	}
	for _, want := range []string{
		"import: empty", "import: carrier already drawn from", "clean: drop list: fragment", "clean: near repeat",
		"clean: exact repeat", "clean: both classes", "clean: held-out disguise: fullwidth", "clean: read: ambiguous",
		"clean: read: harmful", "clean: security-adjacent, unread", "select: beyond the quota",
		"hard_benign: beyond the quotas", "control: beyond the quota", "balance: beyond the share of its source",
		"balance: beyond the quotas of benign", "split: no quota needs it", "domain_ood: no domain of the split",
		"domain_ood: beyond the quota", "hard_benign.curated: beyond the quota",
	} {
		if !got[want] {
			t.Errorf("nothing was removed by %s", want)
		}
	}
}

// Every name is made of the text before disguise, so this shows too that the clean text is kept.
func TestRowsAreNamedAfterTheirCleanText(t *testing.T) {
	for _, f := range smallBuild(t).files {
		for _, r := range f.Records {
			if id := recordID(r.Source, r.Label, clean(r)); r.ID != id {
				t.Errorf("%s: row %s has the clean text of %s", f.Path, r.ID, id)
			}
		}
	}
}

// noLeaks compares all rows of files with different origins with each other.
func noLeaks(t *testing.T, files []File, threshold float64) {
	t.Helper()
	// Distinct texts, and where they stand; so that no repetition moves a cosine.
	var rows, plain []Record
	where := [2]map[string]string{{}, {}}
	keys := map[string]string{} // kind and key → file
	for _, f := range files {
		home := origin(f.Path)
		for _, r := range f.Records {
			if where[0][r.Text] == "" {
				where[0][r.Text], rows = home, append(rows, r)
			}
			if form := textnorm.Plain(r.Text); where[1][form] == "" {
				where[1][form], plain = home, append(plain, Record{Text: form})
			}
			for _, key := range []string{"family " + r.Family, "raw " + r.Text, "exact " + textnorm.Exact(r.Text),
				"skeleton " + textnorm.Skeleton(r.Text), "plain " + textnorm.Plain(r.Text), "carrier " + r.Carrier,
				"frame " + r.Frame, "seed " + r.seedID()} {
				if strings.HasSuffix(key, " ") {
					continue
				}
				if at, ok := keys[key]; ok && at != home {
					t.Errorf("%.60q is in %s and %s", key, at, f.Path)
				}
				keys[key] = home
			}
		}
	}
	for i, distinct := range [][]Record{rows, plain} {
		for _, p := range alike(distinct, threshold) {
			a, b := where[i][distinct[p.I].Text], where[i][distinct[p.J].Text]
			if a != b {
				t.Errorf("rows of %s and %s have the cosine %.3f", a, b, p.Cosine)
			}
		}
	}
}

func TestNoFileLeaksIntoAnother(t *testing.T) {
	s := small()
	b := smallBuild(t)
	noLeaks(t, b.files, s.cfg.Family)
	for _, f := range b.files {
		ids := map[string]bool{}
		for _, r := range b.file(t, origin(f.Path)).Records {
			ids[r.ID] = true
		}
		for _, r := range f.Records {
			if !ids[r.ID] {
				t.Errorf("%s holds %s, which %s does not", f.Path, r.ID, origin(f.Path))
			}
		}
	}
}

func TestReadRowsStandOnlyWhereTheirVerdictSays(t *testing.T) {
	s := small()
	hard := []string{hardBenignFile, thirdPartyFile, structuralFile, structuralSeedsFile}
	seen := map[string]bool{}
	for _, f := range smallBuild(t).files {
		for _, r := range f.Records {
			if r.Label == dataset.Injection || r.Source == TemplateSource {
				continue
			}
			v := s.lists.Verdicts[textnorm.ExactHash(clean(r))]
			if v.Verdict == verdictAmbiguous || v.Verdict == verdictHarmful ||
				v.Verdict == "" && s.lists.Adjacent(clean(r)) {
				t.Errorf("%s holds a row with the verdict %q", f.Path, v.Verdict)
			}
			if keep := v.Verdict == verdictKeep; keep && !slices.Contains(hard, f.Path) {
				t.Errorf("%s holds the security-adjacent row %s", f.Path, r.ID)
			} else if keep != (r.Topic != "") || r.Topic != v.Topic {
				t.Errorf("%s: row %s with the verdict %+v has the topic %q", f.Path, r.ID, v, r.Topic)
			}
			seen[f.Path+v.Verdict], seen[v.Verdict] = true, true
		}
	}
	for _, path := range hard {
		if !seen[path+verdictKeep] {
			t.Errorf("%s holds no security-adjacent row", path)
		}
	}
	if !seen["homonym"] {
		t.Error("no file holds a homonym, so this shows little")
	}
}

func TestRowsHaveAnAttackTypeIfAndOnlyIfTheyAttack(t *testing.T) {
	for _, f := range smallBuild(t).files {
		for _, r := range f.Records {
			if (r.Label == dataset.Injection) != slices.Contains(subtype.Types(), r.AttackType) {
				t.Errorf("%s: row %s of class %d has the attack type %q", f.Path, r.ID, r.Label, r.AttackType)
			}
			if r.AttackType != "" && r.Source != TemplateSource && r.AttackRule == "" {
				t.Errorf("%s: row %s names no rule", f.Path, r.ID)
			}
		}
	}
}

func TestRewordingsStayWithTheirSeedAndSayWhatTheyAre(t *testing.T) {
	home := map[string]string{}
	rounds := map[int]int{}
	for _, f := range smallBuild(t).files {
		for _, r := range f.Records {
			if at, ok := home[r.seedID()]; ok && at != origin(f.Path) {
				t.Errorf("seed %s is in %s and %s", r.seedID(), at, f.Path)
			}
			home[r.seedID()] = origin(f.Path)
			if (r.Round > 0) != (r.Parent != "") || (r.Round > 0) != (r.Generator != "") {
				t.Errorf("%s: %s has round %d, parent %q, generator %q", f.Path, r.ID, r.Round, r.Parent, r.Generator)
			}
			if r.Round > 0 && (r.AttackType != "tool_injection" || r.Source == TemplateSource) {
				t.Errorf("%s: a %s of %s was reworded", f.Path, r.AttackType, r.Source)
			}
			rounds[r.Round]++
		}
	}
	if rounds[0] == 0 || rounds[1] == 0 || rounds[2] == 0 {
		t.Errorf("rows by round: %v", rounds)
	}
}

func TestObfuscatedAttacksHaveParentsAndTwins(t *testing.T) {
	s := small()
	b := smallBuild(t)
	byPair := func(path string) map[string]Record {
		out := map[string]Record{}
		for _, r := range b.file(t, path).Records {
			key := fmt.Sprint(r.Pair, r.Label)
			if _, twice := out[key]; twice || r.Pair == "" {
				t.Errorf("%s: pair %q stands twice or has no name", path, r.Pair)
			}
			out[key] = r
		}
		return out
	}
	attacks, twins, parents := byPair(obfuscatedAttacksFile), byPair(obfuscatedBenignFile), byPair(parentsFile)
	kinds := map[string]int{}
	inTest := map[string]Record{}
	for _, r := range b.file(t, testFile).Records {
		inTest[r.ID] = r
	}
	for key, a := range attacks {
		kinds[disguise.KindOf(a.Obfuscation)]++
		p, ok := parents[key]
		if !ok || p.ID != a.ID || p.Text != a.Clean || p.Obfuscation != "none" || p.Edits != 0 || p.Family != a.Family {
			t.Errorf("attack %s has the parent %+v", a.ID, p)
		}
		if a.Text == a.Clean || a.Edits < 1 || !cmp.Equal(inTest[a.ID], a) {
			t.Errorf("attack %s is no obfuscated row of test", a.ID)
		}
		if twin, ok := twins[fmt.Sprint(a.Pair, dataset.Benign)]; ok && twin.Obfuscation != a.Obfuscation {
			t.Errorf("attack %s is in %s, its twin in %s", a.ID, a.Obfuscation, twin.Obfuscation)
		}
	}
	low, high := len(attacks), 0
	for _, kind := range disguise.Kinds {
		low, high = min(low, kinds[kind]), max(high, kinds[kind])
	}
	if high-low > 1 {
		t.Errorf("the kinds come %v times", kinds)
	}
	disguisedInTest := 0
	for key, r := range twins {
		if p := parents[key]; p.ID != r.ID || p.Text != r.Clean {
			t.Errorf("twin %s has the parent %+v", r.ID, p)
		}
		if _, ok := attacks[fmt.Sprint(r.Pair, dataset.Injection)]; !ok {
			t.Errorf("%s is the twin of no attack", r.ID)
		}
		switch of := inTest[r.ID]; {
		case of.Text == r.Text:
			disguisedInTest++
		case of.Text != r.Clean || of.Pair != "":
			t.Errorf("%s stands in test neither plain nor as the twin", r.ID)
		}
	}
	if o := s.cfg.Obfuscation; len(twins) != o.Twins || disguisedInTest != o.Test.Benign ||
		len(attacks) != o.Test.Injection {
		t.Errorf("%d attacks, %d twins, %d of these in test", len(attacks), len(twins), disguisedInTest)
	}
	if len(parents) != len(attacks)+len(twins) {
		t.Errorf("%d parents of %d rows", len(parents), len(attacks)+len(twins))
	}
}

func TestHeldOutDisguisesHaveTheSameRowsAndNoneShowsInTraining(t *testing.T) {
	s := small()
	b := smallBuild(t)
	by := map[string]map[string]Record{}
	for _, r := range b.file(t, heldOutFile).Records {
		if by[r.Obfuscation] == nil {
			by[r.Obfuscation] = map[string]Record{}
		}
		by[r.Obfuscation][r.ID] = r
	}
	seeds := map[string]Record{}
	for _, r := range b.file(t, heldOutSeedsFile).Records {
		seeds[r.ID] = r
	}
	if len(by) != len(disguise.HeldOuts) {
		t.Errorf("rows stand in %d forms", len(by))
	}
	for _, h := range disguise.HeldOuts {
		if len(by[h.Name]) != 2*s.cfg.HeldOut.Seeds {
			t.Errorf("%s has %d rows", h.Name, len(by[h.Name]))
		}
		for id, r := range by[h.Name] {
			if seed := seeds[id]; seed.Text == "" || seed.Text != r.Clean || r.Text == r.Clean || r.Edits < 1 {
				t.Errorf("%s: row %s stands beside the plain text %q", h.Name, id, seed.Text)
			}
		}
		for _, path := range []string{trainFile, valFile} {
			for _, r := range b.file(t, path).Records {
				if h.Shows(r.Text) {
					t.Errorf("%s: %s shows %s", path, r.ID, h.Name)
				}
			}
		}
	}
	train := b.file(t, trainFile).Records
	marked, _ := disguise.HeldOuts[0].Apply(train[0].Text, draw.Stream{})
	err := checkHeldOut("train", append(slices.Clone(train), Record{ID: "x", Text: marked}))
	testenv.WantFault(t, err, fault.Integrity, "train: x shows the held-out disguise fullwidth")
}

func TestStructuralRowsGiveTheirSeedsBack(t *testing.T) {
	s := small()
	b := smallBuild(t)
	seeds := map[string]Record{}
	adjacent := map[dataset.Label]int{}
	for _, r := range b.file(t, structuralSeedsFile).Records {
		seeds[r.ID] = r
		if r.Topic != "" {
			adjacent[r.Label]++
		}
	}
	if adjacent[dataset.Benign] != s.cfg.Structural.Adjacent || adjacent[dataset.Injection] != 0 {
		t.Errorf("%v of the seeds are security-adjacent", adjacent)
	}
	for _, r := range b.file(t, structuralFile).Records {
		got, err := disguise.Placed{Text: r.Text, Start: r.Shift.Start, Length: r.Shift.Length}.Unwrap()
		if err != nil || got != seeds[r.ID].Text {
			t.Errorf("%s of %s gives back %q, %v", r.Shift.Transform, r.ID, got, err)
		}
	}
}

func TestLeaksNamesRowsOfOtherFilesThatAreAlike(t *testing.T) {
	s := sentences(10, "leaks")
	rec := func(text, family string) Record {
		r := pool(dataset.Benign, text)
		r.Family = family
		return r
	}
	leet := strings.NewReplacer("e", "3", "o", "0", "a", "4")
	files := []File{
		{Path: testFile, Records: []Record{
			rec(s[0], "0"), rec(s[1], "1"), rec(s[2], "2"), rec(s[3], "3"), rec(s[3]+" x", "3"), rec(s[8], "7"),
		}},
		{Path: "b.csv", Records: []Record{
			rec(s[4], "0"), rec(strings.ToUpper(s[1]), "4"), rec(strings.ReplaceAll(s[2], "a", "а"), "5"),
			rec(s[3]+" then", "6"), rec(leet.Replace(s[8]), "8"),
		}},
		{Path: obfuscatedAttacksFile, Records: []Record{rec(s[0], "3"), rec(s[9], "2")}},
	}
	files[0].Records[0].Frame, files[1].Records[4].Frame = "f", "f"
	files[0].Records[1].Carrier, files[1].Records[3].Carrier = "c", "c"
	files[1].Records[4].Parent = files[0].Records[2].ID
	leaks := func(files []File) []Leak {
		t.Helper()
		l, err := Leaks(t.Context(), files, 0.8)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	got := map[leak.Kind]map[Kin]bool{}
	for _, l := range leaks(files) {
		if l.Files != [2]string{testFile, "b.csv"} {
			t.Errorf("a leak between %v", l.Files)
		}
		if got[l.Kind] == nil {
			got[l.Kind] = map[Kin]bool{}
		}
		got[l.Kind][l.Kin] = true
	}
	kin := func(pairs ...[2]int) map[Kin]bool { // rows of the two files
		out := map[Kin]bool{}
		for _, p := range pairs {
			out[Kin{files[0].Records[p[0]].ID, files[1].Records[p[1]].ID}] = true
		}
		return out
	}
	for kind, want := range map[leak.Kind]map[Kin]bool{
		leak.Family: kin([2]int{0, 0}), leak.Frame: kin([2]int{0, 4}), leak.Carrier: kin([2]int{1, 3}),
		leak.Parent: kin([2]int{2, 4}), leak.Exact: kin([2]int{1, 1}), leak.Skeleton: kin([2]int{1, 1}, [2]int{2, 2}),
	} {
		if diff := cmp.Diff(want, got[kind]); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
	// Of near rows with one text or plain form each has at least one partner; the families of that one are joined.
	for k := range kin([2]int{1, 1}, [2]int{2, 2}, [2]int{3, 3}, [2]int{5, 4}) {
		if !got[leak.Near][k] {
			t.Errorf("%v are not near", k)
		}
	}
	if clean := leaks(files[:1]); clean != nil {
		t.Errorf("one file leaks into itself: %v", clean)
	}
	// Files derived from one file may repeat it and each other, and nobody else.
	other := File{Path: parentsFile, Records: []Record{files[2].Records[0]}}
	if l := leaks([]File{files[2], files[0], other}); l != nil {
		t.Errorf("derived files leak %v", l)
	}
	if l := leaks([]File{files[2], {Path: "b.csv", Records: []Record{rec(s[9], "x")}}, files[0]}); len(l) == 0 ||
		l[0].Files != [2]string{obfuscatedAttacksFile, "b.csv"} {
		t.Errorf("a derived file leaks %v", l)
	}
	testenv.WantFault(t, leakError(leaks(files)), fault.Integrity, "family in test.csv and b.csv: 1, such as ours_")
}

func TestFamiliesAreJoinedUntilNothingLeaks(t *testing.T) {
	// Twins share words that are frequent among the control candidates, so they are not near each other there. Most
	// candidates are never drawn: in the files the shared words are rare, and the twins are near.
	const threshold = 0.75
	s := small()
	s.files[LockPath] = "another"
	s.cfg.Family, s.cfg.FamilyMargin = threshold, 0
	common := strings.Fields(strings.Join(sentences(20, "common"), " "))[:96]
	for i, own := range sentences(24, "twins") {
		for _, w := range strings.Fields(own)[:2] {
			s.items[0] = append(s.items[0], Item{Text: strings.Join(append(slices.Clone(common[4*i:4*i+4]), w), " ")})
		}
	}
	for i := range 600 {
		d := draw.New(2, "candidates", strconv.Itoa(i))
		words := make([]string, 4)
		for k := range words {
			words[k] = common[d.Below(len(common))]
		}
		s.items[4] = append(s.items[4], Item{Text: strings.Join(words, " ")})
	}
	dir := t.TempDir()
	b, err := s.assembleIn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if b.rounds < 2 {
		t.Fatal("nothing leaked in the first round, so this shows nothing")
	}
	noLeaks(t, b.files, threshold)
	again, err := s.assembleIn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.ran) > 0 {
		t.Errorf("nothing changed, and yet %v ran", again.ran)
	}
	sameEdition(t, "second build", b, again)
	// A build that needs one round leaves no other, and nothing else of what lay there.
	if _, err := small().assembleIn(t, dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(smallBuild(t).left, tree(t, dir)); diff != "" {
		t.Errorf("an earlier build left something: %.2000s", diff)
	}
}

func TestControlRowsNearOtherSplitsAreReplaced(t *testing.T) {
	b := smallBuild(t)
	near := 0
	for _, m := range b.removed {
		if m.Stage == stageControl && m.Reason == "in a family of another split" {
			near++
		}
	}
	if near != 3 {
		t.Errorf("%d rows were removed for being near another split, want 3", near)
	}
	for _, r := range b.file(t, ordinaryFile).Records {
		if strings.Contains(r.Text, " likewise") {
			t.Errorf("the control holds %q, which is near another split", r.Text)
		}
	}
}

func TestAssembleStopsWithTheContext(t *testing.T) {
	s := small()
	w := s.workshop(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.ctx = ctx
	if _, err := assemble(w, s.plan()); err == nil || len(s.runs) > 0 {
		t.Errorf("a stopped build read %v and ends with the error %v", s.runs, err)
	}
}

func TestMissedCountsAreNamedTogether(t *testing.T) {
	found := []Expected{
		{File: "train.csv", Benign: 3, Injection: 2, Sources: map[string]int{"a": 4, "b": 1}},
		{File: "new.csv", Benign: 1},
	}
	expected := []Expected{
		{File: "train.csv", Benign: 4, Injection: 2, Sources: map[string]int{"a": 4, "c": 1}},
		{File: "val.csv", Benign: 1, Injection: 1},
	}
	err := checkCounts(found, expected)
	testenv.WantFault(t, err, fault.Integrity, ConfigPath, "train.csv: benign 3, expected 4",
		"train.csv: source b 1, expected 0",
		"train.csv: source c 0, expected 1", "new.csv: 1 benign and 0 injection, expected no such file",
		"val.csv: not built, expected 1 benign and 1 injection", "5 of its counts")
	if strings.Contains(err.Error(), "source a") || strings.Contains(err.Error(), "injection 2") {
		t.Errorf("the error names counts that are right: %v", err)
	}
	if err := checkCounts(found, found); err != nil {
		t.Error(err)
	}
}
