package cli

import (
	"encoding/json"
	"os"
	"path/filepath"

	"pidsbench/internal/fault"
	"pidsbench/internal/results"
)

// runLog is the file beside the score files that says, a line each, by which runs they were made: score files hold no
// times, so that two complete runs give the same bytes.
const runLog = "runs.jsonl"

// loggedRun is one line of it.
type loggedRun struct {
	Schema         string            `json:"schema"`
	Run            map[string]string `json:"run"`
	Edition        string            `json:"edition"`
	ManifestSHA256 string            `json:"manifest_sha256,omitempty"`
	WindowMode     string            `json:"window_mode"`
	Limit          int               `json:"limit,omitempty"`
	Detectors      []loggedDetector  `json:"detectors"`
}

type loggedDetector struct {
	ID   string       `json:"id"`
	Seed int          `json:"seed"`
	Rows int          `json:"rows"` // that were scored
	Made results.Made `json:"made"`
}

// logRun appends a run that scored something to the log. A line goes to the system in one piece.
func (s *scorer) logRun(detectors []results.Detector) error {
	line := loggedRun{Schema: "pidsbench-run/1", Run: runRecord(s.st), Edition: s.frame.edition,
		ManifestSHA256: s.frame.manifestSHA, WindowMode: s.opts.windows, Limit: s.opts.limit}
	for _, d := range detectors {
		for _, seed := range d.Seeds {
			if rows := s.scored[run{d.ID, seed.Seed}]; rows > 0 {
				line.Detectors = append(line.Detectors, loggedDetector{d.ID, seed.Seed, rows, seed.Made})
			}
		}
	}
	if len(line.Detectors) == 0 {
		return nil
	}
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	path := filepath.Join(s.st.abs(s.opts.out), runLog)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.Write(append(b, '\n'))
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return fault.New(fault.Failed, "the run could not be noted: %w", err).WithCure("the scores are kept; run the same command again")
	}
	return nil
}
