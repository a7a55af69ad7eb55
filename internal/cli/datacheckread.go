package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pidsbench/internal/builder"
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/leak"
	"pidsbench/internal/schema"
)

// readOwnFiles reads the files as they are named, or those of a folder.
func readOwnFiles(st *State, opts *checkOptions, args []string) ([]leak.File, error) {
	var files []leak.File
	if len(args) == 0 {
		splits, notes, err := dataset.OpenOwn(st.abs(opts.data), opts.mapping())
		if err != nil {
			return nil, err
		}
		for _, n := range notes {
			st.note("note: %s", n)
		}
		for _, s := range splits {
			files = append(files, leak.FromSplit(s))
		}
		return files, nil
	}
	for _, path := range args {
		s, err := dataset.ReadFile(st.abs(path), opts.mapping())
		if err != nil {
			return nil, err
		}
		s.Name = path
		files = append(files, leak.FromSplit(s))
	}
	return files, nil
}

// readEdition reads every file of an edition and holds it to the schema, which is about our own editions. The original
// lets files of the same names repeat each other.
func readEdition(st *State, cmd *cobra.Command, opts *checkOptions, c *checked) ([]leak.File, [][]string, error) {
	p, err := openProject(st, cmd)
	if err != nil {
		return nil, nil, err
	}
	e, dir, _, err := p.edition(st, &opts.dataOptions)
	if err != nil {
		return nil, nil, err
	}
	if notBuilt(e, dir) {
		return nil, nil, withBuildCure(e, dir, nil)
	}
	c.edition = e.ID
	files, tables, err := readTables(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range e.Splits {
		if !slices.ContainsFunc(files, func(f leak.File) bool { return f.Name == s.Name }) {
			c.missing = append(c.missing, s.Name)
		}
	}
	lock, err := builder.LoadLock(p.root)
	if err != nil {
		return nil, nil, err
	}
	s, err := schema.Load(p.root, "configs/schema.yaml", vocabulary(lock))
	if err != nil {
		return nil, nil, err
	}
	if e.ID == "v3" {
		st.note("note: configs/schema.yaml is not about edition v3: its files are compared, not its columns and values")
	} else {
		c.schema = s.Check(tables)
	}
	return files, s.MayOverlap, nil
}

// vocabulary returns the values that configs/schema.yaml takes from the lock, and those of our own texts.
func vocabulary(lock *builder.Lock) map[string][]string {
	lists := map[string][]string{"sources": builder.OwnSources, "licences": {builder.OwnLicence}}
	for _, s := range lock.Sources {
		lists["sources"] = append(lists["sources"], s.ID)
		if !slices.Contains(lists["licences"], s.Licence) {
			lists["licences"] = append(lists["licences"], s.Licence)
		}
	}
	return lists
}

// readTables reads every CSV file below a folder, in the order of their paths. Anything else there is left alone, links
// are refused.
func readTables(dir string) (files []leak.File, tables []schema.Table, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fault.New(fault.Integrity, "%s cannot be opened: %w", fault.Name(dir), err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".csv" {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if !e.Type().IsRegular() {
			return fault.New(fault.Integrity, "%s is a link or no regular file", fault.Name(path)).
				WithCure("put the file itself there")
		}
		data, err := fs.ReadFile(root.FS(), name)
		if err != nil {
			return err
		}
		s, err := dataset.ReadBytes(path, data, dataset.Mapping{})
		if err != nil {
			return err
		}
		header, records, err := dataset.ReadCSV(path, data)
		if err != nil {
			return err
		}
		files = append(files, leak.FromSplit(s))
		tables = append(tables, schema.Table{Name: s.Name, Header: header, Records: records})
		return nil
	})
	var known *fault.Error
	if err != nil && !errors.As(err, &known) {
		err = fault.New(fault.Failed, "the files of %s cannot be read: %w", fault.Name(dir), err)
	}
	if err == nil && len(files) == 0 {
		err = fault.New(fault.Integrity, "%s holds no CSV file", fault.Name(dir)).WithCure("run `pidsbench data build`")
	}
	return files, tables, err
}
