package results

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/threshold"
)

// BenchmarkResample resamples ten detectors at five seeds on eight axes of 2,500 rows in 1,250 families, one row in ten
// misjudged, at two thresholds.
func BenchmarkResample(b *testing.B) {
	numbers := rand.New(rand.NewPCG(1, 2))
	in := Input{Edition: "open", WindowMode: "max"}
	for a := range 8 {
		rows := "text,label,family_id\n"
		for i := range 2500 {
			rows += fmt.Sprintf("t%d,%d,f%d\n", i, i%2, min(i/2, numbers.IntN(2500)))
		}
		s, err := dataset.ReadBytes("s.csv", []byte(rows), dataset.Mapping{})
		if err != nil {
			b.Fatal(err)
		}
		s.Name = fmt.Sprint("s", a)
		axis := dataset.DomainShift
		if a == 0 {
			axis = dataset.IID
		}
		in.Splits = append(in.Splits, Split{Spec: dataset.SplitSpec{Name: s.Name, Axis: axis}, Data: s})
	}
	for _, p := range []string{"fixed:0.5", "fixed:0.6"} {
		policy, err := threshold.Parse(p)
		if err != nil {
			b.Fatal(err)
		}
		in.Policies = append(in.Policies, policy)
	}
	for d := range 10 {
		det := Detector{ID: fmt.Sprint("d", d)}
		for seed := range 5 {
			run := Seed{Seed: seed, Outcomes: map[string][]Outcome{}}
			for _, s := range in.Splits {
				out := make([]Outcome, len(s.Data.Rows))
				for i, row := range s.Data.Rows {
					out[i].Score = numbers.Float64() / 2
					if (row.Label == dataset.Injection) != (numbers.IntN(10) == 0) {
						out[i].Score += 0.5
					}
				}
				run.Outcomes[s.Spec.Name] = out
			}
			det.Seeds = append(det.Seeds, run)
		}
		in.Detectors = append(in.Detectors, det)
	}
	r := Build(in)
	for b.Loop() {
		r.Resample(&in, nil)
	}
}
