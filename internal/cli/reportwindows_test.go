package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/dataset"
	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
	"pidsbench/internal/scores"
	"pidsbench/internal/testenv"
)

func TestTheOtherWindowModeIsReadWhereItIsScored(t *testing.T) {
	p, st := smallProject(t, "  - {id: guard, kind: onnx, model: \"models/guard-s{seed}\", seeds: [1, 2], "+
		"positive: [injection], max_length: 16}\n"+
		"  - {id: unscored, kind: onnx, model: models/other, positive: [injection], max_length: 16}\n"+
		"  - {id: rule, kind: rule}\n", smallEdition())
	f, err := p.openFrame(st, &dataOptions{edition: "open"})
	if err != nil {
		t.Fatal(err)
	}
	var chosen []selected
	for _, e := range p.detectors.Detectors {
		s, err := selectSeeds(e, []string{"all"}, true)
		if err != nil {
			t.Fatal(err)
		}
		chosen = append(chosen, s)
	}
	dir := t.TempDir()
	for _, mode := range []engine.Mode{engine.Max, engine.Truncate} {
		for _, seed := range []int{1, 2} {
			put(t, dir, f, chosen[0], seed, mode)
		}
	}
	for _, tt := range []struct {
		windows   string
		truncated bool // in the other mode
		command   string
	}{{"max", true, "`pidsbench score --detector guard --seeds 1,2 --windows truncate`"},
		{"truncate", false, "`pidsbench score --detector guard --seeds 1,2 --windows max`"}} {
		got, err := f.other([]string{dir}, chosen, tt.windows, "")
		if err != nil {
			t.Fatal(err)
		}
		seed := got[0].Seeds[1]
		if o := seed.Outcomes["test"]; len(o) != 2 || o[0].Truncated != tt.truncated {
			t.Errorf("beside %s the outcomes are %+v", tt.windows, o)
		}
		if why := seed.Missing["hard_benign_test"]; !strings.HasSuffix(why, "run "+tt.command) {
			t.Errorf("beside %s a split without scores says %q", tt.windows, why)
		}
		if why := got[1].Unavailable; !strings.Contains(why, "run `pidsbench score --detector unscored --windows ") {
			t.Errorf("beside %s a detector without scores says %q", tt.windows, why)
		}
		if why := got[2].Unavailable; !strings.HasPrefix(why, "it has no windows") {
			t.Errorf("beside %s a rule says %q", tt.windows, why)
		}
	}
}

// put writes the scores of the split test.
func put(t *testing.T, dir string, f *frame, s selected, seed int, mode engine.Mode) {
	t.Helper()
	var test *dataset.Split
	for _, split := range f.here() {
		if split.Spec.Name == "test" {
			test = split.Data
		}
	}
	h := scores.Header{Identity: f.identity("open", test, s.entry, seed, string(mode))}
	h.MaxLength = 16
	head, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	scored, windows := 20, 2
	if mode == engine.Truncate {
		scored, windows = 14, 1
	}
	text := string(head) + "\n" +
		fmt.Sprintf(`{"row":0,"score":0.5,"windows":%d,"tokens":20,"tokens_scored":%d}`, windows, scored) + "\n" +
		`{"row":1,"score":0.5,"windows":1,"tokens":5,"tokens_scored":5}` + "\n"
	path := scores.Path(dir, h)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestEvalRefusesTheTableOfBothWindowModes(t *testing.T) {
	p, st := smallProject(t, "  - {id: rule, kind: rule}\n", smallEdition())
	cmd := newRootCmd(st)
	cmd.SetArgs([]string{"eval", "--root", p.path(""), "--detector", "rule", "--tables", "windows"})
	testenv.WantFault(t, cmd.Execute(), fault.Usage, "eval scores one of them", "then `pidsbench report`")
}
