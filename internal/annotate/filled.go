package annotate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Answer is what an annotator said.
type Answer int8

// The answers. Skip is a decision not to answer: the item does not count for that question.
const (
	No   Answer = 0
	Yes  Answer = 1
	Skip Answer = 2
)

// String returns the answer as sheets spell it.
func (a Answer) String() string { return [...]string{"no", "yes", "skip"}[a] }

var spellings = map[string]Answer{"no": No, "0": No, "yes": Yes, "1": Yes, "skip": Skip}

// Filled is a sheet with all its answers.
type Filled struct {
	File      string
	Questions []string
	Answers   map[string]map[string]Answer // by question, then item
	Changed   int                          // items whose text is not the one that was written
}

// ReadSheet reads a filled sheet against its key. Every item of the key must stand there once, with an answer to every
// question: yes, no, 1, 0 or skip, in any case. The first row that is otherwise is an integrity error; rows are
// counted as a spreadsheet does, the header being row 1. Columns of any order are read, so a sheet that a spreadsheet
// program saved serves.
func ReadSheet(file string, data []byte, key map[string]KeyItem) (*Filled, error) {
	header, records, err := dataset.ReadCSV(file, data)
	if err != nil {
		return nil, err
	}
	item, text := slices.Index(header, itemColumn), slices.Index(header, textColumn)
	f := &Filled{File: file, Answers: map[string]map[string]Answer{}}
	at := map[string]int{}
	for i, name := range header {
		if name != itemColumn && name != textColumn && name != notesColumn {
			f.Questions = append(f.Questions, name)
			f.Answers[name] = map[string]Answer{}
			at[name] = i
		}
	}
	if item < 0 || text < 0 || len(f.Questions) == 0 {
		return nil, fault.New(fault.Integrity, "%s: the columns are %q, expected item_id, text and at least one question",
			fault.Name(file), header).WithCure("fill in the sheet as it was written, and save it with commas")
	}
	seen := map[string]bool{}
	for i, rec := range records {
		id := rec[item]
		where := fmt.Sprintf("%s row %d", fault.Name(file), i+2)
		want, known := key[id]
		switch {
		case !known:
			return nil, fault.New(fault.Integrity, "%s: column item_id holds %s, which is no item of the key", where,
				fault.Quote(id)).
				WithCure("delete the row, or name the key that belongs to the sheet")
		case seen[id]:
			return nil, fault.New(fault.Integrity, "%s: item %s stands twice", where, fault.Quote(id)).
				WithCure("delete one of the rows")
		}
		seen[id] = true
		// A program that knows the quote for what it is has saved the text without it.
		if sha256Of(ofCell(rec[text])) != want.SHA256 && sha256Of(rec[text]) != want.SHA256 {
			f.Changed++
		}
		for _, q := range f.Questions {
			a, ok := spellings[strings.ToLower(strings.TrimSpace(rec[at[q]]))]
			if !ok {
				return nil, fault.New(fault.Integrity, "%s (item %s): column %s holds %s, expected yes, no, 1, 0 or skip", where,
					fault.Name(id), fault.Name(q), fault.Quote(rec[at[q]])).WithCure("answer every question of every item")
			}
			f.Answers[q][id] = a
		}
	}
	for _, id := range slices.Sorted(maps.Keys(key)) {
		if !seen[id] {
			return nil, fault.New(fault.Integrity, "%s: item %s of the key is missing, and so are %d others of %d",
				fault.Name(file), id,
				len(key)-len(seen)-1, len(key)).WithCure("put the rows back from the sheet as it was written")
		}
	}
	return f, nil
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
