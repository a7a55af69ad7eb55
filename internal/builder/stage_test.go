package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/leak"
	"pidsbench/internal/lists"
	"pidsbench/internal/neardup"
	"pidsbench/internal/subtype"
	"pidsbench/internal/textnorm"
)

// the stages of a build, and for each what it reads of others
var readsOf = map[string][]string{
	stageImport: nil, stageAuthored: nil, stageClassify: {stageImport, stageAuthored}, stageClean: {stageClassify},
	stageParaphrase: {stageClean}, stageSelect: {stageParaphrase}, stageCarriers: {stageSelect},
	stageNear: {stageCarriers}, stageFamilies: {stageCarriers, stageNear}, stageHoldOut: {stageFamilies},
	stageBalance: {stageHoldOut}, stageSplit: {stageBalance}, stageObfuscate: {stageSplit, stageHoldOut},
	stageSlices: {stageObfuscate},
	stageCheck:  {stageHoldOut, stageObfuscate, stageSlices},
}

func allStages() []string { return slices.Sorted(maps.Keys(readsOf)) }

// sorted names stages once each, whatever the round.
func sorted(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// downstream is every stage that reads one of the stages, directly or not, and these.
func downstream(of ...string) []string {
	out := slices.Clone(of)
	for grew := true; grew; {
		grew = false
		for stage, reads := range readsOf {
			if !slices.Contains(out, stage) && slices.ContainsFunc(reads,
				func(r string) bool { return slices.Contains(out, r) }) {
				out, grew = append(out, stage), true
			}
		}
	}
	return sorted(out)
}

// sameEdition compares all that a build makes.
func sameEdition(t *testing.T, what string, want, got *build) {
	t.Helper()
	for _, d := range []string{
		cmp.Diff(want.files, got.files, cmpopts.EquateEmpty()), cmp.Diff(want.removed, got.removed),
		cmp.Diff(want.families, got.families), cmp.Diff(want.rounds, got.rounds),
	} {
		if d != "" {
			t.Errorf("%s: the edition differs: %.2000s", what, d)
		}
	}
}

func TestASecondBuildRunsNoStage(t *testing.T) {
	first := smallBuild(t)
	if diff := cmp.Diff(allStages(), sorted(first.ran)); diff != "" || len(first.kept) > 0 {
		t.Fatalf("the first build kept %v: %s", first.kept, diff)
	}
	dir := first.folder(t)
	again := small()
	again.lists.Classify, again.lists.Adjacent = nil, nil // nobody may ask
	second, err := again.assembleIn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(second.ran) > 0 || len(again.runs) > 0 || len(again.reworded) > 0 {
		t.Errorf("the second build ran %v, read %v and reworded %d texts", second.ran, again.runs, len(again.reworded))
	}
	sameEdition(t, "second build", first, second)
	if diff := cmp.Diff(first.left, tree(t, dir)); diff != "" {
		t.Errorf("the second build wrote: %s", diff)
	}
}

func TestAChangeReachesWhatDependsOnItAndNothingElse(t *testing.T) {
	base := smallBuild(t)
	for _, tt := range []struct {
		name   string
		change func(*source)
		ran    []string // exactly
	}{
		{"slices.benign", func(s *source) { s.cfg.Slices.Benign-- }, downstream(stageSlices)},
		{"held_out_obfuscation.seeds", func(s *source) { s.cfg.HeldOut.Seeds-- }, downstream(stageSlices)},
		{"obfuscation.train", func(s *source) { s.cfg.Obfuscation.Train.Benign-- },
			[]string{stageObfuscate, stageCheck}},
		{"obfuscation.test", func(s *source) { s.cfg.Obfuscation.Test.Injection-- }, downstream(stageObfuscate)},
		{"obfuscation.weights", func(s *source) { s.cfg.Obfuscation.Weights["homoglyph"] = 5000 },
			downstream(stageObfuscate)},
		{"balance.max_frame", func(s *source) { s.cfg.Balance.MaxFrame++ }, []string{stageBalance, stageSplit}},
		{"hard_benign.real", func(s *source) { s.cfg.HardBenign.Real-- }, []string{stageHoldOut, stageCheck}},
		{"domain_ood", func(s *source) { s.cfg.Domain["medical"] = Domain{Benign: 1, Injection: 1} },
			[]string{stageHoldOut, stageCheck}},
		{"structural.seeds", func(s *source) { s.cfg.Structural.Seeds-- }, downstream(stageHoldOut)},
		{"structural.filler_chars", func(s *source) { s.cfg.Structural.FillerChars = 150 },
			append(downstream(stageObfuscate), stageHoldOut)},
		{"quotas.train", func(s *source) { s.cfg.Quotas.Train["benign"] -= 10 }, downstream(stageBalance)},
		{"family_margin", func(s *source) { s.cfg.FamilyMargin = 0.021 }, []string{stageNear}},
		{"family", func(s *source) { s.cfg.Family, s.cfg.FamilyMargin = 0.801, 0.021 }, []string{stageCheck}},
		{"near_duplicate", func(s *source) { s.cfg.NearDuplicate = 1 }, downstream(stageClean)},
		{"carriers.bare", func(s *source) { s.cfg.Carriers.Bare = 2 },
			[]string{stageCarriers, stageNear, stageFamilies, stageHoldOut, stageBalance, stageSplit, stageObfuscate,
				stageCheck}},
		{"paraphrase.rounds", func(s *source) { s.cfg.Paraphrase.Rounds["tool_injection"] = 1 }, downstream(stageParaphrase)},

		// So does a file. That its hash is an input is what the test below shows.
		{"a verdict", func(s *source) {
			s.files[hardBenignPath] = "another"
			s.lists.Verdicts[textnorm.ExactHash(s.items[0][0].Text)] = lists.Verdict{Verdict: verdictHarmful}
		}, []string{stageClean, stageParaphrase, stageSelect, stageCarriers, stageNear, stageFamilies,
			stageHoldOut, stageCheck}},
		{"an attack rule", func(s *source) {
			s.files[subtypePath] = "another"
			s.lists.Classify = func(text string) (m subtype.Match) {
				if m = classifyByWord(text); m.Rule == "default" {
					m.Type = "roleplay_attack"
				}
				return m
			}
		}, downstream(stageClassify)},
		{"the quota of a source", func(s *source) {
			s.files[LockPath] = "another"
			s.lock.Sources[1].Select.Max--
		}, append(downstream(stageSelect), stageImport, stageClean)},
		{"an added source", func(s *source) {
			s.files[LockPath] = "another"
			more := s.lock.Sources[2]
			more.ID = "notes"
			s.lock.Sources = append(s.lock.Sources, more)
			s.items = append(s.items, nil)
			for _, text := range sentences(12, "notes") {
				s.items[5] = append(s.items[5], Item{Text: text})
			}
			for i := range s.texts {
				s.texts[i].Rank++
			}
			s.documents.rank++
		}, allStages()},
		{"the seed", func(s *source) { s.cfg.Seed++ }, allStages()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := small()
			tt.change(s)
			got, err := s.assembleIn(t, base.folder(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sorted(tt.ran), sorted(got.ran)); diff != "" {
				t.Errorf("other stages ran: %s", diff)
			}
			if !strings.Contains(tt.name, " ") { // what reads a parameter is plain from the stages that ran
				return
			}
			fresh := small()
			tt.change(fresh)
			sameEdition(t, "compared with a fresh build", fresh.build(t), got)
		})
	}
}

func TestStagesNameTheFilesThatTheyRead(t *testing.T) {
	got := map[string][]string{}
	for path, data := range smallBuild(t).left {
		if filepath.Base(path) != manifestFile {
			continue
		}
		var m stageManifest
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			t.Fatal(err)
		}
		for in, sum := range m.Inputs {
			if !strings.HasSuffix(in, ".yaml") {
				if len(sum) != 64 {
					t.Errorf("%s has the input %s with the hash %q", path, in, sum)
				}
				continue
			}
			if sum != "hash of "+in {
				t.Errorf("%s has the input %s with the hash %q", path, in, sum)
			}
			got[in] = append(got[in], filepath.Base(filepath.Dir(path)))
		}
	}
	want := map[string][]string{
		LockPath:       {stageImport, stageClean, stageSelect, stageHoldOut},
		GoalsPath:      {stageImport},
		dropPath:       {stageImport, stageClassify, stageClean}, // templates are dropped before they are filled
		ownFrames[0]:   {stageAuthored, stageCarriers},
		domainPath:     {stageClassify},
		subtypePath:    {stageClassify},
		adjacentPath:   {stageClean},
		hardBenignPath: {stageClean, stageHoldOut},
		paraphrasePath: {stageParaphrase},
	}
	for path := range want {
		if diff := cmp.Diff(sorted(want[path]), sorted(got[path])); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		delete(got, path)
	}
	if len(got) > 0 {
		t.Errorf("stages read %v too", got)
	}
}

func TestADamagedStageIsMadeAgain(t *testing.T) {
	s := small()
	base := smallBuild(t)
	whole, dir := base.left, base.folder(t)
	stages := map[string][]string{} // folder → files
	for _, path := range slices.Sorted(maps.Keys(whole)) {
		stages[filepath.Dir(path)] = append(stages[filepath.Dir(path)], filepath.Base(path))
	}
	ways := []func(path string, data []byte) error{
		func(path string, data []byte) error { return os.Remove(path) },
		func(path string, data []byte) error { return os.WriteFile(path, nil, 0o666) },
		func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o666) },
		func(path string, data []byte) error {
			data[len(data)/3] ^= 1
			return os.WriteFile(path, data, 0o666)
		},
		func(path string, data []byte) error { return os.WriteFile(path, append(data, data...), 0o666) },
		func(path string, data []byte) error { // a folder in its place
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o777))
		},
	}
	for k := range ways { // one file of some stages at a time
		var want []string
		for i, stage := range slices.Sorted(maps.Keys(stages)) {
			files := stages[stage]
			if (i+k)%3 == 0 {
				continue
			}
			file := files[(i+3*k)%len(files)]
			data := []byte(whole[filepath.Join(stage, file)])
			way := ways[(k+i)%len(ways)]
			if len(data) == 0 {
				way = ways[0]
			}
			if err := way(filepath.Join(dir, stage, file), data); err != nil {
				t.Fatal(err)
			}
			want = append(want, filepath.Base(stage))
		}
		got, err := s.assembleIn(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sorted(want), sorted(got.ran)); diff != "" {
			t.Errorf("pass %d: other stages were made again: %s", k, diff)
		}
		sameEdition(t, fmt.Sprint("pass ", k), base, got)
		if diff := cmp.Diff(whole, tree(t, dir)); diff != "" {
			t.Fatalf("pass %d: the stages differ: %.2000s", k, diff)
		}
	}
}

func TestAHalfWrittenStageIsMadeAgain(t *testing.T) {
	s := small()
	base := smallBuild(t)
	whole, dir := base.left, base.folder(t)
	path := filepath.Join(dir, stageClean, manifestFile)
	data := []byte(whole[stageClean+"/"+manifestFile])
	for _, tt := range []struct{ name, manifest string }{
		{"no manifest", ""},
		{"half a manifest", string(data[:len(data)/2])},
		{"the manifest of another program", strings.Replace(string(data), `"test"`, `"another"`, 1)},
		{"the manifest of another stage", whole[stageSelect+"/"+manifestFile]},
		{"a manifest without a file", strings.Replace(string(data), `"removed.jsonl"`, `"gone.jsonl"`, 1)},
		{"a list", "[]"},
		{"nothing", "null"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if tt.manifest != "" {
				if tt.manifest == string(data) {
					t.Fatal("the manifest is as it was")
				}
				if err := os.WriteFile(path, []byte(tt.manifest), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.assembleIn(t, dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{stageClean}, got.ran); diff != "" {
				t.Errorf("other stages ran: %s", diff)
			}
			if diff := cmp.Diff(whole, tree(t, dir)); diff != "" {
				t.Errorf("the stages differ: %.2000s", diff)
			}
		})
	}
}

// sound reports what is wrong with the stages that lie in a folder: a manifest says what its files hold.
func sound(t *testing.T, dir string) {
	t.Helper()
	files := tree(t, dir)
	for path, data := range files {
		if filepath.Base(path) != manifestFile {
			continue
		}
		var m stageManifest
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for file, sum := range m.Outputs {
			content, ok := files[filepath.Join(filepath.Dir(path), file)]
			if !ok || hashOf([]byte(content)) != sum {
				t.Errorf("%s says of %s what is not so", path, file)
			}
		}
	}
}

func TestABuildStoppedAnywhereGoesOnToTheSameBytes(t *testing.T) {
	whole := smallBuild(t).left
	stopped := func(t *testing.T, s *source, dir string, ctx context.Context, w *workshop) {
		t.Helper()
		w.ctx = ctx
		if _, err := assemble(w, s.plan()); !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
		sound(t, dir)
	}
	end := func(t *testing.T, dir string) {
		t.Helper()
		if _, err := small().assembleIn(t, dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, tree(t, dir)); diff != "" {
			t.Errorf("the stages differ: %.2000s", diff)
		}
	}
	t.Run("after each stage in turn", func(t *testing.T) {
		dir := t.TempDir()
		for _, stage := range []string{stageImport, stageAuthored, stageClassify, stageClean, stageParaphrase, stageSelect,
			stageCarriers, stageNear, "round-01/" + stageFamilies, "round-01/" + stageHoldOut, "round-01/" + stageBalance,
			"round-01/" + stageSplit, "round-01/" + stageObfuscate} {
			s := small()
			ctx, cancel := context.WithCancel(t.Context())
			w := s.workshop(t, dir)
			reached := false
			w.done = func(name string, _ int, kept bool) {
				if name == stage {
					if kept {
						t.Errorf("%s was there before", name)
					}
					reached = true
					cancel()
				}
			}
			stopped(t, s, dir, ctx, w)
			if !reached {
				t.Fatalf("stage %s never ended", stage)
			}
		}
		end(t, dir)
	})
	for stage, inside := range map[string]func(s *source, p *plan, cancel func()){
		stageImport: func(s *source, p *plan, cancel func()) {
			p.items = func() ([][]Item, error) { cancel(); return s.items, nil }
		},
		stageAuthored: func(s *source, p *plan, cancel func()) {
			p.texts = func() ([]Record, error) { cancel(); return s.texts, nil }
		},
		stageParaphrase: func(s *source, p *plan, cancel func()) {
			p.paraphrase = func(ctx context.Context, seeds []Record, rounds int) ([]Record, error) {
				cancel()
				return s.reword(ctx, seeds, rounds)
			}
		},
	} {
		t.Run("within "+stage, func(t *testing.T) {
			s, dir := small(), t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			p := s.plan()
			inside(s, &p, cancel)
			w := s.workshop(t, dir)
			w.ctx = ctx
			if _, err := assemble(w, p); !errors.Is(err, context.Canceled) {
				t.Fatalf("the error is %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, stage)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the stopped stage left a folder (%v)", err)
			}
			sound(t, dir)
			end(t, dir)
		})
	}
}

func TestAFailedStageLeavesNothing(t *testing.T) {
	s, dir := small(), t.TempDir()
	p := s.plan()
	broken := errors.New("no texts")
	p.texts = func() ([]Record, error) { return s.texts, broken }
	if _, err := assemble(s.workshop(t, dir), p); !errors.Is(err, broken) {
		t.Fatalf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, stageAuthored)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the failed stage left a folder (%v)", err)
	}
	got, err := s.assembleIn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	sameEdition(t, "after a failure", smallBuild(t), got)
}

func TestStageFoldersHoldNoPlaceAndNoTime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "übung 1")
	if _, err := small().assembleIn(t, dir); err != nil {
		t.Fatal(err)
	}
	files := tree(t, dir)
	if diff := cmp.Diff(smallBuild(t).left, files); diff != "" {
		t.Errorf("two folders differ: %.2000s", diff)
	}
	for path, data := range files {
		if strings.Contains(data, "übung") || strings.Contains(data, filepath.Dir(dir)) {
			t.Errorf("%s holds the path of its folder", path)
		}
	}
}

var oddTexts = []string{
	"", " ", "plain", "\u2028 and \u2029", "😀 👩\u200d💻", "\x01\x02\x1b[31m\x7f",
	"quotes \" \\ and <b>&amp;</b>", "tab\tline\nline\r\n",
	"\ufffd", "\ufeffmark", "ｆｕｌｌ", "e\u0301", "\u202eright to left", "\U000e0041tag", "{\"id\":1}", "null", "漢字",
	"\u0000",
	strings.Repeat("long ", 5000),
}

// oddOutcome makes an outcome that belongs to a number.
func oddOutcome(n int) outcome {
	d := draw.New(1, "odd outcome", fmt.Sprint(n))
	text := func() string {
		s := oddTexts[d.Below(len(oddTexts))]
		if d.Chance(500) {
			s += oddTexts[d.Below(len(oddTexts))]
		}
		return s
	}
	record := func() Record {
		r := Record{ID: text(), Text: text(), Label: dataset.Label(d.Below(2)), Source: text(), Rank: d.Below(9),
			Role:     Role(text()),
			Language: text(), Authorship: text(), License: text(), Carrier: text(), Frame: text(), Domain: text(),
			AttackType: text(), AttackRule: text(), Parent: text(), Generator: text(), Round: d.Below(3), Topic: text(),
			Family: text(), Obfuscation: text(), Edits: d.Below(100), Clean: text(), Pair: text()}
		if d.Chance(300) {
			r.Shift = &Shift{Transform: text(), SeedIndex: d.Below(5), Start: d.Below(5) - 1, Length: d.Below(1 << 40)}
			for range d.Below(3) {
				r.Shift.Fillers = append(r.Shift.Fillers, text())
			}
		}
		return r
	}
	o := outcome{sets: map[string][]Record{}}
	for i := range d.Below(4) {
		set := []Record{}
		for range d.Below(4) {
			set = append(set, record())
		}
		o.sets[fmt.Sprint("set", i)] = set
	}
	for i := range d.Below(4) {
		o.pairs = append(o.pairs, neardup.Pair{I: i, J: d.Below(100), Cosine: float64(d.Below(1<<53)) / (1 << 53)})
	}
	for range d.Below(4) {
		o.leaks = append(o.leaks, Leak{leak.Kind(text()), [2]string{text(), text()}, Kin{text(), text()},
			float64(d.Below(1<<53)) / (1 << 53)})
	}
	for range d.Below(4) {
		o.removed = append(o.removed, Removal{text(), text(), text(), text(), text(), float64(d.Below(10000)) / 1e4})
	}
	return o
}

// readOutcome reads all that a stage left.
func readOutcome(t *testing.T, folder string, m stageManifest) (o outcome) {
	t.Helper()
	o.sets = map[string][]Record{}
	for file, sum := range m.Outputs {
		var err error
		switch file {
		case pairsFile:
			o.pairs, err = decodeFile[neardup.Pair](folder, file, sum)
		case leaksFile:
			o.leaks, err = decodeFile[Leak](folder, file, sum)
		case removedFile:
			o.removed, err = decodeFile[Removal](folder, file, sum)
		default:
			o.sets[strings.TrimSuffix(file, ".jsonl")], err = decodeFile[Record](folder, file, sum)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func TestOutcomesComeBackAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	check := func(name string, want outcome) {
		t.Helper()
		m := stageManifest{Stage: "s", Program: "p", Inputs: map[string]string{"a": "b"},
			Parameters: json.RawMessage(`{"x": 1}`)}
		folder := filepath.Join(dir, name)
		written, err := writeStage(folder, m, want)
		if err != nil {
			t.Fatal(err)
		}
		kept, ok := keptStage(folder, m)
		if !ok {
			t.Fatalf("%s: outcome is not kept", name)
		}
		if diff := cmp.Diff(written.Outputs, kept.Outputs); diff != "" {
			t.Errorf("%s: other hashes are read: %s", name, diff)
		}
		if diff := cmp.Diff(want, readOutcome(t, folder, kept), cmp.AllowUnexported(outcome{}),
			cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if files := len(tree(t, folder)); files != len(kept.Outputs)+1 {
			t.Errorf("%s: %d files, want those of the manifest and itself", name, files)
		}
	}
	for n := range 60 {
		check(fmt.Sprint("odd", n), oddOutcome(n))
		check("same", oddOutcome(n))
		if diff := cmp.Diff(tree(t, filepath.Join(dir, fmt.Sprint("odd", n))), tree(t, filepath.Join(dir,
			"same"))); diff != "" {
			t.Fatalf("outcome %d: what lay in the folder is still there: %.2000s", n, diff)
		}
	}
	check("nothing", outcome{})
	check("empty", outcome{sets: map[string][]Record{"none": nil, "empty": {}}, pairs: []neardup.Pair{},
		removed: []Removal{}})
}

func TestAManifestCountsRowsAndRemovals(t *testing.T) {
	b := smallBuild(t)
	var m stageManifest
	if err := json.Unmarshal([]byte(b.left[stageImport+"/"+manifestFile]), &m); err != nil {
		t.Fatal(err)
	}
	if m.Stage != stageImport || m.Program != "test" || m.Inputs[LockPath] != "hash of "+LockPath ||
		string(m.Parameters) != "42" || m.Counts["removed: carrier already drawn from"] != 20 ||
		m.Counts["removed: empty"] != 1 ||
		m.Counts[records] < 400 {
		t.Errorf("the manifest is %+v", m)
	}
}

// FuzzKeptStage holds keptStage to refusing what it does not know: nobody promises that a folder is as it was left.
func FuzzKeptStage(f *testing.F) {
	empty := hashOf(nil)
	f.Add([]byte(`{"stage":"s","program_sha256":"p","parameters":1,"inputs":{},"outputs":{"a":"` + empty + `"}}`))
	f.Add([]byte(`{"stage":"s","program_sha256":"p","parameters":1,"outputs":{"a.jsonl":"` + empty + `"}}`))
	f.Add([]byte(`{"stage":"s","program_sha256":"p","parameters":1,"outputs":{"pairs.jsonl":"` + empty + `"}}`))
	f.Add([]byte(`{"stage":"s","program_sha256":"p","parameters":1,"outputs":{"../x":"","":""}}`))
	f.Add([]byte(`{}`))
	dir := f.TempDir()
	for _, name := range []string{"a", "a.jsonl", "pairs.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, manifestFile), data, 0o666); err != nil {
			t.Fatal(err)
		}
		m, ok := keptStage(dir, stageManifest{Stage: "s", Program: "p", Parameters: json.RawMessage("1")})
		if !ok && m.Outputs != nil || ok && (m.Stage != "s" || m.Program != "p") {
			t.Errorf("read %v, %v", m, ok)
		}
	})
}
