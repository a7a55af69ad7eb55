package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}

func TestScoresBelongToTheFilesTheyDependOn(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	for _, name := range []string{"run.sh", "sub/a.json", "lib/x.py", "lib/deep/y.py", "lib/__pycache__/x.pyc", "lib/z.pyc",
		"lib/.git/HEAD", "models/m-7/weights", "models/m-7/model.lock.json", "other.txt", "sh"} {
		put(t, root, name, name)
	}
	put(t, elsewhere, "words.txt", "words")
	words := filepath.Join(elsewhere, "words.txt")
	e := detect.Entry{ID: "mine", Kind: "process", Model: "models/m-{seed}", Process: &detect.Process{
		Command: []string{"sh", "./run.sh", "sub/a.json", "--seed", "{seed}", "lib", words, filepath.Join(root, "sub", "a.json")},
		Files:   []string{"lib", "run.sh"},
	}}
	describe := func() map[string]string {
		t.Helper()
		info, err := Describe(root, e, 7)
		if err != nil {
			t.Fatal(err)
		}
		sums := map[string]string{}
		for i, f := range info.Files {
			if i > 0 && info.Files[i-1].Path >= f.Path {
				t.Errorf("%s stands before %s", info.Files[i-1].Path, f.Path)
			}
			sums[f.Path] = f.SHA256
		}
		return sums
	}
	before := describe()
	want := []string{"run.sh", "sub/a.json", "lib/x.py", "lib/deep/y.py", "models/m-7/weights", words}
	for _, name := range want {
		if before[name] == "" {
			t.Errorf("%s is not among the files: %v", name, before)
		}
	}
	if len(before) != len(want) {
		t.Errorf("files are %v, want %v", before, want)
	}
	put(t, root, "lib/__pycache__/x.pyc", "changed")
	put(t, root, "other.txt", "changed")
	if diff := cmp.Diff(before, describe()); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
	put(t, root, "lib/deep/y.py", "changed")
	after := describe()
	if after["lib/deep/y.py"] == before["lib/deep/y.py"] {
		t.Error("an edited file has the same hash")
	}
}

func TestWhatIsMissingMakesTheDetectorUnavailable(t *testing.T) {
	root := t.TempDir()
	put(t, root, "run.sh", "")
	put(t, root, "data.txt", "")
	put(t, root, "folder/x", "")
	put(t, root, "stale", "#!/opt/gone/bin/python3\n")
	put(t, root, "stale-env", "#!/usr/bin/env no-such-python\n")
	put(t, root, "windows.sh", "#!/bin/sh\r\necho\r\n")
	if err := os.Chmod(filepath.Join(root, "data.txt"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		p   detect.Process
		say string
	}{
		"program": {detect.Process{Command: []string{"no-such-program-anywhere"}},
			"its program no-such-program-anywhere is in no folder of PATH; install it, or give its path in process.command"},
		"program without ./": {detect.Process{Command: []string{"run.sh"}}, "its program run.sh is in no folder of PATH, though a " +
			"file of that name is in the project's folder; write ./run.sh in process.command"},
		"command in one text": {detect.Process{Command: []string{"python3 mine.py"}}, "its program python3 mine.py is not here: " +
			"process.command holds it and its arguments as one text; write the command as a list with an item for each " +
			"argument: [python3, mine.py]"},
		"script": {detect.Process{Command: []string{"./other.sh"}}, "its program ./other.sh is not here: it was looked up from the " +
			"project's folder, " + root + "; correct process.command: paths in it are relative to that folder"},
		"absolute path": {detect.Process{Command: []string{"/opt/gone/other.sh"}},
			"its program /opt/gone/other.sh is not here; install it, or correct process.command"},
		"folder": {detect.Process{Command: []string{"./folder"}},
			"its program ./folder is a folder; name a program in process.command"},
		"not executable": {detect.Process{Command: []string{"./data.txt"}}, "its program ./data.txt may not be executed; run " +
			"chmod +x on it, or put its interpreter before it in process.command"},
		"no interpreter": {detect.Process{Command: []string{"./stale"}}, "the interpreter /opt/gone/bin/python3, which the #! line " +
			"of its program ./stale names, is not here; install that, or correct the line"},
		"no interpreter by env": {detect.Process{Command: []string{"./stale-env"}},
			"the interpreter no-such-python, which the #! line of its program ./stale-env names, is not here"},
		"line ends": {detect.Process{Command: []string{"./windows.sh"}},
			"the #! line of its program ./windows.sh ends with a carriage return"},
		"declared file": {detect.Process{Command: []string{"./run.sh"}, Files: []string{"a\x1b.bin"}}, `its file "a\x1b.bin" is not here`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Describe(root, detect.Entry{ID: "mine", Kind: "process", Process: &c.p}, 0)
			if fault.ExitCode(err) != int(fault.Incomplete) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got  %v\nwant %s", err, c.say)
			}
			if _, again := Open(root, detect.Entry{ID: "mine", Kind: "process", Process: &c.p}, 0, t.Logf); again == nil ||
				again.Error() != err.Error() {
				t.Errorf("Open = %v", again)
			}
		})
	}
}

func TestTheIdentityHoldsWhatChangesScores(t *testing.T) {
	base := detect.Entry{ID: "mine", Kind: "process", Process: &detect.Process{Command: []string{"sh"}}}
	for name, c := range map[string]struct {
		edit  func(*detect.Process)
		other bool
	}{
		"command":          {func(p *detect.Process) { p.Command = []string{"sh", "-x"} }, true},
		"env":              {func(p *detect.Process) { p.Env = map[string]string{"A": "1"} }, true},
		"version":          {func(p *detect.Process) { p.Version = "2" }, true},
		"passed variables": {func(p *detect.Process) { p.PassEnv = []string{"HF_TOKEN"} }, false},
		"timeout":          {func(p *detect.Process) { p.Timeout, p.StartTimeout = 7, 8 }, false},
		"processes":        {func(p *detect.Process) { p.Processes, p.InFlight, p.Ready = 2, 3, true }, false},
	} {
		p := *base.Process
		c.edit(&p)
		e := base
		e.Process = &p
		if got := e.Hash() != base.Hash(); got != c.other {
			t.Errorf("%s: another hash is %v, want %v", name, got, c.other)
		}
	}
}
