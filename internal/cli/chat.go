package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/detect/chat"
	"pidsbench/internal/fault"
	"pidsbench/internal/results"
	"pidsbench/internal/scores"
)

// start opens the detector and, where it asks a server, sees whether that answers.
func (c *candidate) start(ctx context.Context) (detect.Detector, error) {
	det, err := c.open()
	if err != nil {
		return nil, cannotRun(err)
	}
	if d, ok := det.(*chat.Detector); ok {
		if err := d.Ready(ctx); err != nil {
			_ = d.Close()
			return nil, cannotRun(err)
		}
	}
	return det, nil
}

// start opens the detector for rows of data. A server on another machine gets them when the user names its detector;
// `all` does not.
func (s *scorer) start(ctx context.Context, c *candidate) (detect.Detector, error) {
	if e := c.entry; e.Kind == "chat" && !e.Chat.OnThisMachine() && !slices.Contains(s.opts.detectors, e.ID) {
		return nil, &unavailableError{fmt.Sprintf("it sends the texts to %s; add --detector %s to allow that",
			e.Chat.Host(), e.ID)}
	}
	return c.start(ctx)
}

// tell notes what a server was asked for and what that cost.
func (st *State) tell(c *candidate, det detect.Detector) {
	if d, ok := det.(*chat.Detector); ok {
		for _, line := range d.Report() {
			st.note("%s: %s", c.info.ID, line)
		}
	}
}

// noteServers keeps in a score file what the server has said of itself since the last call.
func noteServers(w *scores.Writer, det detect.Detector) error {
	d, ok := det.(*chat.Detector)
	if !ok {
		return nil
	}
	for _, s := range d.Served() {
		if err := w.ServedBy(scores.Server(s)); err != nil {
			return err
		}
	}
	return nil
}

// markServers doubts scores that come from several servers, or from another model than the entry asks for.
func markServers(d *results.Detector, e detect.Entry, servers []scores.Server) {
	var names []string
	asked := true
	for _, s := range servers {
		name := fault.Quote(s.Model)
		if s.Fingerprint != "" {
			name += " (fingerprint " + fault.Quote(s.Fingerprint) + ")"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		asked = asked && (s.Model == "" || e.Chat != nil && s.Model == e.Chat.Model)
	}
	const most = 3
	said := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case len(names) > 1:
		d.Doubts = append(d.Doubts, "its server changed between rows: it answered as "+said+"; --fresh scores all rows again")
	case !asked && e.Chat != nil:
		d.Doubts = append(d.Doubts, "asked for model "+fault.Quote(e.Chat.Model)+", its server answered as "+said)
	}
}
