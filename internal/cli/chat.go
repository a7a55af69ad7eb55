package cli

import (
	"context"
	"fmt"
	"slices"

	"pidsbench/internal/detect"
	"pidsbench/internal/detect/chat"
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
