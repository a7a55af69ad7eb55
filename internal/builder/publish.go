package builder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/manifest"
)

// ManifestPath is the freeze manifest of the open edition, relative to the root.
const ManifestPath = "FREEZE_MANIFEST.txt"

const editionID = "open"

// publish writes the files into a folder below opts.Work, compares them there with the freeze manifest, and only then
// puts each into its place. Files of the edition's folder that a build does not make stay there.
func publish(ctx context.Context, opts Options, e *edition) error {
	stage := filepath.Join(opts.Work, "edition")
	if err := os.RemoveAll(stage); err != nil {
		return fault.New(fault.Failed, "cannot clear the folder of the last build: %w", err)
	}
	contents := make([][]byte, len(e.files))
	for i, f := range e.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		var b bytes.Buffer
		if err := dataset.WriteCSV(&b, f.Columns, f.Rows); err != nil {
			return err
		}
		contents[i] = b.Bytes()
		if err := writeFile(filepath.Join(stage, filepath.FromSlash(f.Path)), b.Bytes()); err != nil {
			return err
		}
	}
	if err := writeLogs(opts.Work, e); err != nil {
		return err
	}
	if !opts.Draft {
		if err := compare(opts.Root, stage); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	files := make([]newFile, len(e.files))
	for i, f := range e.files {
		files[i] = newFile{filepath.Join(opts.Out, filepath.FromSlash(f.Path)), contents[i]}
	}
	return replaceFiles(ctx, files)
}

// compare verifies the built folder against the freeze manifest, where there is one.
func compare(root, dir string) error {
	m, err := readManifest(root)
	if m == nil || err != nil {
		return err
	}
	const cure = "undo the change to the pipeline, its lists or its sources, or freeze a new edition"
	paths := make([]string, len(m.Files))
	for i, f := range m.Files {
		paths[i] = f.Path
	}
	r, err := manifest.Examine(m, dir, paths...)
	if err != nil {
		return fault.New(fault.Integrity, "the build cannot be compared with the edition frozen in %s: %w", ManifestPath, err).
			WithCure(cure)
	}
	var other []string
	for _, f := range r.Results {
		if f.Problem != nil {
			other = append(other, f.Path)
		}
	}
	if len(other) == 0 {
		return nil
	}
	return fault.New(fault.Integrity, "the build differs from the edition frozen in %s in %d files (%s)", ManifestPath,
		len(other), firstOf(other, shownMisses)).WithCure(cure)
}

func readManifest(root string) (*manifest.Manifest, error) {
	data, err := os.ReadFile(filepath.Join(root, ManifestPath))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot read %s: %w", ManifestPath, withoutPath(err))
	}
	return manifest.Parse(ManifestPath, data)
}

// Freeze writes FREEZE_MANIFEST.txt for the edition as it lies in data/open, with the version of the configuration.
func Freeze(root string) (*manifest.Manifest, error) {
	cfg, err := LoadConfig(root)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Freeze(filepath.Join(root, "data", "open"), editionID, "data/open")
	if err != nil {
		return nil, err
	}
	m.Comments = append(m.Comments, "version "+cfg.Version)
	var b bytes.Buffer
	if err := manifest.Write(&b, m); err != nil {
		return nil, err
	}
	return m, replaceFile(filepath.Join(root, ManifestPath), b.Bytes())
}

// writeLogs writes what an inspection of the build needs, without any text: why rows were removed, where the others
// went, and how they were disguised.
func writeLogs(dir string, e *edition) error {
	var removed, placed bytes.Buffer
	r, p := json.NewEncoder(&removed), json.NewEncoder(&placed)
	for _, line := range e.removed {
		if err := r.Encode(line); err != nil {
			return err
		}
	}
	for _, f := range e.files {
		for _, rec := range f.Records {
			err := p.Encode(struct {
				File        string `json:"file"`
				ID          string `json:"id"`
				Label       int    `json:"label"`
				Family      string `json:"family"`
				Obfuscation string `json:"obfuscation"`
				Edits       int    `json:"edits"`
			}{f.Path, rec.ID, int(rec.Label), rec.Family, rec.Obfuscation, rec.Edits})
			if err != nil {
				return err
			}
		}
	}
	sizes, err := json.MarshalIndent(e.families, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(
		replaceFile(filepath.Join(dir, "removed.jsonl"), removed.Bytes()),
		replaceFile(filepath.Join(dir, "rows.jsonl"), placed.Bytes()),
		replaceFile(filepath.Join(dir, "families.json"), append(sizes, '\n')),
	)
}

type newFile struct {
	path string
	data []byte
}

// replaceFiles puts files in their places once all are on disk: a full disk, a place that cannot be written and the end
// of the context while they are written leave every old file as it was.
func replaceFiles(ctx context.Context, files []newFile) error {
	var pending []*atomicfile.Pending
	defer func() {
		for _, p := range pending {
			p.Discard()
		}
	}()
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := os.MkdirAll(filepath.Dir(f.path), 0o777)
		if err == nil {
			var p *atomicfile.Pending
			if p, err = atomicfile.Prepare(f.path, 0o644, func(w io.Writer) error {
				_, err := w.Write(f.data)
				return err
			}); err == nil {
				pending = append(pending, p)
			}
		}
		if err != nil {
			return notPlaced(err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for len(pending) > 0 {
		p := pending[0]
		pending = pending[1:]
		if err := p.Commit(); err != nil {
			return notPlaced(err)
		}
	}
	return nil
}

// replaceFile puts a file in its place in one step, so that no reader meets half of it.
func replaceFile(path string, data []byte) error {
	return replaceFiles(context.Background(), []newFile{{path, data}})
}

func notPlaced(err error) error {
	return fault.New(fault.Failed, "cannot put a file in its place: %w", err).
		WithCure("check the folder, its permissions and the space left")
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fault.New(fault.Failed, "cannot make a folder: %w", err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fault.New(fault.Failed, "cannot write a file: %w", err)
	}
	return nil
}
