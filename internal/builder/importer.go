package builder

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/language"
	"pidsbench/internal/textnorm"
)

const stageImport = "import"

// Item is one row as a package holds it, before it has a name in the pipeline.
type Item struct {
	Text     string // before its slots are filled
	Label    dataset.Label
	Carrier  string
	Language string // where the source says it row by row
}

// Import makes records of the rows of every source, in the order of the lock. It fills the slots of templates and drops
// what cannot be used by itself: templates on the drop list or with a slot that nothing fills, empty texts, NUL bytes,
// invalid UTF-8, rows outside the bounds of the selection, repeats within a source, all turns of a conversation but
// one, and what is beyond the quota of a language.
func Import(lock *Lock, items [][]Item, lists Lists, seed int64) (kept []Record, removed []Removal) {
	for rank := range lock.Sources {
		s := &lock.Sources[rank]
		read := make([]Record, len(items[rank]))
		reasons := make([]string, len(read))
		forEach(len(read), func(i int) { read[i], reasons[i] = s.row(rank, items[rank][i], lists, seed) })
		var rows []Record
		for i, r := range read {
			if reasons[i] != "" {
				removed = append(removed, r.remove(stageImport, reasons[i]))
			} else {
				rows = append(rows, r)
			}
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

// row makes a record of an item, and says why it cannot be used, or "".
func (s *Source) row(rank int, it Item, lists Lists, seed int64) (r Record, reason string) {
	text, reason := s.filled(it.Text, lists, seed)
	if reason != "" {
		return s.record(rank, it, it.Text), reason
	}
	r = s.record(rank, it, text)
	if reason = s.reject(&r); reason == "" {
		// A template is named in the lists by its text before it is filled.
		_, r.Disputed = lists.Disputed[textnorm.ExactHash(it.Text)]
	}
	return r, reason
}

// filled returns the text with its slots filled, or why the row cannot be used. A template is dropped by its text before
// it is filled, so that a change of goals changes no decision.
func (s *Source) filled(text string, lists Lists, seed int64) (filled, reason string) {
	if !s.Slots.any() {
		return text, ""
	}
	if why, ok := lists.Drops[textnorm.ExactHash(text)]; ok {
		return "", "drop list: " + why
	}
	filled, ok := s.Slots.fill(text, lists.goals, seed)
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
	chosen := map[string]string{}
	for _, r := range inHashOrder(records, seed, "carrier") {
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
