package restrict

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/textnorm"
)

// File is a CSV file of rows with its restricted ones marked out.
type File struct {
	Header  []string
	Records [][]string

	name       string // for messages
	policy     Policy
	text, hash int // positions of the columns; hash is -1 when there is none
	restricted []bool
}

// State says how far the restricted rows of a file are filled. All are numbers of rows.
type State struct {
	Rows          int
	Restricted    int
	Withheld      int // restricted, with a fingerprint and without a text
	Fingerprinted int // restricted, with a fingerprint that is right or, where the text is withheld, there
}

// String describes the state in words.
func (s State) String() string {
	of := fmt.Sprintf("%d of %s restricted", s.Restricted, rows(s.Rows))
	switch {
	case s.Restricted == 0:
		return "no restricted row among " + rows(s.Rows)
	case s.Withheld == s.Restricted:
		return fmt.Sprintf("public form: %s, all of them withheld", of)
	case s.Withheld > 0:
		return fmt.Sprintf("partly rebuilt: %s, %d of them withheld", of, s.Withheld)
	case s.Fingerprinted == 0:
		return fmt.Sprintf("complete, without fingerprints: %s", of)
	case s.Fingerprinted < s.Restricted:
		return fmt.Sprintf("complete: %s, %d of them with a fingerprint", of, s.Fingerprinted)
	}
	return fmt.Sprintf("complete: %s, each with its fingerprint", of)
}

func rows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return strconv.Itoa(n) + " rows"
}

// Parse reads a CSV file strictly. The name stands in messages. A file without a text column, or without the column
// the policy goes by, is an integrity error: nothing can be said about its rows.
func Parse(name string, data []byte, p Policy) (*File, error) {
	header, records, err := dataset.ReadCSV(name, data)
	if err != nil {
		return nil, err
	}
	f := &File{Header: header, Records: records, name: fault.Name(name), policy: p,
		text: slices.Index(header, TextColumn), hash: slices.Index(header, HashColumn)}
	source := slices.Index(header, p.Column)
	for i, at := range []int{f.text, source} {
		if column := []string{TextColumn, p.Column}[i]; at < 0 {
			return nil, fault.New(fault.Integrity, "%s: there is no column %q, by which restricted texts are told", f.name,
				column).WithCure("add the column or name another file")
		}
	}
	f.restricted = make([]bool, len(records))
	for i, r := range records {
		f.restricted[i] = p.Restricted(r[source])
	}
	return f, nil
}

// Encode writes the file in the benchmark's CSV form.
func (f *File) Encode(w io.Writer) error { return dataset.WriteCSV(w, f.Header, f.Records) }

// fingerprint returns what the row's column of fingerprints holds.
func (f *File) fingerprint(row int) string {
	if f.hash < 0 {
		return ""
	}
	return f.Records[row][f.hash]
}

// Verify checks every fingerprint against its text and returns the state of the file. Its integrity error names the
// first row that is wrong: a text that is not the one of its fingerprint, a blank without a fingerprint, a blank in a
// row that is not restricted, a fingerprint that is none or was made of a blank.
func (f *File) Verify() (State, error) {
	s := State{Rows: len(f.Records)}
	var first *fault.Error
	wrong := 0
	for i, r := range f.Records {
		sum, blank := f.fingerprint(i), IsBlank(r[f.text])
		if f.restricted[i] {
			s.Restricted++
			if sum != "" {
				s.Fingerprinted++
				if blank {
					s.Withheld++
				}
			}
		}
		if e := f.problem(i, sum, blank); e != nil {
			wrong++
			if first == nil {
				first = e
			}
		}
	}
	if first == nil {
		return s, nil
	}
	if wrong > 1 {
		first.Msg += fmt.Sprintf(" (the first of %d such rows)", wrong)
	}
	return s, first
}

func (f *File) problem(row int, sum string, blank bool) *fault.Error {
	fail := func(format string, args ...any) *fault.Error {
		return fault.New(fault.Integrity, "%s: row %d: "+format, append([]any{f.name, row}, args...)...)
	}
	const restore = "take the file from where it was published"
	switch {
	case sum != "" && !isHash(sum):
		return fail("column %q holds %s, expected 64 lower-case hexadecimal digits", HashColumn, fault.Quote(sum)).
			WithCure(restore)
	case blank && sum == "":
		return fail("column %q is blank and column %q is empty, expected one of them", TextColumn, HashColumn).
			WithCure("restore the text")
	case blank && !f.restricted[row]:
		return fail("column %q is blank, expected a text: the row's source is not restricted", TextColumn).
			WithCure("restore the text")
	case blank && (sum == wordNaN || sum == Hash("")):
		return fail("the fingerprint is that of a blank read back as a text, expected that of the withheld text").
			WithCure(restore)
	case !blank && sum != "" && sum != Hash(f.Records[row][f.text]):
		return fail("column %q holds %s, expected %s, which is that of its text", HashColumn, fault.Quote(sum),
			fault.Quote(Hash(f.Records[row][f.text]))).WithCure("restore the text or the fingerprint")
	}
	return nil
}

// Fingerprint gives every restricted row the fingerprint of its text, in a last column text_sha256, and returns how
// many were new. Fingerprints that are there stay; one that is not that of its text is an integrity error, and so is a
// blank without one. Done again, it changes nothing.
func (f *File) Fingerprint() (added int, err error) {
	if _, err := f.Verify(); err != nil {
		return 0, err
	}
	if f.hash < 0 {
		f.hash = len(f.Header)
		f.Header = append(f.Header, HashColumn)
		for i := range f.Records {
			f.Records[i] = append(f.Records[i], "")
		}
	}
	for i, r := range f.Records {
		if f.restricted[i] && r[f.hash] == "" {
			r[f.hash] = Hash(r[f.text])
			added++
		}
	}
	return added, nil
}

// Strip blanks the text of every restricted row and returns how many were there. Each needs its fingerprint, which must
// be right; otherwise nothing is blanked. Done again, it changes nothing. uneven tells how many of the texts a rebuild
// can restore only up to their white space: they are laid out more freely than any text that stays (see Rebuild).
func (f *File) Strip() (blanked, uneven int, err error) {
	if _, err := f.Verify(); err != nil {
		return 0, 0, err
	}
	for i, r := range f.Records {
		if f.restricted[i] && f.fingerprint(i) == "" {
			return 0, 0, fault.New(fault.Integrity, "%s: row %d: a restricted text has no fingerprint, expected it in column %q",
				f.name, i, HashColumn).WithCure("run `pidsbench data restrict fingerprint` first")
		}
		if f.restricted[i] && r[f.text] != textnorm.Fingerprint(r[f.text]) {
			uneven++
		}
	}
	if !f.level() {
		uneven = 0
	}
	for i, r := range f.Records {
		if f.restricted[i] && r[f.text] != "" {
			if !IsBlank(r[f.text]) {
				blanked++
			}
			r[f.text] = ""
		}
	}
	return blanked, uneven, nil
}

// level reports whether the texts of the file are laid out as fingerprints level them: white space collapsed and
// trimmed. It goes by the rows that are not restricted, and is false when there are none.
func (f *File) level() bool {
	any := false
	for i, r := range f.Records {
		if f.restricted[i] {
			continue
		}
		any = true
		if r[f.text] != textnorm.Fingerprint(r[f.text]) {
			return false
		}
	}
	return any
}

// Without returns the bytes of the file without its column of fingerprints: the form in which rows are compared with
// those of a file that never had one.
func (f *File) Without() ([]byte, error) {
	header, records := f.Header, f.Records
	if f.hash >= 0 {
		header = slices.Delete(slices.Clone(header), f.hash, f.hash+1)
		records = make([][]string, len(f.Records))
		for i, r := range f.Records {
			records[i] = slices.Delete(slices.Clone(r), f.hash, f.hash+1)
		}
	}
	var b strings.Builder
	err := dataset.WriteCSV(&b, header, records)
	return []byte(b.String()), err
}

// HasFingerprints reports whether the last column holds fingerprints.
func (f *File) HasFingerprints() bool { return f.hash >= 0 && f.hash == len(f.Header)-1 }
