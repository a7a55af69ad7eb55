package paper

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func shipped(t *testing.T) *Config {
	t.Helper()
	c, err := Load(filepath.Join(testenv.Root(t), "configs", "paper.yaml"), "configs/paper.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// value returns what a table gives for a design in a column, its k-th value where several contradict each other.
func value(t *testing.T, c *Config, table, design, head string, k int) float64 {
	t.Helper()
	for _, spec := range c.Tables {
		for _, r := range spec.Rows {
			for i, col := range spec.Columns {
				if spec.ID == table && r.Design == design && col.Head == head && len(r.values[i]) > k {
					return r.values[i][k].V
				}
			}
		}
	}
	t.Fatalf("%s gives nothing for %s of %s", table, head, design)
	return 0
}

// TestPublishedValuesHoldTheirIdentities recomputes published numbers from other published numbers: a slip of the pen in
// the file breaks one of them.
func TestPublishedValuesHoldTheirIdentities(t *testing.T) {
	c := shipped(t)
	near := func(what string, got, want, within float64) {
		if math.Abs(got-want) > within {
			t.Errorf("%s: %.5f, expected %.5f within %g", what, got, want, within)
		}
	}
	of := func(table, design, head string) float64 { return value(t, c, table, design, head, 0) }
	for _, row := range []struct {
		table, design string
		k             int
	}{
		{"provenance", "tfidf", 0}, {"provenance", "distilbert", 0}, {"provenance", "distilbert", 1}, {"provenance", "deberta", 0},
		{"augmentation", "distilbert-hn", 0}, {"augmentation", "deberta-hn", 0},
	} {
		external := value(t, c, row.table, row.design, "Externally-sourced (872)", row.k)
		curated := value(t, c, row.table, row.design, "Curated (600)", row.k)
		near(fmt.Sprintf("%s of %s, value %d", row.table, row.design, row.k), of(row.table, row.design, "Aggregate (1,472)"),
			(872*external+600*curated)/1472, 0.0001)
	}
	near("TF-IDF flags 602 rows at 0.5", of("internal", "tfidf", "Hard-ben. FPR")*1472, 602, 0.1)
	f1 := func(recall, fpr, injections, benign float64) float64 {
		return 2 * recall * injections / (recall*injections + fpr*benign + injections)
	}
	for _, d := range []string{"rule", "tfidf", "distilbert", "deberta"} {
		near(d+" hard-benign", of("hard-benign", d, "FPR"), of("hard-benign", d, "# flagged")/1472, 0.00006)
		near(d+" obfuscation", of("obfuscation", d, "Recall"), of("obfuscation", d, "# detected")/405, 0.00006)
		p, r := of("iid", d, "Precision"), of("iid", d, "Recall")
		near(d+" test F1 of precision and recall", of("iid", d, "F1"), 2*p*r/(p+r), 0.0001)
		near(d+" test F1 of recall and FPR", of("iid", d, "F1"), f1(r, of("iid", d, "FPR"), 2070, 1848), 0.0002)
		near(d+" test FNR", of("iid", d, "FNR"), 1-r, 0.0001)
		near(d+" domain F1", of("domain", d, "F1"), f1(1-of("domain", d, "FNR"), of("domain", d, "FPR"), 1000, 1000), 0.0001)
		near(d+" structural F1", of("structural", d, "F1"), f1(1-of("structural", d, "FNR"), of("structural", d, "FPR"), 999, 999),
			0.0001)
		near(d+" balanced F1", of("balanced", d, "F1"), f1(of("balanced", d, "Recall"), of("balanced", d, "FPR"), 1097, 1200), 0.0002)
		near(d+" attacks by source", of("source-types", d, "Real injections")+of("source-types", d, "Template injections"), 2070, 0)
		for _, same := range [][4]string{ // the same number in two tables
			{"focus", "Test F1", "iid", "F1"}, {"extended", "Test F1", "iid", "F1"}, {"intervals", "Test F1", "iid", "F1"},
			{"families", "Test row F1", "iid", "F1"}, {"extended", "Test FPR", "iid", "FPR"},
			{"focus", "Hard-benign FPR", "hard-benign", "FPR"}, {"intervals", "Hard-benign FPR", "hard-benign", "FPR"},
			{"focus", "Obfuscated recall", "obfuscation", "Recall"}, {"focus", "Domain F1", "domain", "F1"},
			{"extended", "Domain F1", "domain", "F1"}, {"intervals", "Domain F1", "domain", "F1"},
			{"focus", "Structural FPR", "structural", "FPR"}, {"extended", "Structural FPR", "structural", "FPR"},
			{"intervals", "Structural FPR", "structural", "FPR"}, {"families", "Structural row FPR", "structural", "FPR"},
			{"extended", "Structural F1", "structural", "F1"}, {"extended", "Balanced-subtype F1", "balanced", "F1"},
			{"focus", "Test F1 real", "source-types", "Real F1"}, {"focus", "Test F1 template", "source-types", "Template F1"},
		} {
			near(d+" "+same[0]+" "+same[1], of(same[0], d, same[1]), of(same[2], d, same[3]), 0)
		}
		near(d+" family delta", of("families", d, "Test delta"), of("families", d, "Test family F1")-of("families", d, "Test row F1"),
			1e-9)
	}
	for _, d := range []string{"tfidf", "distilbert", "deberta"} {
		var fpr, recall float64
		for _, transform := range []string{"json_wrap", "prompt_dilute", "prefix_mimic"} {
			fpr += of("breakdown", d, transform+" FPR") / 3
			recall += of("breakdown", d, transform+" recall") / 3
		}
		near(d+" FPR over transforms", of("structural", d, "FPR"), fpr, 0.0001)
		near(d+" recall over transforms", 1-of("structural", d, "FNR"), recall, 0.0001)
		k := of("breakdown", d, "rot13 recall") * 38
		near(d+" rot13 rows", k, math.Round(k), 0.003)
	}
	near("GPT-4o-mini is consistent", of("external", "gpt-4o-mini", "Test F1"),
		f1(of("external", "gpt-4o-mini", "Test recall"), of("external", "gpt-4o-mini", "Test FPR"), 2070, 1848), 0.0005)
	for _, d := range []string{"protectai-small", "protectai-base", "promptguard2"} {
		got := f1(of("external", d, "Test recall"), of("external", d, "Test FPR"), 2070, 1848)
		if math.Abs(got-of("external", d, "Test F1")) < 0.01 {
			t.Errorf("the printed recall of %s yields its F1: the mark of doubt is wrong", d)
		}
	}
}

// TestClaimsHoldOnThePapersOwnNumbers: a statement that the published values themselves break is misread.
func TestClaimsHoldOnThePapersOwnNumbers(t *testing.T) {
	c := shipped(t)
	checked := 0
	for _, claim := range c.Claims {
		designs := claim.For
		if len(designs) == 0 {
			designs = []string{""}
		}
		for _, design := range designs {
			for _, st := range claim.All {
				sum, all := 0.0, true
				for _, q := range st.Sum {
					if q.Design == "" {
						q.Design = design
					}
					v, ok := c.published(q, claim.policy())
					times := 1.0
					if q.Times != nil {
						times = *q.Times
					}
					sum, all = sum+times*v, all && ok
				}
				if !all {
					continue
				}
				checked++
				if got := st.judge(sum, sum); got != Holds {
					t.Errorf("%s %s: the published sum is %.4f, claimed %s", claim.ID, design, sum, st.relation())
				}
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d statements could be checked on published values, expected 30 and more", checked)
	}
}

func TestPublishedValuesAreReadAsPrinted(t *testing.T) {
	doubts := []Doubt{{"†", "why"}}
	for _, tt := range []struct{ text, want string }{
		{"", "[]"},
		{"0.9656", "[0.9656]"},
		{"0.9831±0.0017†", "[0.9831 sd 0.0017 mark †]"},
		{"0.0672 [0.0467, 0.0881]", "[0.0672 lo 0.0467 hi 0.0881]"},
		{"0.4606±0.0639 | 0.4693", "[0.4606 sd 0.0639 0.4693]"},
		{"-0.0059", "[-0.0059]"}, {"337", "[337]"},
		{"0.96‡", "bad"}, {"0.96±", "bad"}, {".96", "bad"}, {"0.96 (of 3)", "bad"}, {"0.4606|0.4693", "bad"}, {"1e3", "bad"},
	} {
		values, ok := parseValues(tt.text, doubts)
		var parts []string
		for _, v := range values {
			s := fmt.Sprint(v.V)
			for _, p := range []struct {
				name string
				v    *float64
			}{{"sd", v.SD}, {"lo", v.Lo}, {"hi", v.Hi}} {
				if p.v != nil {
					s += fmt.Sprintf(" %s %v", p.name, *p.v)
				}
			}
			if v.Mark != "" {
				s += " mark " + v.Mark
			}
			parts = append(parts, s)
		}
		got := fmt.Sprint(parts)
		if !ok {
			got = "bad"
		}
		if got != tt.want {
			t.Errorf("%q is read as %s, expected %s", tt.text, got, tt.want)
		}
	}
}

const small = `edition: e
designs:
  - {id: a, name: A, here: [x, y]}
  - {id: b, name: B, here: [z]}
tables:
  - id: t
    title: T
    place: P
    policy: fixed:0.5
    columns:
      - {head: F, split: test, metric: f1}
      - {head: G, split: test, metric: fpr}
      - {head: D, less: [0, 1]}
    rows:
      - {design: a, published: ["0.5", "0.2"]}
claims:
  - id: c
    claim: Text
    place: P
    for: [a]
    all:
      - {sum: [{split: test, metric: f1}], above: 0.1}
`

func TestMistakesInTheFileAreNamedWithTheirLine(t *testing.T) {
	if _, err := Parse("p.yaml", []byte(small)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"edition: e\n", "", "p.yaml:1: field edition is missing"},
		{"{id: b,", "{id: a,", "p.yaml:4: a design needs an id of its own"},
		{"here: [z]", "here: []", "p.yaml:4: a design needs"},
		{"place: P\n    policy", "policy", "p.yaml:6: a table needs"},
		{"policy: fixed:0.5", "policy: half", `p.yaml:9: "half" is no threshold policy`},
		{"metric: fpr", "metric: fp_rate", `p.yaml:12: column "G" needs a split and a metric out of accuracy, f1`},
		{"metric: fpr", "slice: a=b, metric: family_f1", `p.yaml:12: column "G": family_f1 is of all rows`},
		{"less: [0, 1]", "less: [0, 2]", `p.yaml:13: column "D": less takes`},
		{"less: [0, 1]", "less: [0, 1], metric: f1", `p.yaml:13: column "D": less takes`},
		{"split: test, metric: f1}\n      - {head: G", "split: test, metric: f1, also: no}\n      - {head: G",
			`p.yaml:11: "no" is no threshold policy`},
		{"design: a, published", "design: c, published", `p.yaml:15: there is no design "c"`},
		{`["0.5", "0.2"]`, `["0.5"]`, "p.yaml:15: row a has 1 published values, expected 2"},
		{`"0.2"`, `"0.2†"`, `p.yaml:15: row a, column "G": "0.2†" is no published value`},
		{`"0.2"`, `0.2`, "p.yaml:15: field published holds 0.2, expected a text"},
		{"claim: Text", "claim: " + strings.Repeat("x", 49), "p.yaml:18: claim c has 49 letters, expected at most 48"},
		{"for: [a]", "for: [q]", `p.yaml:20: there is no design "q"`},
		{"    for: [a]\n", "", "p.yaml:21: claim c: a number names no design"},
		{", above: 0.1", "", "p.yaml:22: claim c: a statement needs a sum and one of above, below, or near with within"},
		{"above: 0.1", "above: 0.1, below: 0.2", "p.yaml:22: claim c: a statement needs"},
		{"above: 0.1", "near: 0.1", "p.yaml:22: claim c: a statement needs"},
		{"metric: f1}], above", "metric: roc_auc}], above", "p.yaml:22: claim c: a number needs a split and a metric out of f1, fpr"},
		{"metric: f1}], above", "metric: fpr, at: {split: s, fpr: 0.1}}], above", "p.yaml:22: claim c: at needs"},
		{"metric: f1}], above", "metric: f1, at: {split: s}}], above", "p.yaml:22: claim c: at needs"},
		{"[{split: test, metric: f1}], above", "[{split: test, metric: f1}, {split: test, metric: seed_sd_f1}], above",
			"p.yaml:22: claim c: seed_sd_f1 stands alone"},
		{"[{split: test, metric: f1}], above", "[{design: q, split: test, metric: f1}], above", `p.yaml:22: there is no design "q"`},
		{"place: P\n    for", "plaza: P\n    for", "p.yaml:19: "},
	} {
		text := strings.Replace(small, tt.old, tt.new, 1)
		if text == small {
			t.Fatalf("%q is not in the file", tt.old)
		}
		_, err := Parse("p.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || fault.ExitCode(err) != int(fault.Usage) {
			t.Errorf("with %q: %v, expected %s", tt.new, err, tt.want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none"), "none"); err == nil || !strings.Contains(err.Error(), "none cannot be read") {
		t.Errorf("an absent file: %v", err)
	}
}
