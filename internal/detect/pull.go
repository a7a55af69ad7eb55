package detect

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// Pull says where a model folder comes from: a pinned registry package, or a commit of a model hub's repository, and
// the files to take out of it.
type Pull struct {
	Registry string            `yaml:"registry"` // pip (default), npm or hub
	Package  string            `yaml:"package"`  // pip, npm: stackone-defender
	Version  string            `yaml:"version"`  // pip, npm: exact
	SHA256   string            `yaml:"sha256"`   // pip, npm: of the package file
	Repo     string            `yaml:"repo"`     // hub: owner/name
	Revision string            `yaml:"revision"` // hub: the commit, 40 hexadecimal digits
	Gated    bool              `yaml:"gated"`    // hub: whoever wants the files has to accept terms first
	Path     string            `yaml:"path"`     // folder inside the package or repository
	Files    map[string]string `yaml:"files"`    // name in that folder → SHA-256; hub: may be empty, see docs/models.md
	Convert  string            `yaml:"convert"`  // what makes model files of the package's own form
	Source   string            `yaml:"source"`   // for people: project address or citation
}

// The registries of a pull section.
const (
	Pip = "pip"
	NPM = "npm"
	Hub = "hub"
)

// From returns the registry, pip when the section names none.
func (p *Pull) From() string {
	if p.Registry == "" {
		return Pip
	}
	return p.Registry
}

// String says in a word or two what is pulled: name==version, name@version or owner/name at a commit.
func (p *Pull) String() string {
	switch p.From() {
	case Hub:
		return fmt.Sprintf("%s at commit %.12s", p.Repo, p.Revision)
	case NPM:
		return p.Package + "@" + p.Version
	}
	return p.Package + "==" + p.Version
}

// Checkpoint reports whether what is pulled are training weights, of which a model has to be exported before it can
// run.
func (p *Pull) Checkpoint() bool {
	if p.From() != Hub || p.Convert != "" {
		return false
	}
	for name := range p.Files {
		if path.Ext(name) == ".onnx" {
			return false
		}
	}
	return true
}

// Folders below the root, with slashes, that hold a folder for each model that is not shipped, named by the id of its
// entry: what was pulled, and what was exported from a pulled checkpoint.
const (
	PulledFolder   = "models/.pulled"
	ExportedFolder = "models/.exported"
)

// PulledBy returns the id of the entry whose pull section brings this entry's model: its own id, or that of the entry
// whose pulled folder it shares. It is empty for a model that is not pulled.
func (e *Entry) PulledBy() string {
	if e.Pull != nil {
		return e.ID
	}
	if dir, id := path.Split(e.Model); dir == PulledFolder+"/" {
		return id
	}
	return ""
}

var (
	repoPattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$`)
	commitPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)
	hashPattern   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	registries    = []string{Pip, NPM, Hub}
)

// wrongPull looks at the pull section.
func (e *Entry) wrongPull() *mistake {
	p := e.Pull
	if p == nil {
		return nil
	}
	bad := func(field, found, expected string) *mistake {
		return &mistake{[]any{"pull", field}, "pull." + field, found, expected}
	}
	if !slices.Contains(registries, p.From()) {
		return bad("registry", fault.Quote(p.Registry), strings.Join(registries, ", "))
	}
	own := map[string]string{"package": p.Package, "version": p.Version, "sha256": p.SHA256}
	others := map[string]string{"repo": p.Repo, "revision": p.Revision}
	if p.From() == Hub {
		own, others = others, own
	}
	for _, field := range slices.Sorted(maps.Keys(own)) {
		if own[field] == "" {
			return bad(field, fault.Quote(""), "a value, for the registry "+p.From()+" needs it")
		}
	}
	for _, field := range slices.Sorted(maps.Keys(others)) {
		if others[field] != "" {
			return bad(field, fault.Quote(others[field]), "none for the registry "+p.From())
		}
	}
	hub := p.From() == Hub
	switch {
	case hub && !repoPattern.MatchString(p.Repo):
		return bad("repo", fault.Quote(p.Repo), "owner/name as the hub spells it")
	case hub && !commitPattern.MatchString(p.Revision):
		return bad("revision", fault.Quote(p.Revision), "a commit of 40 lower-case hexadecimal digits: a branch moves")
	case p.Gated && !hub:
		return bad("gated", "true", "it with the registry hub alone")
	case !hub && !hashPattern.MatchString(p.SHA256):
		return bad("sha256", fault.Quote(p.SHA256), "64 lower-case hexadecimal digits")
	case p.Path != "" && !localPath(p.Path):
		return bad("path", fault.Quote(p.Path), "a path inside the package with slashes")
	case len(p.Files) == 0:
		return bad("files", "nothing", "each file with its SHA-256")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		sum := p.Files[name]
		switch {
		case !localPath(name):
			return &mistake{[]any{"pull", "files", name}, "pull.files", fault.Quote(name),
				"names inside the model folder with slashes"}
		case !hashPattern.MatchString(sum) && !(hub && sum == ""):
			return &mistake{[]any{"pull", "files", name}, "pull.files", fault.Quote(sum) + " for " + fault.Quote(name),
				"64 lower-case hexadecimal digits"}
		}
	}
	return nil
}

// CheckPull returns the first mistake in the pull section as a Usage error, for entries that no file was read for.
func (e *Entry) CheckPull() error {
	m := e.wrongPull()
	if m == nil {
		return nil
	}
	return fault.New(fault.Usage, "detector %s: field %s holds %s, expected %s", fault.Quote(e.ID), m.field, m.found,
		m.expected).WithCure("correct its entry in detectors.yaml")
}

// strayFolder returns the mistake of an entry whose model lies where no entry pulls one.
func (e *Entry) strayFolder(all []Entry) *mistake {
	by := e.PulledBy()
	if by == "" || by == e.ID && e.Pull != nil {
		return nil
	}
	for i := range all {
		if all[i].ID == by && all[i].Pull != nil && all[i].Model == e.Model {
			return nil
		}
	}
	return wrong("model", fault.Quote(e.Model), "the folder of an entry that has a pull section")
}
