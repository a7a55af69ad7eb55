package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/detect"
	"pidsbench/internal/detect/onnx"
	"pidsbench/internal/models"
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
	w := render.NewTabs(st.Stdout)
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
	if d.Training != nil {
		line("training", showTraining(d.Training))
	}
	showReading(line, e)
	line("precision", p.precision(e))
	showPull(line, e.Pull)
	if e.Model != "" {
		line("model", e.Model)
	}
	for _, f := range d.files {
		line("file", fmt.Sprintf("%s  %d bytes  sha256 %s", f.Path, f.Bytes, f.SHA256))
	}
	return w.Flush()
}

// showTraining says what a lock tells of the training.
func showTraining(t *models.Training) string {
	edition, train, f1, parameters := "edition n/a", "n/a", "n/a", "n/a"
	if t.Edition != "" && t.Edition != models.UnknownEdition {
		edition = t.Edition + " edition"
	}
	if t.TrainSHA256 != "" {
		train = fmt.Sprintf("%.12s", t.TrainSHA256)
	}
	if t.ValF1 != nil {
		f1 = fmt.Sprintf("%.4f", *t.ValF1)
	}
	if t.Parameters > 0 {
		parameters = strconv.FormatInt(t.Parameters, 10)
	}
	return fmt.Sprintf("%s, train split %s, val F1 %s, %s parameters", edition, train, f1, parameters)
}

// precision says what the graph of the detector's first model holds that is here, else what the entry says.
func (p *project) precision(e detect.Entry) string {
	if e.Kind != "onnx" {
		return ""
	}
	seed := seedsOf(e)[0]
	info, err := onnx.Describe(p.modelDir(e, seed), e, seed)
	switch {
	case err == nil && e.Precision != "" && e.Precision != info.Precision:
		return fmt.Sprintf("%s says %s, but the graph has %s (%s)", e.Where("precision"), e.Precision, info.Precision,
			detect.PrecisionInWords(info.Precision))
	case err == nil:
		return info.Precision + " (" + detect.PrecisionInWords(info.Precision) + ")"
	case e.Precision != "":
		return e.Precision + " (" + detect.PrecisionInWords(e.Precision) + ")"
	}
	return ""
}

// showReading says how a detector is asked and how its answer is read.
func showReading(line func(name, value string), e detect.Entry) {
	switch e.Kind {
	case "onnx":
		line("file of the graph", e.File)
		line("output", e.Output)
		line("head", orDefault(e.Head, "softmax"))
		line("positive", orDefault(strings.Join(e.Positive, ", "), "the class of config.json whose name means injection"))
		if e.Temperature != 0 {
			line("temperature", decimal(e.Temperature))
		}
		if v := e.Veto; v != nil {
			line("veto", fmt.Sprintf("the score is 0 where class %s reaches %s", v.Class, decimal(v.At)))
		}
		if e.MaxLength > 0 {
			line("max length", strconv.Itoa(e.MaxLength)+" tokens")
		} else {
			line("max length", "what the model takes")
		}
		line("pad", orDefault(e.Pad, "batch, or none where that would change scores"))
	case "constant":
		line("rule", e.Rule)
	case "tfidf":
		added := e.Augment
		if e.Pool > 0 {
			added = fmt.Sprintf("%d of %s", e.Pool, added)
		}
		line("rows added", added)
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
