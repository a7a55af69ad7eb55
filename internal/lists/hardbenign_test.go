package lists

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

var (
	keptHash     = textnorm.ExactHash("How should an inspector test a lock?")
	homonymHash  = textnorm.ExactHash("The lock raises the barge")
	unlistedHash = textnorm.ExactHash("Which bolts are hardest to force?")
)

var hardBenign = `schema: pidsbench-hard-benign/1
rows:
  - {sha256: ` + keptHash + `, verdict: keep, topic: security, source: ours}
  - {sha256: ` + homonymHash + `, verdict: homonym, source: ours}
  - {sha256: ` + unlistedHash + `, verdict: keep, topic: role_play, source: theirs, listed: false}
`

func TestLoadHardBenignReturnsVerdictsByHash(t *testing.T) {
	got, err := LoadHardBenign(filepath.Split(write(t, hardBenign)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{
		textnorm.ExactHash(" how SHOULD an  inspector test a lock?"): {"keep", "security"},
		homonymHash:  {"homonym", ""},
		unlistedHash: {"keep", "role_play"},
	}
	if !maps.Equal(got, want) {
		t.Errorf("LoadHardBenign = %v, want %v", got, want)
	}
}

func TestLoadHardBenignRefuses(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"another schema", "benign/1", "benign/2", `:1: field schema holds "pidsbench-hard-benign/2", expected`},
		{"no schema", "schema: pidsbench-hard-benign/1\n", "", `:1: field schema holds "", expected`},
		{"a short hash", keptHash, keptHash[1:], ":3: field sha256 holds"},
		{"capitals in a hash", keptHash, strings.ToUpper(keptHash), ":3: field sha256 holds"},
		{"no hash", "sha256: " + homonymHash + ", ", "", `:4: field sha256 holds "", expected`},
		{"a row twice", unlistedHash, keptHash, ":5: field sha256 holds"},
		{"a row twice, whose first line is named", unlistedHash, keptHash, "stands on line 3 already"},
		{"an unknown verdict", "verdict: homonym", "verdict: fine", `:4: field verdict holds "fine", expected keep, hom`},
		{"a verdict in capitals", "verdict: keep", "verdict: Keep", `:3: field verdict holds "Keep"`},
		{"no verdict", ", verdict: homonym", "", `:4: field verdict holds "", expected keep`},
		{"an unknown topic", "topic: security", "topic: locks", `:3: field topic holds "locks", expected prompts, mod`},
		{"a kept row without a topic", ", topic: security", "", `:3: field topic holds "", expected prompts`},
		{"a topic of a row that is not kept", "homonym,", "homonym, topic: models,", `:4: field topic holds "models", ` +
			"expected none for verdict homonym"},
		{"no source", "homonym, source: ours", "homonym", ":4: field source is empty"},
		{"a row that says it is listed", "listed: false", "listed: true", `:5: field listed holds "true", expected fal`},
		{"an unknown field", "homonym,", "homonym, text: no,", ":4:"},
		{"a list for a word", "verdict: homonym", "verdict: [homonym]", ":4:"},
		{"no rows", hardBenign[strings.Index(hardBenign, "rows"):], "rows: []\n", ":1: field rows holds no rows"},
		{"nothing", hardBenign, "# no list\n", "list.yaml is empty"},
		{"a second list", "rows:", "---\nrows:", ":3: a second document begins here"},
		{"control characters", "homonym,", `"h\e[2J",`, `:4: field verdict holds "h\x1b[2J", expected`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(hardBenign, tt.old, tt.new, 1)
			if changed == hardBenign {
				t.Fatalf("%q does not stand in the list", tt.old)
			}
			_, err := LoadHardBenign(filepath.Split(write(t, changed)))
			expect(t, err, tt.want)
		})
	}
	_, err := LoadHardBenign(t.TempDir(), "absent.yaml")
	expect(t, err, "absent.yaml")
}

func TestTheHardBenignListHoldsEnoughRowsAndAgreesWithTheDrops(t *testing.T) {
	dir := filepath.Join(testenv.Root(t), "data", "lists")
	path := filepath.Join(dir, "hard_benign.yaml")
	got, err := LoadHardBenign(filepath.Split(path))
	if err != nil {
		t.Fatal(err)
	}
	drops, _, err := LoadDrops(dir, "drop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for h, v := range got {
		if v.Verdict != keepVerdict {
			continue
		}
		switch reason := drops[h]; reason {
		case "":
			kept++
		case "mislabelled", "broken", "fragment":
			t.Errorf("row %s is kept as hard benign, but dropped as %s", h, reason)
		}
	}
	// 872 on the hard-benign axis and 419 for the augmentation experiment.
	if kept < 872+419 {
		t.Errorf("the list keeps %d rows that are not dropped, expected at least %d", kept, 872+419)
	}

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(line, "  - ") {
			continue
		}
		h, _, _ := strings.Cut(strings.TrimPrefix(line, "  - {sha256: "), ",")
		if h <= last {
			t.Fatalf("row %s stands after %s, expected rows sorted by hash, one a line", h, last)
		}
		last = h
	}
}

func FuzzLoadHardBenign(f *testing.F) {
	for _, s := range []string{hardBenign, "schema: pidsbench-hard-benign/1\nrows: []\n", "rows: {", "\xff", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := LoadHardBenign(filepath.Split(write(t, s)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q, want one line", err)
			}
			return
		}
		for h, v := range got {
			if !hash.MatchString(h) || (v.Verdict == keepVerdict) != (v.Topic != "") {
				t.Fatalf("LoadHardBenign accepts %q: %v", h, v)
			}
		}
	})
}
