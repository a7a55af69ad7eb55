package engine

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/detect"
)

func TestEveryWindowIsToldWithItsTokensAndScore(t *testing.T) {
	long := "abcdefghijklmnopqrstuvwxy" // windows of 8 tokens, step 5
	items := itemsOf("short", long, "sh\x00ort", "")
	shape := detect.Shape{MaxLength: 10, Special: 2, Stride: 3, BatchTokens: 30}
	for _, c := range []struct {
		mode Mode
		want [][2]int // windows of the long text
	}{
		{Max, [][2]int{{0, 8}, {5, 13}, {10, 18}, {15, 23}, {17, 25}}},
		{Truncate, [][2]int{{0, 8}}},
	} {
		told := map[int][]WindowScore{}
		opt := Options{Windows: c.mode, Workers: 2, Window: func(w WindowScore) { told[w.Rows[0]] = append(told[w.Rows[0]], w) }}
		got, _ := collect(t, &hashScorer{shape: shape}, items, opt)
		for _, row := range []int{0, 1, 3} {
			slices.SortFunc(told[row], func(a, b WindowScore) int { return a.From - b.From })
			best, text := 0.0, strings.ReplaceAll(items[row].Text, "\x00", "")
			var cut [][2]int
			for _, w := range told[row] {
				if want := hashScore(byteTokens(text[w.From:w.To])); w.Score != want {
					t.Errorf("%s: row %d, tokens %d to %d: score %v, want %v", c.mode, row, w.From, w.To, w.Score, want)
				}
				best = max(best, w.Score)
				cut = append(cut, [2]int{w.From, w.To})
			}
			if best != got[row].Score {
				t.Errorf("%s: row %d has score %v, its best window %v", c.mode, row, got[row].Score, best)
			}
			if row == 1 && !reflect.DeepEqual(cut, c.want) {
				t.Errorf("%s: windows %v, want %v", c.mode, cut, c.want)
			}
		}
		if rows := told[0][0].Rows; !slices.Equal(rows, []int{0, 2}) {
			t.Errorf("%s: equal texts are told as rows %v", c.mode, rows)
		}
	}
}
