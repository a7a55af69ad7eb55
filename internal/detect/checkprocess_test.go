package detect

import (
	"strings"
	"testing"

	"pidsbench/internal/fault"
)

// program is a detectors file with one detector of kind process and every field of its section.
const program = `detectors:
  - id: mine
    kind: process
    seeds: [1, 2]
    process:
      command: [python3, mine.py, "{seed}"]
      files: [mine, words.txt]
      env: {MODE: strict}
      pass_env: [HF_TOKEN]
      version: "1.2"
      ready: true
      start_timeout: 300
      timeout: 0.5
      processes: 2
      in_flight: 8
`

func TestAProgramsSectionLoads(t *testing.T) {
	c, err := parse(program)
	if err != nil {
		t.Fatal(err)
	}
	p := c.Detectors[0].Process
	if p.Command[2] != "{seed}" || p.Env["MODE"] != "strict" || p.PassEnv[0] != "HF_TOKEN" || !p.Ready || p.Timeout != 0.5 || p.InFlight != 8 {
		t.Errorf("%+v", p)
	}
}

func TestAProgramsSectionRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no section": {program[strings.Index(program, "    process:"):], "",
			"d.yaml:2: field process is missing, expected a section with the command; add it"},
		"section of another kind": {"kind: process", "kind: rule",
			"d.yaml:5: field process holds a section, expected none for the kind rule; correct it"},
		"no command": {`[python3, mine.py, "{seed}"]`, "[]",
			"d.yaml:6: field process.command holds no program, expected a list: the program, then its arguments; correct it"},
		"command as a text": {`[python3, mine.py, "{seed}"]`, "python3 mine.py",
			`d.yaml:6: field command holds "python3 mine.py", expected a list; correct it`},
		"file outside": {"words.txt", "../words.txt", `d.yaml:7: field process.files holds "../words.txt", expected paths ` +
			"inside the project with slashes; correct it"},
		"variable with =": {"{MODE: strict}", `{"A=B": strict}`,
			`d.yaml:8: field process.env holds "A=B", expected names without = and values without NUL; correct it`},
		"variable with its value": {"[HF_TOKEN]", `["HF_TOKEN=hf_x"]`, "d.yaml:9: field process.pass_env holds something else, " +
			"expected names of environment variables, not their values; correct it"},
		"no number": {"0.5", ".nan", "d.yaml:13: field process.timeout holds NaN, expected seconds, more than 0 and at most " +
			"86400; correct it"},
		"time below 0": {"300", "-1", "d.yaml:12: field process.start_timeout holds -1, expected seconds, more than 0 and at " +
			"most 86400; correct it"},
		"too many": {"processes: 2", "processes: 5000",
			"d.yaml:14: field process.processes holds 5000, expected 1 to 1024; correct it"},
		"texts below 0": {"in_flight: 8", "in_flight: -8",
			"d.yaml:15: field process.in_flight holds -8, expected 1 to 1024; correct it"},
	} {
		t.Run(name, func(t *testing.T) {
			data := strings.Replace(program, c.old, c.new, 1)
			if data == program {
				t.Fatal("the case changes nothing")
			}
			_, err := parse(data)
			if err == nil || err.Error() != c.want || fault.ExitCode(err) != int(fault.Usage) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}
