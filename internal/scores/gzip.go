package scores

import (
	"compress/gzip"
	"io"
	"slices"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
)

// WriteGzip writes the file packed to path, FILE.jsonl.gz, in one step. The same scores give the same bytes: the pack
// holds no name and no time.
func (f *File) WriteGzip(path string) error {
	err := atomicfile.Write(path, 0o644, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		if err := f.encode(z); err != nil {
			return err
		}
		return z.Close()
	})
	if err != nil {
		return fault.New(fault.Failed, "cannot write scores: %w", err).WithCure("make room or choose another --out")
	}
	return nil
}

// SameScores reports whether two files hold the same scores of the same identity. What made them may differ.
func (f *File) SameScores(g *File) bool {
	return differ(f.Header.Identity, g.Header.Identity) == nil &&
		f.Header.Info.Shard == g.Header.Info.Shard && slices.Equal(f.Lines, g.Lines)
}
