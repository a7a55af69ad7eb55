package render

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"pidsbench/internal/augmentation"
	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Arms returns two tables of a design: the false alarms of each arm on each set, and their differences from the arm
// without additions. Cells are those of augmentation.Compute for these sets, of which there is at least one.
func Arms(r *results.Results, design, policy string, cells []augmentation.Cell, sets []augmentation.Set) []Table {
	rates := armTable(r, "arms", "False alarms of "+Printable(design)+" by what was added to training", policy, sets,
		"Added", "Seeds", "IID F1")
	diffs := armTable(r, "arms-difference", "The same, less the detector without additions", policy, sets, "Added")
	arms := cells[:len(cells)/len(sets)] // the cells of the first set: one an arm
	rateRows, diffRows := make([]Row, len(arms)), make([]Row, len(arms))
	for i, c := range arms {
		f1 := absent()
		if iid := r.SplitOf(dataset.IID); iid != nil {
			f1 = Entry{Cell: r.Mean(c.Detector, iid.Name, "all", "f1", policy)}
		}
		rateRows[i] = Row{label("%s", Printable(c.Arm)), label("%d", c.Seeds), f1}
		diffRows[i] = Row{label("%s", Printable(c.Arm))}
	}
	for k, c := range cells {
		i := k % len(arms)
		rateRows[i] = append(rateRows[i], estimate(c.FPR, "%.3f"))
		diffRows[i] = append(diffRows[i], estimate(c.Diff, "%+.3f"))
		if i == 0 {
			note(&rates.Notes, "%s: %d rows in %d families, as good as %.0f of equal size", Printable(c.Set), c.Rows, c.Groups,
				c.Effective)
		}
		switch {
		case c.Reason != "" && !notRun(r, c.Detector): // its one note is below the last table
			note(&rates.Notes, "n/a: %s on %s: %s", c.Detector, Printable(c.Set), Printable(c.Reason))
		case c.NoDiff != "":
			note(&diffs.Notes, "n/a: %s has no scores to compare with: %s", arms[0].Detector, Printable(c.NoDiff))
		}
	}
	rates.Groups, diffs.Groups = [][]Row{rateRows}, [][]Row{diffRows[1:]}
	note(&diffs.Notes, "In brackets: 95 %% interval, %s resamples of families, the same for all arms; seeds are averaged; at 0 and 1 "+
		"Wilson's interval. A difference whose interval holds 0 is not distinguishable from none at this n.", thousands(stats.Resamples))
	rates.Notes = append(append(rates.Notes, publicSubset(r)...), stars(rates)...)
	diffs.Notes = append(diffs.Notes, closing(r)...)
	return []Table{rates, diffs}
}

func notRun(r *results.Results, detector string) bool {
	for _, d := range r.Detectors {
		if d.ID == detector {
			return d.Unavailable != ""
		}
	}
	return false
}

// armTable begins a table that has a column a set behind the first ones.
func armTable(r *results.Results, id, name, policy string, sets []augmentation.Set, columns ...string) Table {
	t := Table{ID: id, Title: title(r, name, policy), Policy: policy, Columns: columns, Left: 1,
		Source: Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit}}
	for _, s := range sets {
		head := Printable(s.Name)
		if s.External {
			head += " (not frozen)"
		}
		t.Columns = append(t.Columns, head)
	}
	return t
}

func estimate(e *augmentation.Estimate, format string) Entry {
	if e == nil {
		return absent()
	}
	return label(format+" ["+format+", "+format+"]", e.Value, e.Lo, e.Hi)
}

// ArmsReport is what programs get of a design at a threshold policy.
type ArmsReport struct {
	Design string              `json:"design"`
	Policy string              `json:"policy"`
	Cells  []augmentation.Cell `json:"cells"`
}

// ArmsJSON writes reports of an edition, whose manifest has the SHA-256 given, and the run record.
func ArmsJSON(w io.Writer, edition, manifest string, reports []ArmsReport, run map[string]string) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema   string            `json:"schema"`
		Edition  string            `json:"edition"`
		Manifest string            `json:"manifest_sha256,omitempty"`
		Designs  []ArmsReport      `json:"designs"`
		Run      map[string]string `json:"run,omitempty"`
	}{"pidsbench-arms/1", edition, manifest, reports, run})
}

// ArmsCSV writes a row for each cell of the reports, with empty fields where a number is undefined.
func ArmsCSV(w io.Writer, edition, manifest string, reports []ArmsReport) error {
	out := csv.NewWriter(w)
	records := [][]string{{"design", "policy", "arm", "detector", "set", "n", "groups", "groups_effective", "n_seeds", "fpr",
		"fpr_lo", "fpr_hi", "seed_sd", "difference", "difference_lo", "difference_hi", "edition", "manifest_sha256"}}
	for _, r := range reports {
		for _, c := range r.Cells {
			record := []string{r.Design, r.Policy, c.Arm, c.Detector, c.Set, strconv.Itoa(c.Rows), strconv.Itoa(c.Groups),
				number(&c.Effective), strconv.Itoa(c.Seeds)}
			record = append(append(record, fields(c.FPR)...), number(c.SeedSD))
			records = append(records, append(append(record, fields(c.Diff)...), edition, manifest))
		}
	}
	return out.WriteAll(records)
}

func fields(e *augmentation.Estimate) []string {
	if e == nil {
		return []string{"", "", ""}
	}
	return []string{number(&e.Value), number(&e.Lo), number(&e.Hi)}
}
