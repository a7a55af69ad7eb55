package annotate

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

// Columns of a sheet that are no questions.
const (
	itemColumn  = "item_id"
	textColumn  = "text"
	notesColumn = "notes"
)

// keyColumns are the columns of a key file.
var keyColumns = []string{"item_id", "split", "row", "text_sha256", "label", "source", "stratum"}

// Orders returns the items in one order for each annotator, keyed by the seed and the annotator's number from 1. With
// two items or more no two of the first annotators get the same order, as far as there are orders enough.
func Orders(items []Item, annotators int, seed int64) [][]Item {
	var out [][]Item
	for a := range annotators {
		var order []Item
		for try := range 64 {
			order = slices.Clone(items)
			draw.Order(order, seed, stageOrder+" "+strconv.Itoa(a+1)+"."+strconv.Itoa(try),
				func(it Item) string { return it.ID })
			if !slices.ContainsFunc(out, func(other []Item) bool { return slices.Equal(other, order) }) {
				break
			}
		}
		out = append(out, order)
	}
	return out
}

// formula holds the characters that make a spreadsheet program take the cell that begins with them for a formula, and
// the one that keeps it from doing so.
const formula = "=+-@\t\r\n'"

// asCell returns a text as it stands in a sheet: one that begins with a character of formula behind a single quote.
func asCell(text string) string {
	if text != "" && strings.ContainsRune(formula, rune(text[0])) {
		return "'" + text
	}
	return text
}

// ofCell returns the text of a cell: it inverts asCell.
func ofCell(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune(formula, rune(cell[1])) {
		return cell[1:]
	}
	return cell
}

// WriteSheet writes a blind sheet: item_id, text, an empty column for each question, and notes. Texts that a
// spreadsheet program would take for formulas, and those that begin with a single quote, stand behind a single quote.
func WriteSheet(w io.Writer, items []Item, questions []string) error {
	header := slices.Concat([]string{itemColumn, textColumn}, questions, []string{notesColumn})
	var records [][]string
	for _, it := range items {
		rec := make([]string, len(header))
		rec[0], rec[1] = it.ID, asCell(it.Text)
		records = append(records, rec)
	}
	return dataset.WriteCSV(w, header, records)
}

// WriteKey writes what the sheets leave out, a row for each item.
func WriteKey(w io.Writer, items []Item) error {
	var records [][]string
	for _, it := range items {
		records = append(records, []string{it.ID, it.Split, strconv.Itoa(it.Row), it.SHA256, it.Label.Name(), it.Source,
			it.Stratum})
	}
	return dataset.WriteCSV(w, keyColumns, records)
}

// CheckQuestions refuses names that cannot be columns of a sheet: empty ones, those that stand twice or mean something
// else there, and any with other characters than lower-case letters, digits and underscores.
func CheckQuestions(questions []string) error {
	if len(questions) == 0 {
		return fault.New(fault.Usage, "there is no question").WithCure("name one with --question")
	}
	taken := []string{itemColumn, textColumn, notesColumn}
	for _, q := range questions {
		if q == "" || strings.Trim(q, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || slices.Contains(taken, q) {
			return fault.New(fault.Usage, "a question is named %s, expected lower-case letters, digits and underscores, no "+
				"name twice, and none of item_id, text, notes", fault.Quote(q)).WithCure("name it otherwise with --question")
		}
		taken = append(taken, q)
	}
	return nil
}

// KeyItem is a row of a key file. Its text is not there.
type KeyItem struct {
	Split  string
	Row    string
	SHA256 string
	Label  dataset.Label
}

// ReadKey reads a key file. Whatever is not as WriteKey leaves it is an integrity error that names the row, the header
// being row 1.
func ReadKey(file string, data []byte) (map[string]KeyItem, error) {
	header, records, err := dataset.ReadCSV(file, data)
	if err != nil {
		return nil, err
	}
	for i, want := range keyColumns {
		if i >= len(header) || header[i] != want {
			return nil, fault.New(fault.Integrity, "%s: the columns are %q, expected %q", fault.Name(file), header, keyColumns).
				WithCure("name the key.csv that was written with the sheets")
		}
	}
	key := map[string]KeyItem{}
	for i, rec := range records {
		bad := func(column int, expected string) error {
			return fault.New(fault.Integrity, "%s row %d: column %s holds %s, expected %s", fault.Name(file), i+2,
				header[column],
				fault.Quote(rec[column]), expected).WithCure("take the key.csv as it was written")
		}
		it := KeyItem{Split: rec[1], Row: rec[2], SHA256: rec[3]}
		if _, twice := key[rec[0]]; twice || rec[0] == "" {
			return nil, bad(0, "an item of its own")
		}
		if n, err := strconv.Atoi(rec[2]); err != nil || n < 0 {
			return nil, bad(2, "a row number")
		}
		if len(rec[3]) != 64 || strings.Trim(rec[3], "0123456789abcdef") != "" {
			return nil, bad(3, "64 lower-case hexadecimal digits")
		}
		switch rec[4] {
		case "benign":
		case "injection":
			it.Label = dataset.Injection
		default:
			return nil, bad(4, "benign or injection")
		}
		key[rec[0]] = it
	}
	if len(key) == 0 {
		return nil, fault.New(fault.Integrity, "%s holds no item", fault.Name(file)).WithCure("draw a sample again")
	}
	return key, nil
}
