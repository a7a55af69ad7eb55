package manifest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Freeze makes the manifest of the folder dir as it is: every file in it has to be a split that the strict reader
// accepts. The folder name that goes into the manifest is slash-separated and below the project's root.
func Freeze(dir, edition, folder string) (*Manifest, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.New(fault.Integrity, "the folder %s cannot be frozen: %w", fault.Name(dir), reason(err))
	}
	defer root.Close()
	m := &Manifest{Edition: edition, Folder: folder}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		full := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return fault.New(fault.Integrity, "%s cannot be read: %w", fault.Name(full), reason(err))
		case e.IsDir() || slices.Contains(droppings, path.Base(name)):
			return nil
		case !e.Type().IsRegular():
			return fault.New(fault.Integrity, "%s is a link or no regular file and cannot be frozen", fault.Name(full)).
				WithCure("put the file itself in its place")
		}
		info, err := e.Info()
		if err != nil {
			return fault.New(fault.Integrity, "%s cannot be read: %w", fault.Name(full), reason(err))
		}
		data, err := readFile(root, name, info)
		if err != nil {
			return fault.New(fault.Integrity, "%s cannot be read: %w", fault.Name(full), reason(err))
		}
		s, err := dataset.ReadBytes(full, data, dataset.Mapping{})
		if err != nil {
			return err
		}
		f := File{Path: name, SHA256: s.SHA256, Counted: true, Rows: len(s.Rows)}
		f.Benign, f.Injection = s.Counts()
		if problem := f.problem(); problem != "" {
			return fault.New(fault.Integrity, "%s: %s", fault.Name(dir), problem).WithCure("rename the file")
		}
		m.Files = append(m.Files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(m.Files) == 0 {
		return nil, fault.New(fault.Integrity, "the folder %s holds no file to freeze", fault.Name(dir))
	}
	slices.SortFunc(m.Files, byPath)
	return m, nil
}
