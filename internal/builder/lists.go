package builder

import (
	"path/filepath"

	"pidsbench/internal/lists"
)

// Lists are the reviewed lists under data/lists.
type Lists struct {
	Drops    map[string]string      // textnorm.ExactHash of a row that is left out → the reason
	Adjacent func(text string) bool // whether a text holds a security-adjacent word
}

// LoadLists reads both lists below root.
func LoadLists(root string) (Lists, error) {
	words, err := lists.LoadWords(filepath.Join(root, "data", "lists", "security_adjacent.yaml"))
	if err != nil {
		return Lists{}, err
	}
	drops, err := lists.LoadDrops(filepath.Join(root, "data", "lists", "drop.yaml"))
	if err != nil {
		return Lists{}, err
	}
	adjacent := func(text string) bool {
		_, ok := words.Match(text)
		return ok
	}
	return Lists{drops, adjacent}, nil
}
