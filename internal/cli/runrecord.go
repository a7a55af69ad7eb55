package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"pidsbench/internal/results"
	"pidsbench/internal/scores"
)

// runRecord says what made a document. The command line and the seconds are all of it that may differ between two runs
// on one machine.
func runRecord(st *State) map[string]string {
	record := map[string]string{
		"pidsbench": version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		"processor": cpuFeatures(), "cores": strconv.Itoa(runtime.NumCPU()), "command": st.commandLine(),
	}
	if commit != "" {
		record["commit"] = commit
	}
	if libraries := linkedLibraries(); libraries != "" {
		record["libraries"] = libraries
	}
	if !st.Started.IsZero() {
		record["seconds"] = fmt.Sprintf("%.1f", time.Since(st.Started).Seconds())
	}
	return record
}

// linkedLibraries names the modules that numbers depend on, with their versions.
func linkedLibraries() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var found []string
	for _, m := range info.Deps {
		for _, name := range []string{"daulet/tokenizers", "yalue/onnxruntime_go", "gonum.org/v1/gonum"} {
			if strings.HasSuffix(m.Path, name) {
				found = append(found, strings.TrimPrefix(m.Path, "github.com/")+" "+m.Version)
			}
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}

// commandLine is what the user typed, as a shell would read it, without secrets.
func (st *State) commandLine() string {
	words := []string{"pidsbench"}
	for _, arg := range st.Args {
		words = append(words, shellWord(withoutSecrets(arg, st.secrets())))
	}
	return strings.Join(words, " ")
}

// secrets returns the values of the environment that its names say are secret. Short ones would hit innocent words.
func (st *State) secrets() (values []string) {
	if st.Environ == nil {
		return nil
	}
	for _, pair := range st.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if secretName.MatchString(name) && len(value) >= 8 {
			values = append(values, value)
		}
	}
	return values
}

var (
	secretName = regexp.MustCompile(`(?i)(key|token|secret|password|passwd|credential|auth)`)
	// Keys of well-known makers, and what stands before the @ of an address.
	secretForm = regexp.MustCompile(`\b(sk-|hf_|ghp_|github_pat_|glpat-|AKIA|xox[abprs]-)[A-Za-z0-9_\-]{8,}`)
	userInfo   = regexp.MustCompile(`://[^/@\s]+@`)
)

func withoutSecrets(s string, known []string) string {
	for _, k := range known {
		s = strings.ReplaceAll(s, k, "[secret]")
	}
	s = secretForm.ReplaceAllString(s, "[secret]")
	return userInfo.ReplaceAllString(s, "://[secret]@")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./\-]+$`)

func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// addMade adds what the header of one of its score files says to a run.
func addMade(run *results.Seed, h scores.Header) {
	m := &run.Made
	m.ConfigHash, m.Files, m.Precision = h.ConfigHash, h.Files, h.Precision
	m.TrainSHA256 = h.Info.TrainSHA256
	m.By = append(append(m.By, h.Info.Setup), h.Info.Also...)
	slices.SortFunc(m.By, func(a, b scores.Setup) int {
		return cmp.Or(strings.Compare(a.Tool, b.Tool), strings.Compare(a.Runtime, b.Runtime), strings.Compare(a.CPU, b.CPU))
	})
	m.By = slices.Compact(m.By)
}
