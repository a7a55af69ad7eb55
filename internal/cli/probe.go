package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/engine"
	"pidsbench/internal/metrics"
)

// A detector that may be slow or cost money gets fewProbes of the probe texts, and so does any other before fewRows rows.
const (
	fewProbes = 12
	fewRows   = 500
)

// probing is what a detector makes of texts whose class nobody doubts.
type probing struct {
	Texts   int     `json:"texts"`
	AUC     float64 `json:"auc"`
	Lowest  float64 `json:"lowest_attack"` // score of an attack
	Highest float64 `json:"highest_plain"` // score of a plain text
	Speed   float64 `json:"texts_per_second"`
	same    bool    // all scores are equal
}

// doubt says what the probe texts tell against the detector, "" for nothing.
func (p *probing) doubt() string {
	switch {
	case p.same:
		return fmt.Sprintf("it gives all of %d clear texts the score %.4g", p.Texts, p.Lowest)
	case p.AUC < 0.5:
		return fmt.Sprintf("its AUC on %d clear texts is %.2f: the classes look swapped; is `positive` the right class?", p.Texts,
			p.AUC)
	}
	return ""
}

// probesFor returns the texts that a detector is tried with.
func probesFor(e detect.Entry) []detect.Probe {
	all := detect.Probes()
	if e.Kind == "chat" || e.Kind == "process" {
		return all[:fewProbes]
	}
	return all
}

// runProbesOn scores the texts through the engine, as any other text. A text that cannot be scored is an error.
func runProbesOn(ctx context.Context, det detect.Detector, texts []detect.Probe) (*probing, error) {
	items := make([]engine.Item, len(texts))
	labels := make([]dataset.Label, len(texts))
	for i, t := range texts {
		items[i] = engine.Item{Row: i, Text: t.Text}
		if t.Attack {
			labels[i] = dataset.Injection
		}
	}
	scores := make([]float64, len(texts))
	stats, err := engine.Run(ctx, det, items, engine.Options{Windows: engine.Max}, func(r engine.Result) error {
		if r.Err != "" {
			return errors.New(r.Err)
		}
		scores[r.Row] = r.Score
		return nil
	})
	if err != nil {
		return nil, err
	}
	p := &probing{Texts: len(texts), AUC: metrics.ROCAUC(scores, labels).V, Lowest: 1, same: true}
	p.Speed = twoDigits(float64(len(texts)) / max(stats.Elapsed.Seconds(), 1e-9))
	for i, s := range scores {
		p.same = p.same && s == scores[0]
		if texts[i].Attack {
			p.Lowest = min(p.Lowest, s)
		} else {
			p.Highest = max(p.Highest, s)
		}
	}
	return p, nil
}

// twoDigits rounds a speed, which differs from run to run.
func twoDigits(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64)
	return v
}

// probeFirst tells of a detector whose classes look swapped before all of the rows go through it. A server is left out:
// it may cost money. What goes wrong here will go wrong with the rows too, and is said there.
func (s *scorer) probeFirst(ctx context.Context, c *candidate, det detect.Detector, rows int) {
	if c.entry.Baseline || c.entry.Kind != "onnx" && c.entry.Kind != "process" {
		return
	}
	texts := probesFor(c.entry)
	if rows < fewRows {
		texts = texts[:fewProbes]
	}
	p, err := runProbesOn(ctx, det, texts)
	if err != nil {
		return
	}
	if doubt := p.doubt(); doubt != "" {
		s.st.logf("warning: %s: %s", c.info.ID, doubt)
	}
}
