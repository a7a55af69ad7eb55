package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// pack writes the files as a compressed tar archive, below the folder top: sorted by name, all of one time and of no
// owner, with two modes, so that nothing but names and contents decides the bytes.
func pack(to io.Writer, top string, files []file, when time.Time) error {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	compressed, err := gzip.NewWriterLevel(to, gzip.BestCompression) // names no file and no time
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	folders := map[string]bool{}
	for _, f := range files {
		if err := addFolders(archive, folders, path.Join(top, path.Dir(f.name)), when); err != nil {
			return err
		}
		if err := addFile(archive, path.Join(top, f.name), f, when); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

// addFolders adds a folder and those above it, each once.
func addFolders(archive *tar.Writer, have map[string]bool, dir string, when time.Time) error {
	if dir == "." || have[dir] {
		return nil
	}
	if err := addFolders(archive, have, path.Dir(dir), when); err != nil {
		return err
	}
	have[dir] = true
	return archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: when, Format: tar.FormatPAX})
}

func addFile(archive *tar.Writer, name string, f file, when time.Time) error {
	in, err := os.Open(f.from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if f.program {
		mode = 0o755
	}
	err = archive.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: mode, ModTime: when, Format: tar.FormatPAX,
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(archive, bufio.NewReader(in))
	return err
}
