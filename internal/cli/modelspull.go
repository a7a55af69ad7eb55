package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"pidsbench/internal/detect"
	"pidsbench/internal/hub"
	"pidsbench/internal/models"
	"pidsbench/internal/render"
)

func runModelsPull(st *State, cmd *cobra.Command, ids []string) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return p.listPulls(st)
	}
	var entries []detect.Entry // all ids are looked at before the first is pulled
	for _, id := range ids {
		e, err := p.entry(id)
		if err != nil {
			return err
		}
		if by := e.PulledBy(); by != "" && by != e.ID {
			st.note("%s shares the folder of %s", e.ID, by)
			if e, err = p.entry(by); err != nil {
				return err
			}
		}
		entries = append(entries, e)
	}
	for _, e := range entries {
		if err := models.Pull(cmd.Context(), e.Home(p.root), e, pullOptions(st)); err != nil {
			return err
		}
	}
	return nil
}

func pullOptions(st *State) models.Options {
	o := models.Options{Log: st.logf, Hub: hub.Options{
		Endpoint: st.Getenv(hub.EndpointVar), Token: st.Getenv(hub.TokenVar),
	}}
	if st.StderrTTY && !st.Quiet {
		o.Hub.Progress = (&downloads{st: st}).update
	}
	return o
}

// downloads draws a bar for the file that comes from a hub, when its length is known.
type downloads struct {
	st   *State
	path string
	bar  *progressbar.ProgressBar
}

func (d *downloads) update(path string, done, total int64) {
	if total <= 0 {
		return
	}
	if d.bar == nil || d.path != path {
		d.path = path
		d.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(d.st.Stderr), progressbar.OptionShowBytes(true),
			progressbar.OptionSetPredictTime(true), progressbar.OptionSetDescription(render.Printable(path)),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth())
	}
	d.bar.Set64(done) //nolint:errcheck // a bar that cannot be drawn stops nothing
}

// listPulls prints what can be pulled, a line each.
func (p *project) listPulls(st *State) error {
	w := render.NewTabs(st.Stdout)
	fmt.Fprintln(w, "ID\tFROM\tLICENCE\tHERE\tNOTE")
	for _, e := range p.detectors.Detectors {
		if e.Pull == nil {
			continue
		}
		here := "no"
		lock := filepath.Join(e.Path(p.root, detect.PulledFolder), e.ID, models.LockName)
		if _, err := os.Stat(lock); err == nil {
			here = "yes"
		}
		fmt.Fprintf(w, "%s\t%s %s\t%s\t%s\t%s\n", e.ID, e.Pull.From(), render.Printable(e.Pull.String()),
			render.Printable(orDash(e.Licence)), here, orDash(pullNote(e.Pull)))
	}
	return w.Flush()
}

func pullNote(p *detect.Pull) string {
	switch {
	case p.Gated && p.Checkpoint():
		return "gated, to be exported"
	case p.Gated:
		return "gated"
	case p.Checkpoint():
		return "to be exported"
	}
	return ""
}
