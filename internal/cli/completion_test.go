package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestShellsCompleteWhatFlagsAndArgumentsMayHold(t *testing.T) {
	for name, c := range map[string]struct {
		args      []string
		want, not []string
		directive string // 4: no files, 0: files too, 16: folders alone
	}{
		"commands":        {[]string{"ev"}, []string{"eval"}, []string{"report"}, ":4"},
		"detectors":       {[]string{"eval", "--detector", "deberta-hn-"}, []string{"deberta-hn-ordinary", "deberta-hn-thirdparty"}, []string{"tfidf"}, ":4"},
		"a list":          {[]string{"eval", "--detector", "tfidf,ru"}, []string{"tfidf,rule"}, []string{"rule", "tfidf,tfidf"}, ":4"},
		"all of them":     {[]string{"report", "--detector", ""}, []string{"rule", "all"}, nil, ":4"},
		"one alone":       {[]string{"scan", "--detector", ""}, []string{"rule"}, []string{"all"}, ":4"},
		"tables":          {[]string{"report", "--tables", "o"}, []string{"operating", "overdefense"}, nil, ":4"},
		"policies":        {[]string{"eval", "--threshold", "val_"}, []string{"val_f1", "val_fpr:0.01"}, []string{"native"}, ":4"},
		"editions":        {[]string{"verify", "--edition", ""}, []string{"open", "v3"}, nil, ":0"},
		"formats":         {[]string{"eval", "--format", ""}, []string{"table", "html"}, []string{"junit"}, ":4"},
		"two formats":     {[]string{"detectors", "list", "--format", ""}, []string{"table", "json"}, []string{"csv"}, ":4"},
		"windows":         {[]string{"score", "--windows", "t"}, []string{"truncate"}, []string{"max"}, ":4"},
		"splits":          {[]string{"score", "--split", "hard_benign"}, []string{"hard_benign_test"}, nil, ":4"},
		"seeds":           {[]string{"eval", "--detector", "deberta", "--seeds", ""}, []string{"42", "7777", "all"}, nil, ":4"},
		"shown detector":  {[]string{"detectors", "show", "deb"}, []string{"deberta"}, []string{"tfidf"}, ":4"},
		"no second one":   {[]string{"detectors", "show", "deberta", ""}, nil, []string{"tfidf"}, ":4"},
		"compared":        {[]string{"compare", "deberta", "t"}, []string{"tfidf"}, nil, ":4"},
		"pulled":          {[]string{"models", "pull", ""}, []string{"stackone-defender"}, []string{"tfidf"}, ":4"},
		"files":           {[]string{"data", "classify", ""}, nil, nil, ":0"},
		"files of a flag": {[]string{"eval", "--data", ""}, nil, nil, ":0"},
		"folders":         {[]string{"init", ""}, nil, nil, ":16"},
		"no files":        {[]string{"doctor", ""}, nil, nil, ":4"},
		"hostile":         {[]string{"eval", "--detector", "\x1b[2J"}, nil, []string{"rule"}, ":4"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, _, code := inside(t, State{}, nil, append([]string{"__complete"}, c.args...)...)
			if code != 0 {
				t.Fatalf("exit status %d", code)
			}
			lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
			if got := lines[len(lines)-1]; got != c.directive {
				t.Errorf("directive %s, want %s", got, c.directive)
			}
			var words []string
			for _, l := range lines[:len(lines)-1] {
				word, _, _ := strings.Cut(l, "\t")
				words = append(words, word)
			}
			for _, w := range c.want {
				if !slices.Contains(words, w) {
					t.Errorf("%s is missing among %v", w, words)
				}
			}
			for _, w := range c.not {
				if slices.Contains(words, w) {
					t.Errorf("%s is offered", w)
				}
			}
		})
	}
}

func TestCompletionWithoutAProjectOffersNothing(t *testing.T) {
	dir := t.TempDir()
	stdout, _, code := inside(t, State{Dir: dir}, map[string]string{"PIDSBENCH_ROOT": dir}, "__complete", "eval", "--detector", "")
	if code != 0 || stdout != ":4\n" {
		t.Errorf("exit status %d, stdout %q", code, stdout)
	}
}

func TestEveryShellHasItsScript(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if stdout, _, code := inside(t, State{}, nil, "completion", shell); code != 0 || !strings.Contains(stdout, "__complete") {
			t.Errorf("%s: exit status %d, %d bytes", shell, code, len(stdout))
		}
	}
	if _, stderr, code := inside(t, State{}, nil, "completion", "bsh"); code != 2 || !strings.Contains(stderr, "did you mean bash?") {
		t.Errorf("exit status %d, stderr %q", code, stderr)
	}
}
