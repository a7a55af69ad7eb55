package builder

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"pidsbench/internal/disguise"
	"pidsbench/internal/fault"
	"pidsbench/internal/subtype"
)

// authoredDir holds all that is authored, relative to the root.
const authoredDir = "data/authored/"

func (c *Config) check() error {
	bad := func(field string, found any, expected string) error {
		return fault.New(fault.Usage, "%s: field %s holds %v, expected %s", ConfigPath, field, found, expected).
			WithCure("correct it")
	}
	for _, t := range []struct {
		field string
		value float64
	}{{"near_duplicate", c.NearDuplicate}, {"family", c.Family}} {
		if !(t.value > 0 && t.value <= 1) {
			return bad(t.field, t.value, "a cosine in (0, 1]")
		}
	}
	if !(c.FamilyMargin >= 0 && c.FamilyMargin < c.Family) {
		return bad("family_margin", c.FamilyMargin, "at least 0 and less than family")
	}
	for i, a := range c.Authored {
		if !strings.HasPrefix(a.File, authoredDir) || path.Clean(a.File) != a.File || a.PerFrame < 1 ||
			!slices.Contains([]Role{Pool, Curated, HardNegative, DomainShift}, a.Use) {
			return bad(fmt.Sprintf("authored[%d]", i), a, "a file below "+authoredDir+", a positive number, and a use")
		}
	}
	for _, n := range c.counts() {
		if n.value < 0 {
			return bad(n.field, n.value, "a count")
		}
	}
	for _, t := range c.Paraphrase.Types {
		if !slices.Contains(subtype.Types(), t) {
			return bad("paraphrase.types", t, "attack types")
		}
	}
	for _, q := range []struct {
		field string
		quota Quota
	}{{"quotas.train", c.Quotas.Train}, {"quotas.val", c.Quotas.Val}, {"quotas.test", c.Quotas.Test}} {
		for _, s := range slices.Sorted(maps.Keys(q.quota)) {
			n := q.quota[s]
			if s != "benign" && !slices.Contains(subtype.Types(), s) {
				return bad(q.field, s, "benign and the attack types")
			}
			if n < 0 {
				return bad(q.field+"."+s, n, "a count")
			}
		}
		if q.quota["benign"] < 1 {
			return bad(q.field+".benign", q.quota["benign"], "at least one row")
		}
	}
	if o := c.Obfuscation; o.Twins > o.Test.Injection || o.Twins < o.Test.Benign {
		return bad("obfuscation.twins", o.Twins, "from test.benign to test.injection")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Obfuscation.Weights)) {
		w := c.Obfuscation.Weights[name]
		if _, ok := disguise.Named(name); !ok || w < 1 {
			return bad("obfuscation.weights."+name, w, "a known transform and a positive weight")
		}
	}
	if len(c.Obfuscation.Weights) == 0 {
		return bad("obfuscation.weights", "nothing", "at least one transform")
	}
	b := c.Balance
	shares := []int{b.MaxSource, b.Template, b.MaxTemplate, b.MaxFrame}
	if slices.Min(shares) < 0 || slices.Max(shares) > 1000 {
		return bad("balance", b, "shares from 0 to 1000")
	}
	s := c.Structural
	if s.Seeds < 1 || s.Adjacent < 0 || s.Adjacent > s.Seeds || s.MinChars < 1 || s.MaxChars < s.MinChars ||
		s.MaxFamily < 1 || s.FillerChars < 1 || s.FillerMax < s.FillerChars {
		return bad("structural", s, "positive numbers, each maximum at least its minimum")
	}
	return nil
}

type count struct {
	field string
	value int
}

// counts are the numbers of rows that may be 0, by field.
func (c *Config) counts() []count {
	h, a, o := c.HardBenign, c.Augmentation, c.Obfuscation
	all := []count{
		{"paraphrase.rounds", c.Paraphrase.Rounds},
		{"hard_benign.real", h.Real}, {"hard_benign.max_family", h.MaxFamily}, {"hard_benign.curated", h.Curated},
		{"hard_benign.hard_negative.train", h.Negative.Train}, {"hard_benign.hard_negative.val", h.Negative.Val},
		{"augmentation.security_adjacent", a.SecurityAdjacent}, {"augmentation.ordinary", a.Ordinary},
		{"obfuscation.train.benign", o.Train.Benign}, {"obfuscation.train.injection", o.Train.Injection},
		{"obfuscation.val.benign", o.Val.Benign}, {"obfuscation.val.injection", o.Val.Injection},
		{"obfuscation.test.benign", o.Test.Benign}, {"obfuscation.test.injection", o.Test.Injection},
		{"slices.benign", c.Slices.Benign}, {"slices.per_subtype", c.Slices.PerSubtype},
		{"held_out_obfuscation.seeds", c.HeldOut.Seeds},
	}
	for _, d := range slices.Sorted(maps.Keys(c.Domain)) {
		all = append(all, count{"domain_ood." + d + ".benign", c.Domain[d].Benign},
			count{"domain_ood." + d + ".injection", c.Domain[d].Injection})
	}
	return all
}
