package manifest

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// The original benchmark publishes its frozen files in a text for people: prose, fixed-width tables and, appended,
// plain checksum lines. Only lines that hold a SHA-256 count, in any of these shapes (cells may stand between pipes,
// hashes in backticks, numbers with thousands separators):
//
//	name   rows   benign   injection   SHA-256
//	path   size   SHA-256
//	path   SHA-256
//	SHA-256  path        SHA-256 *path
//
// A file may stand in several shapes that agree. Totals and prose are passed over, since everything is recomputed; a
// line that looks like an entry and is none is refused.

// originalFolder is where the original keeps its data; its paths are given with and without it.
const originalFolder = "data/pids_bench_v3/"

// originalPaths gives the files that the original's table names by split alone.
var originalPaths = map[string]string{
	"train":                 "train.csv",
	"val":                   "val.csv",
	"test":                  "test.csv",
	"hard_benign_test":      "eval_subsets/hard_benign_test.csv",
	"balanced_subtype_test": "eval_subsets/balanced_subtype_test.csv",
	"obfuscated_attacks":    "eval_subsets/obfuscated_attacks.csv",
	"domain_ood":            "ood/domain_ood.csv",
	"structural_ood":        "ood/structural_ood.csv",
	"hard_negative_train":   "hard_negative_train.csv",
	"hard_negative_val":     "hard_negative_val.csv",
}

var (
	number = regexp.MustCompile(`^(\d{1,9}|\d{1,3}(,\d{3}){1,3})$`)
	hexRun = regexp.MustCompile(`^[0-9a-fA-F]{56,72}$`) // a damaged SHA-256; 40 digits may name a commit
	rule   = regexp.MustCompile(`^[-=:|+ ]*$`)
)

func (p *parser) original(m *Manifest, text string) error {
	index := map[string]int{} // path → position in m.Files
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		p.line++
		f, ok, err := p.originalLine(strings.TrimSuffix(line, "\r"))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		i, seen := index[f.Path]
		if !seen {
			if err := p.accept(f); err != nil {
				return err
			}
			index[f.Path] = len(m.Files)
			m.Files = append(m.Files, f)
			continue
		}
		old := &m.Files[i]
		switch {
		case old.SHA256 != f.SHA256:
			return p.fail("%s has the SHA-256 %s…, on line %d it has %s…", f.Path, f.SHA256[:12], p.at[f.Path],
				old.SHA256[:12]).WithCure("keep the right one")
		case old.Counted && f.Counted && *old != f:
			return p.fail("%s has other counts than on line %d", f.Path, p.at[f.Path]).WithCure("keep the right ones")
		case f.Counted:
			if problem := f.problem(); problem != "" {
				return p.fail("%s", problem)
			}
			*old = f
		}
	}
	return nil
}

// originalLine reads one line; ok is false when it is no entry.
func (p *parser) originalLine(line string) (f File, ok bool, err error) {
	words, hash := splitWords(line)
	if hash < 0 {
		return File{}, false, p.noEntry(line, words)
	}
	f.SHA256 = strings.ToLower(words[hash])
	others := append(append([]string{}, words[:hash]...), words[hash+1:]...)
	var names, numbers []string
	for _, w := range others {
		if number.MatchString(w) {
			numbers = append(numbers, w)
		} else {
			names = append(names, w)
		}
	}
	refuse := func(why string) (File, bool, error) {
		return File{}, false, p.fail("the line %s cannot be understood: %s", fault.Quote(line), why).
			WithCure("write it as name, rows, benign, injection, SHA-256, or as SHA-256 and path")
	}
	if hash == 0 && !strings.Contains(line, "|") && len(others) > 0 {
		// sha256sum: the path is the rest of the line and may hold spaces.
		if len(numbers) > 0 && len(others) > 1 {
			return refuse("numbers stand behind the SHA-256 (our own form begins with the line " + fault.Quote(Header) + ")")
		}
		_, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		names, numbers = []string{strings.TrimPrefix(strings.TrimSpace(rest), "*")}, nil
	}
	switch {
	case len(names) != 1:
		return refuse("it holds a SHA-256 and " + plural(len(names), "name"))
	case len(numbers) == 3:
		for i, n := range []*int{&f.Rows, &f.Benign, &f.Injection} {
			if *n, ok = count(strings.ReplaceAll(numbers[i], ",", "")); !ok {
				return refuse("the number " + numbers[i] + " is none")
			}
		}
		f.Counted = true
	case len(numbers) > 1:
		return refuse("it holds a SHA-256 and " + plural(len(numbers), "number"))
	}
	f.Path = originalPath(names[0], f.Counted)
	if first, _, _ := strings.Cut(f.Path, "/"); first == "models" || first == "outputs" {
		f = File{Path: f.Path, SHA256: f.SHA256}
	}
	if problem := f.problem(); problem != "" {
		return File{}, false, p.fail("%s", problem)
	}
	return f, true, nil
}

// splitWords splits a line at spaces and pipes and finds the first SHA-256 among them (-1: none).
func splitWords(line string) (words []string, hash int) {
	hash = -1
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t|`", r) }) {
		if isHash(w) && hash < 0 {
			hash = len(words)
		}
		words = append(words, w)
	}
	return words, hash
}

// noEntry refuses a line without SHA-256 that looks as if one was meant.
func (p *parser) noEntry(line string, words []string) error {
	if rule.MatchString(line) || strings.HasPrefix(line, "#") {
		return nil
	}
	for _, w := range words {
		if hexRun.MatchString(w) {
			return p.fail("the line %s cannot be understood: %s has %d hexadecimal digits, expected 64", fault.Quote(line),
				fault.Quote(w), len(w)).WithCure("copy the line again")
		}
	}
	if len(words) > 3 && !strings.Contains(strings.ToLower(words[0]), "total") && !number.MatchString(words[0]) &&
		number.MatchString(words[1]) && number.MatchString(words[2]) && number.MatchString(words[3]) {
		return p.fail("the line %s cannot be understood: it holds counts and no SHA-256", fault.Quote(line)).
			WithCure("write it as name, rows, benign, injection, SHA-256")
	}
	return nil
}

// originalPath returns the path of a file below the edition's folder. Rows of the counts table name splits.
func originalPath(name string, split bool) string {
	name = strings.TrimPrefix(name, "./")
	name = strings.TrimPrefix(name, originalFolder)
	if p, ok := originalPaths[name]; ok {
		return p
	}
	if split && path.Ext(name) == "" {
		return name + ".csv"
	}
	return name
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
