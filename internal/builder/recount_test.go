package builder

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/testenv"
)

// recount runs the script that counts an edition without any of our Go code.
func recount(t *testing.T, edition string) (status int, stdout, stderr string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		testenv.Missing(t, "python3")
	}
	cmd := exec.Command("python3", filepath.Join(testenv.Root(t), "tools", "recount", "recount.py"), edition)
	var out, failed bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &failed
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), failed.String()
}

func TestAnotherProgramCountsTheEditionAlike(t *testing.T) {
	edition := filepath.Dir(testenv.Built(t, "data/open/test.csv"))
	if status, out, failed := recount(t, edition); status != 0 || !strings.HasSuffix(out, "\nall as expected\n") {
		t.Fatalf("status %d\n%s%s", status, out, failed)
	}
	changed := filepath.Join(t.TempDir(), "data", "open")
	if err := os.CopyFS(changed, os.DirFS(edition)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(testenv.Root(t), ManifestPath))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(changed, "..", "..", ManifestPath), data); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(changed, "val.csv")
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	_, records, err := dataset.ReadCSV(path, data)
	if err != nil {
		t.Fatal(err)
	}
	last := records[len(records)-1]
	var b bytes.Buffer
	columns, _, _ := strings.Cut(string(data), "\n")
	if err := dataset.WriteCSV(&b, strings.Split(columns, ","), records[:len(records)-1]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	benign, injection := 1943, 2046
	if last[slices.Index(strings.Split(columns, ","), "label")] == "0" {
		benign--
	} else {
		injection--
	}
	status, out, _ := recount(t, changed)
	if want := fmt.Sprintf("val.csv: found (%d, %d), expected (1943, 2046)", benign, injection); status != 1 ||
		!strings.Contains(out, want) || !strings.Contains(out, "val.csv: SHA-256, rows") {
		t.Errorf("without a row of val the status is %d and the script does not say %q:\n%s", status, want, out)
	}
}

// madeUp is an edition of no texts that has the counts of the true one.
func madeUp() rowsOf {
	b := rowsOf{}
	add := func(path string, label int, n int, change func(i int, r row)) {
		for i := range n {
			name := fmt.Sprintf("%s_%d_%d", strings.TrimSuffix(filepath.Base(path), ".csv"), label, len(b[path]))
			r := row{"text": name, "row_id": name, "label": fmt.Sprint(label), "source": "found", "attack_type": "none",
				"paraphrase_round": "0", "obfuscation": "none", "source_type": "real"}
			if change(i, r); r["source"] == TemplateSource && r["frame_id"] == "" {
				r["frame_id"] = fmt.Sprint(path, label, "/", i/15)
			}
			b[path] = append(b[path], r)
		}
	}
	types := []string{"direct_override", "contextual_manipulation", "roleplay_attack", "data_exfiltration",
		"tool_injection", "encoded_attack"}
	of := []int{747, 417, 381, 228, 152, 145}
	for _, s := range []struct {
		path              string
		n, own, disguised [2]int // benign, injection
	}{
		{trainFile, [2]int{12846, 14247}, [2]int{4496, 7835}, [2]int{2628, 2787}},
		{valFile, [2]int{1943, 2046}, [2]int{680, 818}, [2]int{397, 400}},
		{testFile, [2]int{1848, 2070}, [2]int{646, 828}, [2]int{378, 405}},
	} {
		for label, n := range s.n {
			add(s.path, label, n, func(i int, r row) {
				if i < s.own[label] {
					r["source"] = TemplateSource
				}
				if i < s.disguised[label] {
					r["obfuscation"] = disguise.Transforms[i%len(disguise.Transforms)].Name
				} else if i%2 == 0 && r["source"] == "found" {
					r["paraphrase_round"] = "1"
				}
				if label == 0 {
					return
				}
				k, upTo := 0, of[0] // a type has its share of the rows, give or take one
				for i*2070 >= upTo*n {
					k++
					upTo += of[k]
				}
				r["attack_type"] = types[k]
			})
		}
	}
	for _, r := range b[testFile] {
		if r["label"] == "1" && r["obfuscation"] != "none" {
			b[obfuscatedAttacksFile] = append(b[obfuscatedAttacksFile], r)
		}
	}
	ordinary := func(int, row) {}
	add(balancedFile, 0, 1200, ordinary)
	for k, n := range of {
		add(balancedFile, 1, min(n, 200), func(_ int, r row) { r["attack_type"] = types[k] })
	}
	add(hardBenignFile, 0, 872, ordinary)
	add(hardBenignFile, 0, 600, func(i int, r row) {
		r["source"], r["source_type"], r["topic"] = TemplateSource, "curated", fmt.Sprint("family ", i%8)
		r["frame_id"] = fmt.Sprint("curated ", i%8, " ", i/8%12)
	})
	for label := range 2 {
		add(domainFile, label, 1000, func(i int, r row) {
			r["domain"] = []string{"medicine", "law", "finance", "code"}[i%4]
			r["source"] = TemplateSource
		})
		add(structuralFile, label, 999, func(i int, r row) { r["transform_type"] = disguise.Surroundings[i%3] })
	}
	for path, n := range map[string][2]int{ordinaryFile: {600, 0}, obfuscatedBenignFile: {405, 0}, parentsFile: {405, 405},
		structuralSeedsFile: {333, 333}, heldOutFile: {750, 750}, heldOutSeedsFile: {150, 150}, thirdPartyFile: {419, 0},
		ordinaryArmFile: {419, 0}} {
		add(path, 0, n[0], ordinary)
		add(path, 1, n[1], ordinary)
	}
	add(negativeTrainFile, 0, 419, func(_ int, r row) { r["source"] = TemplateSource })
	add(siblingsFile, 0, 360, func(i int, r row) {
		r["source"], r["frame_id"] = TemplateSource, fmt.Sprint(negativeTrainFile, 0, "/", i/15)
	})
	add(negativeValFile, 0, 116, func(_ int, r row) { r["source"] = TemplateSource })
	return b
}

var madeUpColumns = []string{"text", "label", "source", "attack_type", "paraphrase_round", "source_type", "obfuscation",
	"row_id", "frame_id", "carrier_id", "topic", "domain", "transform_type", "placement"}

// write makes the edition a frozen one below root.
func (b rowsOf) write(t *testing.T, root string) (edition string) {
	t.Helper()
	edition = filepath.Join(root, "data", "open")
	for _, path := range slices.Sorted(maps.Keys(b)) {
		var records [][]string
		for _, r := range b[path] {
			var record []string
			for _, c := range madeUpColumns {
				record = append(record, r[c])
			}
			records = append(records, record)
		}
		var data bytes.Buffer
		if err := dataset.WriteCSV(&data, madeUpColumns, records); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(filepath.Join(edition, filepath.FromSlash(path)), data.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	config, err := os.ReadFile(filepath.Join(testenv.Root(t), ConfigPath))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(root, ConfigPath), config); err != nil {
		t.Fatal(err)
	}
	if _, err := Freeze(root); err != nil {
		t.Fatal(err)
	}
	return edition
}

// Each count of the edition is one that a single row too many or too few upsets.
func TestTheRecountFindsEveryCountThatDiffers(t *testing.T) {
	root := t.TempDir()
	b := madeUp()
	edition := b.write(t, root)
	if status, out, failed := recount(t, edition); status != 0 || !strings.HasSuffix(out, "\nall as expected\n") ||
		failed != "" {
		t.Fatalf("status %d\n%s%s", status, out, failed)
	}
	first := func(path string, is func(row) bool) row { return b[path][slices.IndexFunc(b[path], is)] }
	with := func(column, value string) func(row) bool { return func(r row) bool { return r[column] == value } }
	attack := with("label", "1")

	b[trainFile] = b[trainFile][1:] // a benign row, which is ours and disguised
	b[valFile][0]["obfuscation"], b[valFile][1]["obfuscation"] = "none", "none"
	first(testFile, attack)["attack_type"] = "roleplay_attack" // was a direct override
	first(testFile, with("obfuscation", "rot13_wrap"))["obfuscation"] = "none"
	b[testFile][len(b[testFile])-1]["source"] = TemplateSource // of the injections 0.6 were third-party ones
	first(balancedFile, attack)["attack_type"] = "tool_injection"
	b[obfuscatedAttacksFile][0] = maps.Clone(b[obfuscatedAttacksFile][0])
	b[obfuscatedAttacksFile][0]["row_id"] = "not of test"
	first(hardBenignFile, with("source_type", "curated"))["topic"] = "family 7"
	first(hardBenignFile, with("source_type", "real"))["source_type"] = "curated"
	first(domainFile, with("domain", "law"))["domain"] = "code"
	first(structuralFile, with("transform_type", "json_wrap"))["transform_type"] = "prompt_dilute"
	for i := range 16 {
		b[negativeValFile][i]["frame_id"] = "curated 0 1"
	}
	for i := range 21 {
		b[domainFile][i]["frame_id"] = "domain"
	}
	b[ordinaryFile] = b[ordinaryFile][1:]
	b[valFile][2]["text"] = strings.ToUpper(b[trainFile][0]["text"])
	for i, at := range []string{"start", "middle", "end"} { // its clean document stands nowhere
		r := b[valFile][len(b[valFile])-1-i] // injections
		r["placement"], r["carrier_id"] = at, "letter"
	}
	status, out, failed := recount(t, b.write(t, t.TempDir()))
	_, found, _ := strings.Cut(out, "\nnot as expected:\n")
	if status != 1 || failed != "" {
		t.Errorf("status %d %s", status, failed)
	}
	for _, want := range []string{
		"train.csv: found (12845, 14247), expected (12846, 14247)",
		"val.csv: disguised benign rows: found 395, expected 397.4, as in test",
		"test.csv: direct_override: found 746, expected 747",
		"test.csv: roleplay_attack: found 382, expected 381",
		"test.csv: disguised benign rows: found 377, expected 378",
		"test.csv: third-party share of injection rows: found 0.599517, expected at least 0.6",
		"eval_subsets/balanced_subtype_test.csv: direct_override: found 199, expected 200",
		"eval_subsets/balanced_subtype_test.csv: tool_injection: found 153, expected 152",
		"disguised injections of test that obfuscated_attacks lacks or has beyond them: found 2, expected 0",
		"hard-benign rows (real, curated): found (871, 601), expected (872, 600)",
		"curated rows of '': found 1, expected 75",
		"curated rows of 'family 0': found 74, expected 75",
		"curated rows of 'family 7': found 76, expected 75",
		"frames of curated rows of '': found 0, expected at least 12",
		"families of curated rows: found 9, expected 8",
		"frames that curated rows share with hard negatives: found ['curated 0 1'], expected []",
		"hard_negative_val.csv: rows of one frame: found 16, expected at most 15",
		"ood/domain_ood.csv: rows of one frame: found 21, expected at most 20",
		"domain 'law': found (249, 250), expected (250, 250)",
		"domain 'code': found (251, 250), expected (250, 250)",
		"eval_subsets/ordinary_benign.csv: found (599, 0), expected (600, 0)",
		"texts that stand in two files: found {('train.csv', 'val.csv'): 1}, expected {}",
		"val.csv: documents that lack a place or stand nowhere clean: found 1, expected 0",
		"surroundings json_wrap: found (332, 333), expected (333, 333)",
		"surroundings prompt_dilute: found (334, 333), expected (333, 333)",
	} {
		if !strings.Contains(found, "  "+want+"\n") {
			t.Errorf("the script does not say %q", want)
		}
		found = strings.Replace(found, "  "+want+"\n", "", 1)
	}
	if found != "" {
		t.Errorf("the script says as well:\n%s", found)
	}
}

func TestTheRecountNamesTheFileThatItCannotRead(t *testing.T) {
	b := madeUp()
	b[trainFile] = b[trainFile][:2]
	edition := b.write(t, t.TempDir())
	path := filepath.Join(edition, "val.csv")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, say string }{
		{"\nval_0_0,0,", "\nval_0_0,2,", "val.csv: row 1 has the label '2', expected 0 or 1"},
		{"\nval_0_0,0,", "\nval_0_0,", "val.csv: row 1 has 13 fields, expected 14"},
		{"\nval_0_0,", "\n\"val_0_0\"x,", "val.csv: "},
		{"\nval_0_0,", "\nval\xff,", "val.csv: "},
		{",frame_id,", ",frame,", "val.csv has no column frame_id"},
	} {
		if err := os.WriteFile(path, bytes.Replace(good, []byte(tt.old), []byte(tt.new), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		if status, _, failed := recount(t, edition); status != 2 || !strings.HasPrefix(failed, "recount: "+tt.say) ||
			strings.Count(failed, "\n") != 1 {
			t.Errorf("%q: status %d, %s", tt.say, status, failed)
		}
	}
	for _, gone := range []string{filepath.Join(edition, "..", "..", ManifestPath), path, edition} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		if status, _, failed := recount(t, edition); status != 2 || strings.Contains(failed, "Traceback") ||
			!strings.HasPrefix(failed, "recount: ") {
			t.Errorf("without %s: status %d, %s", filepath.Base(gone), status, failed)
		}
	}
}
