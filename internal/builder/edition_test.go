package builder

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
)

// row is a row of a built file by column.
type row map[string]string

func readColumns(t *testing.T, path string) (columns []string, rows []row) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	columns, records, err := dataset.ReadCSV(path, data)
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
	return columns, rows
}

// vocabulary are the closed columns.
var vocabulary = map[string][]string{
	"label":            {"0", "1"},
	"attack_type":      {"none", "unclassified"},
	"language":         {"en", "mul"},
	"generator_model":  {"none"},
	"paraphrase_round": {"0"},
	"source_type":      {"real", "template"},
	"_split":           {"test"},
	"split":            {"obfuscated_attacks", "obfuscated_benign"},
	"ood_type":         {"structural"},
	"transform_type":   {JSONWrap, PromptDilute, PrefixMimicry},
	"authorship":       {"human", "llm", "template", "unknown"},
	"license":          {"MIT", "Apache-2.0", "CC-BY-4.0", "unknown"},
	"obfuscation": {"none", "unicode_confusables", "homoglyph", "zero_width", "spacing_jitter", "markdown_split",
		"base64_wrap", "rot13_wrap"},
}

// checkEdition holds the files in dir to what every edition must be.
func checkEdition(t *testing.T, dir string, files []Expected) {
	test := map[string]row{}
	home := map[string]string{} // family → file
	for _, f := range files {
		columns, rows := readColumns(t, filepath.Join(dir, filepath.FromSlash(f.File)))
		original := rowColumns
		if f.File == structuralFile {
			original = structuralColumns
		}
		if !slices.Equal(columns[:len(original)], original) || !slices.Equal(columns[len(columns)-5:], ownColumns) {
			t.Errorf("%s has the columns %v", f.File, columns)
		}
		derived := File{Path: f.File}.ofTest()
		seen := map[string]bool{}
		for _, r := range rows {
			for column, allowed := range vocabulary {
				if v, ok := r[column]; ok && !slices.Contains(allowed, v) {
					t.Errorf("%s: column %s holds %q", f.File, column, v)
				}
			}
			if strings.TrimSpace(r["text"]) == "" || strings.Contains(r["text"], "\x00") {
				t.Errorf("%s: %s has the text %.40q", f.File, r["parent_seed_id"], r["text"])
			}
			if v, ok := r["attack_type"]; ok && (v == "none") != (r["label"] == "0") {
				t.Errorf("%s: %s has label %s and attack type %s", f.File, r["parent_seed_id"], r["label"], v)
			}
			key := r["parent_seed_id"] + r["transform_type"]
			if seen[key] {
				t.Errorf("%s holds %s twice", f.File, key)
			}
			seen[key] = true
			if f.File == testFile {
				test[r["parent_seed_id"]] = r
			}
			if derived {
				if of := test[r["parent_seed_id"]]; of["text"] != r["text"] || r["obfuscation"] == "none" {
					t.Errorf("%s: %s is no obfuscated row of test", f.File, r["parent_seed_id"])
				}
				continue
			}
			if at, ok := home[r["family_id"]]; ok && at != f.File {
				t.Errorf("family %s is in %s and %s", r["family_id"], at, f.File)
			}
			home[r["family_id"]] = f.File
			main := slices.Contains([]string{trainFile, valFile, testFile}, f.File)
			if o := r["obfuscation"]; o != "" && o != "none" && !main {
				t.Errorf("%s: %s is obfuscated", f.File, r["parent_seed_id"])
			}
			if _, coded, _ := strings.Cut(r["text"], "\n"); r["obfuscation"] == "base64_wrap" {
				if _, err := base64.StdEncoding.DecodeString(coded); err != nil {
					t.Errorf("%s: %s: %v", f.File, r["parent_seed_id"], err)
				}
			}
		}
		if f.File == structuralFile {
			checkStructural(t, rows)
		}
	}
	for _, share := range []string{trainFile, valFile, testFile} {
		_, rows := readColumns(t, filepath.Join(dir, share))
		var all, obfuscated [2]int
		for _, r := range rows {
			l, _ := strconv.Atoi(r["label"])
			all[l]++
			if r["obfuscation"] != "none" {
				obfuscated[l]++
			}
		}
		for l := range all {
			if obfuscated[l] != all[l]/5 {
				t.Errorf("%s: %d of %d rows of class %d are obfuscated, want a fifth", share, obfuscated[l], all[l], l)
			}
		}
	}
}

// checkStructural takes every text back out of its surroundings: the three rows of a seed must agree.
func checkStructural(t *testing.T, rows []row) {
	seeds := map[string]string{}
	number := map[string]int{}
	for _, r := range rows {
		var text string
		if r["transform_type"] == JSONWrap {
			var v struct{ Task string }
			if err := json.Unmarshal([]byte(r["text"]), &v); err != nil {
				t.Errorf("%s: %v", r["parent_seed_id"], err)
			}
			text = v.Task
		} else {
			start, err1 := strconv.Atoi(r["seed_start"])
			length, err2 := strconv.Atoi(r["seed_length"])
			if err1 != nil || err2 != nil {
				t.Fatalf("%s: seed_start %q, seed_length %q", r["parent_seed_id"], r["seed_start"], r["seed_length"])
			}
			text = string([]rune(r["text"])[start : start+length])
		}
		id := r["parent_seed_id"]
		if other, ok := seeds[id]; ok && other != text {
			t.Errorf("the rows of %s give back different texts", id)
		}
		seeds[id] = text
		number[id]++
	}
	for id, n := range number {
		if n != 3 {
			t.Errorf("%s has %d rows, want three", id, n)
		}
	}
	if len(seeds) != 666 {
		t.Errorf("%d seeds, want 333 of each class", len(seeds))
	}
}
