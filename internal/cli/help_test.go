package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands returns every command, by its path.
func commands() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	everyCommand(newRootCmd(&State{}), func(c *cobra.Command) { all[c.CommandPath()] = c })
	return all
}

func TestEveryCommandExplainsItself(t *testing.T) {
	all := commands()
	if len(all) < 40 {
		t.Fatalf("only %d commands are looked at", len(all))
	}
	for path, c := range all {
		wrong := func(format string, args ...any) { t.Errorf("%s: %s", path, fmt.Sprintf(format, args...)) }
		first := []rune(c.Short + " ")[0]
		switch {
		case c.Short == "":
			wrong("no line says what it does")
		case !unicode.IsUpper(first) || strings.HasSuffix(c.Short, ".") || len([]rune(c.Short)) > 110:
			wrong("its line begins with a capital, has no dot at its end and at most 110 characters: %q", c.Short)
		}
		if c.Example == "" {
			wrong("there is no example")
		}
		own := 0
		c.NonInheritedFlags().VisitAll(func(*pflag.Flag) { own++ })
		if c.Long == "" && own > 1 {
			wrong("it has %d flags and no text that says what it does", own)
		}
		for line := range strings.SplitSeq(c.Long, "\n") {
			if len([]rune(line)) > 132 {
				wrong("a line of its text has more than 132 characters: %q", line)
			}
		}
	}
}

// exampleLines takes an example apart: lines that go on, and what stands around the program in a pipe.
func exampleLines(c *cobra.Command) (lines []string) {
	text := strings.ReplaceAll(c.Example, "\\\n", " ")
	for line := range strings.SplitSeq(text, "\n") {
		for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("|<>()", r) }) {
			fields := strings.Fields(part)
			for len(fields) > 0 && strings.Contains(fields[0], "=") {
				fields = fields[1:]
			}
			if len(fields) > 0 && fields[0] == "pidsbench" {
				lines = append(lines, strings.Join(fields, " "))
			}
		}
	}
	return lines
}

func TestExamplesNameCommandsAndFlagsThatThereAre(t *testing.T) {
	root := newRootCmd(&State{})
	for path, c := range commands() {
		found := false
		for _, line := range exampleLines(c) {
			found = found || strings.HasPrefix(line+" ", path+" ")
			at, rest, err := root.Find(strings.Fields(line)[1:])
			if err != nil {
				t.Errorf("%s: the example %q: %v", path, line, err)
				continue
			}
			for _, word := range rest {
				name, ok := strings.CutPrefix(word, "--")
				name, _, _ = strings.Cut(name, "=")
				if ok && name != "" && at.Flag(name) == nil {
					t.Errorf("%s: the example %q gives --%s, which %s has not", path, line, name, at.CommandPath())
				}
			}
		}
		if !found && c.Name() != "man" {
			t.Errorf("%s: no example shows it", path)
		}
	}
}

func TestFlagsAreExplainedInOneStyle(t *testing.T) {
	for path, c := range commands() {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			first := []rune(f.Usage + " ")[0]
			word, _, _ := strings.Cut(f.Usage, " ")
			switch {
			case strings.TrimSpace(f.Usage) == "":
				t.Errorf("%s --%s: nothing is said of it", path, f.Name)
			case unicode.IsUpper(first) && strings.ToUpper(word) != word && !strings.Contains(word, "="), strings.HasSuffix(f.Usage, "."):
				t.Errorf("%s --%s: what is said of it begins with a small letter and has no dot at its end: %q", path, f.Name, f.Usage)
			case f.Shorthand != "" && f.Name != "help" && f.Name != "version":
				t.Errorf("%s --%s has the short name -%s: no other flag has one", path, f.Name, f.Shorthand)
			}
		})
	}
}

// meanings are the flags that mean something else in some commands, with why they may.
var meanings = map[string]string{
	"data":        "a file of the user's own, or where it can only be that an edition's folder",
	"detector":    "scan takes one, refit has a default of its own, scores import gives a new name",
	"format":      "commands have different forms",
	"fresh":       "scores are made again, or put in the place of others",
	"from":        "where texts, or scores, come from",
	"out":         "what a command writes, a folder or a file",
	"quiet":       "publishing has no progress",
	"sample":      "rows to be read, or to be scored again",
	"scores":      "publish reads one folder",
	"seed":        "of a draw, or of a detector",
	"seeds":       "the default differs",
	"split":       "the default differs",
	"text-column": "scan takes a file apart by it",
	"threshold":   "the default differs",
	"windows":     "reading commands choose among the scores that there are",
	"workers":     "texts or requests",
}

func TestAFlagMeansTheSameInEveryCommand(t *testing.T) {
	usages := map[string]map[string][]string{} // flag → what is said of it → commands
	for path, c := range commands() {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			said := strings.TrimPrefix(strings.TrimPrefix(f.Usage, "with --data: "), "of your own files: ")
			said, _, _ = strings.Cut(said, " (default label)")
			if usages[f.Name] == nil {
				usages[f.Name] = map[string][]string{}
			}
			usages[f.Name][said] = append(usages[f.Name][said], path)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(usages)) {
		if meanings[name] == "" && len(usages[name]) > 1 && name != "help" {
			for said, where := range usages[name] {
				slices.Sort(where)
				t.Errorf("--%s in %s: %q", name, strings.Join(where, ", "), said)
			}
		}
		if meanings[name] != "" && len(usages[name]) < 2 {
			t.Errorf("--%s means the same everywhere, and the list of those that do not holds it", name)
		}
	}
}

func TestAWordThatNamesOneFlagNamesNoOtherOfItsKind(t *testing.T) {
	for path, c := range commands() {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			for _, pair := range [][2]string{{"text", "text-column"}, {"column", "text-column"}, {"input", "data"}, {"output", "out"},
				{"edition-dir", "data"}, {"detectors", "detector"}, {"thresholds", "threshold"}, {"no-colour", "no-color"}} {
				if f.Name == pair[0] {
					t.Errorf("%s has --%s; elsewhere that is --%s", path, pair[0], pair[1])
				}
			}
		})
	}
}
