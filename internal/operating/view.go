// Package operating says what a detector does at the thresholds that one would choose: rates at a promised rate, what
// becomes of the promise on other texts, precision and cost at a prevalence, over-defense, and what no threshold reaches.
package operating

import (
	"cmp"

	"gonum.org/v1/gonum/stat"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
)

// Set is rows of a split: all of them or a part. Rows in dispute are in no set where the input leaves them out.
type Set struct {
	Name  string // what tables show
	Split results.Split
	Rows  []int // row numbers of the split, rising
}

// SetOf returns the rows of a split that have a value in a column; all rows when the column is empty.
func SetOf(in *results.Input, s results.Split, name, column, value string) Set {
	set := Set{Name: name, Split: s}
	values, _ := s.Data.Column(column)
	var out map[int]bool
	if in.Undisputed {
		out = results.Disputed(s.Data)
	}
	for i := range s.Data.Rows {
		if !out[i] && (column == "" || values != nil && values[i] == value) {
			set.Rows = append(set.Rows, i)
		}
	}
	return set
}

// Counts returns how many of the set's rows are benign and how many injections.
func (s *Set) Counts() (benign, injection int) {
	for _, row := range s.Rows {
		if s.Split.Data.Rows[row].Label == dataset.Injection {
			injection++
		} else {
			benign++
		}
	}
	return benign, injection
}

// First returns the first split that measures an axis and is no external set, nil when there is none.
func First(in *results.Input, axis dataset.Axis) *results.Split {
	for i := range in.Splits {
		if in.Splits[i].Spec.Axis == axis && !in.Splits[i].External {
			return &in.Splits[i]
		}
	}
	return nil
}

// Tests returns the sets with both classes that a detector is judged on: the IID split, or each of a user's own files.
func Tests(in *results.Input) []Set {
	var sets []Set
	for _, s := range in.Splits {
		if !s.External && (s.Spec.Axis == dataset.Custom || s.Spec.Axis == dataset.IID && len(sets) == 0) {
			sets = append(sets, SetOf(in, s, s.Spec.Name, "", ""))
		}
	}
	return sets
}

// View is what one seed saw of some rows: the scores it has, and how many it should have and does not.
type View struct {
	Scores  []float64
	Labels  []dataset.Label
	Lacking int
	Exposed int    // rows from sets that the detector was trained on
	Reason  string // why there are no scores at all
}

// Look returns what a seed saw of a set.
func Look(d results.Detector, seed results.Seed, set Set) View {
	name := set.Split.Spec.Name
	outcomes, ok := seed.Outcomes[name]
	switch {
	case set.Split.Absent != "":
		return View{Reason: set.Split.Absent}
	case !ok:
		return View{Lacking: len(set.Rows), Reason: cmp.Or(seed.Missing[name], name+" is not scored")}
	}
	var v View
	for _, row := range set.Rows {
		v.add(outcomes[row], set.Split.Data.Rows[row].Label)
		if exposed := d.Exposed[name]; exposed != nil && exposed[row] {
			v.Exposed++
		}
	}
	return v
}

// LookAtVal returns what a seed saw of val.
func LookAtVal(in *results.Input, seed results.Seed) View {
	switch {
	case in.Val == nil:
		return View{Reason: cmp.Or(in.NoVal, "there is no val split")}
	case seed.Val == nil:
		v := View{Reason: cmp.Or(seed.NoVal, "val is not scored")}
		if in.ValPromised {
			v.Lacking = len(in.Val.Rows)
		}
		return v
	}
	var v View
	for i, o := range seed.Val {
		v.add(o, in.Val.Rows[i].Label)
	}
	return v
}

func (v *View) add(o results.Outcome, label dataset.Label) {
	switch o.State {
	case results.Scored:
		v.Scores = append(v.Scores, o.Score)
		v.Labels = append(v.Labels, label)
	case results.NotAsked:
	default:
		v.Lacking++
	}
}

// classes counts the scored rows.
func (v *View) classes() (benign, injection int) {
	for _, l := range v.Labels {
		if l == dataset.Injection {
			injection++
		} else {
			benign++
		}
	}
	return benign, injection
}

// Of marks a number with what it rests on; without scores it is undefined.
func (v *View) Of(value metrics.Value) Number {
	if v.Reason != "" {
		value = metrics.Value{Reason: v.Reason}
	}
	benign, injection := v.classes()
	return Number{value, benign, injection, v.Lacking, v.Exposed}
}

// Undefined is a number that has a reason instead of a value.
func (v *View) Undefined(reason string) Number { return v.Of(metrics.Value{Reason: reason}) }

// Number is a value of one seed and the rows that it rests on.
type Number struct {
	metrics.Value
	Benign, Injection, Lacking, Exposed int
}

// With adds the rows of a further set that the number rests on.
func (n Number) With(v View) Number {
	more := v.Of(n.Value)
	return Number{n.Value, n.Benign + more.Benign, n.Injection + more.Injection, n.Lacking + more.Lacking,
		n.Exposed + more.Exposed}
}

// Mean returns the cell of a number's mean over the seeds, with their standard deviation: undefined as soon as one seed's
// is, and of as many rows as the seed with the fewest.
func Mean(d results.Detector, metric string, seeds []Number) *results.Cell {
	c := &results.Cell{Detector: d.ID, Seed: results.SeedRef{Mean: true}, NSeeds: len(seeds), Slice: "all", Metric: metric,
		State: results.StateComplete}
	if len(seeds) == 0 {
		c.Reason = cmp.Or(d.Unavailable, "there are no scores")
		return c
	}
	var values []float64
	for i, s := range seeds {
		if n := s.Benign + s.Injection; i == 0 || n < c.N {
			c.N, c.NBenign, c.NInjection = n, s.Benign, s.Injection
		}
		c.NUnscored, c.NExposed = max(c.NUnscored, s.Lacking), max(c.NExposed, s.Exposed)
		if s.OK {
			values = append(values, s.V)
		} else {
			c.Reason = cmp.Or(c.Reason, s.Reason)
		}
	}
	if c.NUnscored > 0 {
		c.State = results.StateIncomplete
	}
	if c.Reason != "" {
		return c
	}
	c.Value = new(stat.Mean(values, nil))
	if len(values) > 1 {
		c.SD = new(stat.StdDev(values, nil))
	}
	return c
}

// Scaled returns the cell of a number times a factor and plus a constant.
func Scaled(c *results.Cell, factor, plus float64) *results.Cell {
	if c == nil || c.Value == nil {
		return c
	}
	scaled := *c
	scaled.Value = new(float64(*c.Value*factor) + plus)
	if c.SD != nil {
		scaled.SD = new(max(*c.SD*factor, -*c.SD*factor))
	}
	return &scaled
}
