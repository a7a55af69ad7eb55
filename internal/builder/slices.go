package builder

import (
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

const (
	stageSlices  = "slices"
	stageHeldOut = "held_out_obfuscation"
)

// BalancedSubtypes takes rows of test in hash order: so many benign ones, and so many of each attack type, which is
// taken whole when it has fewer. Too few benign rows are an error.
func BalancedSubtypes(test []Record, cfg SlicesConfig, seed int64) ([]Record, error) {
	var out []Record
	held := map[string]int{}
	for _, r := range inHashOrder(test, seed, stageSlices) {
		limit := cfg.PerSubtype
		if r.Label == dataset.Benign {
			limit = cfg.Benign
		}
		if held[r.kind()] < limit {
			held[r.kind()]++
			out = append(out, r)
		}
	}
	if held["benign"] < cfg.Benign {
		return nil, fault.New(fault.Integrity, "%s: field slices.benign holds %d, expected at most %d: test has no more",
			ConfigPath, cfg.Benign, held["benign"]).WithCure("lower it")
	}
	canonical(out)
	return out, nil
}

// disguised are the rows of a class that stage obfuscate changed.
func disguised(in []Record, label dataset.Label) (out []Record) {
	for _, r := range in {
		if r.Label == label && r.Clean != "" {
			out = append(out, r)
		}
	}
	return out
}

// parents are the texts of obfuscated rows as they were before.
func parents(rows ...[]Record) (out []Record) {
	for _, r := range slices.Concat(rows...) {
		r.Text, r.Clean, r.Obfuscation, r.Edits = r.Clean, "", "none", 0
		out = append(out, r)
	}
	canonical(out)
	return out
}

// HeldOutObfuscation puts n plain test rows of each class, in hash order and each of another family, into every
// held-out disguise. A row serves only when every disguise changes it.
func HeldOutObfuscation(test []Record, n int, seed int64) (rows, seeds []Record, err error) {
	for _, label := range []dataset.Label{dataset.Benign, dataset.Injection} {
		left := n
		served := map[string]bool{}
		for _, r := range inHashOrder(plainRows(test, label), seed, stageHeldOut) {
			if left == 0 {
				break
			}
			if served[r.Family] {
				continue
			}
			if all, ok := everyDisguise(r, seed); ok {
				rows = append(rows, all...)
				seeds = append(seeds, r)
				served[r.Family] = true
				left--
			}
		}
		if left > 0 {
			return nil, nil, fault.New(fault.Integrity,
				"%s: field held_out_obfuscation.seeds holds %d, expected at most %d: so many %s rows take every disguise",
				ConfigPath, n, n-left, label.Name()).WithCure("lower it")
		}
	}
	canonical(seeds)
	return rows, seeds, nil
}

func everyDisguise(r Record, seed int64) (out []Record, ok bool) {
	for _, h := range disguise.HeldOuts {
		d := r
		text, edits := h.Apply(r.Text, draw.New(seed, stageHeldOut+" "+h.Name, r.ID))
		if edits == 0 || text == r.Text {
			return nil, false
		}
		d.Clean, d.Text, d.Edits, d.Obfuscation = r.Text, text, edits, h.Name
		out = append(out, d)
	}
	return out, true
}

// heldOutMark names the held-out disguise that a text shows, or "".
func heldOutMark(text string) string {
	for _, h := range disguise.HeldOuts {
		if h.Shows(text) {
			return h.Name
		}
	}
	return ""
}

// checkHeldOut asserts that no training or validation text shows a held-out disguise.
func checkHeldOut(name string, rows []Record) error {
	for _, r := range rows {
		if mark := heldOutMark(r.Text); mark != "" {
			return fault.New(fault.Integrity, "%s: %s shows the held-out disguise %s", name, r.ID, mark).
				WithCure("leave it out, or hold out another family")
		}
	}
	return nil
}
