package builder

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/draw"
	"pidsbench/internal/restrict"
	"pidsbench/internal/subtype"
	"pidsbench/internal/testenv"
)

// defects is how many the original has.
const defects = 43

// verdictOf is how the third column of docs/defects.md begins.
var verdictOf = regexp.MustCompile(`^\*\*(avoided|in part|stays)\*\*`)

var namedTest = regexp.MustCompile("`([a-z0-9]+\\.(?:Test|Fuzz)[A-Za-z0-9]+)`")

func TestEveryDefectNamesATestThatExists(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testenv.Root(t), "docs", "defects.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := testNames(t)
	next := 1
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name := strings.TrimSpace(cells[0])
		if !strings.HasPrefix(line, "| D") {
			continue
		}
		if want := fmt.Sprint("D", next); name != want || len(cells) != 4 {
			t.Fatalf("row %s of %d cells stands where %s of 4 should", name, len(cells), want)
		}
		next++
		if !verdictOf.MatchString(strings.TrimSpace(cells[2])) {
			t.Errorf("%s is neither avoided nor said to stay: %s", name, cells[2])
		}
		tests := namedTest.FindAllStringSubmatch(cells[3], -1)
		if len(tests) == 0 {
			t.Errorf("%s names no test", name)
		}
		for _, m := range tests {
			if !known[m[1]] {
				t.Errorf("%s names the test %s, which does not exist", name, m[1])
			}
		}
	}
	if next-1 != defects {
		t.Errorf("%d defects stand on the page, want %d", next-1, defects)
	}
}

// testNames are the test functions of the repository, as package.Function.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(testenv.Root(t), "internal"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names[strings.TrimSuffix(f.Name.Name, "_test")+"."+fn.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// D3: what test shows in disguise can be parted into kinds that train knows and kinds that it does not.
func TestSomeKindsOfDisguiseStandInTestAlone(t *testing.T) {
	cfg, err := LoadConfig(testenv.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for name := range cfg.Obfuscation.Weights {
		seen[disguise.KindOf(name)] = true
	}
	var unseen []string
	for _, kind := range disguise.Kinds {
		if !seen[kind] {
			unseen = append(unseen, kind)
		}
	}
	if len(unseen) == 0 || len(seen) == 0 {
		t.Fatalf("train has the kinds %v, and test has no other or none of these", seen)
	}
	b := smallBuild(t)
	inTest := map[string]bool{}
	for _, r := range b.file(t, testFile).Records {
		inTest[disguise.KindOf(r.Obfuscation)] = true
	}
	for _, path := range []string{trainFile, valFile} {
		for _, r := range b.file(t, path).Records {
			if kind := disguise.KindOf(r.Obfuscation); slices.Contains(unseen, kind) {
				t.Errorf("%s holds %s", path, kind)
			}
		}
	}
	for _, kind := range disguise.Kinds {
		if !inTest[kind] {
			t.Errorf("test holds no %s", kind)
		}
	}
}

// D8: rows of the domain split go through hash orders; each keeps the style of its own text.
func TestTheStyleOfADomainRowIsThatOfItsText(t *testing.T) {
	styles := map[string]string{} // text → style
	var in []Record
	for i, s := range sentences(60, "styles") {
		r := pool(dataset.Label(i%2), s)
		r.Domain, r.Family, r.Role, styles[s] = "legal", s, DomainShift, "none"
		if r.Label == dataset.Injection {
			r.AttackType = subtype.Types()[i/2%len(subtype.Types())]
			styles[s] = r.AttackType
		}
		in = append(in, r)
	}
	rows, _, err := DomainRows(in, nil, map[string]Domain{"legal": {Benign: 20, Injection: 20}}, nil, 42)
	if err != nil {
		t.Fatal(err)
	}
	f := domainRows(domainFile, rows, 42)
	text, style := slices.Index(f.Columns, "text"), slices.Index(f.Columns, "attack_style")
	for _, row := range f.Rows {
		if row[style] != styles[row[text]] {
			t.Errorf("%q has the style %s, want %s", row[text], row[style], styles[row[text]])
		}
	}
	if len(f.Rows) != 40 {
		t.Errorf("%d rows", len(f.Rows))
	}
}

// D10: a quota that one frame could fill alone is filled from all frames.
func TestCuratedRowsComeFromAllTheirFrames(t *testing.T) {
	const frames, each, want = 8, 100, 200
	var in []Record
	for i := range frames * each {
		r := pool(dataset.Benign, fmt.Sprint("curated ", i))
		r.Role, r.Frame, r.Family = Curated, fmt.Sprint("frame", i/each), fmt.Sprint("family", i/each)
		in = append(in, r) // frame after frame
	}
	cfg := &Config{Seed: 42, HardBenign: HardBenignConfig{Curated: want}}
	h := newHolding(plan{cfg: cfg}, in)
	if err := h.takeAuthored(); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range h.sets["curated"] {
		count[r.Frame]++
	}
	for f := range frames {
		if n := count[fmt.Sprint("frame", f)]; n < want/frames/2 || n > 2*want/frames {
			t.Errorf("frame %d gives %d of %d rows, want about %d", f, n, want, want/frames)
		}
	}
}

// D13: nothing is taken out for being a repeat once the shares are set.
func TestRepeatsGoBeforeTheSharesAreSet(t *testing.T) {
	b := smallBuild(t)
	before := func(first, second string) {
		t.Helper()
		i, j := slices.Index(b.ran, first), slices.Index(b.ran, second)
		if i < 0 || j < 0 || i > j {
			t.Errorf("%s does not run before %s: %v", first, second, b.ran)
		}
	}
	before(stageClean, stageBalance)
	before(stageParaphrase, stageBalance)
	before(stageBalance, stageSplit)
	for _, r := range b.removed {
		if r.Stage == stageObfuscate || r.Stage == stageSlices || strings.Contains(r.Reason, "repeat") &&
			!slices.Contains([]string{stageImport, stageClean, stageParaphrase}, r.Stage) {
			t.Errorf("%s was removed by %s: %s", r.ID, r.Stage, r.Reason)
		}
	}
}

// D16: a disguise says how a text is carried; class and type say what it asks for.
func TestADisguiseChangesNeitherClassNorType(t *testing.T) {
	o := obfuscatorOf(weights)
	for _, x := range disguise.Transforms {
		for i, s := range sentences(4, "carrier") {
			r := pool(dataset.Label(i%2), s)
			if r.Label == dataset.Injection {
				r.AttackType, r.AttackRule = "data_exfiltration", "rule"
			}
			r.Text = s + " " + s // eight words or more, for markdown_split
			d, ok := o.apply(r, x, draw.New(42, x.Name, r.ID))
			if !ok {
				t.Errorf("%s changes nothing of %q", x.Name, s)
				continue
			}
			if d.Label != r.Label || d.AttackType != r.AttackType || d.AttackRule != r.AttackRule || d.Obfuscation != x.Name {
				t.Errorf("%s makes %+v of %+v", x.Name, d, r)
			}
		}
	}
}

// D20: padding is benign text that names nothing security-adjacent.
func TestPaddingIsPlainBenignText(t *testing.T) {
	s := small()
	for i := range 12 {
		s.items[1][i].Text = "about prompts " + s.items[1][i].Text
	}
	held := s.build(t).stage(t, roundDir(1)+"/"+stageHoldOut)
	fillers := slices.Concat(held["fillers"], held["structural_fillers"])
	if len(fillers) < 10 {
		t.Fatalf("%d fillers", len(fillers))
	}
	for _, r := range fillers {
		if r.Label != dataset.Benign || s.lists.Adjacent(r.Text) || r.Role != Filler {
			t.Errorf("the padding holds %q", r.Text)
		}
	}
}

// D38: the open edition takes nothing from a source whose texts may not be passed on.
func TestNoSourceIsRestricted(t *testing.T) {
	lock, err := LoadLock(testenv.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range lock.Sources {
		if restrict.LMSYS.Restricted(s.ID) {
			t.Errorf("source %s is restricted", s.ID)
		}
		for _, says := range append([]string{s.Package, s.Attribution, s.Citation}, s.Paths...) {
			if strings.Contains(strings.ToLower(says), "lmsys") {
				t.Errorf("source %s comes from a restricted one: %s", s.ID, says)
			}
		}
	}
}

// D42: the page names every attack type once, and each transform with its kind and whether train has it.
func TestTheDataPageNamesEveryTypeAndTransform(t *testing.T) {
	root := testenv.Root(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "data.md"))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := LoadConfig(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range disguise.Kinds {
		var names []string
		inTrain := "no"
		for _, x := range disguise.Transforms {
			if x.Kind == kind {
				names = append(names, "`"+x.Name+"`")
				if cfg.Obfuscation.Weights[x.Name] > 0 {
					inTrain = "yes"
				}
			}
		}
		for _, line := range strings.Split(string(page), "\n") {
			cells := strings.Split(line, "|")
			if len(cells) != 5 || strings.TrimSpace(cells[1]) != "`"+kind+"`" {
				continue
			}
			got := strings.Split(strings.TrimSpace(cells[2]), ", ")
			slices.Sort(got)
			slices.Sort(names)
			if !slices.Equal(got, names) || strings.TrimSpace(cells[3]) != inTrain {
				t.Errorf("the page says %q, want %v and %s", line, names, inTrain)
			}
			names = nil
		}
		if names != nil {
			t.Errorf("the page has no row for %s", kind)
		}
	}
	meanings, _, _ := strings.Cut(string(page), "\n## Sources")
	for _, kind := range subtype.Types() {
		if n := strings.Count(meanings, "| `"+kind+"` |"); n != 1 {
			t.Errorf("the page says %d times what %s means", n, kind)
		}
	}
}

// D18: no record of any stage is without the field that the split and the slices go by.
func TestEveryRecordSaysHowItIsObfuscated(t *testing.T) {
	b := smallBuild(t)
	for path, data := range b.left {
		if filepath.Ext(path) != ".jsonl" || slices.Contains([]string{"removed.jsonl", pairsFile}, filepath.Base(path)) {
			continue
		}
		rows, err := decodeLines[Record]([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if _, ours := disguise.Named(r.Obfuscation); !ours && r.Obfuscation != "none" &&
				r.Obfuscation != disguise.AsFound && path != b.round()+stageSlices+"/held_out.jsonl" {
				t.Errorf("%s: %s has the obfuscation %q", path, r.ID, r.Obfuscation)
			}
		}
	}
	for _, f := range b.files {
		at := slices.Index(f.Columns, "obfuscation")
		for _, row := range f.Rows {
			if at >= 0 && row[at] == "" {
				t.Errorf("%s holds a row without an obfuscation", f.Path)
			}
		}
	}
}
