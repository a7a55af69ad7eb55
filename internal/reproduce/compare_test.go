package reproduce

import (
	"strings"
	"testing"

	"pidsbench/internal/scores"
)

// line is a row of three windows with a score.
func line(row int, score float64) scores.Line {
	return scores.Line{Row: row, Score: score, Windows: 3, Tokens: 700, TokensScored: 700}
}

func within(most float64) *Tolerance {
	return &Tolerance{Arithmetic: Float32, Max: most, Family: SameFamily}
}

func TestCompareJudgesBySplit(t *testing.T) {
	tau, two := []Cutoff{{Policy: "fixed:0.5", Tau: new(0.5)}, {Policy: "val_f1", Reason: "no val"}}, []int{0, 1}
	published := []scores.Line{line(0, 0.9), line(1, 0.5)}
	withError := func(row int) scores.Line { return scores.Line{Row: row, Error: "no luck\nat all"} }
	short := line(1, 0.5)
	short.Windows = 2
	for _, tt := range []struct {
		name             string
		published, again []scores.Line
		drawn            []int
		want             Split // the counts that are compared
		flips, beyond    int
		why              string
	}{
		{"equal scores", published, published, two, Split{Verdict: Same, Compared: 2, Windowed: 2, Equal: 2}, 0, 0, ""},
		{"one within the tolerance", published, []scores.Line{line(0, 0.9+5e-7), line(1, 0.5)}, two,
			Split{Verdict: Same, Compared: 2, Windowed: 2, Equal: 1}, 0, 0, ""},
		{"one beyond it", published, []scores.Line{line(0, 0.9+2e-6), line(1, 0.5)}, two,
			Split{Verdict: Off, Compared: 2, Windowed: 2, Equal: 1, Beyond: 1}, 0, 0,
			"row 0: published 0.9, again 0.900002: 2e-06 apart"},
		{"a flip within the tolerance", published, []scores.Line{line(0, 0.9), line(1, 0.5-1e-7)}, two,
			Split{Verdict: Same, Compared: 2, Windowed: 2, Equal: 1}, 1, 0, ""},
		{"a flip beyond it", published, []scores.Line{line(0, 0.4), line(1, 0.5)}, two,
			Split{Verdict: Off, Compared: 2, Windowed: 2, Equal: 1, Beyond: 1}, 1, 1,
			"row 0: published 0.9, again 0.4: 0.5 apart"},
		{"another number of windows", published, []scores.Line{line(0, 0.9), short}, two,
			Split{Verdict: Off, Compared: 2, Windowed: 2, Equal: 2, Counts: 1}, 0, 0,
			"row 1: published with 3 windows, 700 of 700"},
		{"an error now", published, []scores.Line{line(0, 0.9), withError(1)}, two,
			Split{Verdict: Incomplete, Compared: 1, Windowed: 1, Equal: 1, Lacking: 1}, 0, 0,
			"row 1: could not be scored again: no luck at all"},
		{"an error then", []scores.Line{line(0, 0.9), withError(1)}, published, two,
			Split{Verdict: Incomplete, Compared: 1, Windowed: 1, Equal: 1, Lacking: 1}, 0, 0,
			"row 1: is published without a score: no luck"},
		{"an error on both sides", []scores.Line{withError(0)}, []scores.Line{withError(0)}, []int{0},
			Split{Verdict: Incomplete, Lacking: 1}, 0, 0,
			"row 0: has no score on either side: published: no luck at all; again: no luck at all"},
		{"a text that is withheld there", []scores.Line{line(0, 0.9), {Row: 1, MissingText: true}}, published, two,
			Split{Verdict: Incomplete, Compared: 1, Windowed: 1, Equal: 1, Lacking: 1}, 0, 0,
			"row 1: is published without a score: no text"},
		{"a row that has no line", published, published[:1], two,
			Split{Verdict: Incomplete, Compared: 1, Windowed: 1, Equal: 1, Lacking: 1}, 0, 0,
			"row 1: could not be scored again: no line"},
		{"an error beside a row beyond", published, []scores.Line{line(0, 0.1), withError(1)}, two,
			Split{Verdict: Off, Compared: 1, Windowed: 1, Beyond: 1, Lacking: 1}, 1, 1, "row 0: published 0.9"},
		{"no row at all", published, published, nil, Split{Verdict: Incomplete}, 0, 0, ""},
		{"rows that were not drawn", published, []scores.Line{line(0, 0.9), line(1, 0.1)}, []int{0},
			Split{Verdict: Same, Compared: 1, Windowed: 1, Equal: 1}, 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Compare(tt.published, tt.again, tt.drawn, within(1e-6), tau)
			got := Split{Verdict: s.Verdict, Compared: s.Compared, Windowed: s.Windowed, Equal: s.Equal, Beyond: s.Beyond,
				Counts: s.Counts, Lacking: s.Lacking}
			if want := tt.want; got.Verdict != want.Verdict || got.Compared != want.Compared || got.Windowed != want.Windowed ||
				got.Equal != want.Equal || got.Beyond != want.Beyond || got.Counts != want.Counts || got.Lacking != want.Lacking {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if len(s.Flips) != 1 || s.Flips[0].Policy != "fixed:0.5" || s.Flips[0].N != tt.flips || s.Flips[0].Beyond != tt.beyond {
				t.Errorf("flips are %+v, want %d, %d of them beyond the tolerance, at the one threshold there is", s.Flips,
					tt.flips, tt.beyond)
			}
			if s.Drawn != len(tt.drawn) {
				t.Errorf("%d rows are drawn, want %d", s.Drawn, len(tt.drawn))
			}
			switch {
			case tt.why == "" && len(s.Findings) > 0:
				t.Errorf("findings are %+v, want none", s.Findings)
			case tt.why != "" && !strings.HasPrefix(said(s.Findings), tt.why):
				t.Errorf("findings are %q, want one that begins with %q", said(s.Findings), tt.why)
			}
		})
	}
}

func said(findings []Finding) string {
	if len(findings) == 0 {
		return ""
	}
	return strings.ReplaceAll("row "+string(rune('0'+findings[0].Row))+": "+findings[0].Why, "\n", "|")
}

func TestExactScoresHaveNoTolerance(t *testing.T) {
	published, again := []scores.Line{{Row: 0, Score: 0.5}}, []scores.Line{{Row: 0, Score: 0.5000000000000001}}
	if s := Compare(published, again, []int{0}, &Tolerance{Arithmetic: Exact}, nil); s.Verdict != Off || s.Beyond != 1 {
		t.Errorf("a last digit that differs is %s", s.Verdict)
	}
}

func TestTheLargestDifferenceNamesItsRow(t *testing.T) {
	published := []scores.Line{line(3, 0.1), line(4, 0.2), line(5, 0.3)}
	again := []scores.Line{line(3, 0.1), line(4, 0.26), line(5, 0.28)}
	s := Compare(published, again, []int{3, 4, 5}, within(1), nil)
	p := s.Largest
	if p == nil || p.Row != 4 || p.Published != 0.2 || p.Again != 0.26 || p.Difference < 0.059 || p.Difference > 0.061 {
		t.Errorf("the largest difference is %+v, want that of row 4", p)
	}
	if s := Compare(nil, nil, nil, within(1), nil); s.Largest != nil {
		t.Errorf("without rows it is %+v", s.Largest)
	}
}

func TestOnlyTheFirstRowsOfAKindAreListed(t *testing.T) {
	var published, again []scores.Line
	var drawn []int
	for row := range 40 {
		published, again, drawn = append(published, line(row, 0.9)), append(again, line(row, 0.1)), append(drawn, row)
	}
	s := Compare(published, again, drawn, within(1e-6), []Cutoff{{Policy: "fixed:0.5", Tau: new(0.5)}})
	f := s.Flips[0]
	if s.Beyond != 40 || len(s.Findings) != listed || s.Findings[0].Row != 0 || f.N != 40 || len(f.First) != listed {
		t.Errorf("%d rows are off, %d findings; %d flips, %d listed", s.Beyond, len(s.Findings), f.N, len(f.First))
	}
}

func TestVerdictsOfSplitsMakeThatOfARunAndOfAReport(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   []Verdict
		want Verdict
	}{
		{"nothing", nil, NotRun},
		{"all the same", []Verdict{Same, Same}, Same},
		{"one that lacks rows", []Verdict{Same, Incomplete}, Incomplete},
		{"one that is off", []Verdict{Incomplete, Off, Same}, Off},
	} {
		var run Run
		for _, v := range tt.of {
			run.Splits = append(run.Splits, Split{Verdict: v})
		}
		if run.Judge(); run.Verdict != tt.want {
			t.Errorf("%s: the run is %s, want %s", tt.name, run.Verdict, tt.want)
		}
	}
	r := Report{Runs: []Run{{Verdict: NotRun}, {Verdict: Same}}}
	if r.Judge(); r.Verdict != Same {
		t.Errorf("a run that could not be made turns the report into %s", r.Verdict)
	}
	r.Runs = r.Runs[:1]
	if r.Judge(); r.Verdict != NotRun {
		t.Errorf("a report without a run that was made is %s", r.Verdict)
	}
}

func TestComplaintsCountWhatIsWrong(t *testing.T) {
	r := Run{Verdict: Off, Splits: []Split{{Verdict: Off, Beyond: 2, Lacking: 1}, {Verdict: Off, Reason: "other scores"},
		{Verdict: Off, Beyond: 1, Counts: 4}, {Verdict: Incomplete, Reason: "none"}, {Verdict: Same}}}
	const want = "rows beyond the tolerance: 3, rows with other counts of tokens: 4, splits of which other scores " +
		"are published: 1, rows without a score: 1, splits without published scores: 1"
	if got := r.Complaint(); got != want {
		t.Errorf("got %q", got)
	}
	if got := (&Run{Verdict: NotRun, Reason: "no model"}).Complaint(); got != "no model" {
		t.Errorf("got %q", got)
	}
}
