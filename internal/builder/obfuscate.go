package builder

import (
	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/textnorm"
)

const stageObfuscate = "obfuscate"

// redraws bounds how often a transform is drawn anew for a row that it did not change.
const redraws = 50

// obfuscator disguises rows. Each row draws from its own stream; when the exact form comes out unchanged (a doubled
// space changes nothing) it draws again, so a row that is marked as obfuscated always is.
type obfuscator struct {
	seed    int64
	fillers []Record
	cfg     StructuralConfig // of the padding
	weights map[string]int
}

// Obfuscate disguises so many rows of each class, chosen in hash order among those that their source left plain, each
// with a transform drawn by weight. A row that no draw changes stays as it was, and the next one in hash order takes
// its place.
func (o obfuscator) Obfuscate(in []Record, want Classes) ([]Record, error) {
	changed := map[string]Record{}
	for _, label := range []dataset.Label{dataset.Benign, dataset.Injection} {
		left := want.of(label)
		for _, r := range inHashOrder(plainRows(in, label), o.seed, stageObfuscate+" rows") {
			if left == 0 {
				break
			}
			if d, ok := o.byWeight(r); ok {
				changed[r.ID] = d
				left--
			}
		}
		if left > 0 {
			return nil, fault.New(fault.Integrity, "%s: obfuscation asks for %d more %s rows than can be disguised", ConfigPath,
				left, label.Name()).WithCure("lower it")
		}
	}
	return replaced(in, changed), nil
}

// ObfuscateEvenly disguises test: want.Injection attacks with every kind of disguise as often as the others (the first
// kinds once more where it does not come out even), and for twins of them a benign row with the same transform, which
// joins them as a pair named after the attack. want.Benign twins stand disguised in test itself; the others are twins
// only, of rows that stay plain in test. Every choice goes by an order of its own (of a kind, of an attack), so a row
// more or less moves few others.
func (o obfuscator) ObfuscateEvenly(in []Record, want Classes, twins int) (out, twinRows []Record, err error) {
	changed := map[string]Record{}
	var attacks []Record
	for k, kind := range disguise.Kinds {
		left := want.Injection / len(disguise.Kinds)
		if k < want.Injection%len(disguise.Kinds) {
			left++
		}
		for _, r := range inHashOrder(plainRows(in, dataset.Injection), o.seed, stageObfuscate+" rows "+kind) {
			if left == 0 {
				break
			}
			if _, taken := changed[r.ID]; taken {
				continue
			}
			if d, ok := o.apply(r, o.ofKind(kind, r.ID), draw.New(o.seed, stageObfuscate, r.ID)); ok {
				d.Pair = d.ID
				changed[d.ID] = d
				attacks = append(attacks, d)
				left--
			}
		}
		if left > 0 {
			return nil, nil, fault.New(fault.Integrity,
				"%s: obfuscation.test.injection holds %d, found %d rows too few for kind %s", ConfigPath,
				want.Injection, left, kind).WithCure("lower it")
		}
	}
	draw.Order(attacks, o.seed, stageObfuscate+" twins", byID)
	benign := plainRows(in, dataset.Benign)
	taken := map[string]bool{}
	for n, a := range attacks[:twins] {
		transform, _ := disguise.Named(a.Obfuscation)
		b, ok := o.twin(benign, taken, a, transform)
		if !ok {
			return nil, nil, fault.New(fault.Integrity, "%s: obfuscation.twins holds %d, found %d rows that can be disguised",
				ConfigPath, twins, n).WithCure("lower it")
		}
		taken[b.ID] = true
		if n < want.Benign {
			changed[b.ID] = b
		}
		twinRows = append(twinRows, b)
	}
	canonical(twinRows)
	return replaced(in, changed), twinRows, nil
}

// twin disguises the first benign row, in an order of the attack's own, that is free and that the transform changes.
func (o obfuscator) twin(benign []Record, taken map[string]bool, attack Record, t disguise.Transform) (Record, bool) {
	for _, r := range inHashOrder(benign, o.seed, stageObfuscate+" twin of "+attack.ID) {
		if taken[r.ID] {
			continue
		}
		if d, ok := o.apply(r, t, draw.New(o.seed, stageObfuscate, r.ID)); ok {
			d.Pair = attack.ID
			return d, true
		}
	}
	return Record{}, false
}

// of returns the count of one class.
func (c Classes) of(l dataset.Label) int {
	if l == dataset.Injection {
		return c.Injection
	}
	return c.Benign
}

func replaced(in []Record, by map[string]Record) []Record {
	out := make([]Record, len(in))
	for i, r := range in {
		if d, ok := by[r.ID]; ok {
			r = d
		}
		out[i] = r
	}
	return out
}

// plainRows are the rows of a class that no one disguised yet.
func plainRows(in []Record, label dataset.Label) (out []Record) {
	for _, r := range in {
		if r.Label == label && r.Obfuscation == "none" {
			out = append(out, r)
		}
	}
	return out
}

// ofKind draws a transform of a kind for a row, by weight where the kind has weights.
func (o obfuscator) ofKind(kind, id string) disguise.Transform {
	var of []disguise.Transform
	total := 0
	for _, t := range disguise.Transforms {
		if t.Kind == kind {
			of = append(of, t)
			total += max(1, o.weights[t.Name])
		}
	}
	k := draw.New(o.seed, stageObfuscate+" "+kind, id).Below(total)
	for _, t := range of {
		if k -= max(1, o.weights[t.Name]); k < 0 {
			return t
		}
	}
	panic("no transform of kind " + kind)
}

// byWeight draws a transform for the row and applies it.
func (o obfuscator) byWeight(r Record) (Record, bool) {
	d := draw.New(o.seed, stageObfuscate, r.ID)
	total := 0
	for _, t := range disguise.Transforms {
		total += o.weights[t.Name]
	}
	for range redraws {
		k := d.Below(total)
		for _, t := range disguise.Transforms {
			if k -= o.weights[t.Name]; k >= 0 {
				continue
			}
			if out, ok := o.apply(r, t, d); ok {
				return out, true
			}
			break
		}
	}
	return r, false
}

// apply disguises a row with one transform. A transform that left the text alone by chance is tried again, so that
// short texts do not all end up with the few transforms that always change something.
func (o obfuscator) apply(r Record, t disguise.Transform, d draw.Stream) (Record, bool) {
	pad := ""
	if t.Kind == "prompt_dilution" {
		var err error
		if pad, _, err = padding(r.ID, stageObfuscate, o.fillers, o.cfg, o.seed); err != nil {
			return r, false
		}
	}
	clean := textnorm.Exact(r.Text)
	for range redraws {
		if text, edits := t.Apply(r.Text, pad, d); edits > 0 && textnorm.Exact(text) != clean {
			r.Clean, r.Text, r.Edits, r.Obfuscation = r.Text, text, edits, t.Name
			return r, true
		}
	}
	return r, false
}
