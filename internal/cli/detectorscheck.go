package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

type checkDetectorsOptions struct{ format string }

func newDetectorsCheckCmd(st *State) *cobra.Command {
	var opts checkDetectorsOptions
	cmd := &cobra.Command{
		Use: "check [ID…]", Short: "Try each detector that can run here on clear texts, and say why the others cannot",
		Long: `Loads each detector and scores 50 texts of which nobody doubts the class (12 where a program or a server is asked). It
prints how well they are told apart, and warns when the classes look swapped or all scores are equal. Without an ID,
detectors that send texts to a server elsewhere are left out.`,
		Example: "  pidsbench detectors check\n  pidsbench detectors check deberta",
		RunE:    func(cmd *cobra.Command, args []string) error { return runDetectorsCheck(st, cmd, args, &opts) },
	}
	cmd.Flags().StringVar(&opts.format, "format", "table", "table or json")
	return cmd
}

// tried is what came of trying a detector at a seed.
type tried struct {
	Detector string `json:"detector"`
	Seed     int    `json:"seed"`
	OK       bool   `json:"ok"`
	Reason   string `json:"reason,omitempty"` // why it was not tried, or failed
	*probing
	Warning string `json:"warning,omitempty"`

	seeds bool
	err   error
}

func runDetectorsCheck(st *State, cmd *cobra.Command, ids []string, opts *checkDetectorsOptions) error {
	if err := oneOfTwo(opts.format); err != nil {
		return err
	}
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	entries := p.detectors.Detectors
	if len(ids) > 0 {
		entries = nil
		for _, id := range ids {
			e, err := p.entry(id)
			if err != nil {
				return err
			}
			entries = append(entries, e)
		}
	}
	var worst *fault.Error
	all := []*tried{}
	for _, e := range entries {
		for _, seed := range seedsOf(e) {
			t := p.try(cmd.Context(), st, e, seed, slices.Contains(ids, e.ID))
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			all = append(all, t)
			if opts.format == "table" {
				fmt.Fprintln(st.Stdout, t)
			}
			worst = worse(worst, t, len(ids) > 0)
		}
	}
	if opts.format == "json" {
		err := writeJSON(st, struct {
			Schema    string   `json:"schema"`
			Detectors []*tried `json:"detectors"`
		}{"pidsbench-detectors-check/1", all})
		if err != nil {
			return err
		}
	}
	if worst != nil {
		return worst
	}
	return nil
}

// worse returns what the command fails with after one more detector: a failure before one that cannot run here, and that
// only where the user named it.
func worse(worst *fault.Error, t *tried, named bool) *fault.Error {
	var absent *unavailableError
	switch {
	case t.err == nil:
	case errors.As(t.err, &absent):
		if named && worst == nil {
			return fault.New(fault.Incomplete, "%s cannot run here: %w", t.Detector, t.err)
		}
	case worst == nil || worst.Kind == fault.Incomplete:
		return fault.New(fault.Kind(fault.ExitCode(t.err)), "%s: %w", t.Detector, t.err)
	}
	return worst
}

// try scores the probe texts with a detector. One that sends texts to a server elsewhere has to be named.
func (p *project) try(ctx context.Context, st *State, e detect.Entry, seed int, named bool) *tried {
	t := &tried{Detector: e.ID, Seed: seed, seeds: len(e.Seeds) > 0}
	if e.Kind == "chat" && !e.Chat.OnThisMachine() && !named {
		t.err = &unavailableError{fmt.Sprintf("not asked: it sends the texts to %s; run `pidsbench detectors check %s` to allow that",
			e.Chat.Host(), e.ID)}
	} else {
		t.probing, t.err = p.probe(ctx, st, e, seed)
	}
	switch {
	case t.err != nil:
		t.Reason = t.err.Error()
	default:
		t.OK = true
		if !e.Baseline {
			t.Warning = t.doubt()
		}
	}
	return t
}

// probe loads a detector and scores the probe texts.
func (p *project) probe(ctx context.Context, st *State, e detect.Entry, seed int) (*probing, error) {
	c, err := p.candidate(st, e, seed)
	if err != nil {
		return nil, err
	}
	det, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	defer det.Close()
	defer st.tell(c, det)
	return runProbesOn(ctx, det, probesFor(e))
}

// String returns the line that people read.
func (t *tried) String() string {
	name := t.Detector
	if t.seeds {
		name += " seed " + strconv.Itoa(t.Seed)
	}
	if !t.OK {
		return fmt.Sprintf("no   %-32s %s", name, printableLines(t.Reason))
	}
	line := fmt.Sprintf("ok   %-32s AUC %.4f, lowest attack %.4f, highest plain text %.4f, %s texts/s", name, t.AUC, t.Lowest,
		t.Highest, strconv.FormatFloat(t.Speed, 'f', -1, 64))
	if t.Warning != "" {
		line += "; warning: " + t.Warning
	}
	return line
}
