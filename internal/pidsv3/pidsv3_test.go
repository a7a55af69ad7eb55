package pidsv3

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
	"pidsbench/internal/restrict"
)

func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const two = "text,true_label,probability_score\na,0,0.25\nb,1,1\n"

func TestRunsAreFoundByTheNamesOfTheirFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"deberta_v3/val_predictions.csv", "deberta_v3/test_predictions.csv", "deberta_v3/hard_benign_predictions.csv",
		"deberta_v3/structural_ood_probability_scores.csv", "deberta_v3/threshold_sweep.csv",
		"deberta_v3/false_positives.csv",
		"deberta_v3/baseline_probs_cache/val_predictions.csv",
		"multi_seed_runs/DistilBERT Cluster/seed_7777/obfuscated_attacks_predictions.csv",
		"multi_seed_runs/DistilBERT Cluster/seed_13/obfuscated_probability_scores.csv",
		"prob_cache/deepset-base_heldout_test.csv", "prob_cache/deepset-base_hard_benign.csv",
		"prob_cache/protectai_base_val.csv",
		"multiaxis/gpt4o_mini/balanced_subtype.csv", "data/train_predictions.csv",
	} {
		write(t, dir, name, two)
	}
	write(t, dir, "data/test.csv", "text,label\na,0\n") // a split, not a prediction
	write(t, dir, "data/val.csv", "not, a\nCSV\n")
	runs, notes, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		Detector string
		Seed     int
		Splits   string
	}
	var got []found
	for _, r := range runs {
		var splits []string
		for _, p := range r.Predictions {
			splits = append(splits, p.Split)
		}
		got = append(got, found{r.Detector, r.Seed, strings.Join(splits, " ")})
	}
	want := []found{
		{"deberta_v3", 42, "hard_benign_test structural_ood test val"},
		{"distilbert-cluster", 13, "obfuscated_attacks"},
		{"distilbert-cluster", 7777, "obfuscated_attacks"},
		{"gpt4o_mini", 42, "balanced_subtype_test"},
		{"deepset-base", 42, "hard_benign_test test"},
		{"protectai_base", 42, "val"},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(notes) > 0 {
		t.Errorf("runs (-want +got):\n%s%v", diff, notes)
	}
}

func TestSeedsOfFoldersAreWholeNumbersInRange(t *testing.T) {
	for folder, want := range map[string]int{
		"seed_0": 0, "seed-7": 7, "seed13": 13, "seed_999999999": 999999999, "seed_1x": DefaultSeed,
		"seed_-1": -1, "seed--1": -1, "seed_1000000000": -1, "seed_99999999999999999999": -1,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, folder, "test_predictions.csv")
		if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("true_label,probability_score\n0,0.5\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		runs, _, err := Find(dir)
		switch {
		case want < 0:
			if fault.ExitCode(err) != int(fault.Integrity) ||
				!strings.Contains(err.Error(), "expected 0 to 999999999; rename it") {
				t.Errorf("%s: %v", folder, err)
			}
		case err != nil || len(runs) != 1 || runs[0].Seed != want:
			t.Errorf("%s: %v, %v", folder, runs, err)
		}
	}
}

func TestAFileIsNamedAsInTheOriginalsManifest(t *testing.T) {
	for dir, want := range map[string]string{
		"/home/x/outputs/deberta_v3":                  "outputs/deberta_v3/test_predictions.csv",
		"/home/x/outputs/multi_seed_runs/arm/seed_13": "outputs/multi_seed_runs/arm/seed_13/test_predictions.csv",
		"/home/x/copied/deberta_v3":                   "outputs/deberta_v3/test_predictions.csv",
		"/srv/outputs/old/outputs/deberta_v3":         "outputs/deberta_v3/test_predictions.csv",
		"/home/x/outputs":                             "outputs/outputs/test_predictions.csv",
	} {
		r := &Run{Dir: filepath.FromSlash(dir)}
		if got := r.OutputPath(&Prediction{Path: dir + "/test_predictions.csv"}); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}

func TestColumnsOfEveryKindOfFile(t *testing.T) {
	for name, tt := range map[string]struct {
		text      string
		scores    []Score
		texts     bool
		decisions bool
	}{
		"trained": {"text,true_label,predicted_label,probability_score,source\na,0,0,1e-05,x\nb,1,1,0.75,y\n",
			[]Score{{Value: 1e-5}, {Value: 0.75}}, true, false},
		"no text": {"true_label,probability_score\n0,0.5\n1.0,-0.0\n", []Score{{Value: 0.5}, {}}, false, false},
		"cache": {"row_id,text,label,inj_prob,pred_default,pred_tuned\n0,a,0,0.1,0,1\n1,b,1,1.0,1,1\n",
			[]Score{{Value: 0.1}, {Value: 1}}, true, false},
		"decision": {"text,label,source,external_pred\na,0,x,0\nb,1,y,1\n", []Score{{}, {Value: 1}}, true, true},
		"chat": {"text,label,llm_pred,probability_score\na,0,1,0.2\nb,1,0,\n", []Score{{Value: 0.2},
			{Reason: "the original has no score for this row"}}, true, false},
		"not a number": {"true_label,probability_score\n0,nan\n1,0.5\n",
			[]Score{{Reason: "the original has no score for this row"}, {Value: 0.5}}, false, false},
	} {
		p, err := read(write(t, t.TempDir(), "test_predictions.csv", tt.text), "test", true)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tt.scores, p.Scores); diff != "" || (p.Texts != nil) != tt.texts || p.Decisions != tt.decisions {
			t.Errorf("%s: texts %v, decisions %v, scores (-want +got):\n%s", name, p.Texts, p.Decisions, diff)
		}
	}
}

func TestMalformedFilesNameTheRow(t *testing.T) {
	for text, want := range map[string]string{
		"true_label,probability_score\n0,0.5\nx,0.5\n": `row 1: the label is "x", expected 0 or 1`,
		"true_label,probability_score\n0,much\n": `row 0: column "probability_score" holds "much", ` +
			`expected a number from 0 to 1`,
		"true_label,probability_score\n0,-0.1\n":   `holds "-0.1"`,
		"true_label,probability_score\n0,inf\n":    `holds "inf"`,
		"true_label,probability_score\n0,0x1p-2\n": `holds "0x1p-2", expected a number from 0 to 1`,
		"true_label,probability_score\n0,0X1P-1\n": `holds "0X1P-1"`,
		"true_label,external_pred\n0,0.5\n":        `column "external_pred" holds "0.5", expected 0 or 1`,
		"text,score\na,1\n":                        `there is no column "probability_score"`,
		"text,probability_score\na,1\n":            `there is no column "true_label"`,
		"true_label,probability_score\n0\n":        "the row has 1 field, expected 2",
	} {
		_, err := read(write(t, t.TempDir(), "test_predictions.csv", text), "test", true)
		if fault.ExitCode(err) != int(fault.Integrity) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestRowsAreMatchedWithTheEdition(t *testing.T) {
	split := func(text string) *dataset.Split {
		s, err := dataset.ReadBytes("test.csv", []byte(text), dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	frozen := manifest.File{Path: "test.csv", Counted: true, Rows: 2, Benign: 1, Injection: 1}
	rows := split("text,label\na,0\nb,1\n")
	for name, tt := range map[string]struct {
		file string
		rows *dataset.Split
		want string
	}{
		"equal":              {two, rows, ""},
		"no edition at hand": {two, nil, ""},
		"white space":        {"text,true_label,probability_score\na ,0,0.25\nb,1,1\n", rows, ""},
		"no text":            {"true_label,probability_score\n0,0.25\n1,1\n", rows, ""},
		"a text that pandas reads as missing": {"text,true_label,probability_score\nnan,0,0.25\nb,1,1\n",
			split("text,label\nNone,0\nb,1\n"), ""},
		"fewer rows": {"true_label,probability_score\n0,0.25\n", nil,
			"holds 1 rows, 1 benign and 0 injection, expected the 2 rows"},
		"other classes": {"true_label,probability_score\n0,0.25\n0,1\n", nil, "holds 2 rows, 2 benign"},
		"other order": {"true_label,probability_score\n1,0.25\n0,1\n", rows,
			"row 0 has label 1, expected 0"},
		"other text": {"text,true_label,probability_score\na,0,0.25\nc,1,1\n", rows,
			`row 1 has the text "c", expected "b"`},
		"withheld": {two, split("text,label,text_sha256\na,0,\n,1," + restrict.Hash("b") +
			"\n"), ""},
		"withheld, another": {two, split("text,label,text_sha256\na,0,\n,1," + restrict.Hash("c") + "\n"),
			`row 1 has the text "b", expected the one with the fingerprint`},
		"scored the blank": {"text,true_label,probability_score\na,0,0.25\nnan,1,1\n",
			split("text,label,text_sha256\na,0,\n,1," + restrict.Hash("b") + "\n"), `row 1 has the text "nan"`},
	} {
		p, err := read(write(t, t.TempDir(), "test_predictions.csv", tt.file), "test", true)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Check(frozen, tt.rows)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestTrimDropsOnlyBenignRowsBehindTheSplit(t *testing.T) {
	labels := func(ls ...dataset.Label) *Prediction { return &Prediction{Labels: ls, Scores: make([]Score, len(ls))} }
	if p := labels(0, 1, 0, 0); !p.Trim(2, 2) || len(p.Scores) != 2 || len(p.Labels) != 2 {
		t.Errorf("%+v", p)
	}
	for _, p := range []*Prediction{labels(0, 1, 0, 1), labels(0, 1, 0), labels(0, 1)} {
		if n := len(p.Scores); p.Trim(2, 2) || len(p.Scores) != n {
			t.Errorf("%+v", p)
		}
	}
}

// FuzzPrediction checks that any file is refused or gives as many labels as scores, each score in [0,1].
func FuzzPrediction(f *testing.F) {
	f.Add([]byte(two))
	f.Add([]byte("label,inj_prob\n1,\n"))
	f.Add([]byte("label,external_pred\n1,1\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := read(write(t, dir, "test_predictions.csv", string(data)), "test", true)
		if err != nil {
			return
		}
		if len(p.Labels) != len(p.Scores) || p.Texts != nil && len(p.Texts) != len(p.Scores) {
			t.Fatalf("%d labels, %d scores, %d texts", len(p.Labels), len(p.Scores), len(p.Texts))
		}
		for i, s := range p.Scores {
			if !(s.Value >= 0 && s.Value <= 1) || s.Reason != "" && s.Value != 0 {
				t.Fatalf("row %d: %+v", i, s)
			}
		}
		if p.differs(p) >= 0 {
			t.Fatal("a file differs from itself")
		}
	})
}

func TestAFolderMetThroughALinkIsRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "real/val_predictions.csv", two)
	if err := os.Symlink("real", filepath.Join(dir, "deberta_v3")); err != nil {
		t.Fatal(err)
	}
	runs, _, err := Find(filepath.Join(dir, "deberta_v3"))
	if err != nil || len(runs) != 1 || runs[0].Detector != "deberta_v3" {
		t.Errorf("%+v, %v", runs, err)
	}
}
