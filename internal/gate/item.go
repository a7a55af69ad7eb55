package gate

import (
	"cmp"
	"fmt"
	"strconv"

	"pidsbench/internal/fault"
)

// Item is what became of a limit, and why. Numbers are nil where there are none.
type Item struct {
	ID       string  `json:"id"`
	Line     int     `json:"line"` // of the limit in its file
	Detector string  `json:"detector"`
	Seeds    []int   `json:"seeds"` // whose mean is judged
	Metric   string  `json:"metric"`
	Axis     string  `json:"axis,omitempty"` // as the limit names it
	Split    string  `json:"split,omitempty"`
	Slice    string  `json:"slice"`
	Policy   *string `json:"policy"` // nil for roc_auc
	On       string  `json:"on"`     // value or edge
	Bound    string  `json:"bound"`  // max, min or regression
	At       float64 `json:"at"`

	Verdict Verdict `json:"verdict"`
	Fails   bool    `json:"fails"`
	Why     string  `json:"why,omitempty"` // it does not pass
	Needed  *Needed `json:"needed"`        // to decide; nil unless undecided, and where no number of rows would

	Value     *float64 `json:"value"`
	Baseline  *float64 `json:"baseline"` // the value of the baseline, for a regression
	WorseBy   *float64 `json:"worse_by"` // than the baseline, below 0 when it is better
	Lo        *float64 `json:"lo"`       // 95 % interval: of the value, for a regression of worse_by
	Hi        *float64 `json:"hi"`
	Interval  string   `json:"interval,omitempty"` // its method
	N         int      `json:"n"`                  // rows that count and have a score
	Total     int      `json:"n_total"`            // rows that count
	Groups    int      `json:"groups"`
	Effective float64  `json:"groups_effective"`
	Doubts    []string `json:"doubts,omitempty"` // about the interval

	Flips   *Flips   `json:"flips,omitempty"`            // for a regression at a threshold
	Differs []string `json:"baseline_differs,omitempty"` // in what the baseline was made otherwise
}

// Judge says what becomes of the limit of that position on a split by a measure. An undecided one fails unless it is
// allowed.
func (c *Config) Judge(i int, split string, m Measure, allowUndecided bool) Item {
	l := &c.Limits[i]
	b := l.bound()
	item := Item{ID: l.ID, Line: c.file.Line("limits", i), Detector: l.Detector, Seeds: []int{}, Metric: l.Metric,
		Axis: l.Axis, Split: cmp.Or(split, l.Split), Slice: l.SliceName(), On: l.On, Bound: b.Kind, At: b.At,
		N: m.N, Total: m.Total, Groups: m.Groups, Effective: m.Effective, Doubts: m.Doubts}
	if l.Policy != "" {
		item.Policy = &l.Policy
	}
	if b.Kind == "regression" {
		item.Value, item.Baseline, item.WorseBy = m.now, m.then, m.Value
	} else {
		item.Value = m.Value
	}
	var in interval
	ok := false
	if m.Value != nil {
		if in, ok = m.at(m.Effective); ok {
			item.Lo, item.Hi, item.Interval = &in.lo, &in.hi, in.method
		}
	}
	item.Verdict, item.Why, item.Needed = l.verdict(b, &m, in, ok)
	item.Fails = item.Verdict != Pass && (item.Verdict != Undecided || !allowUndecided)
	return item
}

// verdict judges a measure; in is its interval when ok.
func (l *Limit) verdict(b bound, m *Measure, in interval, ok bool) (Verdict, string, *Needed) {
	number := l.Metric + " is"
	if b.Kind == "regression" {
		number += " worse than the baseline's by"
	}
	switch {
	case m.Value == nil:
		return NoData, "no data: " + m.Reason, nil
	case m.Incomplete != "":
		return NoData, "incomplete: " + m.Incomplete, nil
	case l.On == OnValue && b.on(*m.Value) == Broken:
		return Broken, fmt.Sprintf("%s %s, %s", number, format(*m.Value), b.side()), nil
	case l.On == OnValue:
		return Pass, "", nil
	}
	verdict := Undecided
	if ok {
		verdict = b.edge(in)
	}
	switch verdict {
	case Pass:
		return Pass, "", nil
	case Broken:
		return Broken, fmt.Sprintf("%s %s [%s, %s], all of the interval %s", number, format(*m.Value), format(in.lo),
			format(in.hi), b.side()), nil
	}
	needed, never := b.needed(m)
	why := "undecided at this n: " + never
	if needed != nil {
		of, _ := metricNamed(l.Metric)
		why = fmt.Sprintf("undecided at this n: %s lies within [%s, %s]; %s", Bare(b.At), format(in.lo), format(in.hi),
			needed.say(m, of.rows()))
	}
	return Undecided, why, needed
}

// side says where what breaks the bound lies.
func (b bound) side() string {
	if b.Kind == "min" {
		return "below " + Bare(b.At)
	}
	return "above " + Bare(b.At)
}

// format shows a share with four decimals at most, a count as it is.
func format(x float64) string {
	if x == float64(int64(x)) {
		return fmt.Sprintf("%d", int64(x))
	}
	return fmt.Sprintf("%.4f", x)
}

// Bare shows a bound with all the digits it was given with.
func Bare(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Broke is the error of a gate whose limits do not all hold, nil when they do.
func (r *Report) Broke() error {
	var failing []string
	for _, it := range r.Limits {
		if it.Fails {
			failing = append(failing, it.ID+" ("+it.Verdict.String()+")")
		}
	}
	if len(failing) == 0 {
		return nil
	}
	return fault.New(fault.Broken, "%d of %d limits of %s fail: %s", len(failing), len(r.Limits), fault.Name(r.Config),
		list(failing))
}
