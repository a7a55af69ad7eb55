package probe

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
)

// tellTale has sources with a word of their own each, in families of two; c has too few families, d texts without a
// word.
func tellTale(t *testing.T, order func(lines []string)) *dataset.Split {
	t.Helper()
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("apple fruit number%d tree,0,a,fa%d", i%7, i/2))
	}
	for i := range 12 {
		lines = append(lines, fmt.Sprintf("river boat number%d water and much further down the bank than before,"+
			"0,b_ai_adjacent,fb%d", i%7, i/2))
	}
	for i := range 4 {
		lines = append(lines, fmt.Sprintf("mountain %d,0,c,fc%d", i, i))
	}
	if order != nil {
		order(lines)
	}
	csv := "text,label,source,family_id\n" + strings.Join(lines, "\n") + "\n"
	s, err := dataset.ReadBytes("s.csv", []byte(csv), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func every(s *dataset.Split) []int {
	rows := make([]int, len(s.Rows))
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func TestSourcesWithWordsOfTheirOwnAreIdentified(t *testing.T) {
	s := tellTale(t, nil)
	id, reason, err := Identify(context.Background(), s, every(s), 2)
	if err != nil || reason != "" {
		t.Fatal(reason, err)
	}
	if id.Accuracy != 1 || id.Balanced != 1 || id.LengthBalanced != 1 || math.Abs(id.Majority-40.0/52) > 1e-12 {
		t.Errorf("%+v", id)
	}
	if !slices.Equal(id.Sources, []string{"a", "b"}) || id.LeftOut != 4 || id.Families != 26 || len(id.Rows) != 52 {
		t.Errorf("sources %v, %d rows left out, %d families, %d rows", id.Sources, id.LeftOut, id.Families, len(id.Rows))
	}
	for i, p := range id.Own {
		if p <= 0.5 || p > 1 {
			t.Errorf("row %d has the source %v with probability %v", id.Rows[i], s.Rows[id.Rows[i]].Text, p)
		}
	}
}

func TestIdentificationDoesNotDependOnTheOrderOfTheRows(t *testing.T) {
	of := func(s *dataset.Split) map[string]float64 {
		id, reason, err := Identify(context.Background(), s, every(s), 1)
		if err != nil || reason != "" {
			t.Fatal(reason, err)
		}
		family, _ := s.Column("family_id")
		out := map[string]float64{}
		for i, row := range id.Rows {
			out[s.Rows[row].Text+family[row]] = id.Own[i]
		}
		return out
	}
	a, b := of(tellTale(t, nil)), of(tellTale(t, slices.Reverse[[]string]))
	for k, v := range a {
		if b[k] != v {
			t.Fatalf("%s: %v and %v", k, v, b[k])
		}
	}
}

func TestRowsOfOneFamilyLieInOneFold(t *testing.T) {
	rows := []row{}
	for i := range 30 {
		rows = append(rows, row{source: string(rune('a' + i%3)), family: fmt.Sprint(i/6*3, i%3)})
	}
	id := &Identification{}
	fold := id.deal(rows)
	counts := map[int]int{}
	for _, f := range fold {
		counts[f]++
	}
	if len(fold) != 15 || len(counts) != folds {
		t.Errorf("%d families in folds %v", len(fold), counts)
	}
	for f, n := range counts {
		if n != 3 {
			t.Errorf("fold %d has %d families, one of each source expected", f, n)
		}
	}
}

func TestIdentifySaysWhyThereIsNothingToTell(t *testing.T) {
	few, err := dataset.ReadBytes("s.csv", []byte("text,label,source\na,0,x\nb,0,y\n"), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	none, err := dataset.ReadBytes("s.csv", []byte("text,label\na,0\n"), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[*dataset.Split]string{few: "fewer than two sources", none: "no column source"} {
		if _, reason, err := Identify(context.Background(), s, every(s), 1); err != nil || !strings.Contains(reason, want) {
			t.Errorf("%q, %v, expected %q", reason, err, want)
		}
	}
}
