package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/results"
	"pidsbench/internal/scores"
)

const hostileName = `<script>parent.hit=window.hit=1</script>"'><img src=x onerror="hit=1">` + "\x1b[31m\u202e"

// samplePage has what a report has: a table whose columns are of several axes, one whose rows are, figures, errors.
func samplePage() Page {
	cell := func(detector string, axis dataset.Axis, v float64) Entry {
		return Entry{Cell: &results.Cell{Detector: detector, Axis: axis, Metric: "f1", Value: &v, N: 10, NBenign: 6,
			NInjection: 4,
			NSeeds:     1, State: results.StateComplete}}
	}
	none := Entry{Cell: &results.Cell{Axis: dataset.IID, Metric: "f1", Reason: "there are no <b>scores</b>"}}
	row := func(name string, f1 Entry, fpr float64) Row {
		return Row{label("%s", name), f1, cell(name, dataset.HardBenign, fpr), Entry{Text: "0.3–0.5",
			Raw: []string{"0.3 0.5"}}}
	}
	return Page{
		Title:    "Report of " + hostileName,
		Warnings: []string{"Incomplete: " + hostileName},
		Verdict:  []string{"Nothing holds."},
		Tables: []Table{
			{ID: "main", Title: "Main table (windows max)", Columns: []string{"Detector", "IID F1", "Hard-benign FPR",
				"Threshold"},
				Groups: [][]Row{
					{row("Beta", cell("Beta", dataset.IID, 0.5), 0.2), row(Printable(hostileName), none, 0.4),
						row("Alpha", cell("Alpha", dataset.IID, 0.95), 0.1), row("Gamma", cell("Gamma", dataset.IID, 0.125), 0.3)},
					{row("Always block", cell("Always block", dataset.IID, 0.7), 1)}},
				Notes: []string{"n/a: " + hostileName}},
			{ID: "confusion", Title: "Counts", Columns: []string{"Detector", "Split", "TP"}, Groups: [][]Row{
				{{label("Beta"), label("test"), cell("Beta", dataset.IID, 3)}},
				{{label("Beta"), label("hard"), cell("Beta", dataset.HardBenign, 0)}}}},
			{ID: "main", Title: "Main table, again", Columns: []string{"Detector"}, Groups: [][]Row{{{label("Beta")}}}},
		},
		Figures: []Picture{{Title: "A figure " + hostileName, Note: "Note.",
			SVG: `<svg width="1000" height="10"><title>x</title></svg>`},
			{Title: "A detail", SVG: "<svg></svg>", Detail: true}},
		Errors: []Table{{ID: "errors", Title: "test: worst", Columns: []string{"Detector", "Row", "Text"}, Left: 3,
			Groups: [][]Row{{
				{label("Beta"), label("1"), label("%s", strings.Repeat("ignore the rules ", 12)+hostileName)},
				{label("Alpha"), label("2"), label("a lighthouse")}}}}},
		Run: []Fact{{"command", "pidsbench report " + hostileName}},
	}
}

func htmlOf(t *testing.T, p Page) string {
	t.Helper()
	var buf bytes.Buffer
	if err := HTML(&buf, p); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestAPageHasTheSameBytesEachTime(t *testing.T) {
	if a, b := htmlOf(t, samplePage()), htmlOf(t, samplePage()); a != b {
		t.Error("two pages of the same content differ")
	}
}

func TestAPageEscapesAllItShows(t *testing.T) {
	page := htmlOf(t, samplePage())
	for _, bad := range []string{"<script>parent", "<img", "<b>scores", "\x1b", "\u202e"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts, want the page's own", n)
	}
	// It must show them all the same.
	if want := "&lt;script&gt;parent.hit=window.hit=1&lt;/script&gt;"; strings.Count(page, want) < 7 {
		t.Errorf("the hostile name shows %d times", strings.Count(page, want))
	}
}

func TestAPageNeedsNothingElse(t *testing.T) {
	page := htmlOf(t, samplePage())
	shown := regexp.MustCompile(`&lt;.*?&gt;`).ReplaceAllString(page, "") // without the hostile name, which is text
	others := regexp.MustCompile(`(?i)\b(src|srcset|action)=["']?[^"' ]|url\(|@import|https?://|` +
		`<(link|base|iframe|object|embed)\b`)
	if found := others.FindAllString(html.UnescapeString(shown), -1); found != nil {
		t.Errorf("the page refers to others: %q", found)
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("no content security policy")
	}
	allowed := html.UnescapeString(policy[1])
	if !strings.Contains(allowed, "default-src 'none'") || strings.Contains(allowed, "unsafe") {
		t.Errorf("policy %s", allowed)
	}
	for _, tag := range []string{"style", "script"} {
		m := regexp.MustCompile(`(?s)<` + tag + `>(.*?)</` + tag + `>`).FindStringSubmatch(page)
		sum := sha256.Sum256([]byte(m[1]))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(allowed,
			want) {
			t.Errorf("the policy %s does not allow the %s of the page", allowed, tag)
		}
	}
}

func TestWarningsStandBeforeTheVerdictAndNumbersBehindIt(t *testing.T) {
	page := htmlOf(t, samplePage())
	last := 0
	for _, part := range []string{"<h1>", `class="warnings"`, `class="verdict"`, `id="tables"`, `id="figures"`,
		`id="errors"`, `id="run"`} {
		at := strings.Index(page, part)
		if at < last {
			t.Errorf("%s stands at %d, before what should come first", part, at)
		}
		last = at
	}
}

func TestAPageWithoutContentHasNoEmptySections(t *testing.T) {
	page := htmlOf(t, Page{Title: "Empty"})
	for _, part := range []string{`class="warnings"`, `class="verdict"`, `id="tables"`, `id="figures"`, `id="errors"`,
		`id="run"`, "<li>"} {
		if strings.Contains(page, part) {
			t.Errorf("the page has %s", part)
		}
	}
	p := samplePage()
	p.Errors = nil
	if page := htmlOf(t, p); strings.Contains(page, "lighthouse") || strings.Contains(page, `id="errors"`) {
		t.Error("the page shows texts that nobody asked for")
	}
}

func TestColumnsOrRowsCarryTheirAxis(t *testing.T) {
	p := samplePage()
	names := newNumbering()
	main, counts, again := newPageTable(p.Tables[0], names), newPageTable(p.Tables[1], names), newPageTable(p.Tables[2],
		names)
	var heads []string
	for _, c := range main.Columns {
		heads = append(heads, c.Axis)
	}
	if want := []string{"", "iid", "hard_benign", ""}; !slices.Equal(heads, want) {
		t.Errorf("axes of the columns %q, want %q", heads, want)
	}
	if counts.Columns[2].Axis != "" || counts.Groups[0][0].Axis != "iid" || counts.Groups[1][0].Axis != "hard_benign" {
		t.Errorf("a table whose rows are of several axes: %+v", counts)
	}
	if main.Groups[0][0].Axis != "" || main.Groups[0][2].Detector != "Alpha" {
		t.Errorf("a table whose columns are of several axes: %+v", main.Groups[0])
	}
	if main.ID != "main" || again.ID != "main-2" || main.Title != "Main table" || main.Context != "windows max" {
		t.Errorf("names %s, %s; title %q, context %q", main.ID, again.ID, main.Title, main.Context)
	}
	detectors, axes := pageChoices([]pageTable{main, counts})
	if diff := cmp.Diff([]string{"iid", "hard_benign"}, axes); diff != "" || len(detectors) != 5 {
		t.Errorf("choices %q, %q", detectors, axes)
	}
}

func TestTheRunRecordNamesHashesSeedsAndThresholds(t *testing.T) {
	r := &results.Results{Edition: "open", ManifestSHA256: "abc", WindowMode: "max", Policies: []string{"val_f1"},
		Run: map[string]string{"pidsbench": "1",
			"command": "pidsbench report"}, Warnings: []string{"seed 7 rests on 3 of 4 val rows"},
		Splits: []results.SplitSummary{{Name: "test", SHA256: "def", Rows: 3, Benign: 1, Injection: 2}, {Name: "x",
			Absent: "it is not here"}},
		Detectors: []results.DetectorSummary{{ID: "d", Name: "D", Seeds: []int{7, 9},
			Tau: map[string]map[string]float64{"val_f1": {"7": 0.25}}, Made: map[string]results.Made{"7": {ConfigHash: "c0",
				Files: []detect.File{{Path: "model.onnx", SHA256: "f0"}}, TrainSHA256: "t0",
				By: []scores.Setup{{Tool: "pidsbench 1", Runtime: "onnxruntime 2", CPU: "amd64"}}}}}, {ID: "e", Name: "E", Unavailable: "no model"}},
		Absent: []string{"x is not here"}}
	p := NewPage(r, nil)
	want := []Fact{{"command", "pidsbench report"}, {"pidsbench", "1"}, {"edition", "open"}, {"manifest SHA-256",
		"abc"}, {"windows", "max"},
		{"threshold policies", "val_f1"}, {"split test", "3 rows (1 benign, 2 injection), SHA-256 def"}, {"split x",
			"n/a: it is not here"},
		{"detector d", "seeds 7, 9; val_f1 τ 0.25"}, {"scores of d seed 7", "by pidsbench 1, onnxruntime 2 on amd64; " +
			"configuration c0; model.onnx f0; fitted on t0"}}
	if diff := cmp.Diff(want, p.Run); diff != "" {
		t.Error(diff)
	}
	if len(p.Warnings) != 3 || !strings.HasPrefix(p.Warnings[0], "Incomplete") || !strings.Contains(p.Warnings[2],
		"E was not run") {
		t.Errorf("warnings %q", p.Warnings)
	}
}
