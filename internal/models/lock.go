// Package models keeps model folders: it pulls them out of pinned packages, records where every file came from, and
// verifies that a folder holds what its lock says.
package models

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"pidsbench/internal/fault"
)

// LockName is the name of the file in a model folder that pins all others.
const LockName = "model.lock.json"

// Schema is the value of the schema field of a lock.
const Schema = "pidsbench-model-lock/1"

// Lock says what a model folder holds, where it came from and how it was trained.
type Lock struct {
	Schema      string    `json:"schema"`
	Name        string    `json:"name"`         // identifier: stackone-defender
	DisplayName string    `json:"display_name"` // what tables print
	Source      Source    `json:"source"`
	Licence     string    `json:"licence"` // SPDX expression
	Files       []File    `json:"files"`   // sorted by path
	Training    *Training `json:"training,omitempty"`
}

// Source says where a model comes from: a package of a registry, a commit of a hub's repository, or an address.
type Source struct {
	Registry string `json:"registry,omitempty"` // npm or hub; empty for pip
	Package  string `json:"package,omitempty"`
	URL      string `json:"url,omitempty"`
	Version  string `json:"version,omitempty"`
	SHA256   string `json:"sha256,omitempty"`   // of the package file
	Repo     string `json:"repo,omitempty"`     // owner/name on the hub
	Revision string `json:"revision,omitempty"` // the commit
	Path     string `json:"path,omitempty"`     // folder inside the package or repository
	Convert  string `json:"convert,omitempty"`  // what made further files of them
}

// File pins one file by its path relative to the model folder, with slashes.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	// FirstUse marks a hash that no entry pins: it was the file's when it was first pulled.
	FirstUse bool `json:"first_use,omitempty"`
	Made     bool `json:"made,omitempty"` // made here of the others, not pulled
}

// Training says how the weights were fitted. The file may hold more fields; those stay with the file. Of a model that
// was only exported here much is not known: empty texts, and no numbers.
type Training struct {
	Tool        string   `json:"tool"`
	Edition     string   `json:"edition"`      // whose train and val splits were used; or UnknownEdition
	TrainSHA256 string   `json:"train_sha256"` // of the train split's file
	ValSHA256   string   `json:"val_sha256"`
	Seed        int64    `json:"seed"`
	Parameters  int64    `json:"parameters"` // trained weights
	Epochs      *float64 `json:"epochs"`     // passes over the train split
	BestEpoch   *float64 `json:"best_epoch"` // the one that was kept, by val
	ValF1       *float64 `json:"val_f1"`     // of that one
}

// UnknownEdition stands in a lock for the edition of data that nobody named.
const UnknownEdition = "unknown"

// Restore is the cure for a file that is not as its lock says, where nothing better is known of the model.
const Restore = "pull the model again or take the file from a fresh checkout"

var hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// maxLock bounds the bytes read of a lock.
const maxLock = 1 << 20

// ReadLock reads the lock of a model folder. A folder without one, and a lock that is no JSON, has another schema, or
// lists no file, a path that leads out of the folder, a path twice or a malformed hash, is an Integrity error.
func ReadLock(dir string) (*Lock, error) {
	path := filepath.Join(dir, LockName)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Integrity, "%s: no %s, expected one in every model folder", dir, LockName).
			WithCure(Restore)
	case err != nil:
		return nil, fault.New(fault.Failed, "cannot read the model's lock: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxLock:
		return nil, malformed(path, "is no regular file of at most 1 MiB")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot read the model's lock: %w", err)
	}
	if isPointer(data) {
		return nil, pointer(path)
	}
	var l Lock
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, malformed(path, "is not the JSON expected: "+fault.Line(err.Error()))
	}
	if reason := l.check(); reason != "" {
		return nil, malformed(path, reason)
	}
	return &l, nil
}

// check returns what is wrong with the lock, or "".
func (l *Lock) check() string {
	if l.Schema != Schema {
		return "has schema " + fault.Quote(l.Schema) + ", expected " + fault.Quote(Schema)
	}
	if len(l.Files) == 0 {
		return "lists no files"
	}
	seen := map[string]bool{}
	for _, f := range l.Files {
		switch {
		case !safePath(f.Path) || f.Path == LockName:
			return "field files holds the path " + fault.Quote(f.Path) + ", expected one inside the model folder"
		case seen[f.Path]:
			return "field files holds the path " + fault.Quote(f.Path) + " twice"
		case !hashPattern.MatchString(f.SHA256):
			return "field sha256 of " + fault.Quote(f.Path) + " holds " + fault.Quote(f.SHA256) +
				", expected 64 lower-case hexadecimal digits"
		}
		seen[f.Path] = true
	}
	return ""
}

func safePath(p string) bool {
	return fs.ValidPath(p) && p != "." && !strings.ContainsAny(p, "\\\x00")
}

func malformed(path, reason string) error {
	return fault.New(fault.Integrity, "%s: %s", path, reason).
		WithCure(Restore)
}

// write stores the lock in dir, which it completes: callers write it last.
func (l *Lock) write(dir string) error {
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, LockName), append(data, '\n'), 0o644)
}
