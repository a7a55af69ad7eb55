package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// tables are the extensions of files that --text-column takes apart.
var tables = []string{".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet"}

// doubts says what the user of a scan may not have meant, in a line each.
func (s *scan) doubts(st *State, args []string) {
	if files := namesOfFiles(st, args); len(files) > 0 {
		what := " is taken as a text and is the name of a file too"
		if more := len(files) - 1; more > 0 {
			what = fmt.Sprintf(" and %d more are taken as texts and are names of files too", more)
		}
		st.note("note: %s%s; give --file %[1]s to scan what it holds", fault.Name(files[0]), what)
	}
	if o := s.opts; slices.Contains(tables, strings.ToLower(filepath.Ext(o.file))) && o.textColumn == "" {
		as := "as one text"
		if o.lines {
			as = "as a text a line"
		}
		st.note("note: %s is a table by its name and is taken %s; add --text-column NAME, without --lines, for a text a row",
			fault.Name(o.file), as)
	}
	switch {
	case s.cut.tau <= 0:
		st.note("note: at threshold %g every text is flagged, as no score lies below it; name another with --threshold", s.cut.tau)
	case s.cut.tau > 1:
		st.note("note: at threshold %g no text is flagged, as no score is above 1; name another with --threshold", s.cut.tau)
	}
}

// namesOfFiles returns the arguments that are names of files.
func namesOfFiles(st *State, args []string) (files []string) {
	for _, a := range args {
		if info, err := os.Stat(st.abs(a)); err == nil && info.Mode().IsRegular() {
			files = append(files, a)
		}
	}
	return files
}
