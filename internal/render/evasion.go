package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/results"
	"pidsbench/internal/slicing"
	"pidsbench/internal/stats"
)

// changed is a split of changed texts with what they were made of.
type changed struct {
	name            string
	attacks, benign string // splits with the changed rows
	plain           string // split with the texts as they were
	kind            string // column of the change
	parent          string // column that rows of one attack have in common
	link            string // column that a row and its plain text have in common
}

var changes = []changed{
	{"disguised", "obfuscated_attacks", "obfuscated_benign", "obfuscation_parents",
		"obfuscation_kind", "parent_seed_id", "pair_id"},
	{"held-out disguise", "held_out_obfuscation", "held_out_obfuscation", "held_out_seeds",
		"obfuscation", "parent_seed_id", "row_id"},
	{"surroundings", "structural_ood", "structural_ood", "structural_seeds",
		"transform_type", "original_seed_idx", "row_id"},
}

// BestOfN returns, for the first policy, how often attacks get through when each is tried in several disguises or
// surroundings.
func BestOfN(in *results.Input, r *results.Results) []Table {
	if len(r.Policies) == 0 {
		return nil
	}
	b := cutTables{in: in, r: r, policy: r.Policies[0], detectors: aboveTheLine(r)}
	t := Table{ID: "best-of-n", Title: title(r, "Attacks that get through in any of their tries", b.policy),
		Policy: b.policy, Left: 2, Source: Source{r.Edition, r.ManifestSHA256, r.WindowMode, r.Limit},
		Columns: []string{"Detector", "Tries", "Attacks", "Families", "Tries each", "One try missed", "Any try missed",
			"Plain, any missed", "Any − plain"}}
	rows := map[int][]Row{}
	for _, c := range changes {
		s, plain := splitData(in, c.attacks), splitData(in, c.plain)
		if s == nil {
			continue
		}
		tries := slicing.TriesOf(s, dataset.Injection, c.parent, slicing.Out(in, s), plain, c.link)
		if len(tries.Rows) == 0 {
			continue
		}
		draws := slicing.Draw(s)
		of, gaps := b.verdicts(s.Name)
		bare := map[int]slicing.Verdicts{}
		if tries.Plain != nil {
			bare, _ = b.verdicts(plain.Name)
		}
		for _, g := range gaps {
			note(&t.Notes, "%s", g)
		}
		for _, i := range b.detectors {
			if v, ok := of[i]; ok {
				rows[i] = append(rows[i], b.evasion(i, c.name, s, draws, tries, v, bare))
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
	t.Notes = append(t.Notes,
		"A seed misses an attack when one of its tries passes; numbers are means over the seeds. One try: the share of "+
			"single tries that pass. Plain: the same attacks tried as often as they are.",
		fmt.Sprintf("In brackets: 95 %% intervals, %s resamples of families; where all agree, of Wilson for a share and "+
			"none for a difference.", thousands(stats.Resamples)))
	t.Notes = append(t.Notes, publicSubset(r)...)
	return []Table{t}
}

func (b *cutTables) evasion(i int, name string, s *dataset.Split, draws *stats.Draws, tries slicing.Tries,
	v slicing.Verdicts, bare map[int]slicing.Verdicts) Row {
	var plain *slicing.Verdicts
	if p, ok := bare[i]; ok {
		plain = &p
	}
	row := Row{label("%s", Printable(b.r.Detectors[i].Name)), label("%s", name)}
	e, ok := slicing.Evade(s, draws, tries, &v, plain)
	if !ok {
		return append(row, sliceRows(0, e.Of), absent(), absent(), absent(), absent(), absent(), absent())
	}
	row = append(row, sliceRows(e.Attacks, e.Of), sliceFamilies(e.Groups), label("%s", triesEach(tries)),
		estimateEntry(e.One, "%.3f"), estimateEntry(e.Any, "%.3f"))
	if e.Plain == nil {
		return append(row, absent(), absent())
	}
	return append(row, estimateEntry(*e.Plain, "%.3f"), estimateEntry(*e.More, "%+.3f"))
}

// triesEach counts the attacks by their number of tries.
func triesEach(t slicing.Tries) string {
	counts := map[int]int{}
	for _, rows := range t.Rows {
		counts[len(rows)]++
	}
	var out []string
	for _, n := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%d×%d", counts[n], n))
	}
	return strings.Join(out, " ")
}
