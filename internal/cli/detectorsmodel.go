package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/models"
)

// verifyModel checks a model folder against its lock; an absent folder makes the detector unavailable, and so does one
// of which the lock alone is here: a lockOnlyError. A folder of the user's own may have no lock: score files hold the
// hashes of its files all the same. The lock is nil then.
func verifyModel(e detect.Entry, dir string) (*models.Lock, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, &unavailableError{absentModel(e, dir)}
	}
	if _, err := os.Lstat(filepath.Join(dir, models.LockName)); errors.Is(err, fs.ErrNotExist) && e.Pull == nil {
		return nil, nil
	}
	lock, err := models.Verify(dir)
	if err == nil {
		return lock, nil
	}
	if e.PulledBy() == "" {
		if alone := models.LockOnly(dir); alone != nil {
			return nil, newLockOnlyError(alone, e.ModelPath(dir))
		}
	}
	var f *fault.Error
	if errors.As(err, &f) && f.Cure == models.Restore {
		err = recure(err, mendModel(e, dir))
	}
	return nil, err
}

// absentModel says why a model folder is not here and which command brings it.
func absentModel(e detect.Entry, dir string) string {
	by, name := e.PulledBy(), e.ModelPath(dir)
	switch {
	case by != "" && e.Pull != nil && e.Pull.Checkpoint():
		if pulled := filepath.Join(dir, "..", "..", filepath.Base(detect.PulledFolder), by); isDir(pulled) {
			return "its checkpoint is here and not yet exported; run `" + models.ExportCommand(e) + "`"
		}
		return "its model is not here; run `pidsbench models pull " + by + "`, which ends with the command that exports it"
	case by != "":
		return "its model is not here; run `pidsbench models pull " + by + "`"
	}
	return fmt.Sprintf("its model folder is not here: %s names %s%s; make it with tools/train, or of a checkpoint with "+
		"`tools/export --checkpoint DIR --out %s`, or correct the path", e.Where("model"), fault.Name(name), nearFolder(e, dir),
		fault.Name(name))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// nearFolder is a clause with the folder beside an absent one whose name is close to its own, "" for none. That of
// another seed is not what was meant.
func nearFolder(e detect.Entry, dir string) string {
	if len(e.Seeds) > 0 {
		return ""
	}
	beside, _ := os.ReadDir(filepath.Dir(dir))
	var names []string
	for _, d := range beside {
		names = append(names, d.Name())
	}
	if near := fault.Near(filepath.Base(dir), names); near != "" {
		return " (did you mean " + fault.Name(near) + "?)"
	}
	return ""
}

// mendModel says how to get a model folder back that is not as its lock says.
func mendModel(e detect.Entry, dir string) string {
	by := e.PulledBy()
	switch {
	case by != "" && e.Pull != nil && e.Pull.Checkpoint():
		return "export it again: `" + models.ExportCommand(e) + "`"
	case by != "":
		return "run `pidsbench models pull " + by + "` to have the pinned file again; what shall be otherwise (classes, lengths) " +
			"belongs in the entry in configs/detectors.yaml"
	}
	return "take it from a fresh checkout; or, when the change is yours, write the file's SHA-256 and size into " +
		e.ModelPath(dir) + "/" + models.LockName + ", or delete that: a model of your own needs no lock"
}
