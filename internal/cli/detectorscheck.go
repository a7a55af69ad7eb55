package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/detect"
	"pidsbench/internal/detect/chat"
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
	Warning string       `json:"warning,omitempty"`
	Strange []strangeSet `json:"trained_on_unmatched,omitempty"` // names in trained_on that match no source here

	seeds  []int  // that this says something of; none for a detector without seeds
	shared string // the reason with {seed} in the path of the model, as it may be that of other seeds too
	err    error
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
	all := []*tried{}
	for _, e := range entries {
		of, err := p.tryAll(cmd.Context(), st, e, slices.Contains(ids, e.ID))
		if err != nil {
			return err
		}
		all = append(all, of...)
		if opts.format == "table" {
			showTried(st, of)
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
	return notRunning(all, len(ids) > 0)
}

// tryAll tries a detector at each of its seeds.
func (p *project) tryAll(ctx context.Context, st *State, e detect.Entry, named bool) ([]*tried, error) {
	var of []*tried
	for _, seed := range seedsOf(e) {
		t := p.try(ctx, st, e, seed, named)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		of = append(of, t)
	}
	return of, nil
}

// showTried prints a line for each seed that ran and one for each reason why others did not, and what is strange about
// the entry.
func showTried(st *State, of []*tried) {
	for i, t := range of {
		if t.OK {
			fmt.Fprintln(st.Stdout, t)
			continue
		}
		same := func(o *tried) bool { return !o.OK && o.shared == t.shared }
		if slices.IndexFunc(of, same) < i { // told of with that one
			continue
		}
		all := *t
		for _, o := range of[i+1:] {
			if same(o) {
				all.seeds, all.Reason = append(all.seeds, o.Seed), t.shared
			}
		}
		fmt.Fprintln(st.Stdout, &all)
	}
	if strange := of[0].Strange; len(strange) > 0 {
		fmt.Fprintf(st.Stdout, "     %-32s %s\n", of[0].Detector, printableLines(strangeLine(strange)))
	}
}

// notRunning is what the command fails with: detectors that fail, or, where the user named them, that cannot run here. The
// reasons stand in the output.
func notRunning(all []*tried, named bool) error {
	var absent *unavailableError
	kind := fault.Incomplete
	var ids []string
	for _, t := range all {
		switch {
		case t.err == nil:
			continue
		case !errors.As(t.err, &absent):
			if kind == fault.Incomplete {
				kind = fault.Kind(fault.ExitCode(t.err))
			}
		case !named:
			continue
		}
		if !slices.Contains(ids, t.Detector) {
			ids = append(ids, t.Detector)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return fault.New(kind, "%s cannot run here", strings.Join(ids, ", ")).WithCure("the output above says why")
}

// try scores the probe texts with a detector. One that sends texts to a server elsewhere has to be named.
func (p *project) try(ctx context.Context, st *State, e detect.Entry, seed int, named bool) *tried {
	t := &tried{Detector: e.ID, Seed: seed, Strange: p.strangeSets(e)}
	if len(e.Seeds) > 0 {
		t.seeds = []int{seed}
	}
	var said []string
	if e.Kind == "chat" && !e.Chat.OnThisMachine() && !named {
		t.err = &unavailableError{fmt.Sprintf("not asked: it sends the texts to %s; run `pidsbench detectors check %s` to allow that",
			e.Chat.Host(), e.ID)}
	} else {
		t.probing, said, t.err = p.probe(ctx, st, e, seed)
	}
	if t.err != nil {
		t.Reason = t.err.Error()
		t.shared = t.Reason
		if e.Model != "" {
			t.shared = strings.ReplaceAll(t.Reason, e.ModelPath(p.modelDir(e, seed)), e.Model)
		}
		return t
	}
	t.OK = true
	if e.Baseline {
		return t
	}
	if doubt := t.doubt(); doubt != "" {
		said = slices.Insert(said, 0, doubt)
	}
	t.Warning = strings.Join(said, "; ")
	return t
}

// probe loads a detector and scores the probe texts. It returns too what a server's answers lacked or said otherwise than
// the entry; how many there were and what they cost is noted.
func (p *project) probe(ctx context.Context, st *State, e detect.Entry, seed int) (*probing, []string, error) {
	c, err := p.candidate(st, e, seed)
	if err != nil {
		return nil, nil, err
	}
	det, err := c.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer det.Close()
	probed, err := runProbesOn(ctx, det, probesFor(e))
	d, asked := det.(*chat.Detector)
	if err != nil || !asked {
		st.tell(c, det)
		return probed, nil, err
	}
	lines := d.Report()
	st.note("%s: %s", e.ID, lines[0])
	return probed, lines[1:], nil
}

// String returns the line that people read.
func (t *tried) String() string {
	name := t.Detector
	switch len(t.seeds) {
	case 0:
	case 1:
		name += " seed " + joinInts(t.seeds)
	default:
		name += " seeds " + joinInts(t.seeds)
	}
	if !t.OK {
		return fmt.Sprintf("no   %-32s %s", name, printableLines(t.Reason))
	}
	line := fmt.Sprintf("ok   %-32s AUC %.4f, lowest attack %.4f, highest plain text %.4f, %s texts/s", name, t.AUC, t.Lowest,
		t.Highest, strconv.FormatFloat(t.Speed, 'f', -1, 64))
	if t.Warning != "" {
		line += "; warning: " + printableLines(t.Warning)
	}
	return line
}
