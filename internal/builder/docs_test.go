package builder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/disguise"
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
	path := filepath.Join(root, "docs", "data.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for name, table := range map[string]string{
		"sources": sourceTable(lock, cfg.Expect), "files": fileTable(cfg.Expect),
	} {
		before, rest, ok := strings.Cut(page, "<!-- "+name+": ")
		note, rest, ok2 := strings.Cut(rest, " -->\n")
		old, after, ok3 := strings.Cut(rest, "<!-- end -->")
		if !ok || !ok2 || !ok3 {
			t.Fatalf("docs/data.md has no place for the table of %s", name)
		}
		if old != table && !*update {
			t.Errorf("docs/data.md: the table of %s is not that of the frozen edition; run go test ./internal/builder "+
				"-run TestTheDataPage -update", name)
		}
		page = before + "<!-- " + name + ": " + note + " -->\n" + table + "<!-- end -->" + after
	}
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
