package scores

import (
	"os"

	"github.com/gofrs/flock"

	"pidsbench/internal/fault"
)

// lock takes the .part file at path for this process, creating it when it is not there. The lock ends with the process,
// however that ends.
func lock(path string) (*flock.Flock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fault.New(fault.Integrity, "%s: is no regular file, expected a score file", path).
			WithCure("move it away")
	}
	for range 100 {
		l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
		ok, err := l.TryLock()
		if err != nil {
			return nil, fault.New(fault.Failed, "cannot lock the score file being written: %w", err).
				WithCure("choose another --out, on a file system that has locks and can be written")
		}
		if !ok {
			_ = l.Close()
			break
		}
		// Between our opening the file and locking it, another process may have finished with it and removed it: then
		// the lock is on a file that no longer has a name.
		mine, err1 := l.Stat()
		named, err2 := os.Lstat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			return l, nil
		}
		_ = l.Close()
	}
	return nil, fault.New(fault.Failed, "%s: another process is writing these scores", path).
		WithCure("wait until it is done, or choose another --out")
}
