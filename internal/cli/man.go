package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pidsbench/internal/atomicfile"
)

func newManCmd(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages, one for each command",
		Long: `Writes what --help says of each command as pages for man(1) into a folder, which is made when it is not there. Pages
of these names that are there are replaced. The same program writes the same bytes.`,
		Example: "  pidsbench man ~/.local/share/man/man1\n  man pidsbench-eval",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return runMan(st, cmd.Root(), args[0]) },
	}
}

func runMan(st *State, root *cobra.Command, name string) error {
	dir := st.abs(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	pages := 0
	var failed error
	everyCommand(root, func(c *cobra.Command) {
		if failed != nil || !c.IsAvailableCommand() && c.HasParent() {
			return
		}
		pages++
		failed = atomicfile.Write(filepath.Join(dir, manName(c)+".1"), 0o666, func(w io.Writer) error {
			_, err := io.WriteString(w, manPage(c))
			return err
		})
	})
	if failed != nil {
		return failed
	}
	fmt.Fprintf(st.Stdout, "%d pages in %s\n", pages, printableLines(name))
	return nil
}

// manName is the name of a command's page, without the section.
func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is what --help says of a command, in the requests of man(7).
func manPage(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"%s\" \"1\" \"\" \"pidsbench %s\" \"pidsbench\"\n", roff(strings.ToUpper(manName(c))), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(c)), roff(c.Short))
	use := c.UseLine()
	if c.HasAvailableSubCommands() {
		use = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(use))
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n")
		manText(&b, c.Long)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, s := range c.Commands() {
			if s.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(manName(s)), roff(s.Short))
			}
		}
	}
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(manName(c.Parent())))
	}
	return b.String()
}

// manText writes paragraphs; those with an indented line stand as they are, being lists.
func manText(b *strings.Builder, text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.Contains(paragraph, "\n ") || strings.HasPrefix(paragraph, " ") {
			fmt.Fprintf(b, ".nf\n%s\n.fi\n", roff(paragraph))
		} else {
			b.WriteString(roff(paragraph) + "\n")
		}
	}
}

func manFlags(b *strings.Builder, head string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", head)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if kind != "" {
			name += " " + kind
		}
		switch f.DefValue {
		case "", "false", "[]", "0":
		default:
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
	})
}

// roff escapes what man(7) takes for something else than text: backslashes, dashes that belong to a command, and dots
// and apostrophes at the beginning of a line.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
