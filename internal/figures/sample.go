package figures

import (
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/results"
)

// Sample is the scores of one seed on some rows, with their labels; Rows counts the rows that it should hold.
type Sample struct {
	Scores []float64
	Labels []dataset.Label
	Rows   int
}

// Take returns what a seed scored of the rows of a split for which keep says true; those beyond a trial's limit are not
// counted. Rows in dispute are left out where undisputed is set.
func Take(seed results.Seed, s results.Split, undisputed bool, keep func(row int) bool) Sample {
	var out map[int]bool
	if undisputed {
		out = results.Disputed(s.Data)
	}
	var sample Sample
	outcomes := seed.Outcomes[s.Spec.Name]
	for i, row := range s.Data.Rows {
		if out[i] || keep != nil && !keep(i) {
			continue
		}
		if outcomes == nil || outcomes[i].State != results.NotAsked {
			sample.Rows++
		}
		if outcomes != nil && outcomes[i].State == results.Scored {
			sample.Scores = append(sample.Scores, outcomes[i].Score)
			sample.Labels = append(sample.Labels, row.Label)
		}
	}
	return sample
}

// join puts the samples of several seeds together.
func join(samples []Sample) Sample {
	var all Sample
	for _, s := range samples {
		all.Scores, all.Labels = append(all.Scores, s.Scores...), append(all.Labels, s.Labels...)
		all.Rows += s.Rows
	}
	return all
}

// byClass returns the scores of each class in rising order.
func (s Sample) byClass() (benign, injection []float64) {
	for i, l := range s.Labels {
		if l == dataset.Injection {
			injection = append(injection, s.Scores[i])
		} else {
			benign = append(benign, s.Scores[i])
		}
	}
	slices.Sort(benign)
	slices.Sort(injection)
	return benign, injection
}

// flagged returns how many of the rising scores are at least tau.
func flagged(rising []float64, tau float64) int {
	at, _ := slices.BinarySearch(rising, tau)
	return len(rising) - at
}

// counts returns the confusion counts at tau of scores in rising order.
func counts(benign, injection []float64, tau float64) metrics.Counts {
	fp, tp := flagged(benign, tau), flagged(injection, tau)
	return metrics.Counts{TN: len(benign) - fp, FP: fp, FN: len(injection) - tp, TP: tp}
}
