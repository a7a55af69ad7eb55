package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// ownFile holds the detectors of a user, beside those of the project: `pidsbench init` writes one.
const ownFile = "pidsbench.yaml"

// project is the folder that holds configs, data and models, with its configuration read.
type project struct {
	root      string // absolute
	own       string // the folder with detectors of the user's own, absolute; empty for none
	benchmark *dataset.Benchmark
	detectors *detect.Config
}

// openProject finds the project's folder and reads its configuration.
func openProject(st *State, cmd *cobra.Command) (*project, error) {
	flag, _ := cmd.Flags().GetString("root")
	root, err := findRoot(st, flag)
	if err != nil {
		return nil, err
	}
	if flag != "" { // the native library is looked for there too
		if err := os.Setenv("PIDSBENCH_ROOT", root); err != nil {
			return nil, err
		}
	}
	benchmark, err := dataset.LoadBenchmark(filepath.Join(root, "configs", "benchmark.yaml"))
	if err != nil {
		return nil, err
	}
	detectors, err := detect.LoadConfig(filepath.Join(root, "configs", "detectors.yaml"))
	if err != nil {
		return nil, err
	}
	p := &project{root: root, own: ownFolder(st.Dir), benchmark: benchmark, detectors: detectors}
	if p.own == "" {
		return p, nil
	}
	own, err := detect.LoadConfig(filepath.Join(p.own, ownFile))
	if err != nil {
		return nil, err
	}
	return p, detectors.Add(own, p.own)
}

// ownFolder returns the first folder with a file of the user's own detectors, from a folder upwards to a project's, or "".
func ownFolder(dir string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, ownFile)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		above := filepath.Dir(dir)
		if isRoot(dir) || above == dir {
			return ""
		}
		dir = above
	}
}

// findRoot looks where --root says, then PIDSBENCH_ROOT, then upwards from the working folder, then upwards from the
// executable.
func findRoot(st *State, flag string) (string, error) {
	for _, named := range []struct{ from, dir string }{{"--root", flag}, {"PIDSBENCH_ROOT", st.Getenv("PIDSBENCH_ROOT")}} {
		if named.dir == "" {
			continue
		}
		dir := named.dir
		dir = st.abs(dir)
		if !isRoot(dir) {
			return "", fault.New(fault.Usage, "%s names %q, which holds no configs/benchmark.yaml", named.from, named.dir).
				WithCure("name the project's folder")
		}
		return dir, nil
	}
	for _, start := range []string{st.Dir, filepath.Dir(st.Executable)} {
		for dir := start; ; dir = filepath.Dir(dir) {
			if isRoot(dir) {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", fault.New(fault.Usage, "no folder with configs/benchmark.yaml here or above %s", st.Dir).
		WithCure("run inside the project or name it with --root or PIDSBENCH_ROOT")
}

func isRoot(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "configs", "benchmark.yaml"))
	return err == nil && info.Mode().IsRegular()
}

// path returns a path of the project by its slash-separated name.
func (p *project) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }
