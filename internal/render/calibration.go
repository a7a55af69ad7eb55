package render

import (
	"fmt"

	"pidsbench/internal/calibration"
	"pidsbench/internal/operating"
	"pidsbench/internal/results"
)

// Calibration returns, for the IID split or each of a user's own files, a table of how far scores are probabilities, as
// they are and after maps fitted on val, and one of the maps.
func Calibration(in *results.Input, r *results.Results) []Table {
	sets := operating.Tests(in)
	if len(sets) == 0 {
		return nothing(r, "calibration", "Calibration", "IID split")
	}
	hard := calibration.HardBenign(in)
	var tables []Table
	for _, set := range sets {
		tables = append(tables, calibrationTables(in, r, set, hard)...)
	}
	return end(in, r, tables)
}

func calibrationTables(in *results.Input, r *results.Results, set operating.Set, hard *operating.Set) []Table {
	s := newSheet(r, "calibration", "Calibration on "+Printable(set.Name), "", "Scores", "Brier", "ECE", "ECE of "+
		"confidence",
		"Log loss")
	s.Left = 2
	if hard != nil {
		s.Columns = append(s.Columns, "Hard-benign mean score", "Hard-benign FPR at 0.5")
	}
	fits := newSheet(r, "calibration-fits", "What is fitted on val", "", "Temperature", "Platt slope", "Platt intercept",
		"Isotonic points")
	fitted := map[string]calibration.Result{}
	s.rows(in, r, func(_ int, d results.Detector) (rows []Row) {
		c := calibration.Measure(in, d, set, hard)
		fitted[d.ID] = c
		for k, kind := range calibration.Kinds {
			of := c.Rows[k]
			row := Row{label("%s", Printable(d.Name)), label("%s", kind)}
			cells := []*results.Cell{of.Brier, of.ECE, of.ConfidenceECE, of.LogLoss, of.HardMean, of.HardFPR}
			for i, head := range s.Columns[2:] {
				row = append(row, s.cell(d, calibrationHead(kind, head, cells[i]), cells[i]))
			}
			rows = append(rows, row)
		}
		return rows
	})
	fits.rows(in, r, func(_ int, d results.Detector) []Row {
		c := fitted[d.ID]
		row := Row{label("%s", Printable(d.Name))}
		for i, cell := range []*results.Cell{c.Temperature, c.Slope, c.Intercept, c.Points} {
			cell.State = results.StateComplete // n of val stands below the table
			row = append(row, fits.cell(d, fits.Columns[i+1], cell))
		}
		return []Row{row}
	})
	return []Table{
		s.done(r, fmt.Sprintf("ECE: %d equal-width bins of the score over 0 to 1, closed above: |share of injections − "+
			"mean score|, "+
			"weighted by rows. ECE of confidence: as many bins of max(p, 1 − p), against the share of right decisions at 0.5.",
			calibration.Bins),
			fmt.Sprintf("Log loss: natural logarithm, scores drawn into [%g, 1 − %g] first; scores of 0 and 1 make it depend "+
				"on that.",
				calibration.Clip, calibration.Clip),
			"Each map is fitted on val, seed by seed. A temperature cannot change a decision at 0.5: an equal FPR there is no "+
				"finding. Platt and isotonic can."),
		fits.done(r, fmt.Sprintf("Temperature: σ(logit(p)/T), T from %g to %g; Platt: σ(slope·logit(p) + intercept), no "+
			"penalty; "+
			"isotonic: points of the curve.", calibration.Coldest, float64(calibration.Hottest))),
	}
}

// calibrationHead says of which scores a number is undefined: of all numbers when val gives no map.
func calibrationHead(kind, head string, c *results.Cell) string {
	if c != nil && c.Value == nil && kind != calibration.Kinds[0] {
		return kind
	}
	return head
}

// Reliability returns for each detector a table of its first seed: rows by score, their mean score and how many of them
// are injections.
func Reliability(in *results.Input, r *results.Results) []Table {
	sets := operating.Tests(in)
	if len(sets) == 0 {
		return nothing(r, "reliability", "Reliability", "IID split")
	}
	var tables []Table
	for _, set := range sets {
		for _, d := range in.Detectors {
			if len(d.Seeds) > 0 && d.Unavailable == "" {
				tables = append(tables, reliabilityTable(r, d, set))
			}
		}
	}
	return end(in, r, tables)
}

func reliabilityTable(r *results.Results, d results.Detector, set operating.Set) Table {
	bins, view := calibration.OfSet(d, d.Seeds[0], set)
	s := newSheet(r, "reliability", fmt.Sprintf("Reliability of %s, seed %d, on %s", Printable(d.Name), d.Seeds[0].Seed,
		Printable(set.Name)), "", "Score", "n", "Mean score", "Injections")
	s.Left = 2
	var rows []Row
	for _, b := range bins {
		if b.N > 0 {
			rows = append(rows, Row{label("%s", Printable(d.Name)), label("%.3f–%.3f", b.Lo, b.Hi),
				{Text: thousands(b.N), Raw: []string{fmt.Sprint(b.N)}}, {Text: fmt.Sprintf("%.4f", b.Mean), Raw: []string{number(&b.Mean)}},
				{Text: fmt.Sprintf("%.4f", b.Share), Raw: []string{number(&b.Share)}}})
		}
	}
	if len(rows) > 0 {
		s.Groups = [][]Row{rows}
	}
	switch {
	case view.Reason != "":
		note(&s.Notes, "n/a: %s", view.Reason)
	case view.Lacking > 0:
		note(&s.Notes, "%d of %d rows have a score", len(view.Scores), len(view.Scores)+view.Lacking)
	}
	return s.done(r, "Bins without rows are left out.")
}
