package builder

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"pidsbench/internal/disguise"
	"pidsbench/internal/fault"
	"pidsbench/internal/subtype"
)

// authoredDir holds all that is authored, relative to the root.
const authoredDir = "data/authored/"

var versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

func (c *Config) check() error {
	bad := func(field string, found any, expected string) error {
		return fault.New(fault.Usage, "%s: field %s holds %v, expected %s", ConfigPath, field, found, expected).
			WithCure("correct it")
	}
	if !versionForm.MatchString(c.Version) {
		return bad("version", c.Version, "two numbers with a dot between them")
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
	if field, found, expected := c.Authored.mistake(); field != "" {
		return bad("authored."+field, found, expected)
	}
	for _, n := range c.counts() {
		if n.value < 0 {
			return bad(n.field, n.value, "a count")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Domain)) {
		if d := c.Domain[name]; d.ThirdParty > d.Benign {
			return bad("domain_ood."+name+".third_party", d.ThirdParty, fmt.Sprint("at most the benign rows, ", d.Benign))
		}
	}
	for _, t := range slices.Sorted(maps.Keys(c.Paraphrase.Rounds)) {
		if !slices.Contains(subtype.Types(), t) {
			return bad("paraphrase.rounds", t, "attack types")
		}
	}
	for _, q := range []struct {
		field string
		quota Quota
	}{{"quotas.train", c.Quotas.Train}, {"quotas.val", c.Quotas.Val}, {"quotas.test", c.Quotas.Test}} {
		for _, s := range slices.Sorted(maps.Keys(q.quota)) {
			n := q.quota[s]
			if kind := strings.TrimPrefix(s, ownPrefix); kind != "benign" && !slices.Contains(subtype.Types(), kind) {
				return bad(q.field, s, "benign and the attack types, and these after "+ownPrefix)
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
	shares := []int{b.MaxSource, b.MaxFrame}
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

// mistake returns the first field that holds what it must not and what was expected, or "" for none. Texts are named
// after their file, so no two files of a kind bear one name.
func (a AuthoredConfig) mistake() (field string, found any, expected string) {
	frames := make([]AuthoredFile, len(a.Frames))
	for i, f := range a.Frames {
		if f.PerFrame < 1 {
			return fmt.Sprintf("frames[%d].per_frame", i), f.PerFrame, "a positive number"
		}
		frames[i] = AuthoredFile{f.File, f.Use}
	}
	anyUse := []Role{Pool, Curated, HardNegative, DomainShift}
	for _, kind := range []struct {
		name  string
		files []AuthoredFile
		uses  []Role
	}{
		{"frames", frames, anyUse},
		{"texts", a.Texts, anyUse},
		{"documents", a.Documents, []Role{Pool, DomainShift}}, // the others hold no injections
	} {
		names := map[string]bool{}
		for i, f := range kind.files {
			at := fmt.Sprintf("%s[%d]", kind.name, i)
			switch name := path.Base(f.File); {
			case !strings.HasPrefix(f.File, authoredDir) || path.Clean(f.File) != f.File:
				return at + ".file", f.File, "a file below " + authoredDir
			case names[name]:
				return at + ".file", f.File, "each name of a file once"
			case !slices.Contains(kind.uses, f.Use):
				return at + ".use", f.Use, fmt.Sprint("one of ", kind.uses)
			default:
				names[name] = true
			}
		}
	}
	return "", nil, ""
}

// checkSources asks that the sources of carriers are those of the lock.
func (c *Config) checkSources(lock *Lock) error {
	for _, name := range c.Carriers.Sources {
		if !slices.ContainsFunc(lock.Sources, func(s Source) bool { return s.ID == name }) {
			return fault.New(fault.Usage, "%s: field carriers.sources holds %s, expected sources of %s", ConfigPath,
				fault.Quote(name), LockPath).WithCure("correct it")
		}
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
		{"paraphrase.benign", c.Paraphrase.Benign},
		{"carriers.min_chars", c.Carriers.MinChars}, {"carriers.bare", c.Carriers.Bare}, {"carriers.asked", c.Carriers.Asked},
		{"hard_benign.real", h.Real}, {"hard_benign.max_family", h.MaxFamily}, {"hard_benign.curated", h.Curated},
		{"hard_benign.hard_negative.train", h.Negative.Train}, {"hard_benign.hard_negative.val", h.Negative.Val},
		{"siblings.rows", c.Siblings.Rows}, {"siblings.per_frame", c.Siblings.PerFrame},
		{"augmentation.security_adjacent", a.SecurityAdjacent}, {"augmentation.ordinary", a.Ordinary},
		{"obfuscation.train.benign", o.Train.Benign}, {"obfuscation.train.injection", o.Train.Injection},
		{"obfuscation.val.benign", o.Val.Benign}, {"obfuscation.val.injection", o.Val.Injection},
		{"obfuscation.test.benign", o.Test.Benign}, {"obfuscation.test.injection", o.Test.Injection},
		{"slices.benign", c.Slices.Benign}, {"slices.per_subtype", c.Slices.PerSubtype},
		{"held_out_obfuscation.seeds", c.HeldOut.Seeds},
	}
	for _, t := range slices.Sorted(maps.Keys(c.Paraphrase.Rounds)) {
		all = append(all, count{"paraphrase.rounds." + t, c.Paraphrase.Rounds[t]})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Domain)) {
		d := c.Domain[name]
		all = append(all, count{"domain_ood." + name + ".benign", d.Benign},
			count{"domain_ood." + name + ".third_party", d.ThirdParty},
			count{"domain_ood." + name + ".injection", d.Injection})
	}
	return all
}
