package manifest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

var ignoreSource = cmpopts.IgnoreUnexported(Manifest{})

func parse(t testing.TB, data string) *Manifest {
	t.Helper()
	m, err := Parse("M.txt", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Integrity {
		t.Fatalf("error %v has exit status %d, want %d", err, fault.ExitCode(err), fault.Integrity)
	}
	if err.Error() != want {
		t.Errorf("message\n got %s\nwant %s", err, want)
	}
}

// hash is a made-up SHA-256 that starts with a letter.
func hash(letter string) string { return letter + strings.Repeat("0123456789", 7)[:63] }

func TestParseReadsOurForm(t *testing.T) {
	text := Header + "\n# edition: open\n# folder: data/open\n#\n# a comment\n" + columns + "\n" +
		hash("b") + " 3 1 2 ood/with space.csv\n" + hash("a") + "     -  -   -  note.txt\n"
	m := parse(t, text)
	want := &Manifest{Edition: "open", Folder: "data/open", Comments: []string{"", "a comment"}, Files: []File{
		{Path: "note.txt", SHA256: hash("a")},
		{Path: "ood/with space.csv", SHA256: hash("b"), Counted: true, Rows: 3, Benign: 1, Injection: 2},
	}}
	if diff := cmp.Diff(want, m, ignoreSource); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	if m.Hash() != hashOf([]byte(text)) {
		t.Error("the hash is not the one of the bytes that were parsed")
	}
	if f, ok := m.Lookup("note.txt"); !ok || f.SHA256 != hash("a") {
		t.Errorf("lookup gives %+v, %v", f, ok)
	}
	if _, ok := m.Lookup("note"); ok {
		t.Error("lookup finds what is not there")
	}
}

func TestShippedManifestOfTheOriginal(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(testenv.Root(t), "configs", "editions", "v3.manifest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	m := parse(t, string(data))
	if m.Edition != "v3" || m.Folder != "" || len(m.inFolder()) != 12 || len(m.Files) != 21 {
		t.Errorf("edition %q, folder %q, %d files", m.Edition, m.Folder, len(m.Files))
	}
	var b bytes.Buffer
	if err := Write(&b, m); err != nil || b.String() != string(data) {
		t.Errorf("it is not in the form in which it would be written (%v)", err)
	}
	if f, _ := m.Lookup("eval_subsets/hard_benign_test.csv"); f.Withheld != 664 {
		t.Errorf("hard_benign_test withholds %d texts in its form for the public, want 664", f.Withheld)
	}
	var rows, benign, injection int
	benchmark, err := dataset.LoadBenchmark(filepath.Join(testenv.Root(t), "configs", "benchmark.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	edition, err := benchmark.Edition("v3")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range edition.Splits {
		f, ok := m.Lookup(s.Path)
		if !ok || !f.Counted {
			t.Errorf("split %s is not frozen with its counts", s.Name)
		}
		rows, benign, injection = rows+f.Rows, benign+f.Benign, injection+f.Injection
	}
	if rows != 43172 || benign != 21308 || injection != 21864 {
		t.Errorf("the splits have %d rows, %d benign, %d injection", rows, benign, injection)
	}
}

func TestBadManifestsNameTheLine(t *testing.T) {
	entry := hash("a") + "  3  1  2  "
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", "M.txt freezes no file, expected a line of SHA-256, rows, benign, injection and path for each"},
		{"no entries", Header + "\n", "M.txt freezes no file, expected a line of SHA-256, rows, benign, injection " +
			"and path for each"},
		{"LFS pointer", "version https://git-lfs.github.com/spec/v1\nsize 12\n",
			"M.txt is a Git LFS pointer to a file of 12 bytes, expected a freeze manifest; fetch the file itself " +
				"with `git lfs pull`"},
		{"not text", "\xc3\x28", "M.txt is not UTF-8 text, expected a freeze manifest"},
		{"other version", "# pidsbench freeze manifest 2\n", `M.txt:1: the line is "# pidsbench freeze manifest 2", ` +
			`expected ` +
			`"# pidsbench freeze manifest 1"; use the pidsbench that wrote it`},
		{"byte order mark", "\ufeff" + Header + "\n", `M.txt:1: the line is "\ufeff# pidsbench freeze manifest 1", ` +
			`expected ` +
			`"# pidsbench freeze manifest 1"; use the pidsbench that wrote it`},
		{"CRLF", Header + "\n" + entry + "a.csv\r\n", "M.txt:2: the line ends with CRLF, expected LF: the manifest " +
			"was converted, " +
			"and its hash with it; check it out again without line-end conversion"},
		{"cut off", Header + "\n" + entry + "a.csv", "M.txt:2: the last line has no line end: the manifest is cut " +
			"off; copy it again"},
		{"too few fields", Header + "\n" + hash("a") + "  3  a.csv\n", `M.txt:2: the line ` +
			`is "` + hash("a")[:40] + `"…, expected ` +
			"SHA-256, rows, benign, injection and path"},
		{"blank line", Header + "\n\n", `M.txt:2: the line is "", expected SHA-256, rows, benign, injection and path`},
		{"short hash", Header + "\nabc 3 1 2 a.csv\n", `M.txt:2: the SHA-256 is "abc", expected 64 lower-case ` +
			`hexadecimal digits`},
		{"capital hash", Header + "\n" + strings.ToUpper(hash("a")) + " 3 1 2 a.csv\n", `M.txt:2: the SHA-256 is "` +
			strings.ToUpper(hash("a"))[:40] + `"…, expected 64 lower-case hexadecimal digits`},
		{"count no number", Header + "\n" + hash("a") + " 3 x 2 a.csv\n", `M.txt:2: benign is "x", expected a ` +
			`number (or - for all three counts)`},
		{"negative count", Header + "\n" + hash("a") + " 3 1 -2 a.csv\n", `M.txt:2: injection is "-2", expected a ` +
			`number (or - for all three counts)`},
		{"huge count", Header + "\n" + hash("a") + " 99999999999 1 2 a.csv\n", `M.txt:2: rows is "99999999999", ` +
			`expected a number (or - for all three counts)`},
		{"counts do not add up", Header + "\n" + hash("a") + " 4 1 2 a.csv\n", "M.txt:2: a.csv has 4 rows, expected " +
			"benign + injection = 3"},
		{"no rows", Header + "\n" + hash("a") + " 0 0 0 a.csv\n", "M.txt:2: a.csv has 0 rows, expected at least 1"},
		{"path twice", Header + "\n" + entry + "a.csv\n# x\n" + entry + "a.csv\n", "M.txt:4: the path a.csv stands " +
			"on line 2 already; delete one of the lines"},
		{"path out of the folder", Header + "\n" + entry + "ood/../../a.csv\n", `M.txt:2: the path ` +
			`"ood/../../a.csv" leads out of the folder`},
		{"absolute path", Header + "\n" + entry + "/etc/passwd\n", `M.txt:2: the path "/etc/passwd" is absolute, ` +
			`expected a path inside the folder`},
		{"drive letter", Header + "\n" + entry + "C:a.csv\n", `M.txt:2: the path "C:a.csv" is absolute, expected a ` +
			`path inside the folder`},
		{"backslash", Header + "\n" + entry + "ood\\a.csv\n", `M.txt:2: the path "ood\\a.csv" holds a backslash, ` +
			`expected slashes`},
		{"no plain path", Header + "\n" + entry + "./a.csv\n", `M.txt:2: the path "./a.csv" is no plain path, ` +
			`expected one like ood/domain_ood.csv`},
		{"control character", Header + "\n" + entry + "a\x1b.csv\n", `M.txt:2: the path "a\x1b.csv" holds control ` +
			`characters or spaces at its ends`},
		{"edition late", Header + "\n# x\n# edition: open\n", "M.txt:3: the edition is named here, expected on line " +
			"2 only"},
		{"folder twice", Header + "\n# folder: a\n# folder: b\n", "M.txt:3: the folder is named here, expected " +
			"once, on line 2 or 3"},
		{"folder outside", Header + "\n# folder: ../x\n", `M.txt:2: the folder "../x" leads out of the folder`},

		{"counts without hash", "train 3 1 2\n", `M.txt:1: the line "train 3 1 2" cannot be understood: it holds ` +
			`counts and no SHA-256; ` +
			"write it as name, rows, benign, injection, SHA-256"},
		{"damaged hash", "train 3 1 2 " + hash("a")[:63] + "\n", `M.txt:1: the line "train 3 ` +
			`1 2 ` + hash("a")[:28] + `"… cannot be understood: "` +
			hash("a")[:40] + `"… has 63 hexadecimal digits, expected 64; copy the line again`},
		{"two numbers", "train 3 1 " + hash("a") + "\n", `M.txt:1: the line "train 3 1 ` + hash("a")[:30] + `"… ` +
			`cannot be understood: it holds a ` +
			"SHA-256 and 2 numbers; write it as name, rows, benign, injection, SHA-256, or as SHA-256 and path"},
		{"two names", "the train " + hash("a") + "\n", `M.txt:1: the line "the train ` + hash("a")[:30] + `"… ` +
			`cannot be understood: it holds a ` +
			"SHA-256 and 2 names; write it as name, rows, benign, injection, SHA-256, or as SHA-256 and path"},
		{"hash alone", hash("a") + "\n", `M.txt:1: the line "` + hash("a")[:12] + `"… cannot be understood: it ` +
			`holds a ` +
			"SHA-256 and 0 names; write it as name, rows, benign, injection, SHA-256, or as SHA-256 and path"},
		{"our entries without the first line", entry + "a.csv\n", `M.txt:1: the line "` + hash("a")[:40] + `"… ` +
			`cannot be understood: numbers stand ` +
			`behind the SHA-256 (our own form begins with the line "# pidsbench freeze manifest 1"); write it as ` +
			`name, rows, benign, injection, ` +
			"SHA-256, or as SHA-256 and path"},
		{"table does not add up", "train 4 1 2 " + hash("a") + "\n", "M.txt:1: train.csv has 4 rows, expected " +
			"benign + injection = 3"},
		{"two hashes for one file", "train 3 1 2 " + hash("a") + "\n\n" + hash("b") + "  train.csv\n", "M.txt:3: " +
			"train.csv has the SHA-256 " +
			hash("b")[:12] + "…, on line 1 it has " + hash("a")[:12] + "…; keep the right one"},
		{"two counts for one file", "train 3 1 2 " + hash("a") + "\ntrain 3 2 1 " + hash("a") + "\n", "M.txt:2: " +
			"train.csv has other counts " +
			"than on line 1; keep the right ones"},
		{"original out of the folder", hash("a") + "  ../x.csv\n", `M.txt:1: the path "../x.csv" leads out of the ` +
			`folder`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("M.txt", []byte(tt.data))
			checkError(t, err, tt.want)
		})
	}
}

// The layout of the original's published file, with prose of our own and made-up hashes.
var originalLayout = "Frozen files of a benchmark\nFrozen at: 2026-03-24 15:23:16 " +
	"UTC\n" + strings.Repeat("=", 80) + "\n" +
	"Name                             Rows   Benign  Injection  SHA-256\n" + strings.Repeat("-", 80) + "\n" +
	"train                           27093    12846      14247  " + hash("a") + "\n" +
	"hard_benign_test                 1472     1472          0  " + hash("b") + "\n" +
	"obfuscated_attacks                405        0        405  " + hash("c") + "\n" + strings.Repeat("-", 80) + "\n" +
	"TOTAL                           28970       99         12\n\n" +
	"NOTE — about obfuscated_attacks:\n  An older file (4,376 rows) held 66% of train.csv.\n" +
	"  Source: test.csv rows, 0 exact matches, 0 shared ids.\n" + strings.Repeat("=", 80) + "\n" +
	"File                                                    Size (bytes)  SHA-256\n" + strings.Repeat("-", 80) + "\n" +
	"models/deberta_v3/model.safetensors               737719248  " + hash("d") + "\n" +
	"outputs/deberta_v3/structural_ood_probability_scores.csv  979605  " + hash("e") + "\n" +
	"  1998 rows with columns text, true_label.\n\n=== SHA-256 checksums (appended 2026-05-28T12:31Z) ===\n" +
	hash("a") + "  train.csv\n" + hash("b") + "  eval_subsets/hard_benign_test.csv\n" +
	hash("f") + "  eval_subsets/hard_benign_audit_sample.csv\n"

func TestParseReadsTheFormsOfTheOriginal(t *testing.T) {
	split := func(path, letter string, rows, benign, injection int) File {
		return File{Path: path, SHA256: hash(letter), Counted: true, Rows: rows, Benign: benign, Injection: injection}
	}
	whole := []File{
		{Path: "eval_subsets/hard_benign_audit_sample.csv", SHA256: hash("f")},
		split("eval_subsets/hard_benign_test.csv", "b", 1472, 1472, 0),
		split("eval_subsets/obfuscated_attacks.csv", "c", 405, 0, 405),
		{Path: "models/deberta_v3/model.safetensors", SHA256: hash("d")},
		{Path: "outputs/deberta_v3/structural_ood_probability_scores.csv", SHA256: hash("e")},
		split("train.csv", "a", 27093, 12846, 14247),
	}
	for _, tt := range []struct {
		name, data string
		want       []File
	}{
		{"as published", originalLayout, whole},
		{"with CRLF and a byte order mark", "\ufeff" + strings.ReplaceAll(originalLayout, "\n", "\r\n"), whole},
		{"pipes and thousands separators", "| path | rows | benign | injection | SHA-256 " +
			"|\n|---|---:|---:|---:|---|\n" +
			"| train.csv | 27,093 | 12,846 | 14,247 | `" + strings.ToUpper(hash("a")) + "` |\n| x/y.csv | | " +
			"| | " + hash("b") + " |\n" +
			"| total of these | 27,093 | 1 | 2 | |\n",
			[]File{split("train.csv", "a", 27093, 12846, 14247), {Path: "x/y.csv", SHA256: hash("b")}}},
		{"checksum lines", hash("a") + " *data/pids_bench_v3/train.csv\n" + hash("b") + "  ./my file 2.csv\n# " +
			"comment\n" + hash("c") + "  LICENSE\n",
			[]File{{Path: "LICENSE", SHA256: hash("c")}, {Path: "my file " +
				"2.csv", SHA256: hash("b")}, {Path: "train.csv", SHA256: hash("a")}}},
		{"checksums before the table", hash("a") + "  ood/domain_ood.csv\ndomain_ood 3 1 2 " + hash("a") + "\n",
			[]File{split("ood/domain_ood.csv", "a", 3, 1, 2)}},
		{"unknown split", "my_split 3 1 2 " + hash("a") + "\n", []File{split("my_split.csv", "a", 3, 1, 2)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := parse(t, tt.data)
			if diff := cmp.Diff(tt.want, m.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if m.Hash() != hashOf([]byte(tt.data)) {
				t.Error("the hash is not the one of the bytes")
			}
		})
	}
}

func TestManifestReadsBackAsItWasWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	for range 2000 {
		m := &Manifest{Edition: pick("", "open", "é 2"), Folder: pick("", "data/open", "x")}
		for range rng.IntN(3) {
			m.Comments = append(m.Comments, pick("", "a comment", "# x", "folder:", "é, \"x\""))
		}
		for i := range 1 + rng.IntN(4) {
			f := File{Path: pick("", "ood/", "with "+
				"space/", "é/") + strconv.Itoa(i) + pick(".csv", " x", "…"), SHA256: hash(pick("a", "b", "9"))}
			if rng.IntN(2) == 0 {
				f.Counted, f.Benign, f.Injection = true, 1+rng.IntN(1e5), rng.IntN(1e5)
				f.Rows = f.Benign + f.Injection
				f.Withheld = rng.IntN(2) * rng.IntN(f.Rows)
			}
			m.Files = append(m.Files, f)
		}
		rng.Shuffle(len(m.Files), func(i, j int) { m.Files[i], m.Files[j] = m.Files[j], m.Files[i] })
		var b bytes.Buffer
		if err := Write(&b, m); err != nil {
			t.Fatal(err)
		}
		got := parse(t, b.String())
		slices.SortFunc(m.Files, byPath)
		if diff := cmp.Diff(m, got, ignoreSource); diff != "" {
			t.Fatalf("%s\n(-want +got):\n%s", b.String(), diff)
		}
		if m.Hash() != got.Hash() {
			t.Fatal("the hash before writing is not the hash after reading")
		}
	}
}

func TestWriteRefusesWhatCannotBeReadBack(t *testing.T) {
	ok := File{Path: "a.csv", SHA256: hash("a")}
	for want, m := range map[string]*Manifest{
		`the edition is "a\nb", expected a plain name`:                   {Edition: "a\nb", Files: []File{ok}},
		`the folder "/x" is absolute, expected a path inside the folder`: {Folder: "/x", Files: []File{ok}},
		`the comment "folder: x" is no comment in this place`:            {Comments: []string{"folder: x"}},
		`the path "../a" leads out of the ` +
			`folder`: {Files: []File{{Path: "../a", SHA256: hash("a")}}},
		"the path a.csv stands twice":                                       {Files: []File{ok, ok}},
		`the SHA-256 of b is "", expected 64 lower-case hexadecimal digits`: {Files: []File{{Path: "b"}}},
		"b has 3 rows, expected benign + " +
			"injection = 1": {Files: []File{{Path: "b", SHA256: hash("a"), Counted: true,
			Rows: 3, Benign: 1}}},
	} {
		checkError(t, Write(&bytes.Buffer{}, m), "cannot write the manifest: "+want)
		if m.Hash() != "" {
			t.Errorf("%s: it has a hash", want)
		}
	}
}

// FuzzManifest checks that what is accepted holds safe, sorted, distinct paths and survives writing and reading.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(originalLayout))
	f.Add([]byte(Header + "\n# edition: open\n# folder: data/open\n# x\n" + hash("a") + "  3  1  2  a " +
		"b.csv\n" + hash("b") + " - - - c\n"))
	f.Add([]byte(Header + "\n# withheld: 2 a b\n" + hash("a") + "  3  1  2  a b\n"))
	f.Add([]byte("| train | 1,000 | 1 | 999 | `" + hash("a") + "` |\n"))
	f.Add([]byte(hash("a") + " *../x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse("M.txt", data)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Kind != fault.Integrity {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		for i, file := range m.Files {
			if !filepath.IsLocal(file.Path) || strings.Contains(file.Path,
				`\`) || i > 0 && m.Files[i-1].Path >= file.Path {
				t.Fatalf("%q: path %q", data, file.Path)
			}
		}
		var b bytes.Buffer
		if err := Write(&b, m); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		again := parse(t, b.String())
		if diff := cmp.Diff(m, again, ignoreSource); diff != "" {
			t.Fatalf("%q: %s", data, diff)
		}
	})
}
