package builder

import (
	"encoding/base64"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/schema"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

// row is a row of a built file by column.
type row map[string]string

func readColumns(t *testing.T, path string) (columns []string, records [][]string, rows []row) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	columns, records, err = dataset.ReadCSV(path, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		m := row{}
		for i, c := range columns {
			m[c] = r[i]
		}
		rows = append(rows, m)
	}
	return columns, records, rows
}

// stratum is the attack type of a row, benign for a benign one; of texts of ours after ownPrefix.
func (r row) stratum() string {
	kind := r["attack_type"]
	if r["label"] == "0" {
		kind = "benign"
	}
	if slices.Contains(OwnSources, r["source"]) {
		return ownPrefix + kind
	}
	return kind
}

// rowsOf are the rows of the files by path.
type rowsOf map[string][]row

// checkEdition holds the files in dir to what every edition must be.
func checkEdition(t *testing.T, dir string, files []Expected, cfg *Config, lock *Lock) {
	t.Helper()
	b := rowsOf{}
	var tables []schema.Table
	for _, f := range files {
		columns, records, rows := readColumns(t, filepath.Join(dir, filepath.FromSlash(f.File)))
		name := strings.TrimSuffix(pathpkg.Base(f.File), ".csv")
		tables = append(tables, schema.Table{Name: name, Header: columns, Records: records})
		b[f.File] = rows
		if original := originalColumns(f.File); !slices.Equal(columns[:len(original)], original) ||
			!slices.Equal(columns[len(columns)-len(ownColumns):], ownColumns) {
			t.Errorf("%s has the columns %v", f.File, columns)
		}
	}
	checkSchema(t, tables, lock)
	b.checkHomes(t, files)
	b.checkQuotas(t, cfg)
	b.checkDerived(t)
	b.checkStructural(t, cfg)
	b.checkHeldOut(t, cfg)
	b.checkSiblings(t, cfg)
}

// originalColumns are the columns of the original, in its order.
func originalColumns(path string) []string {
	switch path {
	case structuralFile:
		return structuralColumns
	case domainFile:
		return domainColumns
	case negativeTrainFile, negativeValFile, siblingsFile, thirdPartyFile, ordinaryArmFile:
		return negativeColumns
	}
	return rowColumns
}

func checkSchema(t *testing.T, tables []schema.Table, lock *Lock) {
	t.Helper()
	vocabulary := map[string][]string{"sources": slices.Clone(OwnSources), "licences": {OwnLicence}}
	for _, s := range lock.Sources {
		vocabulary["sources"] = append(vocabulary["sources"], s.ID)
		vocabulary["licences"] = append(vocabulary["licences"], s.Licence)
	}
	s, err := schema.Load(testenv.Root(t), "configs/schema.yaml", vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range s.Check(tables) {
		if i == 20 {
			t.Error("and more")
			break
		}
		t.Error(v)
	}
}

// checkHomes asks that every family and every seed stands in the files of one origin, and every row once in its file.
func (b rowsOf) checkHomes(t *testing.T, files []Expected) {
	t.Helper()
	home := map[string]string{}
	for _, f := range files {
		seen := map[string]bool{}
		rows := b[f.File]
		if len(rows) != f.Benign+f.Injection {
			t.Errorf("%s has %d rows, the report says %s", f.File, len(rows), f)
		}
		for _, r := range rows {
			key := r["row_id"] + " " + r["transform_type"]
			if f.File == heldOutFile {
				key += r["obfuscation"]
			}
			if seen[key] {
				t.Errorf("%s holds %s twice", f.File, key)
			}
			seen[key] = true
			for _, key := range []string{"family " + r["family_id"], "row " + r["row_id"], "row " + r["parent_seed_id"],
				"frame " + r["frame_id"], "carrier " + r["carrier_id"]} {
				if strings.HasSuffix(key, " ") {
					continue
				}
				if at, ok := home[key]; ok && at != origin(f.File) {
					t.Errorf("%s is in %s and %s", key, at, f.File)
				}
				home[key] = origin(f.File)
			}
		}
	}
}

// checkQuotas asks for the rows that the configuration asks for.
func (b rowsOf) checkQuotas(t *testing.T, cfg *Config) {
	t.Helper()
	want := []Classes{cfg.Obfuscation.Train, cfg.Obfuscation.Val, cfg.Obfuscation.Test}
	for i, path := range []string{trainFile, valFile, testFile} {
		strata, sources := Quota{}, map[string]int{}
		var disguised Classes
		for _, r := range b[path] {
			strata[r.stratum()]++
			if r["label"] == "0" {
				sources[r["source"]]++
			}
			switch _, ours := disguise.Named(r["obfuscation"]); {
			case ours && r["label"] == "0":
				disguised.Benign++
			case ours:
				disguised.Injection++
			}
		}
		for s, n := range cfg.Quotas.parts()[i] {
			if strata[s] != n {
				t.Errorf("%s holds %d rows of %s, want %d", path, strata[s], s, n)
			}
			delete(strata, s)
		}
		if len(strata) > 0 {
			t.Errorf("%s holds %v beyond its quotas", path, strata)
		}
		for s, n := range sources {
			benign := cfg.Quotas.parts()[i]["benign"] + cfg.Quotas.parts()[i][ownPrefix+"benign"]
			if most := cfg.Balance.MaxSource; most > 0 && n*1000 > most*benign {
				t.Errorf("%s holds %d benign rows of %s", path, n, s)
			}
		}
		if disguised != want[i] {
			t.Errorf("%s holds %+v disguised rows, want %+v", path, disguised, want[i])
		}
	}
	count := func(path, column, value string) (n int) {
		for _, r := range b[path] {
			if r[column] == value {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"real hard-benign rows", count(hardBenignFile, "source_type", "real"), cfg.HardBenign.Real},
		{"curated hard-benign rows", count(hardBenignFile, "source_type", "curated"), cfg.HardBenign.Curated},
		{"third-party rows", len(b[thirdPartyFile]), cfg.Augmentation.SecurityAdjacent},
		{"ordinary rows", len(b[ordinaryArmFile]), cfg.Augmentation.Ordinary},
		{"hard negatives of train", len(b[negativeTrainFile]), cfg.HardBenign.Negative.Train},
		{"siblings of hard negatives", len(b[siblingsFile]), cfg.Siblings.Rows},
		{"hard negatives of val", len(b[negativeValFile]), cfg.HardBenign.Negative.Val},
		{"benign rows of balanced_subtype_test", count(balancedFile, "label", "0"), cfg.Slices.Benign},
		{"obfuscated attacks", len(b[obfuscatedAttacksFile]), cfg.Obfuscation.Test.Injection},
		{"benign twins", len(b[obfuscatedBenignFile]), cfg.Obfuscation.Twins},
		{"parents", len(b[parentsFile]), cfg.Obfuscation.Test.Injection + cfg.Obfuscation.Twins},
	} {
		if c.got != c.want {
			t.Errorf("%d %s, want %d", c.got, c.what, c.want)
		}
	}
	for domain, want := range cfg.Domain {
		var got Domain
		for _, r := range b[domainFile] {
			if r["domain"] == domain && !slices.Contains(OwnSources, r["source"]) {
				got.ThirdParty++
			}
			switch {
			case r["domain"] != domain:
			case r["label"] == "0":
				got.Benign++
			default:
				got.Injection++
			}
		}
		if got != want {
			t.Errorf("domain %s has %+v rows, want %+v", domain, got, want)
		}
	}
	for _, r := range slices.Concat(b[thirdPartyFile], b[hardBenignFile]) {
		if r["topic"] == "" && r["source_type"] != "curated" {
			t.Errorf("the security-adjacent row %s has no topic", r["row_id"])
		}
	}
}

// checkDerived asks that the rows of derived files are those of test, that every obfuscated row has a parent, and that
// encoded ones give it back.
func (b rowsOf) checkDerived(t *testing.T) {
	t.Helper()
	test, parents := map[string]row{}, map[string]row{}
	for _, r := range b[testFile] {
		test[r["row_id"]] = r
	}
	for _, r := range b[parentsFile] {
		parents[r["row_id"]] = r
	}
	kinds := map[string]int{}
	for _, path := range []string{balancedFile, obfuscatedAttacksFile, obfuscatedBenignFile, parentsFile,
		heldOutFile, heldOutSeedsFile} {
		for _, r := range b[path] {
			of, ok := test[r["row_id"]]
			same := of["text"] == r["text"]
			switch {
			case !ok:
				t.Errorf("%s: %s is no row of test", path, r["row_id"])
			case (path == balancedFile || path == obfuscatedAttacksFile || path == heldOutSeedsFile) && !same:
				t.Errorf("%s: %s has another text in test", path, r["row_id"])
			case path == obfuscatedBenignFile && !same && of["text"] != parents[r["row_id"]]["text"]:
				t.Errorf("%s: %s stands in test neither plain nor as here", path, r["row_id"])
			}
		}
	}
	for _, r := range slices.Concat(b[obfuscatedAttacksFile], b[obfuscatedBenignFile]) {
		p := parents[r["row_id"]]
		if p["pair_id"] != r["pair_id"] || r["pair_id"] == "" || p["text"] == r["text"] || p["text"] == "" {
			t.Errorf("%s has the parent %v", r["row_id"], p)
		}
		if r["label"] == "1" {
			kinds[r["obfuscation_kind"]]++
		}
		_, coded, _ := strings.Cut(r["text"], "\n")
		if r["obfuscation"] == "base64_wrap" {
			if clean, err := base64.StdEncoding.DecodeString(coded); err != nil || string(clean) != p["text"] {
				t.Errorf("%s decodes to %.40q, %v", r["row_id"], clean, err)
			}
		}
	}
	low, high := len(b[obfuscatedAttacksFile]), 0
	for _, k := range disguise.Kinds {
		low, high = min(low, kinds[k]), max(high, kinds[k])
	}
	if high-low > 1 {
		t.Errorf("the kinds stand %v times", kinds)
	}
	twins := map[string]string{}
	for _, r := range b[obfuscatedBenignFile] {
		twins[r["pair_id"]] = r["obfuscation"]
	}
	for _, r := range b[obfuscatedAttacksFile] {
		if twin, ok := twins[r["pair_id"]]; ok && twin != r["obfuscation"] {
			t.Errorf("%s is in %s, its twin in %s", r["row_id"], r["obfuscation"], twin)
		}
	}
}

// checkStructural takes every text back out of its surroundings: it must be that of the seed.
func (b rowsOf) checkStructural(t *testing.T, cfg *Config) {
	t.Helper()
	seeds := map[string]string{}
	count := map[string]int{}
	for _, r := range b[structuralSeedsFile] {
		seeds[r["row_id"]] = r["text"]
		count[r["label"]]++
		if r["topic"] != "" {
			count["adjacent"]++
		}
	}
	s := cfg.Structural
	if count["0"] != s.Seeds || count["1"] != s.Seeds || count["adjacent"] != s.Adjacent {
		t.Errorf("seeds by class %v, want %d of each and %d security-adjacent ones", count, s.Seeds, s.Adjacent)
	}
	number := map[string]int{}
	for _, r := range b[structuralFile] {
		p := disguise.Placed{Text: r["text"], Start: -1}
		var err error
		if p.Length, err = strconv.Atoi(r["seed_length"]); err != nil {
			t.Errorf("%s: seed_length %q", r["row_id"], r["seed_length"])
		}
		if r["transform_type"] != disguise.JSONWrap {
			if p.Start, err = strconv.Atoi(r["seed_start"]); err != nil {
				t.Errorf("%s: seed_start %q", r["row_id"], r["seed_start"])
			}
		}
		if text, err := p.Unwrap(); err != nil || text != seeds[r["row_id"]] {
			t.Errorf("%s in %s gives back %.40q, %v", r["row_id"], r["transform_type"], text, err)
		}
		number[r["row_id"]]++
	}
	for id := range seeds {
		if number[id] != len(disguise.Surroundings) {
			t.Errorf("%s has %d rows", id, number[id])
		}
	}
}

// checkHeldOut asks for the same rows in every held-out disguise, and that no training text shows one.
func (b rowsOf) checkHeldOut(t *testing.T, cfg *Config) {
	t.Helper()
	seeds := map[string]bool{}
	for _, r := range b[heldOutSeedsFile] {
		seeds[r["row_id"]] = true
	}
	by := map[string]map[string]bool{}
	for _, r := range b[heldOutFile] {
		if by[r["obfuscation"]] == nil {
			by[r["obfuscation"]] = map[string]bool{}
		}
		by[r["obfuscation"]][r["row_id"]] = true
	}
	for _, h := range disguise.HeldOuts {
		if len(by[h.Name]) != 2*cfg.HeldOut.Seeds {
			t.Errorf("%d rows in %s", len(by[h.Name]), h.Name)
		}
		for id := range by[h.Name] {
			if !seeds[id] {
				t.Errorf("%s stands in %s and is no seed", id, h.Name)
			}
		}
		for _, r := range slices.Concat(b[trainFile], b[valFile]) {
			if h.Shows(r["text"]) {
				t.Errorf("%s shows %s", r["row_id"], h.Name)
			}
		}
	}
}

// checkSiblings asks for further texts of the frames of hard_negative_train, of each at most so many, none of them a
// text of that file.
func (b rowsOf) checkSiblings(t *testing.T, cfg *Config) {
	t.Helper()
	frames, forms, count := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, r := range b[negativeTrainFile] {
		frames[r["frame_id"]+" "+r["family_id"]] = true
		forms[textnorm.Exact(r["text"])] = true
	}
	for _, r := range b[siblingsFile] {
		if key := r["frame_id"] + " " + r["family_id"]; !frames[key] {
			t.Errorf("the sibling %s has the frame and family %s, of which no row is trained on", r["row_id"], key)
		}
		form := textnorm.Exact(r["text"])
		if forms[form] {
			t.Errorf("the text of the sibling %s stands elsewhere too", r["row_id"])
		}
		forms[form] = true
		if count[r["frame_id"]]++; count[r["frame_id"]] > cfg.Siblings.PerFrame {
			t.Errorf("%d siblings are of frame %s", count[r["frame_id"]], r["frame_id"])
		}
	}
}
