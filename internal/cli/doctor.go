package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"pidsbench/internal/detect/onnx"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
)

func newDoctorCmd(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show native libraries, models and data: what works, what does not, and the cure",
		Long: `Checks everything an evaluation needs and prints one line each, with the cure where something is wrong. Any problem
ends with exit status 1.`,
		Example: "  pidsbench doctor",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(st, cmd) },
	}
}

// checkup prints findings and counts what is wrong.
type checkup struct {
	st  *State
	bad int
}

func (c *checkup) ok(what, format string, args ...any) {
	fmt.Fprintf(c.st.Stdout, "ok   %-18s %s\n", what, fmt.Sprintf(format, args...))
}

func (c *checkup) wrong(what string, err error) {
	c.bad++
	fmt.Fprintf(c.st.Stdout, "bad  %-18s %s\n", what, printableLines(err.Error()))
}

func (c *checkup) absent(what, format string, args ...any) {
	fmt.Fprintf(c.st.Stdout, "--   %-18s %s\n", what, fmt.Sprintf(format, args...))
}

func runDoctor(st *State, cmd *cobra.Command) error {
	c := &checkup{st: st}
	c.ok("pidsbench", "%s, %s, %s/%s, %d cores", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	p, err := openProject(st, cmd)
	if err != nil {
		c.wrong("project", err)
		c.native()
		return c.end()
	}
	c.ok("project", "%s", p.root)
	if p.own != "" {
		c.ok("own detectors", "%s", filepath.Join(p.own, ownFile))
	}
	c.native()
	c.data(p)
	c.models(p)
	return c.end()
}

// native looks at the parts that are not Go.
func (c *checkup) native() {
	if v, err := onnx.TokenizersVersion(); err != nil {
		c.wrong("tokenizers", err)
	} else {
		c.ok("tokenizers", "%s, built in", v)
	}
	if v, err := onnx.RuntimeVersion(); err != nil {
		c.wrong("ONNX Runtime", err)
	} else if path, err := onnx.LibraryPath(); err != nil {
		c.wrong("ONNX Runtime", err)
	} else {
		c.ok("ONNX Runtime", "%s, %s", v, path)
	}
}

func (c *checkup) end() error {
	if c.bad > 0 {
		return fault.New(fault.Failed, "%d of the checks failed", c.bad).WithCure("mend what is marked bad above")
	}
	return nil
}

func (c *checkup) data(p *project) {
	e, err := p.benchmark.Edition("open")
	if err != nil {
		c.wrong("data", err)
		return
	}
	m, err := p.loadManifest(e)
	if err != nil {
		c.wrong("data", err)
		return
	}
	report, err := manifest.Verify(m, p.path(e.Dir))
	if err != nil {
		c.wrong("data", withBuildCure(e, p.path(e.Dir), err))
		return
	}
	c.ok("data", "edition %s, %d files as frozen, manifest %.12s", e.ID, len(report.Results), m.Hash())
}

func (c *checkup) models(p *project) {
	for _, f := range p.modelFolders() {
		lock, err := verifyModel(f.entry, f.dir)
		var absent *unavailableError
		switch {
		case err == nil && lock == nil:
			c.absent("model", "%s: %s has no lock to check it against", f.entry.ID, f.name)
		case err == nil:
			c.ok("model", "%s: %s as locked", f.entry.ID, f.name)
		case errors.As(err, &absent):
			c.absent("model", "%s: %v", f.entry.ID, err)
		default:
			c.wrong("model", err)
		}
	}
}
