package onnx

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// getModel says how to get a model folder again.
func getModel(e detect.Entry) string {
	by := e.PulledBy()
	switch {
	case by == "":
		return "put the model folder there again"
	case e.Pull != nil && e.Pull.Checkpoint():
		return "run `pidsbench models pull " + by + "`, which ends with the command that exports it"
	}
	return "run `pidsbench models pull " + by + "`"
}

// noModel is the error for a folder without the graph that the entry asks for. It says what lies there in its place.
func (f *folder) noModel(root *os.Root, e detect.Entry) error {
	graphs, checkpoint := contents(root)
	what := f.name + " holds neither model.onnx nor onnx/model.onnx"
	if e.File != "" {
		what = e.Where("file") + " holds " + short(e.File) + ", which " + f.name + " does not hold"
	}
	switch {
	case len(graphs) > 0:
		return fault.New(fault.Incomplete, "%s; it holds %s", what, strings.Join(graphs, ", ")).
			WithCure("name one of these as `file` in the entry")
	case checkpoint != "":
		return fault.New(fault.Incomplete, "%s; it is a checkpoint with the weights in %s", what, checkpoint).
			WithCure("export it with `tools/export --checkpoint %s --out %s-onnx`, and name that folder as `model` in the entry",
				f.name, f.name)
	}
	cure := f.cure
	if e.PulledBy() == "" {
		cure = "put a model there, or correct `model` in the entry"
	}
	return fault.New(fault.Incomplete, "%s", what).WithCure("%s", cure)
}

// contents names the graphs that lie in a folder, at most eight, and one file of a checkpoint's weights.
func contents(root *os.Root) (graphs []string, checkpoint string) {
	_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error { // what cannot be read is not named
		switch {
		case err != nil || d.IsDir():
		case path.Ext(name) == ".onnx":
			if len(graphs) == 8 {
				graphs = append(graphs, "…")
				return fs.SkipAll
			}
			graphs = append(graphs, fault.Name(name))
		case path.Ext(name) == ".safetensors" || strings.HasPrefix(path.Base(name), "pytorch_model"):
			checkpoint = fault.Name(name)
		}
		return nil
	})
	return graphs, checkpoint
}

// head resolves the classes of the entry. Names of classes need a config.json.
func (f *folder) head(e detect.Entry, width int) (head, error) {
	labels, err := f.config.labels()
	if err != nil {
		return head{}, fault.New(fault.Integrity, "%s: %w", f.path("config.json"), err).WithCure("%s", f.cure)
	}
	if field, gap := needsNames(e, width); f.config.absent && field != "" {
		return head{}, fault.New(fault.Incomplete, "%s %s, and %s, which would name the classes, is missing", e.Where(field), gap,
			f.path("config.json")).WithCure("put the checkpoint's config.json there, or give classes by index: `positive: [\"1\"]`")
	}
	return newHead(e, labels, width)
}

// needsNames returns a field that needs the names of classes, and what it does with them; "" for none.
func needsNames(e detect.Entry, width int) (field, gap string) {
	word := func(s string) bool { return strings.Trim(s, "0123456789") != "" }
	switch {
	case width == 1:
		return "", ""
	case len(e.Positive) == 0:
		return "positive", "is left out"
	case slices.ContainsFunc(e.Positive, word):
		return "positive", "names a class"
	case e.Veto != nil && word(e.Veto.Class):
		return "veto", "names a class"
	}
	return "", ""
}

// lacks says what config.json does not tell.
func (f *folder) lacks(what string) string {
	if f.config.absent {
		return f.path("config.json") + " is missing too"
	}
	return f.path("config.json") + " " + what
}
