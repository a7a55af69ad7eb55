package builder

import (
	"os"
	"path/filepath"

	"pidsbench/internal/fault"
	"pidsbench/internal/lists"
	"pidsbench/internal/subtype"
)

// Files of reviewed decisions and rules, relative to the root.
const (
	adjacentPath   = "data/lists/security_adjacent.yaml"
	dropPath       = "data/lists/drop.yaml"
	hardBenignPath = "data/lists/hard_benign.yaml"
	domainPath     = "data/lists/domains.yaml"
	subtypePath    = "data/lists/subtypes.yaml"
)

// Lists are the reviewed lists under data/lists, and the goals.
type Lists struct {
	Adjacent func(text string) bool          // whether a text holds a security-adjacent word
	Classify func(text string) subtype.Match // the attack type of an injection

	// By textnorm.ExactHash:
	Drops    map[string]string        // of a row that is left out → the reason
	Disputed map[string]string        // of a row whose class is in doubt → why
	Domains  map[string]string        // of a benign row → the domain that a reader found it to be of
	Verdicts map[string]lists.Verdict // of a benign prompt that was read → what its reader says

	goals []goal // what fills the slots of templates
}

// LoadLists reads the lists below root.
func LoadLists(root string) (l Lists, err error) {
	words, err := lists.LoadWords(root, adjacentPath)
	if err != nil {
		return l, err
	}
	l.Adjacent = func(text string) bool {
		_, ok := words.Match(text)
		return ok
	}
	if l.Drops, l.Disputed, err = lists.LoadDrops(root, dropPath); err != nil {
		return l, err
	}
	if l.Domains, err = lists.LoadDomains(root, domainPath); err != nil {
		return l, err
	}
	if l.Verdicts, err = lists.LoadHardBenign(root, hardBenignPath); err != nil {
		return l, err
	}
	rules, err := subtype.Load(root, subtypePath)
	if err != nil {
		return l, err
	}
	l.Classify = rules.Classify
	l.goals, err = loadGoals(root)
	return l, err
}

// hashInputs returns the SHA-256 of every file of the repository that steers a build.
func hashInputs(root string, paths []string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range paths {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		if err != nil {
			return nil, fault.New(fault.Usage, "cannot read %s: %w", p, withoutPath(err)).
				WithCure("restore it from the repository")
		}
		out[p] = hashOf(data)
	}
	return out, nil
}
