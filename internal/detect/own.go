package detect

import (
	"cmp"
	"path/filepath"
	"slices"

	"pidsbench/internal/fault"
)

// Add puts the detectors of a user's own file behind these. What paths in their entries name lies below the folder. An id
// that stands in both is a usage error that names the line.
func (c *Config) Add(own *Config, folder string) error {
	for i, e := range own.Detectors {
		if slices.ContainsFunc(c.Detectors, func(other Entry) bool { return other.ID == e.ID }) {
			return e.place.file.Fail(e.place.file.Line("detectors", i, "id"), "the detector id %s is that of one that "+
				"pidsbench comes with", fault.Quote(e.ID)).WithCure("give yours another id")
		}
		e.home = folder
		c.Detectors = append(c.Detectors, e)
	}
	return nil
}

// Home returns the folder that the paths of the entry are relative to: that of the user's file that holds it, else the
// project's.
func (e *Entry) Home(project string) string { return cmp.Or(e.home, project) }

// Path returns a path that the entry names, with slashes, as one of this machine.
func (e *Entry) Path(project, name string) string {
	return filepath.Join(e.Home(project), filepath.FromSlash(name))
}
