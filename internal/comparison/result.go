package comparison

// Result is a comparison of A with B. Numbers are nil where Reason says why.
type Result struct {
	ID       string `json:"id,omitempty"` // of a listed comparison
	Question string `json:"question,omitempty"`
	Name     string `json:"name"`
	Status   string `json:"status"` // primary or exploratory

	A      string  `json:"a"` // id of the detector
	B      string  `json:"b"`
	Split  string  `json:"split"`
	Slice  string  `json:"slice"`
	Metric string  `json:"metric"`
	Policy *string `json:"policy"` // nil for roc_auc
	Reason string  `json:"reason,omitempty"`

	N         int     `json:"n"`       // rows that count, scored by every run of both
	Total     int     `json:"n_total"` // rows that should count
	Groups    int     `json:"groups"`  // families of the n rows
	Effective float64 `json:"groups_effective"`

	ValueA *float64 `json:"value_a"` // the mean over the runs
	ValueB *float64 `json:"value_b"`
	Diff   *float64 `json:"difference"` // A − B

	Interval   *Interval `json:"interval"` // of the paired bootstrap over families; nil where NoInterval says why
	NoInterval string    `json:"no_interval,omitempty"`
	Joint      *Interval `json:"joint"`               // of families and seeds together; nil for one run each
	SE         *float64  `json:"se"`                  // of the bootstrap
	MDE        *float64  `json:"mde"`                 // what is found with a probability of 80 %; nil for an SE of 0
	P          *float64  `json:"p_bootstrap"`         // two-sided
	Undefined  int       `json:"undefined_resamples"` // in which one of the two has no value; they count nowhere

	Runs   []RunPair `json:"runs"`
	SeedSD *float64  `json:"seed_sd"` // of the differences of the runs (ddof 1); nil for one run each
	T      *TTest    `json:"t"`       // nil where NoT says why
	NoT    string    `json:"no_t,omitempty"`

	Verdict Verdict  `json:"verdict,omitempty"` // empty without an interval
	PHolm   *float64 `json:"p_holm"`            // of a listed comparison
	Outcome Outcome  `json:"outcome,omitempty"` // of a listed comparison
}

// Interval is a 95 % interval.
type Interval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// TTest is Student's test of the differences of the runs.
type TTest struct {
	Kind string   `json:"kind"` // paired, or one-sample where one of the two has a single run
	DF   int      `json:"df"`
	T    *float64 `json:"t"` // nil when it is infinite: all differences are the same and not 0
	P    float64  `json:"p"`
}

// RunPair is a run of A beside one of B.
type RunPair struct {
	SeedA   int      `json:"seed_a"`
	SeedB   int      `json:"seed_b"`
	ValueA  float64  `json:"value_a"`
	ValueB  float64  `json:"value_b"`
	McNemar *McNemar `json:"mcnemar"` // nil for roc_auc, which has no verdicts
}

// McNemar is the exact test of the verdicts of two runs. It takes rows as independent.
type McNemar struct {
	OnlyA int     `json:"only_a_right"` // rows
	OnlyB int     `json:"only_b_right"`
	P     float64 `json:"p"`
}
