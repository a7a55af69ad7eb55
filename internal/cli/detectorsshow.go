package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pidsbench/internal/builder"
	"pidsbench/internal/detect"
	"pidsbench/internal/render"
)

func newDetectorsShowCmd(st *State) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show one detector: what it is, how it is read, its files with their hashes, its training data",
		Args: cobra.ExactArgs(1), Example: "  pidsbench detectors show deberta",
		RunE: func(cmd *cobra.Command, args []string) error { return runDetectorsShow(st, cmd, args[0]) },
	}
}

func runDetectorsShow(st *State, cmd *cobra.Command, id string) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	e, err := p.entry(id)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(st.Stdout, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, render.Printable(value))
		}
	}
	d := p.describe(e)
	line("id", e.ID)
	line("name", e.Name)
	line("kind", e.Kind)
	line("description", e.Description)
	line("licence", d.Licence)
	line("reference", e.Reference)
	line("here", d.Here)
	line("seeds", joinInts(e.Seeds))
	if e.Native != nil {
		line("native threshold", decimal(*e.Native))
	}
	line("contamination", e.Contaminated)
	for _, set := range e.TrainedOn {
		line("trained on", p.showSet(set))
	}
	if t := d.Training; t != nil {
		line("training", fmt.Sprintf("%s edition, train split %.12s, val F1 %.4f, %d parameters", t.Edition, t.TrainSHA256, t.ValF1,
			t.Parameters))
	}
	showReading(line, e)
	showPull(line, e.Pull)
	if e.Model != "" {
		line("model", e.Model)
	}
	for _, f := range d.files {
		line("file", fmt.Sprintf("%s  %d bytes  sha256 %s", f.Path, f.Bytes, f.SHA256))
	}
	return w.Flush()
}

// showSet names a set, and the sources of the open edition and the imported sets that it may share texts with.
func (p *project) showSet(set string) string {
	if strings.EqualFold(set, detect.TrainSplit) {
		return "the open edition's train split"
	}
	names, _ := p.externalStore().Names() // a set that is not as it should be is told of where it is used
	if lock, err := builder.LoadLock(p.root); err == nil {
		for _, s := range lock.Sources {
			names = append(names, s.ID)
		}
	}
	var shared []string
	for _, name := range names {
		if !strings.EqualFold(name, set) && detect.MayShareTexts(set, name) {
			shared = append(shared, name)
		}
	}
	if len(shared) == 0 {
		return set
	}
	slices.Sort(shared)
	return set + ", which may share texts with " + strings.Join(shared, ", ")
}

// showReading says how a detector is asked and how its answer is read.
func showReading(line func(name, value string), e detect.Entry) {
	switch e.Kind {
	case "onnx":
		line("file of the graph", e.File)
		line("output", e.Output)
		line("head", orDefault(e.Head, "softmax"))
		line("positive", strings.Join(e.Positive, ", "))
		if e.Temperature != 0 {
			line("temperature", decimal(e.Temperature))
		}
		if v := e.Veto; v != nil {
			line("veto", fmt.Sprintf("the score is 0 where class %s reaches %s", v.Class, decimal(v.At)))
		}
		if e.MaxLength > 0 {
			line("max length", strconv.Itoa(e.MaxLength)+" tokens")
		}
		line("pad", orDefault(e.Pad, "batch, or none where that would change scores"))
		line("precision", e.Precision)
	case "constant":
		line("rule", e.Rule)
	case "tfidf":
		line("rows added", e.Augment)
	case "chat":
		line("server", e.Chat.URL)
		line("server's model", e.Chat.Model)
	case "process":
		line("command", strings.Join(e.Process.Command, " "))
		line("version", e.Process.Version)
	}
}

// showPull says where the model folder is pulled from.
func showPull(line func(name, value string), pull *detect.Pull) {
	if pull == nil {
		return
	}
	if pull.Repo != "" {
		line("repository", pull.Repo)
		line("revision", pull.Revision)
	}
	if pull.Package != "" {
		line("package", fmt.Sprintf("%s %s (%s)  sha256 %s", pull.Package, pull.Version, orDefault(pull.Registry, "pip"),
			pull.SHA256))
	}
	if pull.Gated {
		line("gated", "yes: accept its terms at the hub and set HF_TOKEN")
	}
	line("source", pull.Source)
	for _, name := range slices.Sorted(maps.Keys(pull.Files)) {
		line("pulled file", fmt.Sprintf("%s  sha256 %s", name, orDefault(pull.Files[name], "not published")))
	}
	line("converted by", pull.Convert)
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
