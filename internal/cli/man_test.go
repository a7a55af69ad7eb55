package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryCommandHasAManualPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	stdout, _, code := inside(t, State{}, nil, "man", dir)
	if code != 0 || !strings.HasSuffix(stdout, "pages in "+dir+"\n") {
		t.Fatalf("exit status %d, stdout %q", code, stdout)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("groff is not here: the pages are not set")
	}
	for path, c := range commands() {
		page := filepath.Join(dir, strings.ReplaceAll(path, " ", "-")+".1")
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{".SH NAME\n", ".SH SYNOPSIS\n", ".SH EXAMPLES\n", roff(c.Short)} {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s: the page lacks %q", path, want)
			}
		}
		if groff != "" {
			out, err := exec.Command(groff, "-K", "utf8", "-man", "-T", "utf8", "-ww", "-z", page).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s", path, err, out)
			}
		}
	}
	first, err := os.ReadFile(filepath.Join(dir, "pidsbench-eval.1"))
	if err != nil {
		t.Fatal(err)
	}
	inside(t, State{}, nil, "man", dir)
	if again, err := os.ReadFile(filepath.Join(dir, "pidsbench-eval.1")); err != nil || string(again) != string(first) {
		t.Error("a second run writes other bytes")
	}
}

func TestManualPagesTakeTextForText(t *testing.T) {
	if got, want := roff(".dot\n'quote \\ -x"), "\\&.dot\n\\&'quote \\e \\-x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var b strings.Builder
	manText(&b, "One\nparagraph.\n\nA list:\n  a   b\n  c   d\n\nThe end.")
	if got, want := b.String(), "One\nparagraph.\n.PP\n.nf\nA list:\n  a   b\n  c   d\n.fi\n.PP\nThe end.\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
