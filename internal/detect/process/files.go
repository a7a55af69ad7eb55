package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
)

// skipped are names in a folder that no score depends on.
var skipped = []string{"__pycache__", ".git", "model.lock.json"}

// files returns the hashes of what the detector's scores depend on: the files that its command names, those that its
// entry declares, and its model folder. A declared one that is missing is an Incomplete error.
func files(root string, e detect.Entry, command []string, model string) ([]detect.File, error) {
	var names []string
	for i, arg := range command {
		if i == 0 && !isPath(arg) {
			continue // found elsewhere
		}
		if info, err := os.Stat(inRoot(root, arg)); err == nil && info.Mode().IsRegular() {
			names = append(names, arg)
		}
	}
	declared := slices.Clone(e.Process.Files)
	if model != "" {
		declared = append(declared, model)
	}
	for _, name := range declared {
		below, err := walk(root, name)
		if err != nil {
			return nil, err
		}
		names = append(names, below...)
	}
	for i, name := range names {
		names[i] = relative(root, name)
	}
	slices.Sort(names)
	var out []detect.File
	for _, name := range slices.Compact(names) {
		sum, err := packages.HashFile(inRoot(root, name))
		if err != nil {
			return nil, err
		}
		out = append(out, detect.File{Path: name, SHA256: sum})
	}
	return out, nil
}

// isPath reports whether a program is named by its path, not to be looked for where programs are.
func isPath(program string) bool {
	return strings.ContainsRune(program, '/') || filepath.IsAbs(program)
}

// inRoot returns the path of a file that the entry names, relative to the root or not.
func inRoot(root, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// relative returns the name of a file as score files hold it: relative to the root where it lies below it.
func relative(root, name string) string {
	if rel, err := filepath.Rel(root, inRoot(root, name)); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}

// walk lists a file, or the files of a folder, by their paths relative to the root.
func walk(root, name string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(inRoot(root, name), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(skipped, entry.Name()) && entry.IsDir():
			return fs.SkipDir
		case entry.IsDir() || slices.Contains(skipped, entry.Name()) || strings.HasSuffix(path, ".pyc"):
			return nil
		}
		out = append(out, relative(root, path))
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Incomplete, "its file %s is not here", fault.Name(name))
	case err != nil:
		return nil, fault.New(fault.Failed, "cannot list the files of a detector: %w", err)
	}
	return out, nil
}
