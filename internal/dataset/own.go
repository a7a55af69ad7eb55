package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pidsbench/internal/fault"
)

// OpenOwn reads a user's own file, or every file of a folder that ReadFile reads, in the order of their names. Splits
// are named after the files without extension. What else lies in the folder is not read and named in the notes, a
// sentence each. Links that lead out of the folder, two files that give one name, and a folder without data files are
// errors.
func OpenOwn(path string, m Mapping) (splits []*Split, notes []string, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		if err := checkSplitName(path); err != nil {
			return nil, nil, err
		}
		s, err := ReadFile(path, m)
		if err != nil {
			return nil, nil, err
		}
		return []*Split{s}, nil, nil
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	note := func(name, why string) {
		notes = append(notes, fault.Name(filepath.Join(path, name))+" is not read: it is "+why+".")
	}
	names := map[string]string{}
	for _, e := range entries {
		full := filepath.Join(path, e.Name())
		_, unknown := formatOf(e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
			note(e.Name(), "hidden")
			continue
		case e.IsDir():
			note(e.Name(), "a folder (name it with --data to read it)")
			continue
		case unknown != nil:
			note(e.Name(), "no "+readable+" file")
			continue
		}
		if err := checkSplitName(full); err != nil {
			return nil, nil, err
		}
		name := splitName(full)
		if other, ok := names[name]; ok {
			return nil, nil, fault.New(fault.Usage, "%s and %s would both be the split %s",
				fault.Name(filepath.Join(path, other)), fault.Name(full), fault.Quote(name)).WithCure("rename one of them")
		}
		names[name] = e.Name()
		s, err := readInside(root, e.Name(), full, m)
		if err != nil {
			return nil, nil, err
		}
		splits = append(splits, s)
	}
	if len(splits) == 0 {
		return nil, nil, fault.New(fault.Usage, "the folder %s holds no %s file", fault.Name(path), readable).
			WithCure("name the file, or the folder that holds it")
	}
	return splits, notes, nil
}

// readInside reads a file of a folder without following links out of it.
func readInside(root *os.Root, name, full string, m Mapping) (*Split, error) {
	info, err := root.Stat(name)
	if err != nil {
		if link, lerr := root.Lstat(name); lerr == nil && link.Mode()&fs.ModeSymlink != 0 {
			return nil, fault.New(fault.Integrity, "%s is a link that leads out of the folder or nowhere, expected a file",
				fault.Name(full)).WithCure("copy the file into the folder")
		}
		return nil, unreadable(full, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Usage, "%s is not a regular file", fault.Name(full)).WithCure("move it out of the folder")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, unreadable(full, err)
	}
	defer f.Close()
	return readFrom(f, full, info.Size(), m)
}

// checkSplitName refuses file names that make no split name: score files are named after the split.
func checkSplitName(path string) error {
	name := splitName(path)
	if name == "" || strings.HasPrefix(name, ".") || fault.Name(name) != name || strings.ContainsAny(name, `/\:*?<>|`) {
		return fault.New(fault.Usage, "the file name of %s gives the split name %s, expected printable characters without "+
			`. at the start and without / \ : * ? " < > |`, fault.Name(path), fault.Quote(name)).WithCure("rename the file")
	}
	return nil
}

// unreadable reports a file or folder that is there and cannot be read.
func unreadable(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fault.New(fault.Failed, "%s cannot be read: %w", fault.Name(path), err)
}
