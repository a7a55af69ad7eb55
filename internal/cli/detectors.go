package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/detect"
	"pidsbench/internal/detect/process"
	"pidsbench/internal/fault"
	"pidsbench/internal/models"
	"pidsbench/internal/render"
)

func newDetectorsCmd(st *State) *cobra.Command {
	var format string
	list := &cobra.Command{
		Use: "list", Short: "List the configured detectors: kind, licence, size, version, training data, and whether they are here",
		Args: cobra.NoArgs, Example: "  pidsbench detectors list\n  pidsbench detectors list --format json",
		RunE: func(cmd *cobra.Command, _ []string) error { return runDetectorsList(st, cmd, format) },
	}
	list.Flags().StringVar(&format, "format", "table", "table or json")
	return group(&cobra.Command{
		Use:   "detectors",
		Short: "List, show and try the configured detectors, and look for signs that they know public texts",
		Example: "  pidsbench detectors list\n  pidsbench detectors show deberta\n  pidsbench detectors check deberta\n" +
			"  pidsbench detectors exposure --detector tfidf",
	},
		list, newDetectorsShowCmd(st), newDetectorsCheckCmd(st), newExposureCmd(st))
}

// oneOfTwo checks a --format that is table or json.
func oneOfTwo(format string) error {
	if format == "table" || format == "json" {
		return nil
	}
	return fault.New(fault.Usage, "--format is %q, expected table or json", format).WithCure("give one of the two")
}

// writeJSON writes a document with its schema first, as people read it.
func writeJSON(st *State, v any) error {
	e := json.NewEncoder(st.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// described is a detector as list and show tell of it.
type described struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	Baseline  bool     `json:"baseline,omitempty"`
	Licence   string   `json:"licence,omitempty"`
	Seeds     []int    `json:"seeds,omitempty"`
	Bytes     int64    `json:"bytes,omitempty"`    // of the model files of one seed; 0 when they are not here
	Version   string   `json:"version,omitempty"`  // of its package, or its model's name at a server
	Revision  string   `json:"revision,omitempty"` // of its repository
	TrainedOn []string `json:"trained_on,omitempty"`
	Here      string   `json:"here"` // yes, or why not, in a word or two

	Training *models.Training `json:"training,omitempty"` // what the lock of a model trained by this project says
	files    []models.File
}

func (p *project) describe(e detect.Entry) described {
	d := described{ID: e.ID, Name: e.Name, Kind: e.Kind, Baseline: e.Baseline, Licence: e.Licence, Seeds: e.Seeds,
		TrainedOn: e.TrainedOn}
	if e.Pull != nil {
		d.Version, d.Revision = e.Pull.Version, e.Pull.Revision
	}
	switch {
	case e.Chat != nil:
		d.Version = e.Chat.Model
	case e.Process != nil:
		d.Version = e.Process.Version
	}
	var lock *models.Lock
	d.Here, lock = p.here(e)
	if lock == nil {
		return d
	}
	d.files, d.Training = lock.Files, lock.Training
	for _, f := range lock.Files {
		d.Bytes += f.Bytes
	}
	d.Licence = cmp.Or(d.Licence, lock.Licence)
	d.Version = cmp.Or(d.Version, lock.Source.Version)
	return d
}

// here says in a word or two whether the detector can run here, and returns the lock of the first of its model folders
// that is here and has one.
func (p *project) here(e detect.Entry) (string, *models.Lock) {
	switch e.Kind {
	case "onnx":
		return p.modelHere(e)
	case "tfidf":
		if path, err := p.tfidfPath(e); err == nil {
			if _, err := os.Stat(path); err == nil {
				return "yes", nil
			}
		}
		return "fitted on first use", nil
	case "chat":
		return "asks " + e.Chat.Host(), nil
	case "process":
		if _, err := process.Describe(e.Home(p.root), e, seedsOf(e)[0]); err != nil {
			return "no (detectors check)", nil
		}
		if e.Model != "" {
			return p.modelHere(e)
		}
	}
	return "yes", nil
}

func (p *project) modelHere(e detect.Entry) (string, *models.Lock) {
	var first *models.Lock
	present, locks := 0, 0
	for _, seed := range seedsOf(e) {
		lock, err := verifyModel(e, p.modelDir(e, seed))
		var absent *unavailableError
		var alone *lockOnlyError
		switch {
		case err == nil:
			present++
			if first == nil {
				first = lock
			}
		case errors.As(err, &alone):
			locks++
		case errors.As(err, &absent):
		default:
			return "damaged", first
		}
	}
	switch n := len(seedsOf(e)); {
	case present == n:
		return "yes", first
	case present > 0:
		return fmt.Sprintf("%d of %d seeds", present, n), first
	case locks > 0:
		return "scores only", nil
	case e.PulledBy() != "":
		return "no (models pull)", nil
	}
	return "no", nil
}

func seedsOf(e detect.Entry) []int {
	if len(e.Seeds) == 0 {
		return []int{0}
	}
	return e.Seeds
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func runDetectorsList(st *State, cmd *cobra.Command, format string) error {
	if err := oneOfTwo(format); err != nil {
		return err
	}
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	all := make([]described, 0, len(p.detectors.Detectors))
	for _, e := range p.detectors.Detectors {
		all = append(all, p.describe(e))
	}
	if format == "json" {
		return writeJSON(st, struct {
			Schema    string      `json:"schema"`
			Detectors []described `json:"detectors"`
		}{"pidsbench-detectors/1", all})
	}
	w := render.NewTabs(st.Stdout)
	fmt.Fprintln(w, "ID\tKIND\tSEEDS\tLICENCE\tSIZE\tVERSION\tTRAINED ON\tHERE\tNAME")
	for _, d := range all {
		seeds := orDash("")
		if len(d.Seeds) > 0 {
			seeds = fmt.Sprint(len(d.Seeds))
		}
		version := d.Version
		if version == "" && d.Revision != "" {
			version = fmt.Sprintf("%.8s", d.Revision)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", d.ID, d.Kind, seeds, cell(d.Licence), size(d.Bytes), cell(version),
			cell(trainedOn(d)), cell(d.Here), render.Printable(d.Name))
	}
	return w.Flush()
}

// cell fits a word into a column.
func cell(s string) string {
	const widest = 20
	if r := []rune(s); len(r) > widest {
		s = string(r[:widest-1]) + "…"
	}
	return render.Printable(orDash(s))
}

func size(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// trainedOn says in a word or two what is known of the training data.
func trainedOn(d described) string {
	switch n := len(d.TrainedOn); {
	case n == 1 && strings.EqualFold(d.TrainedOn[0], detect.TrainSplit):
		return "open edition"
	case n == 1:
		return d.TrainedOn[0]
	case n > 1:
		return fmt.Sprintf("%d sets", n)
	case d.Training != nil:
		return d.Training.Edition + " edition"
	case d.Kind == "tfidf":
		return "open edition"
	case d.Kind == "rule" || d.Kind == "constant":
		return "nothing"
	}
	return "not known"
}

func (p *project) entry(id string) (detect.Entry, error) {
	ids := make([]string, 0, len(p.detectors.Detectors))
	for _, e := range p.detectors.Detectors {
		if e.ID == id {
			return e, nil
		}
		ids = append(ids, e.ID)
	}
	return detect.Entry{}, fault.New(fault.Usage, "there is no detector %q%s", id, suggest(id, ids)).
		WithCure("choose from %s", strings.Join(ids, ", "))
}
