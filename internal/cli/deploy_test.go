package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"pidsbench/internal/testenv"
)

// TestTheWorkflowFilesCallCommandsThatExist parses the files for GitHub and GitLab, finds every call of pidsbench in their
// shell lines and parses its flags.
func TestTheWorkflowFilesCallCommandsThatExist(t *testing.T) {
	for _, name := range []string{"github-actions.yml", "gitlab-ci.yml"} {
		data, err := os.ReadFile(filepath.Join(testenv.Root(t), "deploy", "ci", name))
		if err != nil {
			t.Fatal(err)
		}
		var file any
		if err := yaml.Unmarshal(data, &file); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var called []string
		for _, line := range shellLines(file) {
			for _, call := range calls(line) {
				called = append(called, callName(t, name, call))
			}
		}
		if want := []string{"verify", "data build", "eval", "gate"}; !slices.Equal(called, want) {
			t.Errorf("%s calls %q, want %q", name, called, want)
		}
		for _, report := range []string{"gate.xml", "gate.sarif", "gate.md"} {
			if strings.Count(string(data), report) < 2 {
				t.Errorf("%s writes %s and does nothing with it", name, report)
			}
		}
	}
}

// shellLines returns the lines of all run and script entries, in the order of the file.
func shellLines(node any) []string {
	var lines []string
	switch n := node.(type) {
	case map[string]any:
		for _, key := range []string{"before_script", "script", "run"} {
			for _, text := range texts(n[key]) {
				lines = append(lines, strings.Split(text, "\n")...)
			}
		}
		for _, key := range []string{"jobs", "gate", "pidsbench", "steps"} {
			lines = append(lines, shellLines(n[key])...)
		}
	case []any:
		for _, item := range n {
			lines = append(lines, shellLines(item)...)
		}
	}
	return lines
}

func texts(node any) (found []string) {
	switch n := node.(type) {
	case string:
		found = append(found, n)
	case []any:
		for _, item := range n {
			found = append(found, texts(item)...)
		}
	}
	return found
}

var call = regexp.MustCompile(`(?:^|\|\| )pidsbench ([^|;&]*)`)

// calls returns the arguments of each call of pidsbench in a line.
func calls(line string) (found [][]string) {
	for _, m := range call.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
		found = append(found, strings.Fields(strings.ReplaceAll(m[1], `"`, "")))
	}
	return found
}

// callName returns the command that is called, and fails the test when it or one of its flags does not exist.
func callName(t *testing.T, file string, args []string) string {
	t.Helper()
	root := newRootCmd(&State{})
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.Runnable() {
		t.Errorf("%s calls %q: %v", file, args, err)
		return ""
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("%s calls %q: %v", file, args, err)
	}
	return strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
}

// TestTheWorkflowPinsItsActions: a tag can be moved to other code, a commit cannot.
func TestTheWorkflowPinsItsActions(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(testenv.Root(t), "deploy", "ci", "github-actions.yml"))
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`uses: [a-z-]+/[a-z/-]+@[0-9a-f]{40} # v[0-9.]+\n`)
	if uses, pins := strings.Count(string(data), "uses: "), len(pinned.FindAll(data, -1)); uses == 0 || uses != pins {
		t.Errorf("%d of %d actions are pinned by commit", pins, uses)
	}
}
