package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

func newTrainCmd(st *State) *cobra.Command {
	return group(&cobra.Command{
		Use:     "train",
		Short:   "Fit detectors that train natively",
		Example: "  pidsbench train tfidf",
	}, &cobra.Command{
		Use:   "tfidf",
		Short: "Fit TF-IDF and logistic regression on the open edition's train split",
		Long: `Fits the TF-IDF baseline on the frozen train split and stores it under .build/models. eval does the same on first
use; this command does it again.`,
		Example: "  pidsbench train tfidf",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runTrainTFIDF(st, cmd) },
	})
}

func runTrainTFIDF(st *State, cmd *cobra.Command) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	e, err := p.entry("tfidf")
	if err != nil {
		return err
	}
	path, err := p.tfidfPath(e)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := p.fitTFIDF(st, e, path); err != nil {
		return err
	}
	rel, err := filepath.Rel(p.root, path)
	if err != nil {
		return err
	}
	fmt.Fprintf(st.Stdout, "%s fitted in %.1f s\n", rel, time.Since(start).Seconds())
	return nil
}
