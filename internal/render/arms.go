package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"pidsbench/internal/augmentation"
	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/stats"
)

// Arms returns two tables of a design: the false alarms of each arm on each set, and their differences from the arm
// without additions.
func Arms(r *results.Results, design, policy string, cells []augmentation.Cell, sets []augmentation.Set) []Table {
	rates := armTable(r, "arms", "False alarms of "+Printable(design)+" by what was added to training", policy, sets)
	rates.Columns = append(rates.Columns[:1:1], append([]string{"IID F1"}, rates.Columns[1:]...)...)
	diffs := armTable(r, "arms-difference", "The same, less the detector without additions", policy, sets)
	iid := r.SplitOf(dataset.IID)
	var arms []string // in the order of the cells of the first set
	for _, c := range cells {
		if c.Set == sets[0].Name {
			arms = append(arms, c.Arm)
		}
	}
	rateRows, diffRows := make([]Row, len(arms)), make([]Row, len(arms))
	for i, arm := range arms {
		rateRows[i], diffRows[i] = Row{label("%s", Printable(arm))}, Row{label("%s", Printable(arm))}
	}
	for k, c := range cells {
		i := k % len(arms)
		if k < len(arms) {
			entry := absent()
			if iid != nil {
				entry = Entry{Cell: r.Mean(c.Detector, iid.Name, "all", "f1", policy)}
			}
			rateRows[i] = append(rateRows[i], entry)
		}
		rate, diff := armEntries(c, i == 0)
		rateRows[i], diffRows[i] = append(rateRows[i], rate), append(diffRows[i], diff)
		if c.Reason != "" {
			note(&rates.Notes, "n/a: %s on %s: %s", c.Detector, Printable(c.Set), Printable(c.Reason))
		}
		if i == 0 {
			note(&rates.Notes, "%s: %d rows in %d families, as good as %.0f of equal size", Printable(c.Set), c.Rows, c.Groups,
				c.Effective)
		}
	}
	rates.Groups, diffs.Groups = [][]Row{rateRows}, [][]Row{diffRows[1:]}
	note(&diffs.Notes, "In brackets: 95 %% interval, %d resamples of families, the same for all arms; seeds are averaged. A "+
		"difference whose interval holds 0 is not distinguishable from none at this n.", stats.Resamples)
	return []Table{rates, diffs}
}

func armTable(r *results.Results, id, name, policy string, sets []augmentation.Set) Table {
	t := Table{ID: id, Title: title(r, name, policy), Policy: policy, Columns: []string{"Added"}, Left: 1,
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

func armEntries(c augmentation.Cell, first bool) (rate, diff Entry) {
	if c.Reason != "" {
		return absent(), absent()
	}
	rate = interval(c.FPR, c.Lo, c.Hi, "%.3f")
	if first || c.NoDiff != "" {
		return rate, absent()
	}
	return rate, interval(c.Diff, c.DiffLo, c.DiffHi, "%+.3f")
}

func interval(v, lo, hi float64, format string) Entry {
	e := Entry{Text: fmt.Sprintf(format+" ["+format+", "+format+"]", v, lo, hi)}
	for _, x := range []float64{v, lo, hi} {
		e.Raw = append(e.Raw, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return e
}

// ArmsReport is the JSON form: a design at a threshold policy with its cells.
type ArmsReport struct {
	Design string              `json:"design"`
	Policy string              `json:"policy"`
	Cells  []augmentation.Cell `json:"cells"`
}

// ArmsJSON writes reports for programs.
func ArmsJSON(w io.Writer, edition, manifest string, reports []ArmsReport) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema   string       `json:"schema"`
		Edition  string       `json:"edition"`
		Manifest string       `json:"manifest_sha256,omitempty"`
		Designs  []ArmsReport `json:"designs"`
	}{"pidsbench-arms/1", edition, manifest, reports})
}
