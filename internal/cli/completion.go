package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pidsbench/internal/breakdown"
	"pidsbench/internal/detect"
	"pidsbench/internal/external"
	"pidsbench/internal/probe"
	"pidsbench/internal/render"
)

// addCompletions lets shells complete what flags and arguments may hold, for all commands below the root: see
// `pidsbench completion --help`. What stands in files of the project is read when a shell asks.
func addCompletions(st *State, root *cobra.Command) {
	root.SetOut(st.Stdout) // of the scripts
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			completionHelp(c)
		}
	}
	everyCommand(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if of := completer(st, c, f); of != nil {
				c.RegisterFlagCompletionFunc(f.Name, of) //nolint:errcheck // the flag is there, and has none yet
			}
		})
		if c.ValidArgsFunction == nil {
			c.ValidArgsFunction = argumentCompleter(st, c)
		}
	})
}

// everyCommand calls f for a command and all below it.
func everyCommand(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, below := range c.Commands() {
		everyCommand(below, f)
	}
}

// completionHelp gives cobra's command for the scripts of shells what all others have.
func completionHelp(c *cobra.Command) {
	shells := c.Commands()
	for _, s := range shells {
		s.Example = "  source <(pidsbench completion " + s.Name() + ")"
		switch s.Name() {
		case "fish":
			s.Example = "  pidsbench completion fish | source"
		case "powershell":
			s.Example = "  pidsbench completion powershell | Out-String | Invoke-Expression"
		}
	}
	c.RemoveCommand(shells...)
	c.Short, c.Args = "Print the script that lets a shell complete commands, flags and names", nil
	c.Example = "  pidsbench completion bash > ~/.local/share/bash-completion/completions/pidsbench"
	group(c, shells...)
}

// completer returns what completes the value of a flag, nil for files and for what nobody can guess.
func completer(st *State, c *cobra.Command, f *pflag.Flag) cobra.CompletionFunc {
	words := func(all ...string) func(*project, *cobra.Command) []string {
		return func(*project, *cobra.Command) []string { return all }
	}
	var of func(*project, *cobra.Command) []string
	switch f.Name {
	case "detector":
		of = func(p *project, _ *cobra.Command) []string {
			if f.Value.Type() == "string" { // one alone
				return p.ids(nil)
			}
			return append(p.ids(nil), "all\tevery detector")
		}
	case "seed", "seeds":
		of = seedsOfNamed
	case "tables":
		of = words(describedSections()...)
	case "threshold":
		of = words("fixed:0.5", "val_f1", "val_f1:high", "val_fpr:0.01", "native")
	case "windows":
		of = words("max", "truncate")
	case "format":
		of = words(formatsIn(f.Usage)...)
	case "edition":
		of = func(p *project, _ *cobra.Command) (ids []string) {
			for _, e := range p.benchmark.Editions {
				ids = append(ids, e.ID+"\t"+render.Printable(e.Name))
			}
			return ids
		}
	case "split":
		of = func(p *project, _ *cobra.Command) []string { return splitNames(p.benchmark) }
	case "external":
		of = func(p *project, _ *cobra.Command) []string {
			names, _ := p.externalStore().Names()
			return append(names, "none")
		}
	case "mapping":
		of = func(p *project, _ *cobra.Command) []string {
			names, _ := external.Mappings(p.path("configs/mappings"))
			return names
		}
	case "label":
		of = words("benign", "injection")
	case "probes":
		of = words(append(probe.Names(), "all", "none")...)
	case "by":
		of = words(append(slices.Clone(breakdown.Default), "tokens", "all")...)
	}
	if of == nil {
		return nil
	}
	many := f.Value.Type() == "stringSlice"
	return func(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		if f.Name == "edition" { // a folder too
			directive = cobra.ShellCompDirectiveDefault
		}
		p, err := openProject(st, cmd)
		if err != nil {
			return nil, directive
		}
		all := of(p, cmd)
		if many {
			all = ofList(all, begun)
		}
		return beginning(all, begun), directive
	}
}

// ofList completes the last of several values with commas between them.
func ofList(all []string, begun string) []string {
	at := strings.LastIndexByte(begun, ',') + 1
	before := strings.Split(begun[:at], ",")
	var out []string
	for _, w := range all {
		if name, _, _ := strings.Cut(w, "\t"); !slices.Contains(before, name) {
			out = append(out, begun[:at]+w)
		}
	}
	return out
}

// beginning returns the words that begin so.
func beginning(all []string, begun string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(w string) bool { return !strings.HasPrefix(w, begun) })
}

// ids returns the ids of detectors with their names behind a tab, as shells show them; nil keeps all.
func (p *project) ids(keep func(detect.Entry) bool) (ids []string) {
	for _, e := range p.detectors.Detectors {
		if keep == nil || keep(e) {
			ids = append(ids, e.ID+"\t"+render.Printable(e.Name))
		}
	}
	return ids
}

// seedsOfNamed returns the seeds of the detectors that --detector names, or of all.
func seedsOfNamed(p *project, cmd *cobra.Command) []string {
	var named []string
	if f := cmd.Flags().Lookup("detector"); f != nil && f.Changed {
		named = strings.Split(strings.Trim(f.Value.String(), "[]"), ",")
	}
	var seeds []string
	for _, e := range p.detectors.Detectors {
		if len(named) > 0 && !slices.Contains(named, e.ID) && !slices.Contains(named, "all") {
			continue
		}
		for _, n := range e.Seeds {
			if s := strconv.Itoa(n); !slices.Contains(seeds, s) {
				seeds = append(seeds, s)
			}
		}
	}
	if cmd.Flags().Lookup("seeds") != nil {
		seeds = append(seeds, "all")
	}
	return seeds
}

func describedSections() []string {
	words := []string{defaultTables}
	for _, s := range sections {
		words = append(words, s.name+"\t"+s.about)
	}
	return append(words, allTables)
}

// formatsIn returns the formats that the usage text of --format names.
func formatsIn(usage string) (formats []string) {
	known := []string{"table", "markdown", "csv", "latex", "json", "html", "junit", "sarif"}
	for _, word := range strings.FieldsFunc(usage, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if slices.Contains(known, word) && !slices.Contains(formats, word) {
			formats = append(formats, word)
		}
	}
	return formats
}

// argumentCompleter returns what completes the arguments of a command: detectors, files where its usage names one, or
// nothing.
func argumentCompleter(st *State, c *cobra.Command) cobra.CompletionFunc {
	most := map[string]int{"pidsbench detectors show": 1, "pidsbench compare": 2, "pidsbench detectors check": 100,
		"pidsbench models pull": 100}[c.CommandPath()]
	switch {
	case most > 0:
	case strings.Contains(c.Use, "DIR"):
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	case strings.Contains(c.Use, "FILE"), strings.Contains(c.Use, "KEY"):
		return nil // files
	default:
		return cobra.NoFileCompletions
	}
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		p, err := openProject(st, cmd)
		if err != nil || len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ids := p.ids(func(e detect.Entry) bool {
			return !slices.Contains(args, e.ID) && (c.Name() != "pull" || e.Pull != nil)
		})
		return beginning(ids, begun), cobra.ShellCompDirectiveNoFileComp
	}
}
