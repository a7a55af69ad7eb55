package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
)

// probe loads a detector and scores the probe texts, through the engine as any other text.
func (p *project) probe(cmd *cobra.Command, st *State, e detect.Entry, seed int) ([]float64, error) {
	c, err := p.candidate(st, e, seed)
	if err != nil {
		return nil, err
	}
	det, err := c.open()
	if err != nil {
		return nil, cannotRun(err)
	}
	defer det.Close()
	items := make([]engine.Item, len(probes))
	for i, text := range probes {
		items[i] = engine.Item{Row: i, Text: text}
	}
	scores := make([]float64, len(probes))
	_, err = engine.Run(cmd.Context(), det, items, engine.Options{Windows: engine.Max}, func(r engine.Result) error {
		if r.Err != "" {
			return errors.New(r.Err)
		}
		scores[r.Row] = r.Score
		return nil
	})
	return scores, err
}
