package detect

import (
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// onHub is a detectors file with a model of a hub; the pull section begins in line 5.
const onHub = `detectors:
  - id: guard
    kind: onnx
    model: models/.pulled/guard
    pull:
      registry: hub
      repo: owner/guard
      revision: e6535ca4ce3ba852083e75ec585d7c8aeb4be4c5
      gated: true
      path: onnx
      files:
        model.onnx: 3d4a1ba798c395c140202992c50e6c8de02fb1b9bd5aba6540848705b9c1e92c
        tokenizer.json: ""
`

func TestAHubModelIsTakenAsWritten(t *testing.T) {
	c, err := parse(onHub + "  - {id: twin, kind: onnx, model: models/.pulled/guard}\n")
	if err != nil {
		t.Fatal(err)
	}
	e, twin := &c.Detectors[0], &c.Detectors[1]
	if p := e.Pull; p.From() != Hub || !p.Gated || p.Checkpoint() || p.String() != "owner/guard at commit e6535ca4ce3b" {
		t.Errorf("got %+v", p)
	}
	if e.PulledBy() != "guard" || twin.PulledBy() != "guard" {
		t.Errorf("pulled by %q and %q", e.PulledBy(), twin.PulledBy())
	}
	for _, e := range []Entry{{Model: "models/mine"}, {Model: "models/.pulled/a/b"}, {}} {
		if by := e.PulledBy(); by != "" {
			t.Errorf("%q is pulled by %q", e.Model, by)
		}
	}
}

func TestACheckpointHoldsNoONNX(t *testing.T) {
	weights := map[string]string{"model.safetensors": "", "config.json": ""}
	for _, tt := range []struct {
		p    Pull
		want bool
	}{
		{Pull{Registry: Hub, Files: weights}, true},
		{Pull{Registry: Hub, Files: weights, Convert: "x"}, false},
		{Pull{Registry: Hub, Files: map[string]string{"onnx/model.onnx": "", "config.json": ""}}, false},
		{Pull{Files: weights}, false},
	} {
		if got := tt.p.Checkpoint(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.p, got, tt.want)
		}
	}
}

func TestMistakesInAPullSectionNameTheLine(t *testing.T) {
	const correct = "; correct it"
	for _, tt := range []struct{ name, in, old, new, want string }{
		{"registry", onHub, "registry: hub", "registry: ftp",
			`d.yaml:6: field pull.registry holds "ftp", expected pip, npm, hub`},
		{"package on a hub", onHub, "gated: true", "package: guard",
			`d.yaml:9: field pull.package holds "guard", expected none for the registry hub`},
		{"repository of pip", entry, "path: guard/models", "repo: a/b",
			`d.yaml:20: field pull.repo holds "a/b", expected none for the registry pip`},
		{"no repository", onHub, "      repo: owner/guard\n", "",
			`d.yaml:5: field pull.repo is missing, expected a value, for the registry hub needs it`},
		{"no version", entry, "      version: 0.9.4\n", "",
			`d.yaml:16: field pull.version is missing, expected a value, for the registry pip needs it`},
		{"repository", onHub, "owner/guard\n", "owner/../guard\n",
			`d.yaml:7: field pull.repo holds "owner/../guard", expected owner/name as the hub spells it`},
		{"branch", onHub, "e6535ca4ce3ba852083e75ec585d7c8aeb4be4c5", "main",
			`d.yaml:8: field pull.revision holds "main", expected a commit of 40 lower-case hexadecimal digits: a branch ` +
				"moves"},
		{"gated package", entry, "path: guard/models", "gated: true",
			"d.yaml:20: field pull.gated holds true, expected it with the registry hub alone"},
		{"package hash", entry, "sha256: 97c2", "sha256: X7c2",
			`d.yaml:19: field pull.sha256 holds "X7c206d989fd7e938bb8fd3cae80bcbf3350ef2a"…, expected 64 lower-case ` +
				"hexadecimal digits"},
		{"no hash of a package's file", entry, "3d4a1ba798c395c140202992c50e6c8de02fb1b9bd5aba6540848705b9c1e92c", `""`,
			`d.yaml:22: field pull.files holds "" for "model.onnx", expected 64 lower-case hexadecimal digits`},
		{"half a hash", onHub, "3d4a1ba798c395c140202992c50e6c8de02fb1b9bd5aba6540848705b9c1e92c", "3d4a1ba798c3",
			`d.yaml:12: field pull.files holds "3d4a1ba798c3" for "model.onnx", expected 64 lower-case hexadecimal digits`},
		{"no files", onHub, onHub[strings.Index(onHub, "files:"):], "files: {}\n",
			"d.yaml:11: field pull.files holds nothing, expected each file with its SHA-256"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := strings.Replace(tt.in, tt.old, tt.new, 1)
			if data == tt.in {
				t.Fatal("the case changes nothing")
			}
			_, err := parse(data)
			want := tt.want + correct
			if strings.Contains(want, " is missing") {
				want = tt.want + "; add it"
			}
			if err == nil || err.Error() != want || fault.ExitCode(err) != int(fault.Usage) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	_, err := parse("detectors:\n  - {id: twin, kind: onnx, model: models/.pulled/guard}\n" + strings.TrimPrefix(
		strings.ReplaceAll(onHub, "guard", "other"), "detectors:\n"))
	testenv.WantFault(t, err, fault.Usage, `d.yaml:2: field model holds "models/.pulled/guard", expected the folder of `+
		"an entry that has a pull section")
}

func TestEntriesThatNoFileWasReadForAreChecked(t *testing.T) {
	c, err := parse(onHub)
	if err != nil {
		t.Fatal(err)
	}
	e := c.Detectors[0]
	if err := e.CheckPull(); err != nil {
		t.Error(err)
	}
	e.Pull.Files = map[string]string{"../x": ""}
	testenv.WantFault(t, e.CheckPull(), fault.Usage, `detector "guard": field pull.files holds "../x"`)
}
