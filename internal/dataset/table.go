package dataset

// table holds the cells of a file before the mapping gives them a meaning.
type table struct {
	file    string // for messages
	columns []string
	rows    int
	cells   [][]string           // by column, then row
	kinds   [][]kind             // of the values of JSON; nil for CSV, whose fields are all strings
	where   func(row int) string // names a row for messages
	first   string               // names the place of the column names for messages
}

// kind is the JSON type of a value.
type kind uint8

const (
	absent kind = iota
	stringKind
	numberKind
	boolKind
	nullKind
	listKind
	objectKind
)

func (k kind) String() string {
	return [...]string{"nothing", "a string", "a number", "a boolean", "null", "a list", "an object"}[k]
}

func (t *table) kind(column, row int) kind {
	if t.kinds == nil {
		return stringKind
	}
	return t.kinds[column][row]
}
