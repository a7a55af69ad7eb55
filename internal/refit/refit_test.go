package refit

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/dataset/datasettest"
	"pidsbench/internal/results"
)

// small is an edition of three sources, of which the garden has its own words of each class.
func small(t *testing.T) Data {
	t.Helper()
	rows := func(from, n int, sources ...string) string {
		var b strings.Builder
		b.WriteString("text,label,source,family_id,obfuscation_kind\n")
		for i := from; i < from+n; i++ {
			for _, source := range sources {
				fmt.Fprintf(&b, "%s walk path number%d,0,%s,%s-b%d,none\n", source, i%7, source, source, i/2)
				fmt.Fprintf(&b, "%s ignore rules number%d,1,%s,%s-i%d,none\n", source, i%7, source, source, i/2)
			}
		}
		return b.String()
	}
	return Data{
		Train: datasettest.Split(t, "train", rows(0, 10, "web", "log")+
			"garden weeds of spring,0,garden,g1,none\ngarden weeds of summer,0,garden,g2,none\n"+
			"garden gate unlocked now,1,garden,g3,none\ngarden gate unlocked today,1,garden,g4,none\n"),
		Val: datasettest.Split(t, "val", rows(20, 4, "web", "log")),
		Test: datasettest.Split(t, "test", rows(40, 4, "web", "log")+
			"garden gate unlocked again,1,garden,g9,dilution\ngarden weeds again,0,garden,g8,none\n"),
	}
}

func TestARowIsScoredByTheModelWithoutItsSource(t *testing.T) {
	d := small(t)
	r, err := Run(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sources
	gate := len(d.Test.Rows) - 2
	if !(s.Whole[gate].Score > s.Without[gate].Score+0.05) {
		t.Errorf("the gate has the score %v, and %v without the garden", s.Whole[gate].Score, s.Without[gate].Score)
	}
	for i := range s.Whole {
		if s.Whole[i].State != results.Scored || s.Without[i].State != results.Scored {
			t.Fatalf("row %d is not scored: %+v, %+v", i, s.Whole[i], s.Without[i])
		}
	}
	want := []Source{{"garden", 4, 4, 2, ""}, {"log", 20, 20, 8, ""}, {"web", 20, 20, 8, ""}}
	if !reflect.DeepEqual(s.Of, want) {
		t.Errorf("sources %+v, expected %+v", s.Of, want)
	}
	if len(s.Val) != len(d.Val.Rows) || s.Val[0].State != results.Scored {
		t.Errorf("val is not scored: %+v", s.Val)
	}
	if !slices.Equal(r.New, []string{"dilution"}) {
		t.Errorf("new disguises %q, expected dilution", r.New)
	}
	if want := 1 + 3 + Deals; r.Fits != want {
		t.Errorf("%d fits, expected %d", r.Fits, want)
	}
}

func TestFamiliesThatHoldARowOfTheSourceLeaveWhole(t *testing.T) {
	d := small(t)
	d.Train = datasettest.Split(t, "train", "text,label,source,family_id\na b,0,web,f\na b,0,log,f\nc d,1,web,g\nc d,1,log,h\na c,0,log,\n")
	var s Sources
	jobs := d.sourceJobs(&s)
	left := jobs[3].rows() // train, garden, log, web
	if len(left) != 2 || left[0].family != "h" || s.Of[2] != (Source{Name: "web", Train: 2, LeftOut: 3, Test: 8}) {
		t.Errorf("left %+v, source %+v", left, s.Of[2])
	}
}

func TestASourceWithoutWhichOneClassIsLeftHasNoModel(t *testing.T) {
	d := small(t)
	d.Train = datasettest.Split(t, "train", "text,label,source\nwalk path,0,web\nwalk path far,0,web\nignore rules,1,log\nignore rules now,1,log\n")
	r, err := Run(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sources
	if web := s.Of[2]; !strings.Contains(web.Reason, "0 benign and 2 injection texts") {
		t.Errorf("the web has the reason %q", web.Reason)
	}
	if o := s.Without[0]; o.State != results.NotAsked || s.Whole[0].State != results.Scored {
		t.Errorf("the row of a source without a model is %+v, and with it %+v", o, s.Whole[0])
	}
}

func TestNothingIsLeftOutWithoutAColumnSource(t *testing.T) {
	d := small(t)
	d.Test = datasettest.Split(t, "test", "text,label\nwalk path,0\nignore rules,1\n")
	r, err := Run(context.Background(), d)
	if err != nil || len(r.Sources.Of) != 0 || r.Fits != 1+Deals || r.Sources.Whole[0].State != results.Scored {
		t.Errorf("error %v, %d fits, sources %+v", err, r.Fits, r.Sources)
	}
}

func TestResultsDoNotDependOnTheNumberOfFitsAtOnce(t *testing.T) {
	d := small(t)
	steps := 0
	d.Step = func(done, n int) { steps = done }
	d.Workers = 1
	one, err := Run(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	d.Workers = 3
	three, err := Run(context.Background(), d)
	if err != nil || !reflect.DeepEqual(one, three) || steps != one.Fits {
		t.Errorf("error %v, %d steps of %d; one fit at once:\n%+v\nthree:\n%+v", err, steps, one.Fits, one, three)
	}
}

func TestAnInterruptEndsTheFits(t *testing.T) {
	d := small(t)
	ctx, cancel := context.WithCancel(context.Background())
	d.Workers = 1
	d.Step = func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}
	if _, err := Run(ctx, d); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected that of the context", err)
	}
}

func TestSplitsHaveTheSizesOfTheFrozenOnes(t *testing.T) {
	d := small(t)
	r, err := Run(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	moved := map[int]bool{}
	for i, s := range r.Splits {
		if s.Number != i+1 || s.Train != len(d.Train.Rows) || s.Val != len(d.Val.Rows) || s.Test != len(d.Test.Rows) {
			t.Errorf("split %+v, expected %d, %d and %d rows", s, len(d.Train.Rows), len(d.Val.Rows), len(d.Test.Rows))
		}
		if s.Fixed.Benign() != 9 || s.Fixed.Injection() != 9 || s.Tuned.N() != 18 || !s.Tau.OK || s.Reason != "" {
			t.Errorf("split %d: %+v, expected 9 rows of each class", s.Number, s)
		}
		if s.FixedPlain.N() > s.Fixed.N() || s.FixedPlain.N() < s.Fixed.N()-1 || s.TunedPlain.N() != s.FixedPlain.N() {
			t.Errorf("split %d: %d of %d rows are plain, but one row in all is disguised", s.Number, s.FixedPlain.N(), s.Fixed.N())
		}
		moved[s.Moved] = true
	}
	if len(moved) < 2 {
		t.Errorf("all splits take the same number of rows into test: %v", moved)
	}
}

// many makes families of sizes that fall from 12 to 1, some with rows of both classes.
func many() []row {
	var rows []row
	for f := range 400 {
		for i := range 1 + 12/(1+f/8) {
			label := dataset.Label(f % 2)
			if f%10 == 0 {
				label = dataset.Label(i % 2)
			}
			rows = append(rows, row{label: label, family: fmt.Sprint("f", f)})
		}
	}
	return rows
}

func TestDealsKeepFamiliesWholeAndSizesExact(t *testing.T) {
	rows := many()
	var all size
	for _, r := range rows {
		all[r.label]++
	}
	due := []size{{all[0] - 110, all[1] - 90}, {60, 40}, {50, 50}}
	inTest := map[string]int{} // of the families of 13 rows
	for number := range 200 {
		part := deal(rows, due, number)
		got := make([]size, 3)
		of := map[string]int{}
		for i, r := range rows {
			got[part[i]][r.label]++
			if p, seen := of[r.family]; seen && p != part[i] {
				t.Fatalf("deal %d parts the family %s", number, r.family)
			}
			of[r.family] = part[i]
		}
		if !slices.Equal(got, due) {
			t.Fatalf("deal %d has the sizes %v, expected %v", number, got, due)
		}
		for f := range 8 {
			if of[fmt.Sprint("f", f)] == 2 {
				inTest[fmt.Sprint("f", f)]++
			}
		}
		if !slices.Equal(part, deal(rows, due, number)) {
			t.Fatalf("deal %d is another one the second time", number)
		}
	}
	share := 100.0 / float64(all.rows())
	for f := range 8 {
		// 200 draws: three standard deviations are 0.06 at most.
		if got := float64(inTest[fmt.Sprint("f", f)]) / 200; got < share-0.07 || got > share+0.07 {
			t.Errorf("the large family f%d is in test in %.3f of the deals, expected about %.3f", f, got, share)
		}
	}
}

func TestAFamilyWithoutRoomGoesWhereThereIsMost(t *testing.T) {
	rows := []row{{family: "a"}, {family: "a"}, {family: "a"}, {family: "b", label: dataset.Injection}}
	part := deal(rows, []size{{2, 0}, {1, 1}, {0, 0}}, 1)
	if !slices.Equal(part, []int{0, 0, 0, 1}) {
		t.Errorf("parts %v, expected the family of three in the first and the injection in the second", part)
	}
	if got := deal(nil, []size{{}, {}, {}}, 1); len(got) != 0 {
		t.Errorf("no rows have the parts %v", got)
	}
}

func TestWithoutAModelOfTrainTheDetectorsAreUnavailable(t *testing.T) {
	s := Sources{Reason: "why"}
	of := s.Detectors("test")
	if of[0].ID != Whole || of[1].ID != Without || of[0].Unavailable != "why" || of[1].Unavailable != "why" {
		t.Errorf("%+v", of)
	}
}

func TestComposeTakesEachRowFromTheModelWithoutItsSource(t *testing.T) {
	test := datasettest.Split(t, "test", "text,label,source\na,0,web\nb,1,log\nc,1,web\nd,0,chat\n")
	of := func(score float64) []results.Outcome {
		return []results.Outcome{{Score: score}, {Score: score + .1}, {Score: score + .2}, {Score: score + .3}}
	}
	got := Compose(test, map[string][]results.Outcome{"web": of(0), "log": of(.5)})
	want := []results.Outcome{{Score: 0}, {Score: .6}, {Score: .2}, {State: results.NotAsked}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
