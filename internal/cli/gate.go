package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/fault"
	"pidsbench/internal/gate"
	"pidsbench/internal/render"
)

const gateConfig = "configs/gates.yaml"

type gateOptions struct {
	data           dataOptions
	score          scoreOptions
	scores         []string
	config         string
	baseline       string
	allowUndecided bool
	format         string
	files          map[string]*string // format → file that it is written to as well
}

// gateFormats are the forms of a report, in the order of help texts.
var gateFormats = []struct {
	name  string
	write func(io.Writer, *gate.Report) error
}{
	{"table", func(w io.Writer, r *gate.Report) error { return render.Text(w, []render.Table{render.Gate(r)}) }},
	{"markdown", render.GateMarkdown},
	{"json", render.GateJSON},
	{"junit", render.GateJUnit},
	{"sarif", render.GateSARIF},
}

func gateFormatNames() (names []string) {
	for _, f := range gateFormats {
		names = append(names, f.name)
	}
	return names
}

func newGateCmd(st *State) *cobra.Command {
	opts := gateOptions{files: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Fail when a number breaks its limit, from score files",
		Long: `From score files alone, gate holds the numbers of detectors to the limits of a file. A limit is on a number
itself or on the edge of its 95 % interval, and against a bound or against a baseline: the same number from a folder of
earlier score files, with the rows whose verdict flipped listed.

Each limit passes, is broken, or is undecided by the rows there are; then the number of rows that would decide it is
named. An undecided limit fails, unless --allow-undecided is given. A limit without data, or whose rows do not all have
a score (as after --limit), always fails. Exit status 5 when a limit fails.`,
		Example: `  pidsbench gate
  pidsbench gate --config gates.yaml --junit gate.xml --sarif gate.sarif --markdown gate.md
  pidsbench gate --baseline last-release --allow-undecided`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(st); err != nil {
				return err
			}
			return runGate(st, cmd, &opts)
		},
	}
	opts.data.register(cmd)
	f := cmd.Flags()
	f.StringVar(&opts.config, "config", "", "file of limits (default: "+gateConfig+" of the project)")
	f.StringVar(&opts.baseline, "baseline", "", "folder of score files that limits on a regression compare with "+
		"(default: results)")
	f.BoolVar(&opts.allowUndecided, "allow-undecided", false, "let a limit pass that the rows there are cannot decide")
	f.StringSliceVar(&opts.score.seeds, "seeds", nil, "seeds by number, or all (default: each detector's first); limits are "+
		"on their mean")
	f.StringVar(&opts.score.windows, "windows", "max", "window mode of the scores: max or truncate")
	f.StringArrayVar(&opts.scores, "scores", nil, "folder with score files, repeatable (default: out, then results)")
	f.StringVar(&opts.format, "format", "table", "table, markdown, json, junit or sarif")
	for _, name := range gateFormatNames()[1:] {
		opts.files[name] = f.String(name, "", "write the report in the format "+name+" to this file as well")
	}
	return cmd
}

// check refuses what cannot be meant.
func (o *gateOptions) check(st *State) error {
	_, err := o.score.mode()
	if err := firstFault(errors.Join(o.data.check(), err)); err != nil {
		return err
	}
	if names := gateFormatNames(); !slices.Contains(names, o.format) {
		return fault.New(fault.Usage, "--format is %q%s, expected %s", o.format, suggest(o.format, names),
			strings.Join(names, ", ")).WithCure("give one of these")
	}
	if info, err := os.Stat(st.abs(o.baseline)); o.baseline != "" && (err != nil || !info.IsDir()) {
		return fault.New(fault.Usage, "--baseline %s is no folder", fault.Name(o.baseline)).
			WithCure("name a folder of score files, as --out of `pidsbench eval` makes one")
	}
	var read, written []string
	if o.config != "" {
		read = append(read, o.config)
	}
	for _, f := range gateFormats[1:] {
		name := *o.files[f.name]
		if name == "" {
			continue
		}
		if slices.Contains(written, st.abs(name)) {
			return fault.New(fault.Usage, "two reports are to be written to %s", fault.Name(name)).WithCure("name two files")
		}
		written = append(written, st.abs(name))
		if err := st.checkOut(f.name, name, read); err != nil {
			return err
		}
	}
	return nil
}

func runGate(st *State, cmd *cobra.Command, opts *gateOptions) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	path, name := opts.configFile(st, p)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Usage, "there is no %s", fault.Name(name)).WithCure("name the file of limits with --config")
	}
	limits, err := gate.Load(path, name)
	if err != nil {
		return err
	}
	run := &gateRun{st: st, p: p, opts: opts, limits: limits}
	report, err := run.judge()
	if err != nil {
		return err
	}
	report.Config, report.Run = name, runRecord(st)
	for _, f := range gateFormats[1:] {
		if file := *opts.files[f.name]; file != "" {
			if err := st.writeWhole(file, func(w io.Writer) error { return f.write(w, report) }); err != nil {
				return err
			}
		}
	}
	for _, f := range gateFormats {
		if f.name == opts.format {
			if err := f.write(st.Stdout, report); err != nil {
				return err
			}
		}
	}
	return report.Broke()
}

// configFile returns the path of the file of limits and its name in messages and reports: from the working folder or the
// project's, where it lies below one of them.
func (o *gateOptions) configFile(st *State, p *project) (path, name string) {
	path = p.path(gateConfig)
	if o.config != "" {
		path = st.abs(o.config)
	}
	for _, from := range []string{st.Dir, p.root} {
		if rel, err := filepath.Rel(from, path); err == nil && filepath.IsLocal(rel) {
			return path, filepath.ToSlash(rel)
		}
	}
	return path, path
}
