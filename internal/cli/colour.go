package cli

import "fmt"

// logError prints why a command failed. On a terminal the word before it is red; nothing else is ever coloured, so that
// tables and notes can be copied from anywhere.
func (st *State) logError(err error) {
	name := "pidsbench:"
	if st.colours() {
		name = "\x1b[31m" + name + "\x1b[0m"
	}
	fmt.Fprintln(st.Stderr, name, printableLines(err.Error()))
}

// colours reports whether stderr is a terminal that knows colours, and nobody asked for none: by --no-color, or by a
// variable NO_COLOR that is not empty.
func (st *State) colours() bool {
	if !st.StderrTTY || st.NoColour || st.Getenv("NO_COLOR") != "" {
		return false
	}
	kind := st.Getenv("TERM")
	return kind != "" && kind != "dumb"
}
