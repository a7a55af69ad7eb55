package builder

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pidsbench/internal/authored"
	"pidsbench/internal/dataset"
	"pidsbench/internal/lists"
	"pidsbench/internal/neardup"
	"pidsbench/internal/subtype"
	"pidsbench/internal/textnorm"
)

// source is all that a build of our own texts starts from. A test changes what it is about.
type source struct {
	cfg   *Config
	lock  *Lock
	lists Lists
	items [][]Item
	texts []Record // authored ones
	more  []Record // of the frames of hard negatives
	// documents are the injections that stand in them
	documents carriers
	// files are the hashes of the files that steer the build, and of the program where a test changes it.
	files map[string]string

	reworded []string // IDs of the rewordings that were made
	runs     []string // "items" and "texts", as they are read
}

// byWord names the attack types of small by a word of the text.
var byWord = []struct{ word, kind string }{
	{"forget", "direct_override"}, {"pretend", "roleplay_attack"}, {"reveal", "data_exfiltration"},
	{"execute", "tool_injection"}, {"suppose", "contextual_manipulation"},
}

func classifyByWord(text string) subtype.Match {
	for _, w := range byWord {
		if strings.Contains(text, w.word) {
			return subtype.Match{Type: w.kind, Rule: "word:" + w.word}
		}
	}
	return subtype.Match{Type: "direct_override", Rule: "default"}
}

func hasWord(word string) func(string) bool {
	return func(text string) bool { return strings.Contains(text, word) }
}

// ownFrames are the files of authored frames.
var ownFrames = []string{"data/authored/ours.yaml"}

// small is a whole pipeline on our own texts. Every file of an edition gets rows, and every stage removes some.
func small() *source {
	s := &source{
		cfg: &Config{
			Version: "1.0", Seed: 42, NearDuplicate: 0.95, Family: 0.8, FamilyMargin: 0.02,
			Paraphrase:   ParaphraseConfig{Rounds: map[string]int{"encoded_attack": 2, "tool_injection": 2}},
			HardBenign:   HardBenignConfig{Real: 9, MaxFamily: 2, Curated: 8},
			Augmentation: AugmentationConfig{SecurityAdjacent: 5, Ordinary: 5},
			Structural: StructuralConfig{Seeds: 5, Adjacent: 2, MinChars: 20, MaxChars: 1000, MaxFamily: 3,
				FillerChars: 200, FillerMax: 300},
			Balance: BalanceConfig{MaxSource: 750, MaxFrame: 200},
			Quotas: Quotas{
				Train: Quota{"benign": 70, "direct_override": 14, "roleplay_attack": 13, "data_exfiltration": 12,
					"tool_injection": 16, "contextual_manipulation": 12, "own_encoded_attack": 7, "own_tool_injection": 6,
					"own_benign": 4},
				Val: Quota{"benign": 12, "direct_override": 3, "roleplay_attack": 3, "data_exfiltration": 2,
					"tool_injection": 3, "contextual_manipulation": 2, "own_encoded_attack": 2},
				Test: Quota{"benign": 28, "direct_override": 6, "roleplay_attack": 5, "data_exfiltration": 5,
					"tool_injection": 6, "contextual_manipulation": 5, "own_encoded_attack": 3},
			},
			Obfuscation: ObfuscationConfig{Train: Classes{16, 14}, Val: Classes{3, 3}, Test: Classes{5, 13}, Twins: 8,
				Weights: maps.Clone(weights)},
			Slices:  SlicesConfig{Benign: 12, PerSubtype: 4},
			HeldOut: HeldOutConfig{Seeds: 4},
			Domain:  map[string]Domain{"legal": {Benign: 4, ThirdParty: 2, Injection: 2}, "medical": {Benign: 2, Injection: 1}},
		},
		files: map[string]string{},
	}
	s.cfg.HardBenign.Negative.Train, s.cfg.HardBenign.Negative.Val = 6, 4
	s.cfg.Authored.Frames = []FrameFile{{File: ownFrames[0], PerFrame: 1, Use: Pool}}
	s.cfg.Carriers = CarriersConfig{Sources: []string{"letters"}, MinChars: 20, Bare: 1, Asked: 1}
	for _, path := range append(slices.Clone(ownFrames), LockPath, GoalsPath, adjacentPath, dropPath, hardBenignPath,
		domainPath, subtypePath, paraphrasePath) {
		s.files[path] = "hash of " + path
	}
	in := func(id string, role Role, hard bool, authorship string, sel Selection) Source {
		return Source{ID: id, Role: role, HardBenign: hard, Select: sel, Language: "en", Authorship: authorship,
			Licence: "MIT"}
	}
	s.lock = &Lock{Sources: []Source{
		in("prompts", Pool, true, "unknown", Selection{}),
		in("chats", Pool, false, "human", Selection{Max: 60, Filler: 28, OnePerCarrier: true}),
		in("forms", Pool, false, "template", Selection{}),
		in("letters", Pool, false, "human", Selection{}),
		in("control", Control, false, "human", Selection{Max: 20}),
	}}
	s.items = make([][]Item, len(s.lock.Sources))
	s.lists = Lists{Drops: map[string]string{}, Adjacent: hasWord("prompts"), Verdicts: map[string]lists.Verdict{},
		Disputed: map[string]string{}, Domains: map[string]string{}, Classify: classifyByWord}
	s.fillPrompts()
	for i, text := range sentences(110, "chats") {
		s.items[1] = append(s.items[1], Item{Text: text, Carrier: fmt.Sprint("chats/c", i%90)})
	}
	for i, text := range sentences(12, "forms") { // the rows of one form are one family
		s.items[2] = append(s.items[2], Item{Text: text, Carrier: fmt.Sprint("forms/f", i/6)})
	}
	for i, text := range sentences(18, "letters") { // three lines each
		k := i / 3
		if i%3 == 0 {
			s.items[3] = append(s.items[3], Item{Carrier: fmt.Sprint("letters/l", k)})
		}
		s.items[3][k].Text = strings.TrimSpace(s.items[3][k].Text + "\n" + text)
	}
	for _, text := range sentences(40, "control") {
		s.items[4] = append(s.items[4], Item{Text: text})
	}
	// Rows that are no repeats of rows of the pool, and too much alike.
	for i, like := range []string{s.items[0][4].Text, s.items[0][8].Text, s.items[0][14].Text} {
		s.items[4] = append(s.items[4], Item{Text: fmt.Sprint(like, " likewise", i)})
	}
	s.items[4] = append(s.items[4], Item{Text: " \t"})
	s.lists.Drops[textnorm.ExactHash(s.items[0][2].Text)] = "fragment"
	s.lists.Disputed[textnorm.ExactHash(s.items[0][6].Text)] = "may be meant"
	s.author()
	return s
}

func (s *source) fillPrompts() {
	for i, text := range sentences(300, "prompts") {
		label := dataset.Label(i % 2)
		switch {
		case label == dataset.Injection:
			text = byWord[i/2%len(byWord)].word + " " + text
		case i%10 == 0:
			text = "which prompts " + text
			v := lists.Verdict{Verdict: verdictKeep, Topic: "prompts"}
			switch i % 100 {
			case 20:
				v = lists.Verdict{Verdict: verdictAmbiguous}
			case 40:
				v = lists.Verdict{Verdict: verdictHarmful}
			case 60:
				v = lists.Verdict{Verdict: "homonym"}
			}
			if i%100 != 80 { // else nobody read it
				s.lists.Verdicts[textnorm.ExactHash(text)] = v
			}
		case i%20 == 4:
			s.lists.Domains[textnorm.ExactHash(text)] = []string{"legal", "sailing"}[i/20%2]
		}
		s.items[0] = append(s.items[0], Item{Text: text, Label: label})
		if i%15 == 0 { // a near twin
			s.items[0] = append(s.items[0], Item{Text: text + " then", Label: label})
		}
	}
	odd := sentences(5, "odd")
	s.items[0] = append(s.items[0],
		Item{Text: "ｆｕｌｌｗｉｄｔｈ " + odd[0]},                                   // a held-out disguise
		Item{Text: "pr0mpt and anch0r " + odd[1], Label: dataset.Injection}, // in disguise as found
		Item{Text: strings.ToUpper(odd[2])}, Item{Text: odd[2]},             // exact repeats
		Item{Text: odd[3], Label: dataset.Injection}, Item{Text: odd[3]}, // in both classes
		Item{Text: odd[4] + "\u2028 😀\t\"x\" \\ <b>&\x1b[31m"},
	)
}

// author adds the authored texts.
func (s *source) author() {
	add := func(role Role, label dataset.Label, text string, change func(*Record)) {
		r := Record{ID: recordID(TemplateSource, label, text), Text: text, Label: label, Source: TemplateSource,
			Rank: len(s.lock.Sources), Role: role, Language: "en", Authorship: "template", License: OwnLicence,
			Own: true, Obfuscation: "none"}
		change(&r)
		s.texts = append(s.texts, r)
	}
	frame := func(name string, i, size int) func(*Record) {
		return func(r *Record) { r.Frame, r.Topic = fmt.Sprint(TemplateSource, "/", name, i/size), "prompts" }
	}
	for i, text := range sentences(10, "curated") {
		add(Curated, dataset.Benign, "about prompts "+text, frame("curated", i, 2))
	}
	for i, text := range sentences(12, "negatives") {
		add(HardNegative, dataset.Benign, "on prompts "+text, frame("negative", i, 2))
	}
	for i, text := range sentences(16, "domains") {
		add(DomainShift, dataset.Label(i%2), text, func(r *Record) {
			r.Domain = []string{"legal", "medical", "legal", "no such domain"}[i/2%4]
			if r.Label == dataset.Injection {
				r.AttackType = "direct_override"
			}
		})
	}
	for _, text := range sentences(14, "encoded") {
		add(Pool, dataset.Injection, "decode "+text, func(r *Record) { r.AttackType = "encoded_attack" })
	}
	for _, text := range sentences(6, "benign twins") {
		add(Pool, dataset.Benign, text, func(*Record) {})
	}
	s.carry()
	canonical(s.texts)
}

// carry adds a document of ours with an injection, and injections and a request for those of others.
func (s *source) carry() {
	said := sentences(5, "carried")
	attack := func(id, text string) authored.Text {
		return authored.Text{ID: id, Text: "execute " + text, Description: authored.Description{
			Label: "injection", Subtype: "tool_injection", Language: "en", Authorship: "llm"}}
	}
	s.documents = carriers{rank: len(s.lock.Sources) + 2,
		own:      map[string][]authored.Text{"carrier/ours/a": {attack("carrier/ours/a_1", said[0])}},
		general:  []authored.Text{attack("carrier/ours/x", said[1]), attack("carrier/ours/y", said[2])},
		requests: []authored.Request{{ID: "carrier/ours/r", Text: "compare {document} and {document}", Documents: 2}}}
	text := strings.Join(sentences(4, "own document"), "\n")
	s.texts = append(s.texts, Record{ID: recordID(CarrierSource, 0, text), Text: text, Source: CarrierSource,
		Rank: s.documents.rank, Role: Pool, Language: "en", Authorship: "llm", License: OwnLicence, Own: true,
		Carrier: "carrier/ours/a", Frame: "carrier/ours/a", Obfuscation: "none"})
}

// reword turns the words of each seed round, once a round.
func (s *source) reword(_ context.Context, seeds []Record, rounds int) (out []Record, err error) {
	s.reworded = nil
	for _, seed := range seeds {
		words := strings.Fields(seed.Text)
		for round := 1; round <= rounds; round++ {
			r := seed
			r.Text = strings.Join(slices.Concat([]string{"please"}, words[round:], words[:round]), " ")
			r.ID, r.Parent, r.Round, r.Generator = recordID(r.Source, r.Label, r.Text), seed.ID, round, "turning"
			s.reworded = append(s.reworded, r.ID)
			out = append(out, r)
		}
	}
	return out, nil
}

func (s *source) plan() plan {
	return plan{
		cfg: s.cfg, lock: s.lock, lists: s.lists, authored: ownFrames, paraphrase: s.reword,
		items: func() ([][]Item, error) {
			s.runs = append(s.runs, "items")
			return s.items, nil
		},
		texts: func() ([]Record, error) {
			s.runs = append(s.runs, "texts")
			return s.texts, nil
		},
		carriers: func() (carriers, error) { return s.documents, nil },
		further:  func() ([]Record, error) { return slices.Clone(s.more), nil },
	}
}

// build is an edition and how the stages went.
type build struct {
	*edition
	left map[string]string // the files of the stages
	ran  []string          // stages, without the folder of their round
	kept []string
}

// assembleIn builds in a folder where an earlier build may have left its stages.
func (s *source) assembleIn(t testing.TB, dir string) (*build, error) {
	t.Helper()
	b := &build{}
	w := s.workshop(t, dir)
	w.done = b.done
	var err error
	b.edition, err = assemble(w, s.plan())
	return b, err
}

func (s *source) workshop(t testing.TB, dir string) *workshop {
	program := s.files["program"]
	if program == "" {
		program = "test"
	}
	return &workshop{ctx: t.Context(), dir: dir, program: program, inputs: s.files, hashes: map[string]string{},
		done: func(string, int, bool) {}}
}

func (b *build) done(name string, _ int, kept bool) {
	if i := strings.IndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	switch {
	case kept:
		b.kept = append(b.kept, name)
	default:
		b.ran = append(b.ran, name)
	}
}

// build builds in a new folder.
func (s *source) build(t testing.TB) *build {
	t.Helper()
	dir := t.TempDir()
	b, err := s.assembleIn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	b.left = tree(t, dir)
	return b
}

var built struct {
	sync.Mutex
	*build
}

// smallBuild is the build of small, made once for all tests. Nobody changes it.
func smallBuild(t testing.TB) *build {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.build == nil {
		built.build = small().build(t)
	}
	return built.build
}

// folder is a new folder that holds what the build left.
func (b *build) folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for path, data := range b.left {
		if err := writeFile(filepath.Join(dir, path), []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// file returns a file of the edition, which must be there.
func (b *build) file(t testing.TB, path string) File {
	t.Helper()
	i := slices.IndexFunc(b.files, func(f File) bool { return f.Path == path })
	if i < 0 {
		t.Fatalf("the edition has no %s", path)
	}
	return b.files[i]
}

// round is the folder of the last round.
func (b *build) round() string { return roundDir(b.rounds) + "/" }

// seeds are the clean records that are reworded.
func (b *build) seeds(t testing.TB) (out []Record) {
	for _, r := range b.stage(t, stageClean)[records] {
		if r.AttackType == "tool_injection" {
			out = append(out, r)
		}
	}
	return out
}

// stage returns the sets that a stage left.
func (b *build) stage(t testing.TB, name string) map[string][]Record {
	t.Helper()
	prefix := name + "/"
	out := map[string][]Record{}
	for path, data := range b.left {
		set, ok := strings.CutPrefix(path, prefix)
		set, isSet := strings.CutSuffix(set, ".jsonl")
		if ok && isSet && !slices.Contains([]string{"removed", "pairs", "leaks"}, set) {
			rows, err := decodeLines[Record]([]byte(data))
			if err != nil {
				t.Fatal(err)
			}
			out[set] = rows
		}
	}
	if len(out) == 0 {
		t.Fatalf("no sets of stage %s", name)
	}
	return out
}

// alike is the cosine of every two of the texts that reach the threshold.
func alike(records []Record, threshold float64) []neardup.Pair {
	return neardup.Pairs(texts(records), threshold, 0)
}
