package render

import (
	"math"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/slicing"
	"pidsbench/internal/stats"
)

// Twins returns, for the first policy, what each kind of change does to the recall of attacks and, beside it, to the
// false alarms on benign texts that were changed in the same way.
func Twins(in *results.Input, r *results.Results) []Table {
	if len(r.Policies) == 0 {
		return nil
	}
	b := cutTables{in: in, r: r, policy: r.Policies[0], detectors: aboveTheLine(r)}
	t := Table{ID: "twins", Title: title(r, "Changed texts beside the same texts as they were", b.policy),
		Policy: b.policy, Left: 3, Source: Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit},
		Columns: []string{"Detector", "Change", "Kind", "Attacks", "Recall plain", "Recall changed", "Recall gained",
			"Benign", "FPR plain", "FPR changed", "FPR gained"}}
	rows := map[int][]Row{}
	for _, c := range changes {
		attacks, benign, plain := splitData(in, c.attacks), splitData(in, c.benign), splitData(in, c.plain)
		if attacks == nil || benign == nil || plain == nil {
			continue
		}
		sides := []twinSide{b.side(attacks, plain, dataset.Injection, c), b.side(benign, plain, dataset.Benign, c)}
		for _, side := range sides {
			for _, g := range side.gaps {
				note(&t.Notes, "%s", g)
			}
		}
		for _, kind := range slicing.Kinds(sides[0].pairs, sides[1].pairs) {
			if kind != "" && len(b.detectors) > wholeUpTo {
				continue
			}
			for _, i := range b.detectors {
				row := Row{label("%s", Printable(r.Detectors[i].Name)), label("%s", c.name), label("%s", kindName(kind))}
				for _, side := range sides {
					row = append(row, side.entries(i, kind)...)
				}
				rows[i] = append(rows[i], row)
			}
		}
	}
	for _, i := range b.detectors {
		if len(rows[i]) > 0 {
			t.Groups = append(t.Groups, rows[i])
		}
	}
	if len(t.Groups) == 0 {
		return nil
	}
	if len(b.detectors) > wholeUpTo {
		note(&t.Notes, "Of more than %d detectors all kinds are shown together; one has them apart with --detector ID.",
			wholeUpTo)
	}
	note(&t.Notes, "A detector that takes the disguise itself for an attack gains recall and false alarms alike: read "+
		"the two differences together. They are those of the same texts; numbers are means over the seeds.")
	note(&t.Notes, "In brackets: 95 %% intervals, each by itself, %s resamples of families; where all agree, of Wilson "+
		"for a share and none for a difference. † fewer than %d rows.",
		thousands(stats.Resamples), fewRows)
	t.Notes = append(t.Notes, publicSubset(r)...)
	return []Table{t}
}

// twinSide is one class of a change.
type twinSide struct {
	split    *dataset.Split
	draws    *stats.Draws
	pairs    map[string]slicing.Pairs
	of, bare map[int]slicing.Verdicts
	gaps     []string
}

func (b *cutTables) side(s, plain *dataset.Split, class dataset.Label, c changed) twinSide {
	side := twinSide{split: s, draws: slicing.Draw(s),
		pairs: slicing.PairsOf(s, plain, class, c.kind, c.link, slicing.Out(b.in, s))}
	side.of, side.gaps = b.verdicts(s.Name)
	var gaps []string
	side.bare, gaps = b.verdicts(plain.Name)
	side.gaps = append(side.gaps, gaps...)
	return side
}

// entries are the number of rows, the shares of flagged ones plain and changed, and their difference.
func (t *twinSide) entries(detector int, kind string) []Entry {
	v, ok := t.of[detector]
	bare, plain := t.bare[detector]
	pairs := t.pairs[kind]
	if !ok || !plain {
		return []Entry{sliceRows(0, len(pairs.Rows)), absent(), absent(), absent()}
	}
	c, ok := slicing.Compare(t.split, t.draws, pairs, &v, &bare)
	if !ok {
		return []Entry{sliceRows(0, c.Of), absent(), absent(), absent()}
	}
	alone := estimateEntry(slicing.Estimate{Value: c.Plain.Value, Lo: math.NaN()}, "%.3f")
	return []Entry{sliceRows(c.Rows, c.Of), alone, estimateEntry(c.Here, "%.3f"), estimateEntry(c.More, "%+.3f")}
}

func kindName(kind string) string {
	if kind == "" {
		return "all"
	}
	return shorten(kind, valueLength)
}
