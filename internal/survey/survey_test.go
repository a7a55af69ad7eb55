package survey

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/breakdown"
	"pidsbench/internal/dataset"
	"pidsbench/internal/metrics"
	"pidsbench/internal/probe"
	"pidsbench/internal/render"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func sample(t testing.TB) *Survey {
	t.Helper()
	var out Survey
	for _, file := range []struct{ name, csv string }{
		{"test.csv", "text,label,source,family_id,frame_id,carrier_id\nplan a walk,0,a,f1,x,\nbake,0,,f1,,c\n" +
			"forget it all,1,b|c,f2,,\n"},
		{"bare.csv", "text,label\nbake bread,0\n"},
	} {
		s, err := dataset.ReadBytes(file.name, []byte(file.csv), dataset.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := breakdown.Of(s, []string{"label", "source", "words"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out.Splits = append(out.Splits, table)
	}
	defined := func(v float64) metrics.Value { return metrics.Value{V: v, OK: true} }
	out.Edition, out.ManifestSHA256, out.Seed = "open", strings.Repeat("0a", 32), 42
	out.Probes = []probe.Result{
		{Name: "curve", Title: "Hard-benign rows put into train", Rows: []probe.Row{
			{Case: "0 %", Train: 100, Numbers: []probe.Number{
				{Metric: "rows_added", Value: defined(0)},
				probe.Proportion("hard-benign", "fpr", 3, 12, metrics.NoBenign),
				{On: "test", Metric: "roc_auc", Value: defined(0.9375), N: 40},
			}},
			{Case: "mean", Numbers: []probe.Number{
				{On: "hard-benign", Metric: "fpr", Value: metrics.Value{Reason: metrics.NoBenign}},
			}},
		}, Notes: []string{"A note."}},
		{Name: "placebo", Title: "Placebo", Reason: "there is no list of security-adjacent words"},
	}
	return &out
}

func TestTheFourFormats(t *testing.T) {
	s := sample(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"sample.txt":  func(b *bytes.Buffer) error { return render.Text(b, s.Tables()) },
		"sample.md":   func(b *bytes.Buffer) error { return render.Markdown(b, s.Tables()) },
		"sample.csv":  func(b *bytes.Buffer) error { return s.CSV(b) },
		"sample.json": func(b *bytes.Buffer) error { return s.JSON(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s differs; run go test with -update and look at the change:\n%s", name, b.String())
		}
	}
}

func TestUndefinedNumbersAreNullOrEmptyWithTheirReason(t *testing.T) {
	s := sample(t)
	var b bytes.Buffer
	if err := s.CSV(&b); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range records[0] {
		at[name] = i
	}
	for _, r := range records[1:] {
		empty := r[at["table"]] == "groups" && r[at["families"]] == "" || r[at["table"]] == "probe" && r[at["number"]] == ""
		if empty != (r[at["reason"]] != "") {
			t.Errorf("a number is empty: %v, the reason is %q: %v", empty, r[at["reason"]], r)
		}
	}
	b.Reset()
	if err := s.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Splits []struct {
			Groups []struct {
				Families *float64
				Reason   string
			}
		}
		Probes []struct {
			Rows []struct {
				Numbers []struct {
					Value  *float64
					Reason string
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	for _, split := range read.Splits {
		for _, g := range split.Groups {
			if (g.Families == nil) != (g.Reason != "") {
				t.Errorf("families %v, reason %q", g.Families, g.Reason)
			}
		}
	}
	for _, p := range read.Probes {
		for _, r := range p.Rows {
			for _, n := range r.Numbers {
				if (n.Value == nil) != (n.Reason != "") {
					t.Errorf("value %v, reason %q", n.Value, n.Reason)
				}
			}
		}
	}
}

func TestEveryMetricHasAName(t *testing.T) {
	for _, p := range sample(t).Probes {
		for _, r := range p.Rows {
			for _, n := range r.Numbers {
				if heads[n.Metric] == "" {
					t.Errorf("metric %s has no head", n.Metric)
				}
			}
		}
	}
}

func TestControlCharactersOfAFileDoNotReachATerminal(t *testing.T) {
	s, err := dataset.ReadBytes("own.csv", []byte("text,label,source\nx,0,\"a\x1b[2J\u009d\u202e\nb\"\n"), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := breakdown.Of(s, []string{"source"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := &Survey{Edition: "custom", Splits: []breakdown.Table{table}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return render.Text(b, out.Tables()) },
		"markdown": func(b *bytes.Buffer) error { return render.Markdown(b, out.Tables()) },
		"csv":      func(b *bytes.Buffer) error { return out.CSV(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\u009d\u202e") || !strings.Contains(b.String(), `x1b`) {
			t.Errorf("%s: %q", name, b.String())
		}
	}
}

func TestHostileNamesNeverReachATerminalAsTheyAre(t *testing.T) {
	s := &Survey{Edition: "custom", Splits: []breakdown.Table{{Split: "own\x1b[31m", Rows: 1, Benign: 1,
		Lacking: []string{"so\x1b[0mce"}, Groups: []breakdown.Group{{By: "k\x1b", Value: "v\x1b", Label: "all", Rows: 1}}}}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return render.Text(b, s.Tables()) },
		"markdown": func(b *bytes.Buffer) error { return render.Markdown(b, s.Tables()) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "own") || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s: %q", name, b.String())
		}
	}
}
