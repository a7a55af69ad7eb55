// Package external keeps sets of texts that their user imported: other people's files, brought into the form of the
// benchmark's own splits, with a note of where they come from. They are measured beside the frozen splits and never
// mixed with them.
package external

import (
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Edition is the name under which score files of external sets lie, and Folder where the sets lie below the root.
const (
	Edition = "external"
	Folder  = "data/external"
)

// HardBenign is the provenance of a set that is a further part of the hard-benign axis.
const HardBenign = "hard-benign"

// The files of a set.
const (
	rowsFile    = "rows.csv"
	setFile     = "set.yaml"
	rejectsFile = "rejects.jsonl"
)

// LicenceClasses is the closed vocabulary of what a licence asks of who passes texts on.
var LicenceClasses = []string{"permissive", "attribution", "share-alike", "non-commercial", "restricted", "unknown"}

// LicenceClass returns the class of a licence by its SPDX identifier, or of one of the class words; unknown for all
// others.
func LicenceClass(licence string) string {
	l := strings.ToUpper(licence)
	for _, c := range LicenceClasses {
		if licence == c {
			return c
		}
	}
	switch {
	case strings.Contains(l, " "): // several, or words
		return "unknown"
	case strings.HasPrefix(l, "CC-BY-NC"):
		return "non-commercial"
	case strings.HasPrefix(l, "CC-BY-SA"), strings.HasPrefix(l, "ODBL"), strings.HasPrefix(l, "GFDL"):
		return "share-alike"
	case strings.HasPrefix(l, "CC-BY-ND"):
		return "restricted"
	case strings.HasPrefix(l, "CC-BY"), strings.HasPrefix(l, "ODC-BY"):
		return "attribution"
	case strings.HasPrefix(l, "BSD-"), strings.HasPrefix(l, "CC0"), l == "MIT", l == "MIT-0", l == "APACHE-2.0",
		l == "ISC", l == "UNLICENSE", l == "PDDL-1.0", l == "0BSD":
		return "permissive"
	}
	return "unknown"
}

// CheckName refuses a name that a set cannot have: one that is no plain word, and those that are taken (of splits).
func CheckName(name string, taken []string) error {
	switch {
	case name == "" || len(name) > 60 || name[0] == '-' ||
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "":
		return fault.New(fault.Usage, "the set's name is %s, expected lower-case letters, digits, dashes and underscores",
			fault.Quote(name)).WithCure("choose another one")
	case name == "real" || name == "curated":
		return fault.New(fault.Usage, "the set's name is %s, which is a provenance of the benchmark's own hard-benign rows",
			name).WithCure("choose another one")
	case name == "none" || name == "all":
		return fault.New(fault.Usage, "the set's name is %s, which --external takes for something else", name).
			WithCure("choose another one")
	}
	for _, t := range taken {
		if name == t {
			return fault.New(fault.Usage, "the set's name is %s, which is a split of the benchmark", name).
				WithCure("choose another one")
		}
	}
	return nil
}

// axis is the axis of a set.
func axis(provenance string) dataset.Axis {
	if provenance == HardBenign {
		return dataset.HardBenign
	}
	return dataset.Custom
}
