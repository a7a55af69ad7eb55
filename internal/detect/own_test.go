package detect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// load reads a file of detectors that holds the text.
func load(t *testing.T, name, text string) *Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOwnDetectorsStandBehindThoseOfTheProject(t *testing.T) {
	c := load(t, "detectors.yaml", "detectors:\n  - {id: theirs, kind: rule}\n")
	own := load(t, "pidsbench.yaml", "detectors:\n  - {id: mine, kind: onnx, model: models/mine}\n")
	if err := c.Add(own, "/home/of/mine"); err != nil {
		t.Fatal(err)
	}
	if len(c.Detectors) != 2 || c.Detectors[0].ID != "theirs" || c.Detectors[1].ID != "mine" {
		t.Fatalf("the detectors are %v", c.Detectors)
	}
	for i, want := range []string{"/project/models/mine", "/home/of/mine/models/mine"} {
		if got := filepath.ToSlash(c.Detectors[i].Path("/project", "models/mine")); got != want {
			t.Errorf("%s: the path is %s, want %s", c.Detectors[i].ID, got, want)
		}
	}
	if c.Detectors[1].Hash() != own.Detectors[0].Hash() {
		t.Error("the folder changes what scores are of")
	}
}

func TestAnOwnDetectorNeedsAnIDOfItsOwn(t *testing.T) {
	c := load(t, "detectors.yaml", "detectors:\n  - {id: same, kind: rule}\n")
	own := load(t, "pidsbench.yaml", "detectors:\n  - {id: mine, kind: rule}\n  - {id: same, kind: rule}\n")
	err := c.Add(own, "/home")
	if err == nil || !strings.Contains(err.Error(), `pidsbench.yaml:3: the detector id "same" is that of one that pidsbench comes with`) {
		t.Errorf("the error is %v", err)
	}
}
