package scores

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
)

// Path returns where the scores of the header's split lie below a folder:
// DIR/<edition>/<detector>/seed-<n>/<window mode>/<split>.jsonl, for a shard <split>.2-of-3.jsonl.
func Path(dir string, h Header) string {
	name := component(h.Split)
	if s := h.Info.Shard; !s.IsZero() {
		name += fmt.Sprintf(".%d-of-%d", s.Index, s.Count)
	}
	return filepath.Join(dir, component(h.Edition), component(h.Detector), fmt.Sprintf("seed-%d", h.Seed),
		component(string(h.WindowMode)), name+".jsonl")
}

// component makes a file name out of a name that may be anything (splits of a user's own data are named after files):
// bytes other than letters, digits, dot, dash and underscore, and a leading dot, are written like %2F; what is longer
// than a file name may be ends in a hash instead. Different names stay different.
func component(name string) string {
	const most = 120
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	s := b.String()
	switch {
	case s == "":
		return "%"
	case len(s) > most:
		return fmt.Sprintf("%s%%-%x", s[:most-34], sha256.Sum256([]byte(name)))[:most]
	}
	return s
}

// Find returns the score file of a whole split: the first that is there in the folders' order, the plain file before
// the gzipped one. Its error wraps fs.ErrNotExist when there is none.
func Find(dirs []string, edition, detector string, seed int, mode engine.Mode, split string) (string, error) {
	h := Header{Identity: Identity{Edition: edition, Detector: detector, Seed: seed, WindowMode: mode, Split: split}}
	for _, dir := range dirs {
		plain := Path(dir, h)
		for _, path := range []string{plain, plain + ".gz"} {
			info, err := os.Stat(path)
			switch {
			case err == nil && info.Mode().IsRegular():
				return path, nil
			case err == nil:
				return "", fault.New(fault.Integrity, "%s: is no regular file, expected a score file", path).
					WithCure("move it away")
			case !errors.Is(err, fs.ErrNotExist):
				return "", fault.New(fault.Failed, "cannot look for a score file: %w", err)
			}
		}
	}
	return "", fault.New(fault.Incomplete, "no scores of %s (seed %d, windows %s) for split %s of edition %s in %s: %w",
		detector, seed, mode, fault.Quote(split), fault.Quote(edition), strings.Join(dirs, ", "), fs.ErrNotExist).
		WithCure("run pidsbench score --detector %s", detector)
}
