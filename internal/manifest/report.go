package manifest

import (
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Status says how a file compares with its entry.
type Status string

// The statuses. OK and Absent are no problems. Missing (where the edition's user says where it lies) and Public are
// problems of kind fault.Incomplete, all others of kind fault.Integrity.
const (
	OK         Status = "ok"
	Public     Status = "public"     // the form for the public: some texts are withheld
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
	Extra      Status = "extra"    // lies in the folder and is not frozen; no problem in a folder of the user's
)

// Result is what was found about one file.
type Result struct {
	Path    string
	Status  Status
	Problem *fault.Error // one sentence with its cure; nil when there is none
	SHA256  string       // of the bytes found; empty when they were not read

	// Counts that were found; all zero when the file was not read as a split.
	Rows, Benign, Injection int
	Withheld                int // rows whose text is not there

	Fingerprints bool // the rows are as frozen, beside a column text_sha256 that the frozen file has not

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

// Result returns what was found about a path, and whether it was looked at.
func (r *Report) Result(path string) (Result, bool) {
	for _, f := range r.Results {
		if f.Path == path {
			return f, true
		}
	}
	return Result{}, false
}

// Split returns the rows of a file that is as frozen (status OK) or in its form for the public (status Public).
func (f Result) Split() *dataset.Split { return f.split }

// Err returns nil when there is no problem but of an accepted status, otherwise one error that lists them all. It is of
// kind fault.Incomplete when files or texts are missing and everything that is there is as frozen, otherwise of kind
// fault.Integrity.
func (r *Report) Err(accepted ...Status) error {
	return r.errors(func(f Result) bool { return !slices.Contains(accepted, f.Status) })
}

// Changed is Err without what is merely missing.
func (r *Report) Changed() error {
	return r.errors(func(f Result) bool { return f.Problem.Kind != fault.Incomplete })
}

func (r *Report) errors(which func(Result) bool) error {
	var problems []string
	kind := fault.Incomplete
	for _, f := range r.Results {
		if f.Problem == nil || !which(f) {
			continue
		}
		problems = append(problems, f.Problem.Error())
		if f.Problem.Kind != fault.Incomplete {
			kind = fault.Integrity
		}
	}
	switch {
	case len(problems) == 0:
		return nil
	case len(problems) == 1:
		return fault.New(kind, "%s", problems[0])
	case kind == fault.Incomplete:
		return fault.New(kind, "%s lacks %d things that %s freezes:\n  %s", fault.Name(r.Dir), len(problems), r.name,
			strings.Join(problems, "\n  "))
	}
	return fault.New(kind, "%s does not match %s in %d places:\n  %s", fault.Name(r.Dir), r.name, len(problems),
		strings.Join(problems, "\n  "))
}

// file is the path for people.
func (r Result) file(dir string) string { return filepath.Join(dir, filepath.FromSlash(r.Path)) }

// problem completes a result with its sentence.
func (r Result) problem(dir string, status Status, cure, format string, args ...any) Result {
	r.Status = status
	r.Problem = fault.New(fault.Integrity, "%s "+format,
		append([]any{fault.Name(r.file(dir))}, args...)...)
	if cure != "" {
		r.Problem.WithCure("%s", cure)
	}
	return r
}
