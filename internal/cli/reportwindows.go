package cli

import (
	"strings"

	"pidsbench/internal/engine"
	"pidsbench/internal/results"
)

// other takes the outcomes of detectors in the window mode that is not the one given. Detectors that windows mean
// nothing to are unavailable, with that reason.
func (f *frame) other(dirs []string, chosen []selected, windows, data string) ([]results.Detector, error) {
	mode := string(engine.Truncate)
	if windows == mode {
		mode = string(engine.Max)
	}
	var out []results.Detector
	for _, c := range chosen {
		d := c.result()
		switch c.entry.Kind {
		case "onnx":
			var err error
			if d, err = f.read(dirs, c, mode, data, false); err != nil {
				return nil, err
			}
			unscored := "not scored with --windows " + mode + "; run `" + scoreCommand(c, mode, data) + "`"
			if d.Unavailable != "" && c.unavailable == "" {
				d.Unavailable = unscored
			}
			for _, seed := range d.Seeds {
				for split := range seed.Missing {
					seed.Missing[split] = unscored
				}
			}
		case importedKind:
			d.Unavailable = "its scores were imported: how many texts it saw a part of is not known"
		default:
			d.Unavailable = "it has no windows: every text is given to it whole"
		}
		out = append(out, d)
	}
	return out, nil
}

// scoreCommand is what scores a detector's seeds in a window mode.
func scoreCommand(c selected, windows, data string) string {
	command := "pidsbench score --detector " + c.entry.ID
	if len(c.seeds) > 1 {
		command += " --seeds " + strings.ReplaceAll(joinInts(c.seeds), " ", "")
	}
	command += " --windows " + windows
	if data != "" {
		command += " --data " + data
	}
	return command
}
