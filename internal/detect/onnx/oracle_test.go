//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/cpu"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/testenv"
)

// oracleRow is a row of the expected scores: what the package's own runtime gives in Python.
type oracleRow struct {
	file   string
	row    int
	tokens int       // special tokens counted, after truncation to 256
	logits []float32 // one a head
}

func readOracle(t *testing.T, name string) []oracleRow {
	t.Helper()
	f, err := os.Open(testenv.Shared(t, "oracles/"+name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]oracleRow, 0, len(records))
	for _, r := range records[1:] {
		o := oracleRow{file: r[0]}
		var errs [2]error
		o.row, errs[0] = strconv.Atoi(r[1])
		o.tokens, errs[1] = strconv.Atoi(r[2])
		err := errors.Join(errs[:]...)
		for _, z := range r[3:] {
			v, bad := strconv.ParseFloat(z, 32)
			o.logits, err = append(o.logits, float32(v)), errors.Join(err, bad)
		}
		if err != nil {
			t.Fatalf("oracle row %v cannot be read: %v", r, err)
		}
		rows = append(rows, o)
	}
	return rows
}

// oracleTexts returns the texts and classes behind the oracle's file names.
func oracleTexts(t *testing.T) map[string][]dataset.Row {
	t.Helper()
	split, err := dataset.ReadFile(testenv.Shared(t, "realdata/Prompt-Injection-Detection-System/final_dataset/test.csv"),
		dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]dataset.Row{"final_dataset_test": split.Rows}
	for name, path := range map[string]string{
		"notinject_one": "realdata/PIGuard/NotInject_one.json", "notinject_two": "realdata/PIGuard/NotInject_two.json",
	} {
		data, err := os.ReadFile(testenv.Shared(t, path))
		if err != nil {
			t.Fatal(err)
		}
		var list []struct{ Prompt string }
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			texts[name] = append(texts[name], dataset.Row{Text: x.Prompt})
		}
	}
	return texts
}

// foreign opens a pulled detector as configs/detectors.yaml describes it.
func foreign(t testing.TB, id string) (*Detector, detect.Entry) {
	t.Helper()
	config, err := detect.LoadConfig(filepath.Join(testenv.Root(t), "configs", "detectors.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range config.Detectors {
		if e.ID == id {
			return openDir(t, filepath.Dir(testenv.Built(t, e.Model+"/"+e.File)), e), e
		}
	}
	t.Fatalf("configs/detectors.yaml has no entry %s", id)
	return nil, detect.Entry{}
}

func stackone(t testing.TB) *Detector {
	t.Helper()
	d, _ := foreign(t, "stackone-defender")
	return d
}

// sameKernels says whether the processor computes as the one that the expected scores were made on. Others round
// float32 sums in another way, which moves a few of the 8-bit values made of them by one, and so the score.
var sameKernels = cpu.X86.HasAVX512VNNI

// comparison counts how a detector differs from what is expected of it. Its methods are safe for concurrent use.
type comparison struct {
	d      *Detector
	native float64

	mu                   sync.Mutex
	rows, beyond, turned int // beyond: a logit off by more than 1e-3; turned: another verdict
	worst                float64
}

// TestForeignDetectorEqualsItsOwnPackage scores a twentieth of the rows, or all of them with PIDSBENCH_FULL set: only
// then accuracy, AUC and false positive rate can be compared with what was measured in Python.
func TestForeignDetectorEqualsItsOwnPackage(t *testing.T) {
	texts := oracleTexts(t)
	for _, tt := range []struct {
		id, oracle                   string
		accuracy, auc, notInjectRate float64 // at the native threshold; 0: not measured
	}{
		{"stackone-defender", "stackone-defender-0.9.4", 0.750, 0.834, 0.075},
		{"stackone-defender-0.7.4", "stackone-defender-0.7.4", 0, 0, 0.080},
		{"stackone-defender-0.6.3", "stackone-defender-0.6.3", 0, 0, 0.133},
	} {
		t.Run(tt.id, func(t *testing.T) {
			full := os.Getenv("PIDSBENCH_FULL") != ""
			oracle := readOracle(t, tt.oracle)
			d, e := foreign(t, tt.id)
			c := &comparison{d: d, native: *e.Native}
			scores := make([]float64, len(oracle))
			var wait sync.WaitGroup
			for worker := range 2 {
				wait.Go(func() {
					for i := worker; i < len(oracle); i += 2 {
						if full || i%40 == worker*21 {
							text := texts[oracle[i].file][oracle[i].row].Text
							scores[i] = c.row(t, oracle[i], strings.ReplaceAll(text, "\x00", ""))
						}
					}
				})
			}
			wait.Wait()
			c.judge(t)
			if full {
				compareFigures(t, texts, oracle, scores, *e.Native, tt.accuracy, tt.auc, tt.notInjectRate)
			}
		})
	}
}

// row scores the first window of a text and returns its score.
func (c *comparison) row(t *testing.T, want oracleRow, text string) float64 {
	ids, err := c.d.Tokenize(text)
	if err != nil {
		t.Errorf("%s row %d: %v", want.file, want.row, err)
		return 0
	}
	window := ids[:min(len(ids), 254)]
	if got := len(window) + 2; got != want.tokens {
		t.Errorf("%s row %d: %d tokens, expected %d", want.file, want.row, got, want.tokens)
	}
	logits, err := c.d.logits(context.Background(), [][]uint32{window})
	if err != nil || len(logits) != len(want.logits) {
		t.Errorf("%s row %d: logits %v, error %v", want.file, want.row, logits, err)
		return 0
	}
	diff := 0.0
	for i, z := range want.logits {
		diff = max(diff, math.Abs(float64(logits[i]-z)))
	}
	score := c.d.head.score(logits)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows++
	c.worst = max(c.worst, diff)
	if !(diff <= 1e-3) {
		c.beyond++
		if sameKernels {
			t.Errorf("%s row %d: logits %v, expected %v", want.file, want.row, logits, want.logits)
		}
	}
	if expected := c.d.head.score(want.logits); (score >= c.native) != (expected >= c.native) {
		c.turned++
		if sameKernels {
			t.Errorf("%s row %d: score %g, expected %g, on the other side of %g", want.file, want.row, score, expected,
				c.native)
		}
	}
	return score
}

// judge says how large the differences were and, where some are to be expected, whether they are few.
func (c *comparison) judge(t *testing.T) {
	t.Logf("%d rows: largest difference of a logit %.2g, %d rows off by more than 1e-3, %d other verdicts", c.rows,
		c.worst, c.beyond, c.turned)
	if c.rows < 200 {
		t.Errorf("%d rows were scored, too few to tell", c.rows)
	}
	if 4*c.beyond > c.rows || 100*c.turned > c.rows {
		t.Errorf("%d of %d rows are off by more than 1e-3 and %d verdicts are others, expected at most a quarter and one "+
			"in a hundred", c.beyond, c.rows, c.turned)
	}
}

// compareFigures holds accuracy, AUC and false positive rate to what was measured in Python.
func compareFigures(t *testing.T, texts map[string][]dataset.Row, oracle []oracleRow, scores []float64, native,
	accuracy, auc, notInjectRate float64) {
	var right, n, flagged, harmless int
	var benign, injection []float64
	for i, o := range oracle {
		positive := scores[i] >= native
		if o.file != "final_dataset_test" {
			harmless++
			if positive {
				flagged++
			}
			continue
		}
		n++
		isInjection := texts[o.file][o.row].Label == dataset.Injection
		if positive == isInjection {
			right++
		}
		if isInjection {
			injection = append(injection, scores[i])
		} else {
			benign = append(benign, scores[i])
		}
	}
	if n != 3825 || harmless != 226 {
		t.Fatalf("%d and %d rows, expected 3825 and 226", n, harmless)
	}
	within := 0.0005
	if !sameKernels {
		within = 0.005
	}
	near := func(what string, got, want float64) {
		t.Logf("%s %.4f", what, got)
		if want > 0 && math.Abs(got-want) > within {
			t.Errorf("%s is %.4f, expected %.3f", what, got, want)
		}
	}
	near("accuracy", float64(right)/float64(n), accuracy)
	near("AUC", areaUnderROC(benign, injection), auc)
	near("NotInject FPR", float64(flagged)/float64(harmless), notInjectRate)
}

// TestTheSecondHeadClearsAsThePackageDoes holds the entry with a veto to the package's rule for two heads, on the
// logits of every row.
func TestTheSecondHeadClearsAsThePackageDoes(t *testing.T) {
	d, e := foreign(t, "stackone-defender-multihead")
	calibrated := func(z float32) float64 { return 1 / (1 + math.Exp(-float64(z)/2.41)) }
	blocked, cleared := 0, 0
	for _, o := range readOracle(t, "stackone-defender-0.9.4") {
		main, aux := calibrated(o.logits[0]), calibrated(o.logits[1])
		want := main >= 0.88 && aux < 0.325
		if got := d.head.score(o.logits) >= *e.Native; got != want {
			t.Errorf("%s row %d: blocked %v, expected %v for %.4f and %.4f", o.file, o.row, got, want, main, aux)
		}
		switch {
		case want:
			blocked++
		case main >= 0.88:
			cleared++
		}
	}
	if blocked < 100 || cleared < 10 {
		t.Errorf("%d rows blocked, %d cleared: too few to tell", blocked, cleared)
	}
}

// areaUnderROC is the probability that an injection outscores a benign row, ties counted half.
func areaUnderROC(benign, injection []float64) float64 {
	sort.Float64s(benign)
	sum := 0.0
	for _, s := range injection {
		below := sort.SearchFloat64s(benign, s)
		tied := sort.Search(len(benign), func(i int) bool { return benign[i] > s }) - below
		sum += float64(below) + float64(tied)/2
	}
	return sum / float64(len(benign)) / float64(len(injection))
}
