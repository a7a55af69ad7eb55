//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/testenv"
)

// oracleRow is a row of the expected scores: what the package's own runtime gives in Python.
type oracleRow struct {
	file   string
	row    int
	tokens int // special tokens counted, after truncation to 256
	logits [2]float32
}

func stackone(t testing.TB) *Detector {
	t.Helper()
	dir := filepath.Dir(testenv.Built(t, "models/.pulled/stackone-defender/model_quantized.onnx"))
	return openDir(t, dir, detect.Entry{
		ID: "stackone-defender", Kind: "onnx", File: "model_quantized.onnx", Output: "logits", Head: "sigmoid",
		Positive: []string{"0"}, Temperature: 2.41, MaxLength: 256, Pad: "none",
	})
}

func readOracle(t *testing.T) []oracleRow {
	t.Helper()
	f, err := os.Open(testenv.Shared(t, "oracles/stackone-defender-0.9.4.csv"))
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
		row, err1 := strconv.Atoi(r[1])
		tokens, err2 := strconv.Atoi(r[2])
		z0, err3 := strconv.ParseFloat(r[3], 32)
		z1, err4 := strconv.ParseFloat(r[4], 32)
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			t.Fatalf("oracle row %v cannot be read", r)
		}
		rows = append(rows, oracleRow{r[0], row, tokens, [2]float32{float32(z0), float32(z1)}})
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

// TestForeignDetectorEqualsItsOwnPackage scores a tenth of the rows, or all of them with PIDSBENCH_FULL set: only then
// accuracy, AUC and false positive rate can be compared with what was measured in Python.
func TestForeignDetectorEqualsItsOwnPackage(t *testing.T) {
	full := os.Getenv("PIDSBENCH_FULL") != ""
	oracle, texts, d := readOracle(t), oracleTexts(t), stackone(t)
	scores := make([]float64, len(oracle))
	worst := make([]float64, len(oracle))
	var wait sync.WaitGroup
	for worker := range 2 {
		wait.Go(func() {
			for i := worker; i < len(oracle); i += 2 {
				if full || i%10 == 0 {
					text := texts[oracle[i].file][oracle[i].row].Text
					scores[i], worst[i] = compareRow(t, d, oracle[i], strings.ReplaceAll(text, "\x00", ""))
				}
			}
		})
	}
	wait.Wait()
	sort.Float64s(worst)
	t.Logf("largest difference of a logit: %.2g", worst[len(worst)-1])
	if !full {
		return
	}
	var right, n, flagged, harmless int
	var benign, injection []float64
	for i, o := range oracle {
		positive := scores[i] >= 0.52
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
	near := func(what string, got, want float64) {
		t.Logf("%s %.4f", what, got)
		if math.Abs(got-want) > 0.0005 {
			t.Errorf("%s is %.4f, expected %.3f", what, got, want)
		}
	}
	if n != 3825 || harmless != 226 {
		t.Fatalf("%d and %d rows, expected 3825 and 226", n, harmless)
	}
	near("accuracy at 0.52", float64(right)/float64(n), 0.750)
	near("AUC", areaUnderROC(benign, injection), 0.834)
	near("NotInject FPR", float64(flagged)/float64(harmless), 0.075)
}

// compareRow scores the first window of a text and returns its score and the largest difference of a logit.
func compareRow(t *testing.T, d *Detector, want oracleRow, text string) (score, diff float64) {
	ids, err := d.Tokenize(text)
	if err != nil {
		t.Errorf("%s row %d: %v", want.file, want.row, err)
		return 0, 0
	}
	window := ids[:min(len(ids), 254)]
	if got := len(window) + 2; got != want.tokens {
		t.Errorf("%s row %d: %d tokens, expected %d", want.file, want.row, got, want.tokens)
	}
	logits, err := d.logits(context.Background(), [][]uint32{window})
	if err != nil || len(logits) != 2 {
		t.Errorf("%s row %d: logits %v, error %v", want.file, want.row, logits, err)
		return 0, 0
	}
	for i, z := range want.logits {
		diff = max(diff, math.Abs(float64(logits[i]-z)))
	}
	if !(diff <= 1e-3) {
		t.Errorf("%s row %d: logits %v, expected %v", want.file, want.row, logits, want.logits)
	}
	return d.head.score(logits), diff
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
