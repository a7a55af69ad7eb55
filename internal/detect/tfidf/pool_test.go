package tfidf

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// The Python tool that trains the other detectors made the list: tools/golden/pool.py.
func TestPoolsHoldTheRowsThatThePythonToolTakes(t *testing.T) {
	data, err := os.ReadFile("testdata/pool.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name       string
		Names      []string
		Categories []int
		Pools      []struct {
			Size int
			Rows []int
		}
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 8 {
		t.Fatalf("%d lists of categories, expected all", len(cases))
	}
	for _, c := range cases {
		categories := make([]string, len(c.Categories))
		for i, at := range c.Categories {
			categories[i] = c.Names[at]
		}
		before := slices.Clone(categories)
		for _, p := range c.Pools {
			if got := Pool(categories, p.Size); !slices.Equal(got, p.Rows) {
				t.Errorf("%s: a pool of %d holds other rows, the first are %v, expected %v", c.Name, p.Size,
					got[:min(len(got), 10)], p.Rows[:min(len(p.Rows), 10)])
			}
		}
		if !slices.Equal(categories, before) {
			t.Errorf("%s: the categories were changed", c.Name)
		}
	}
}
