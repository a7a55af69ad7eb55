package manifest

import (
	"path/filepath"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Status says how a file compares with its entry.
type Status string

// The statuses. OK and Absent are no problems.
const (
	OK         Status = "ok"
	Absent     Status = "absent"     // without counts, so it may be
	Changed    Status = "changed"    // other bytes than frozen
	Converted  Status = "converted"  // the frozen bytes, but for line ends, byte order mark or final line end
	Pointer    Status = "pointer"    // a Git LFS pointer stands in its place
	Miscounted Status = "miscounted" // the frozen bytes, but the manifest's counts are wrong
	Malformed  Status = "malformed"  // the frozen bytes, which the strict reader refuses
	Missing    Status = "missing"
	Unreadable Status = "unreadable"
	Link       Status = "link"     // a symbolic link, which is never followed
	NotAFile   Status = "not_file" // a folder, device or pipe
	Extra      Status = "extra"    // lies in the folder and is not frozen
)

// Result is what was found about one file.
type Result struct {
	Path    string
	Status  Status
	Problem *fault.Error // one sentence with its cure; nil when the status is OK or Absent
	SHA256  string       // of the bytes found; empty when they were not read

	// Counts that were found; all zero when the file was not read as a split.
	Rows, Benign, Injection int
	Withheld                int // rows whose text is not there

	split *dataset.Split
}

// Report is the outcome of Verify.
type Report struct {
	Dir     string
	Results []Result // sorted by path

	name string
}

// Split returns the rows of a file that was found in order, parsed from the same bytes that were hashed.
func (r *Report) Split(path string) (*dataset.Split, bool) {
	for _, f := range r.Results {
		if f.Path == path && f.split != nil && f.Status == OK {
			return f.split, true
		}
	}
	return nil, false
}

// Err returns nil when there is no problem, otherwise one integrity error that lists them all.
func (r *Report) Err() error {
	var problems []string
	for _, f := range r.Results {
		if f.Problem != nil {
			problems = append(problems, f.Problem.Error())
		}
	}
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Integrity, "%s", problems[0])
	}
	return fault.New(fault.Integrity, "%s does not match %s in %d places:\n  %s", fault.Name(r.Dir), r.name,
		len(problems), strings.Join(problems, "\n  "))
}

// problem completes a result with its sentence.
func (r Result) problem(dir string, status Status, cure, format string, args ...any) Result {
	r.Status = status
	r.Problem = fault.New(fault.Integrity, "%s "+format,
		append([]any{fault.Name(filepath.Join(dir, filepath.FromSlash(r.Path)))}, args...)...)
	if cure != "" {
		r.Problem.WithCure("%s", cure)
	}
	return r
}
