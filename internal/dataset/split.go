// Package dataset reads labelled texts: editions, splits and rows.
package dataset

// Label is the class of a text.
type Label int8

// The two classes. Injection is the positive class of every metric.
const (
	Benign    Label = 0
	Injection Label = 1
)

// Row is one text with its class. A row is identified by its split and its 0-based position there.
type Row struct {
	Text    string // exactly the bytes of the field
	Label   Label
	Missing bool // the text is withheld (a restricted row): never scored, never a class
}

// Split is one file of rows. Columns other than text and label are kept as strings, for slices.
type Split struct {
	Name    string // "test"; for a user's own file its base name
	File    string // the path it was read from, for messages
	SHA256  string // lower-case hex over the file's bytes
	Columns []string
	Rows    []Row

	values map[string][]string
}

// Column returns the values of a column other than text and label, one a row, and whether the split has it.
func (s *Split) Column(name string) ([]string, bool) {
	v, ok := s.values[name]
	return v, ok
}

// Counts returns the number of rows of each class.
func (s *Split) Counts() (benign, injection int) {
	for _, r := range s.Rows {
		if r.Label == Injection {
			injection++
		} else {
			benign++
		}
	}
	return benign, injection
}
