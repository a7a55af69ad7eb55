package packages

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// Bounds of what is read out of a tarball.
const (
	mostEntries  = 1 << 20
	mostUnpacked = 4 << 30 // bytes of all its files together
)

// Each hands the files of a package for which want holds to the callback, one after another: those of a wheel by name,
// those of a tarball (.tgz; names without its top folder) as they come. It reads at most limit bytes of a file; a
// longer one, a damaged package, a name that is no plain relative path or stands twice and a link are Integrity errors,
// found even in files that are not wanted.
func Each(path string, limit int64, want func(name string) bool, yield func(name string, data []byte) error) error {
	if strings.HasSuffix(strings.ToLower(path), ".tgz") {
		return eachInTarball(path, limit, want, yield)
	}
	a, err := Open(path)
	if err != nil {
		return err
	}
	defer a.Close()
	for _, name := range slices.Sorted(maps.Keys(a.members)) {
		if !want(name) {
			continue
		}
		data, err := a.Member(name, limit)
		if err != nil {
			return err
		}
		if err := yield(name, data); err != nil {
			return err
		}
	}
	return nil
}

// unsafeEntry says why an entry of a tarball is none of a plain package, or nothing.
func unsafeEntry(h *tar.Header, name string, seen bool) string {
	switch {
	case !plainPath(name):
		return "has a name that is not a plain relative path"
	case seen && h.Typeflag != tar.TypeDir:
		return "stands twice"
	case h.Typeflag == tar.TypeSymlink, h.Typeflag == tar.TypeLink:
		return "is a link"
	case h.Typeflag != tar.TypeDir && h.Typeflag != tar.TypeReg:
		return "is not a regular file"
	}
	return ""
}

func eachInTarball(path string, limit int64, want func(string) bool, yield func(string, []byte) error) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	a := &Archive{path: path}
	damaged := func(err error) error {
		return fault.New(fault.Integrity, "%s: not a readable tarball: %w", path, err).
			WithCure("delete the file and fetch it again")
	}
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return damaged(err)
	}
	unpacked := &io.LimitedReader{R: z, N: mostUnpacked}
	seen := map[string]bool{}
	for t := tar.NewReader(unpacked); ; {
		h, err := t.Next()
		switch {
		case unpacked.N <= 0:
			return fault.New(fault.Integrity, "%s: unpacks to more than %d bytes, the most that is read", path,
				int64(mostUnpacked)).WithCure("do not use this file")
		case err == io.EOF:
			return nil
		case err != nil:
			return damaged(err)
		case len(seen) == mostEntries:
			return fault.New(fault.Integrity, "%s: holds more than %d files, the most that are read", path, mostEntries).
				WithCure("do not use this file")
		case h.Typeflag == tar.TypeXGlobalHeader:
			continue
		}
		name := strings.TrimSuffix(h.Name, "/")
		if why := unsafeEntry(h, name, seen[name]); why != "" {
			return a.refuse(h.Name, why)
		}
		seen[name] = true
		_, inner, below := strings.Cut(name, "/")
		if h.Typeflag == tar.TypeDir || !below || !want(inner) {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(t, limit+1))
		if err != nil {
			return damaged(err)
		}
		if int64(len(data)) > limit {
			return fault.New(fault.Integrity, "%s: member %.80q is longer than %d bytes, the most that is read of it", path,
				inner, limit).WithCure("do not use this file")
		}
		if err := yield(inner, data); err != nil {
			return err
		}
	}
}
