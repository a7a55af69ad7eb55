package builder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/disguise"
	"pidsbench/internal/subtype"
	"pidsbench/internal/testenv"
)

// purposes say in a few words what a file is for.
var purposes = map[string]string{
	trainFile:             "fitting",
	valFile:               "thresholds",
	testFile:              "IID",
	hardBenignFile:        "benign prompts that talk about prompts, models, security, overriding, role-play",
	ordinaryFile:          "the control: ordinary text of sources that no split trains on",
	balancedFile:          "test rows, at most 200 of each attack type",
	obfuscatedAttacksFile: "the injections of test that stage obfuscate disguised",
	obfuscatedBenignFile:  "their benign twins",
	parentsFile:           "both without their disguise",
	heldOutFile:           "test rows in five disguises that no training text shows",
	heldOutSeedsFile:      "the same rows as they are",
	domainFile:            "other domains",
	structuralFile:        "held-out texts in three surroundings",
	structuralSeedsFile:   "the same texts bare",
	negativeTrainFile:     "curated hard negatives for the augmented arms",
	negativeValFile:       "the same, for thresholds",
	siblingsFile:          "further texts of the frames of `hard_negative_train.csv`",
	thirdPartyFile:        "security-adjacent rows for the augmented arm",
	ordinaryArmFile:       "ordinary rows of the same sources: its placebo",
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// fileTable is the table of files of docs/data.md.
func fileTable(expect []Expected) string {
	var b strings.Builder
	b.WriteString("| file | rows | benign | injection | what it is for |\n|---|---:|---:|---:|---|\n")
	for _, f := range expect {
		purpose := purposes[f.File]
		if kinds := len(disguise.Kinds); f.File == obfuscatedAttacksFile {
			purpose += fmt.Sprintf(": %d of each of the six kinds", f.Injection/kinds)
			if more := f.Injection % kinds; more > 0 {
				purpose += fmt.Sprintf(", one more of the first %d", more)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", f.File, thousands(f.Benign+f.Injection), thousands(f.Benign),
			thousands(f.Injection), purpose)
	}
	return b.String()
}

// sourceTable is the table of sources of docs/data.md.
func sourceTable(lock *Lock, expect []Expected) string {
	var b strings.Builder
	b.WriteString("| source | class | written by | licence | main splits | held out |\n|---|---|---|---|---:|---:|\n")
	row := func(id, class, by, licence string) {
		var split, elsewhere int
		for _, f := range expect {
			switch {
			case slices.Contains([]string{trainFile, valFile, testFile}, f.File):
				split += f.Sources[id]
			case derived[f.File] == "":
				elsewhere += f.Sources[id]
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", id, class, by, licence, thousands(split), thousands(elsewhere))
	}
	for _, s := range lock.Sources {
		class := s.Label.Constant
		if class == "" {
			class = "both"
		}
		by := s.Authorship
		if s.AuthorshipBenign != "" {
			by = "benign: " + s.AuthorshipBenign + "; attacks: " + s.Authorship
		}
		row(s.ID, class, by, s.Licence)
	}
	row(TemplateSource, "both", "template (frames of ours)", OwnLicence)
	row(WrittenSource, "both", "llm (texts of ours)", OwnLicence)
	row(CarrierSource, "both", "llm (documents of ours, or with a text of ours)", "of the document")
	return b.String()
}

// split is a main split of the quotas by name.
type split struct {
	name  string
	quota Quota
}

func (q Quotas) named() []split { return []split{{"train", q.Train}, {"val", q.Val}, {"test", q.Test}} }

// shareTable is the table of third-party shares of docs/data.md.
func shareTable(q Quotas) string {
	var b strings.Builder
	b.WriteString("| split | benign | of these third-party | injection | of these third-party |\n" +
		"|---|---:|---:|---:|---:|\n")
	for _, s := range q.named() {
		var all, third Classes
		for stratum, n := range s.quota {
			kind, ours := strings.CutPrefix(stratum, ownPrefix)
			of := map[bool]*int{true: &all.Benign, false: &all.Injection}[kind == "benign"]
			*of += n
			if !ours {
				of = map[bool]*int{true: &third.Benign, false: &third.Injection}[kind == "benign"]
				*of += n
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s (%.1f %%) | %s | %s (%.1f %%) |\n", s.name, thousands(all.Benign),
			thousands(third.Benign), 100*float64(third.Benign)/float64(all.Benign), thousands(all.Injection),
			thousands(third.Injection), 100*float64(third.Injection)/float64(all.Injection))
	}
	return b.String()
}

// typeTable is the table of attack types of docs/data.md.
func typeTable(q Quotas) string {
	var b strings.Builder
	b.WriteString("| type | train | val | test |\n|---|---:|---:|---:|\n")
	for _, kind := range subtype.Types() {
		fmt.Fprintf(&b, "| `%s` |", kind)
		for _, s := range q.named() {
			ours := s.quota[ownPrefix+kind]
			fmt.Fprintf(&b, " %s (%s) |", thousands(s.quota[kind]+ours), thousands(ours))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTheDataPageShowsTheFrozenCounts(t *testing.T) {
	root := testenv.Root(t)
	cfg, err := LoadConfig(root)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := LoadLock(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]string{
		"sources": sourceTable(lock, cfg.Expect), "files": fileTable(cfg.Expect), "shares": shareTable(cfg.Quotas),
		"types": typeTable(cfg.Quotas),
	} {
		switch {
		case *update:
			testenv.SetRegion(t, "docs/data.md", name, table)
		case testenv.Region(t, "docs/data.md", name) != table:
			t.Errorf("docs/data.md: the table of %s is not that of the frozen edition; run go test ./internal/builder "+
				"-run TestTheDataPage -update", name)
		}
	}
}
