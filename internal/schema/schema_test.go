package schema

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

var lists = map[string][]string{"sources": {"chat", "mail"}, "licences": {"MIT", "unknown"}}

func load(t testing.TB) *Schema {
	t.Helper()
	s, err := Load("testdata", "schema.yaml", lists)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheSchemaOfTheProjectLoads(t *testing.T) {
	if _, err := Load(testenv.Root(t), "configs/schema.yaml", lists); err != nil {
		t.Error(err)
	}
}

const id = "chat_0123456789abcdef"

// fields are valid values by column; a test changes some.
func fields(changes map[string]string) map[string]string {
	f := map[string]string{
		"parent_seed_id": id, "text": "Name a river.", "label": "0", "source": "chat", "attack_type": "none",
		"language":        "en",
		"generator_model": "none", "paraphrase_round": "0", "source_type": "real", "obfuscation": "none", "_split": "test",
		"split": "obfuscated_attacks", "ood_type": "structural", "transform_type": "instruction_prefix_mimic",
		"original_seed_idx": "0", "generation_method": "deterministic_transform", "seed_start": "0", "seed_length": "13",
		"filler_ids": "", "row_id": id, "family_id": "f_0123456789abcdef", "frame_id": "", "carrier_id": "",
		"authorship": "human", "license": "MIT", "attack_rule": "", "obfuscation_kind": "none", "edits": "0", "pair_id": "",
		"topic": "", "domain": "legal", "attack_style": "none", "hardneg_category": "ordinary",
	}
	for k, v := range changes {
		f[k] = v
	}
	return f
}

// table lays rows out as the schema says.
func table(s *Schema, name string, rows ...map[string]string) Table {
	f, _ := s.file(name)
	l := s.Layouts[f.Layout]
	t := Table{Name: name, Header: slices.Concat(l.Columns, l.Own, s.Own)}
	for _, r := range rows {
		var rec []string
		for _, c := range t.Header {
			rec = append(rec, r[c])
		}
		t.Records = append(t.Records, rec)
	}
	return t
}

func TestEveryViolationIsNamed(t *testing.T) {
	s := load(t)
	type change = map[string]string
	for _, tt := range []struct {
		name, file string
		rows       []change
		want       []string
	}{
		{name: "nothing", file: "train", rows: []change{{}, {"label": "1", "attack_type": "roleplay_attack"}}},
		{name: "label in words", file: "train", rows: []change{{"label": "benign"}},
			want: []string{`train row 0: column label: holds "benign", expected 0 or 1`}},
		{name: "benign with an attack type", file: "val", rows: []change{{}, {"attack_type": "direct_override"}},
			want: []string{`val row 1: column attack_type: holds "direct_override" in a benign row, expected none`}},
		{name: "injection without one", file: "train", rows: []change{{"label": "1"}},
			want: []string{"train row 0: column attack_type: holds none in an injection, expected an attack type"}},
		{name: "style of the domain split", file: "domain_ood", rows: []change{{"ood_type": "domain", "label": "1"}},
			want: []string{"domain_ood row 0: column attack_style: holds none in an injection, expected an attack type"}},
		{name: "open vocabulary", file: "train", rows: []change{{"source": "web", "license": "GPL"}}, want: []string{
			`train row 0: column source: holds "web", expected chat or mail`,
			`train row 0: column license: holds "GPL", expected MIT or unknown`}},
		{name: "empty text", file: "train", rows: []change{{"text": ""}},
			want: []string{"train row 0: column text: is empty, expected a text"}},
		{name: "obfuscated without a change", file: "train", rows: []change{{"obfuscation": "homoglyph",
			"obfuscation_kind": "homoglyph"}},
			want: []string{`train row 0: column edits: holds 0 where obfuscation is "homoglyph", expected a change`}},
		{name: "obfuscated", file: "train", rows: []change{{"obfuscation": "homoglyph", "edits": "3",
			"obfuscation_kind": "homoglyph"}}},
		{name: "as its source ships it", file: "train", rows: []change{{"obfuscation": "as_found", "edits": "2"}}},
		{name: "changed without obfuscation", file: "train", rows: []change{{"edits": "2"}},
			want: []string{`train row 0: column edits: holds "2" where obfuscation is none, expected 0`}},
		{name: "number with a sign", file: "train", rows: []change{{"paraphrase_round": "+1"}},
			want: []string{`train row 0: column paraphrase_round: holds "+1", expected a whole number from 0 to 9`}},
		{name: "name of another shape", file: "train", rows: []change{{"family_id": "f_1\n"}},
			want: []string{`train row 0: column family_id: holds "f_1\n", expected the pattern f_[0-9a-f]{16}`}},
		{name: "a file's own values", file: "hard_benign_test", rows: []change{{"label": "1",
			"attack_type": "encoded_attack"}},
			want: []string{`hard_benign_test row 0: column label: holds "1", expected 0`}},
		{name: "undeclared file", file: "notes",
			want: []string{"notes: the file is not declared in configs/schema.yaml"}},

		{name: "shifted by a place", file: "structural_ood", rows: []change{{"text": "Task: Name a river.",
			"seed_start": "6"}}},
		{name: "characters, not bytes", file: "structural_ood", rows: []change{{"text": "Tä: Nämä a river.",
			"seed_start": "4"}}},
		{name: "beyond the end", file: "structural_ood", rows: []change{{"text": "Task: Name a river.", "seed_start": "7"}},
			want: []string{
				"structural_ood row 0: column text: has 19 characters, expected at least the 20 that seed_start and seed_length " +
					"reach"}},
		{name: "far beyond the end", file: "structural_ood", rows: []change{{"seed_length": "999999999",
			"seed_start": "999999999"}},
			want: []string{"structural_ood row 0: column text: has 13 characters, expected at least the 1999999998 that " +
				"seed_start and seed_length reach"}},
		{name: "JSON", file: "structural_ood", rows: []change{{"transform_type": "json_wrap", "seed_start": "",
			"text": `{"task": "Name a river.", "context": "Please."}`}}},
		{name: "no JSON", file: "structural_ood", rows: []change{{"transform_type": "json_wrap", "seed_start": "",
			"text": `{"task": "N`}},
			want: []string{"structural_ood row 0: column text: is no JSON object of task and context: unexpected EOF"}},
		{name: "JSON with more", file: "structural_ood", rows: []change{{"transform_type": "json_wrap", "seed_start": "",
			"text": `{"task": "Name a river.", "context": "Please."} x`}},
			want: []string{"structural_ood row 0: column text: has something behind its JSON object"}},
		{name: "another field", file: "structural_ood", rows: []change{{"transform_type": "json_wrap", "seed_start": "",
			"text": `{"task": "Name a river.", "role": "x"}`}},
			want: []string{`structural_ood row 0: column text: is no JSON object of task and context: json: unknown field "role"`}},
		{name: "task of another length", file: "structural_ood", rows: []change{{"transform_type": "json_wrap",
			"seed_start": "",
			"text":       `{"task": "Name a road.", "context": "Please."}`}}, want: []string{
			"structural_ood row 0: column text: holds a task of 12 characters, expected seed_length, which is 13"}},
		{name: "surroundings that do not agree", file: "structural_ood", rows: []change{{}, {"text": "Name a fiver."}},
			want: []string{
				`structural_ood row 1: column text: gives back "Name a fiver.", expected what the other rows of "` + id + `" give back`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rows []map[string]string
			for _, c := range tt.rows {
				rows = append(rows, fields(c))
			}
			var got []string
			for _, v := range s.Check([]Table{table(s, tt.file, rows...)}) {
				got = append(got, v.String())
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("violations (-want +got):\n%s", d)
			}
		})
	}
}

func TestShiftedTextsGiveBackTheTextsOfTheFileOfSeeds(t *testing.T) {
	s := load(t)
	shifted := table(s, "structural_ood", fields(nil))
	for text, want := range map[string]string{"Name a river.": "", "Name a canal.": `gives back "Name a river."`} {
		got := s.Check([]Table{shifted, table(s, "structural_seeds", fields(map[string]string{"text": text}))})
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0].Problem, want)) {
			t.Errorf("%q: %v, want %q", text, got, want)
		}
	}
	got := s.Check([]Table{shifted, table(s, "structural_seeds",
		fields(map[string]string{"row_id": "chat_ffffffffffffffff"}))})
	if len(got) != 1 || !strings.Contains(got[0].Problem, "which is not in structural_seeds") {
		t.Errorf("a seed that is not there: %v", got)
	}
}

func TestColumnsStandInOrder(t *testing.T) {
	s := load(t)
	for _, tt := range []struct {
		change func([]string) []string
		want   string
	}{
		{func(h []string) []string { return h }, ""},
		{func(h []string) []string { h[0], h[1] = h[1], h[0]; return h }, `column 1 is "text", expected parent_seed_id`},
		{func(h []string) []string { return h[:len(h)-1] }, "column 21 (topic) is missing"},
		{func(h []string) []string { return append(h, "note\x1b") }, `column 22 ("note\x1b") is not declared for this file`},
	} {
		tab := table(s, "train")
		tab.Header = tt.change(slices.Clone(tab.Header))
		got := ""
		for _, v := range s.Check([]Table{tab}) {
			got += v.Problem
		}
		if got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestAListAddsToTheValues(t *testing.T) {
	dir := t.TempDir()
	const text = "own: [a]\nlayouts: {rows: {columns: [b]}}\nfiles: [{name: x, layout: rows}]\n" +
		"columns:\n  a: {values: [authored], list: sources}\n  b: {list: nothing}\n"
	if err := os.WriteFile(filepath.Join(dir, "schema.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Load(dir, "schema.yaml", map[string][]string{"sources": {"chat"}, "nothing": nil})
	if err != nil {
		t.Fatal(err)
	}
	records := [][]string{{"", "authored"}, {"", "chat"}, {"z", "web"}}
	var got []string
	for _, v := range s.Check([]Table{{Name: "x", Header: []string{"b", "a"}, Records: records}}) {
		got = append(got, fmt.Sprint(v.Row, v.Column))
	}
	if want := []string{"0b", "1b", "2b", "2a"}; !slices.Equal(got, want) {
		t.Errorf("violations of %v, want %v", got, want)
	}
}

func TestMistakesInTheSchemaNameTheLine(t *testing.T) {
	const good = "own: [a]\nlayouts: {rows: {columns: [b]}}\nfiles: [{name: x, layout: rows}]\n" +
		"columns:\n  a: {}\n  b: {values: [c]}\n"
	for _, tt := range []struct{ old, new, want string }{
		{"", "", ""},
		{"own: [a]", "own: [z]", `:1: column "z" is not among columns; say there what it may hold`},
		{"columns: [b]", "columns: [z]", `:2: column "z" is not among columns; say there what it may hold`},
		{"layout: rows", "layout: row", `:3: field layout holds "row", expected one of [rows]; correct it`},
		{"layout: rows", "layout: rows, values: {z: " +
			"[y]}", `:3: field values names the column "z", which layout rows does not have; correct it`},
		{"{values: [c]}", "{values: [c], pattern: d}", ":6: column b has more than one of values (or list), pattern and " +
			"bounds; keep one"},
		{"{values: [c]}", "{least: 1}", ":6: column b has one of least and most, expected both; add the other"},
		{"{values: [c]}", "{list: d}", `:6: field list holds "d", expected one of [licences sources]; correct it`},
		{"{values: [c]}", "{pattern: '('}", ":6: field pattern holds \"(\", which is no regular expression: "},
		{"own", "may_overlap: [[x, y]]\nown", `:1: the file "y" is not among files; correct it`},
		{"own: [a]", "owm: [a]", `:1: unknown field "owm"`},
		{"[{name", "[{name: x, layout: rows}, {name", `:3: the file "x" stands twice; delete one of them`},
	} {
		dir := t.TempDir()
		text := strings.Replace(good, tt.old, tt.new, 1)
		if err := os.WriteFile(filepath.Join(dir, "schema.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Load(dir, "schema.yaml", lists)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%v", err)
		case tt.want != "" && (fault.ExitCode(err) != 2 || !strings.HasPrefix(err.Error(), "schema.yaml"+tt.want)):
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// FuzzRecoverSeed checks that whatever stands in the fields of a row, recovering its seed ends, and that a seed it
// gives back has the length it was promised.
func FuzzRecoverSeed(f *testing.F) {
	f.Add("json_wrap", `{"task":"a","context":"b"}`, "", "1")
	f.Add("prompt_dilute", "xx\n\nab\n\nyy", "4", "2")
	f.Add("x", "\xff\xfe", "1", "99999999999999999999")
	f.Fuzz(func(t *testing.T, transform, text, start, length string) {
		seed, err := recoverSeed(transform, text, start, length)
		if err == nil && fmt.Sprint(len([]rune(seed))) != strings.TrimLeft(length, "+0") {
			t.Errorf("%q gives back %s of length %d, promised %s", text, base64.StdEncoding.EncodeToString([]byte(seed)),
				len([]rune(seed)), length)
		}
	})
}
