package builder

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/textnorm"
)

const stageObfuscate = "obfuscate"

// redraws bounds how often a transform is drawn anew for a row that it did not change.
const redraws = 50

// Obfuscate disguises the given share of the rows of each class, chosen in hash order. Each row draws a transform by
// weight from its own stream; when the exact form comes out unchanged (a doubled space changes nothing) it draws again,
// so a row that is marked as obfuscated always is. A row that no draw changes stays as it was, and the next one in hash
// order takes its place.
func Obfuscate(in []Record, cfg ObfuscationConfig, seed int64) []Record {
	changed := map[string]Record{}
	for _, label := range []dataset.Label{dataset.Benign, dataset.Injection} {
		var rows []Record
		for _, r := range in {
			if r.Label == label {
				rows = append(rows, r)
			}
		}
		quota := len(rows) * cfg.Share / 1000
		draw.Order(rows, seed, stageObfuscate+" rows", byID)
		for _, r := range rows {
			if quota == 0 {
				break
			}
			if disguised, ok := disguise(r, cfg, seed); ok {
				changed[r.ID] = disguised
				quota--
			}
		}
	}
	out := make([]Record, len(in))
	for i, r := range in {
		if d, ok := changed[r.ID]; ok {
			r = d
		}
		out[i] = r
	}
	return out
}

func disguise(r Record, cfg ObfuscationConfig, seed int64) (Record, bool) {
	d := draw.New(seed, stageObfuscate, r.ID)
	clean := textnorm.Exact(r.Text)
	total := 0
	for _, t := range Transforms {
		total += cfg.Weights[t.Name]
	}
	for range redraws {
		n := d.Below(total)
		t := 0
		for n >= cfg.Weights[Transforms[t].Name] {
			n -= cfg.Weights[Transforms[t].Name]
			t++
		}
		// A transform that left the text alone by chance is tried again, so that short texts do not all end up with
		// the few transforms that always change something.
		for range redraws {
			if text, edits := Transforms[t].Apply(r.Text, d); edits > 0 && textnorm.Exact(text) != clean {
				r.Text, r.Edits, r.Obfuscation = text, edits, Transforms[t].Name
				return r, true
			}
		}
	}
	return r, false
}
